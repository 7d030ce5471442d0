/// Connections between ports, latencies, and metadata.
#include "fake.h"

#include <jack/uuid.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void notify_link(const link_t *link, int connected) {
    notice_t notice = {.kind = NOTICE_LINK, .a = link->source->id, .b = link->destination->id, .flag = connected};
    fake_notify_all(notice);
    fake_notify_all((notice_t){.kind = NOTICE_ORDER});
    fake_notify_all((notice_t){.kind = NOTICE_LATENCY, .a = JackCaptureLatency});
    fake_notify_all((notice_t){.kind = NOTICE_LATENCY, .a = JackPlaybackLatency});
}

static link_t *find_link(const jack_port_t *source, const jack_port_t *destination) {
    for (uint32_t i = 0; i < fake.nlinks; i++) {
        if (fake.links[i].source == source && fake.links[i].destination == destination) {
            return &fake.links[i];
        }
    }
    return NULL;
}

static void remove_link(link_t *link) {
    link_t old = *link;
    *link = fake.links[--fake.nlinks];
    notify_link(&old, 0);
}

void fake_unlink_port(jack_port_t *port) {
    for (uint32_t i = fake.nlinks; i-- > 0;) {
        if (fake.links[i].source == port || fake.links[i].destination == port) {
            remove_link(&fake.links[i]);
        }
    }
}

static int link_ports(const char *source, const char *destination) {
    jack_port_t *from = fake_find_port(source), *to = fake_find_port(destination);
    if (from == NULL || to == NULL || !(from->flags & JackPortIsOutput) || !(to->flags & JackPortIsInput)) {
        return fake.is_pipewire ? ENOENT : -1;
    }
    // Neither server connects the ports of an inactive client.
    if ((from->owner != NULL && !from->owner->is_active) || (to->owner != NULL && !to->owner->is_active)) {
        return fake.is_pipewire ? EINVAL : -1;
    }
    if (find_link(from, to) != NULL) {
        return EEXIST;
    }
    if (fake.nlinks == MAX_LINKS) {
        return -1;
    }
    fake.links[fake.nlinks++] = (link_t){from, to};
    notify_link(&fake.links[fake.nlinks - 1], 1);
    return 0;
}

int jack_connect(jack_client_t *client, const char *source, const char *destination) {
    VISIT(connect, client);
    if (visit.way >= 0) {
        return fake_failure(&visit);
    }
    fake_lock();
    int result = fake_is_served(client) ? link_ports(source, destination) : -1;
    fake_unlock();
    return result;
}

int jack_disconnect(jack_client_t *client, const char *source, const char *destination) {
    VISIT(disconnect, client);
    if (visit.way >= 0) {
        return fake_failure(&visit);
    }
    fake_lock();
    jack_port_t *from = fake_find_port(source), *to = fake_find_port(destination);
    link_t *link = fake_is_served(client) && from != NULL && to != NULL ? find_link(from, to) : NULL;
    if (link != NULL) {
        remove_link(link);
    }
    fake_unlock();
    return link != NULL ? 0 : -1;
}

int jack_port_disconnect(jack_client_t *client, jack_port_t *port) {
    VISIT(port_disconnect, client);
    if (visit.way >= 0) {
        return fake_failure(&visit);
    }
    fake_lock();
    bool heard = fake_is_served(client) && port != NULL;
    if (heard) {
        fake_unlink_port(port);
    }
    fake_unlock();
    return heard ? 0 : -1;
}

// ---- Queries ------------------------------------------------------------------------------------

const char **fake_links_of(const jack_port_t *port) {
    char **names = calloc(fake.nlinks + 1, sizeof *names);
    size_t count = 0;
    for (uint32_t i = 0; names != NULL && i < fake.nlinks; i++) {
        if (fake.links[i].source == port) {
            names[count++] = fake.links[i].destination->name;
        }
        if (fake.links[i].destination == port) {
            names[count++] = fake.links[i].source->name;
        }
    }
    const char **list = count > 0 ? fake_list(names, count) : NULL;
    free(names);
    return list;
}

static const char **links_unless(const visit_t *visit, const jack_port_t *port) {
    fake_lock();
    const char **list = visit->way < 0 ? fake_links_of(port) : visit->way == 1 ? fake_list(NULL, 0) : NULL;
    fake_unlock();
    return list;
}

const char **jack_port_get_connections(const jack_port_t *port) {
    VISIT(port_get_connections, NULL);
    return links_unless(&visit, port);
}

const char **jack_port_get_all_connections(const jack_client_t *client, const jack_port_t *port) {
    VISIT(port_get_all_connections, client);
    return links_unless(&visit, port);
}

int jack_port_connected(const jack_port_t *port) {
    VISIT(port_connected, NULL);
    int count = 0;
    fake_lock();
    for (uint32_t i = 0; i < fake.nlinks && visit.way < 0; i++) {
        count += fake.links[i].source == port || fake.links[i].destination == port;
    }
    fake_unlock();
    return visit.way >= 0 ? fake_failure(&visit) : count;
}

int jack_port_connected_to(const jack_port_t *port, const char *name) {
    VISIT(port_connected_to, NULL);
    fake_lock();
    const jack_port_t *other = fake_find_port(name);
    int result = visit.way < 0 && other != NULL && (find_link(port, other) != NULL || find_link(other, port) != NULL);
    fake_unlock();
    return result;
}

// ---- Latencies ----------------------------------------------------------------------------------

static jack_latency_range_t range_of(const jack_port_t *port, jack_latency_callback_mode_t mode) {
    bool looks_on =
        mode == JackPlaybackLatency ? (port->flags & JackPortIsOutput) != 0 : (port->flags & JackPortIsInput) != 0;
    jack_latency_range_t whole = {UINT32_MAX, 0};
    for (uint32_t i = 0; i < fake.nlinks && looks_on; i++) {
        const link_t *link = &fake.links[i];
        const jack_port_t *other = link->source == port        ? link->destination
                                   : link->destination == port ? link->source
                                                               : NULL;
        if (other == NULL) {
            continue;
        }
        jack_latency_range_t range = other->latency[mode];
        whole.min = range.min < whole.min ? range.min : whole.min;
        whole.max = range.max > whole.max ? range.max : whole.max;
    }
    return whole.min == UINT32_MAX && whole.max == 0 ? port->latency[mode] : whole;
}

void jack_port_get_latency_range(jack_port_t *port, jack_latency_callback_mode_t mode, jack_latency_range_t *range) {
    VISIT(port_get_latency_range, NULL);
    if (visit.way == 1) {
        *range = (jack_latency_range_t){UINT32_MAX, UINT32_MAX};
    }
    if (visit.way >= 0 || port == NULL) {
        return;
    }
    fake_lock();
    *range = range_of(port, mode);
    fake_unlock();
}

void jack_port_set_latency_range(jack_port_t *port, jack_latency_callback_mode_t mode, jack_latency_range_t *range) {
    VISIT(port_set_latency_range, NULL);
    if (visit.way >= 0 || port == NULL) {
        return;
    }
    fake_lock();
    port->latency[mode] = *range;
    fake_unlock();
}

/// Returns once every client, including the caller, has been notified, as in jackd2.
int jack_recompute_total_latencies(jack_client_t *client) {
    VISIT(recompute_total_latencies, client);
    if (visit.way >= 0) {
        return fake_failure(&visit);
    }
    fake_lock();
    bool heard = fake_is_served(client);
    if (heard) {
        fake_notify_all((notice_t){.kind = NOTICE_LATENCY, .a = JackCaptureLatency});
        fake_notify_all((notice_t){.kind = NOTICE_LATENCY, .a = JackPlaybackLatency});
        fake_await_notified(client);
    }
    fake_unlock();
    return heard ? 0 : -1;
}

// ---- Metadata: there is none --------------------------------------------------------------------

int jack_get_property(jack_uuid_t subject, const char *key, char **value, char **type) {
    VISIT(get_property, NULL);
    (void)subject, (void)key;
    *value = *type = NULL;
    return visit.way >= 0 ? fake_failure(&visit) : -1;
}

int jack_get_properties(jack_uuid_t subject, jack_description_t *description) {
    VISIT(get_properties, NULL);
    *description = (jack_description_t){.subject = subject};
    return visit.way >= 0 ? fake_failure(&visit) : 0;
}

void jack_free_description(jack_description_t *description, int itself) {
    if (itself) {
        free(description);
    }
}

int jack_set_property(jack_client_t *client, jack_uuid_t subject, const char *key, const char *value,
                      const char *type) {
    VISIT(set_property, client);
    (void)key, (void)value, (void)type;
    fake_lock();
    fake_notify_all((notice_t){.kind = NOTICE_PROPERTY, .a = (uint32_t)subject});
    fake_unlock();
    return visit.way >= 0 ? fake_failure(&visit) : 0;
}

int jack_remove_property(jack_client_t *client, jack_uuid_t subject, const char *key) {
    VISIT(remove_property, client);
    (void)subject, (void)key;
    return visit.way >= 0 ? fake_failure(&visit) : 0;
}

int jack_uuid_parse(const char *text, jack_uuid_t *uuid) {
    (void)text;
    *uuid = 0;
    return -1;
}

char *jack_get_uuid_for_client_name(jack_client_t *client, const char *name) {
    VISIT(get_uuid_for_client_name, client);
    (void)name;
    return NULL;
}

char *jack_get_client_name_by_uuid(jack_client_t *client, const char *uuid) {
    VISIT(get_client_name_by_uuid, client);
    (void)uuid;
    return NULL;
}
