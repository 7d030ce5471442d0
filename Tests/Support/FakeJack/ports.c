/// Ports: creation, naming, listing.
#include "fake.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/// Allocates a port's buffer, followed by an inaccessible page: a write beyond the cycle's frames
/// crashes there.
static float *make_room(void) {
    size_t length = MAX_FRAMES * sizeof(float), page = 4096;
    char *memory =
        mmap(NULL, length + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        return NULL;
    }
    mprotect(memory + length, page, PROT_NONE);
    return (float *)(void *)memory;
}

static void drop_room(jack_port_t *port) {
    if (port->room != NULL) {
        munmap(port->room, MAX_FRAMES * sizeof(float) + 4096);
    }
    port->room = NULL;
}

jack_port_t *fake_add_port(jack_client_t *owner, const char *name, const char *type, unsigned long flags) {
    jack_port_t *port = fake.nports < MAX_PORTS ? calloc(1, sizeof *port) : NULL;
    if (port == NULL) {
        return NULL;
    }
    port->owner = owner;
    port->name = strdup(name);
    port->type = strcmp(type, JACK_DEFAULT_AUDIO_TYPE) == 0 ? JACK_DEFAULT_AUDIO_TYPE : JACK_DEFAULT_MIDI_TYPE;
    port->flags = flags;
    port->exists = true;
    port->id = fake.nports;
    port->room = owner != NULL ? make_room() : NULL;
    fake.ports[fake.nports++] = port;
    fake_notify_all((notice_t){.kind = NOTICE_PORT, .a = port->id, .flag = 1});
    return port;
}

void fake_remove_port(jack_port_t *port) {
    fake_unlink_port(port);
    port->exists = false;
    drop_room(port);
    fake_notify_all((notice_t){.kind = NOTICE_PORT, .a = port->id, .flag = 0});
}

jack_port_t *fake_find_port(const char *name) {
    for (uint32_t i = 0; i < fake.nports && name != NULL; i++) {
        if (fake.ports[i]->exists && strcmp(fake.ports[i]->name, name) == 0) {
            return fake.ports[i];
        }
    }
    return NULL;
}

bool fake_owns(const jack_client_t *client, const char *name) {
    size_t length = strlen(client->name);
    return strncmp(name, client->name, length) == 0 && name[length] == ':';
}

jack_port_t *jack_port_register(jack_client_t *client, const char *name, const char *type, unsigned long flags,
                                unsigned long size) {
    (void)size;
    VISIT(port_register, client);
    char full[MAX_NAME];
    snprintf(full, sizeof full, "%.63s:%.250s", client->name, name);
    fake_lock();
    jack_port_t *port = NULL;
    if (visit.way < 0 && fake_is_served(client) && fake_find_port(full) == NULL) {
        port = fake_add_port(client, full, type, flags & ~(unsigned long)JackPortIsPhysical);
    }
    fake_unlock();
    return port;
}

int jack_port_unregister(jack_client_t *client, jack_port_t *port) {
    VISIT(port_unregister, client);
    fake_lock();
    bool takes = fake_is_served(client) && port != NULL && port->exists && port->owner == client;
    if (port != NULL && !port->exists && port->owner == client && !client->is_dead) {
        fake_note_misuse("the port was unregistered before", "port_unregister");
    }
    // If the call fails, the port exists until its client ends.
    if (takes && visit.way < 0) {
        fake_remove_port(port);
    }
    fake_unlock();
    return visit.way >= 0 ? fake_failure(&visit) : takes ? 0 : -1;
}

// ---- One port -----------------------------------------------------------------------------------

const char *jack_port_name(const jack_port_t *port) {
    VISIT(port_name, NULL);
    return visit.way >= 0 || port == NULL ? NULL : port->name;
}

const char *jack_port_short_name(const jack_port_t *port) {
    VISIT(port_short_name, NULL);
    if (visit.way >= 0 || port == NULL) {
        return NULL;
    }
    const char *colon = strchr(port->name, ':');
    return colon != NULL ? colon + 1 : port->name;
}

const char *jack_port_type(const jack_port_t *port) {
    VISIT(port_type, NULL);
    return visit.way >= 0 || port == NULL ? NULL : port->type;
}

int jack_port_flags(const jack_port_t *port) {
    VISIT(port_flags, NULL);
    return visit.way >= 0 || port == NULL ? (visit.way == 1 ? -1 : 0) : (int)port->flags;
}

jack_uuid_t jack_port_uuid(const jack_port_t *port) {
    VISIT(port_uuid, NULL);
    return visit.way >= 0 || port == NULL ? 0 : 1000 + port->id;
}

int jack_port_is_mine(const jack_client_t *client, const jack_port_t *port) {
    VISIT(port_is_mine, client);
    return visit.way < 0 && port != NULL && port->owner == client;
}

static int copy_alias(char *room, const char *text) {
    if (room == NULL) {
        return 0;
    }
    snprintf(room, MAX_NAME, "%s", text);
    return 1;
}

int jack_port_get_aliases(const jack_port_t *port, char *const aliases[2]) {
    VISIT(port_get_aliases, NULL);
    if (visit.way >= 0 || port == NULL) {
        return visit.way >= 0 ? fake_failure(&visit) : -1;
    }
    fake_lock();
    int count = 0;
    for (int i = 0; i < 2 && fake.aliases != ALIASES_NULL; i++) {
        if (port->aliases[i] != NULL) {
            count += copy_alias(aliases[count], port->aliases[i]);
        }
    }
    if (fake.aliases == ALIASES_MANY) {
        count = 7; // more than the caller has room for
    }
    fake_unlock();
    return count;
}

int jack_port_set_alias(jack_port_t *port, const char *alias) {
    VISIT(port_set_alias, NULL);
    if (visit.way >= 0 || port == NULL) {
        return visit.way >= 0 ? fake_failure(&visit) : -1;
    }
    fake_lock();
    int index = port->aliases[0] != NULL ? 1 : 0;
    bool is_free = port->aliases[index] == NULL;
    if (is_free) {
        port->aliases[index] = strdup(alias);
    }
    fake_unlock();
    return is_free ? 0 : -1;
}

int jack_port_unset_alias(jack_port_t *port, const char *alias) {
    VISIT(port_unset_alias, NULL);
    int result = -1;
    fake_lock();
    for (int i = 0; i < 2 && port != NULL && visit.way < 0; i++) {
        if (port->aliases[i] == NULL || strcmp(port->aliases[i], alias) != 0) {
            continue;
        }
        free(port->aliases[i]);
        port->aliases[i] = NULL;
        result = 0;
    }
    fake_unlock();
    return result;
}

int jack_port_rename(jack_client_t *client, jack_port_t *port, const char *name) {
    VISIT(port_rename, client);
    (void)name;
    return visit.way >= 0 || port == NULL ? -1 : 0;
}

// ---- Look-up ------------------------------------------------------------------------------------

jack_port_t *jack_port_by_name(jack_client_t *client, const char *name) {
    VISIT(port_by_name, client);
    fake_lock();
    jack_port_t *port = visit.way < 0 && fake_is_served(client) ? fake_find_port(name) : NULL;
    fake_unlock();
    return port;
}

jack_port_t *jack_port_by_id(jack_client_t *client, jack_port_id_t id) {
    VISIT(port_by_id, client);
    fake_lock();
    jack_port_t *port =
        visit.way < 0 && fake_is_served(client) && id < fake.nports && fake.ports[id]->exists ? fake.ports[id] : NULL;
    fake_unlock();
    return port;
}

/// Returns one block that holds the names as well. libjack's lists point into its own tables; this
/// detects an app that keeps a name.
const char **fake_list(char **names, size_t count) {
    size_t length = (count + 1) * sizeof(char *);
    for (size_t i = 0; i < count; i++) {
        length += strlen(names[i]) + 1;
    }
    char **list = malloc(length);
    if (list == NULL) {
        return NULL;
    }
    char *text = (char *)(list + count + 1);
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(names[i]) + 1;
        list[i] = memcpy(text, names[i], size);
        text += size;
    }
    list[count] = NULL;
    fake.lists++;
    return (const char **)list;
}

static bool matches(const char *pattern, const char *text) {
    regex_t expression;
    if (pattern == NULL || !*pattern) {
        return true;
    }
    if (regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB) != 0) {
        return false;
    }
    bool found = regexec(&expression, text, 0, NULL, 0) == 0;
    regfree(&expression);
    return found;
}

const char **jack_get_ports(jack_client_t *client, const char *names, const char *types, unsigned long flags) {
    VISIT(get_ports, client);
    const char **list = NULL;
    fake_lock();
    char **found = calloc(fake.nports + 1, sizeof *found);
    size_t count = 0;
    for (uint32_t i = 0; found != NULL && i < fake.nports && fake_is_served(client) && visit.way < 0; i++) {
        const jack_port_t *port = fake.ports[i];
        if (port->exists && (port->flags & flags) == flags && matches(names, port->name) &&
            matches(types, port->type)) {
            found[count++] = port->name;
        }
    }
    if (found != NULL && (count > 0 || visit.way == 1)) {
        list = fake_list(found, count);
    }
    free(found);
    fake_unlock();
    return list;
}
