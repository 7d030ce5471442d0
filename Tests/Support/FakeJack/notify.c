/// A client's notification thread.
#include "fake.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

_Thread_local role_t fake_role = ROLE_CALLER;

/// Copies a client with its current callbacks: another thread may change them meanwhile.
static jack_client_t copy_client(const jack_client_t *client) {
    fake_lock();
    const jack_client_t copy = *client;
    fake_unlock();
    return copy;
}

void fake_deliver(jack_client_t *subject, const notice_t *notice) {
    const jack_client_t now = copy_client(subject), *client = &now;
    switch (notice->kind) {
    case NOTICE_PERIOD:
        if (client->period) {
            client->period(notice->a, client->period_arg);
        }
        break;
    case NOTICE_RATE:
        if (client->rate) {
            client->rate(notice->a, client->rate_arg);
        }
        break;
    case NOTICE_XRUN:
        if (client->xrun) {
            client->xrun(client->xrun_arg);
        }
        break;
    case NOTICE_FREEWHEEL:
        if (client->freewheel) {
            client->freewheel(notice->flag, client->freewheel_arg);
        }
        break;
    case NOTICE_PORT:
        if (client->port) {
            client->port(notice->a, notice->flag, client->port_arg);
        }
        break;
    case NOTICE_CLIENT:
        if (client->registration) {
            client->registration(notice->name, notice->flag, client->registration_arg);
        }
        break;
    case NOTICE_LINK:
        if (client->link) {
            client->link(notice->a, notice->b, notice->flag, client->link_arg);
        }
        break;
    case NOTICE_ORDER:
        if (client->order) {
            client->order(client->order_arg);
        }
        break;
    case NOTICE_LATENCY:
        if (client->latency) {
            client->latency((jack_latency_callback_mode_t)notice->a, client->latency_arg);
        }
        break;
    case NOTICE_PROPERTY:
        if (client->property) {
            client->property(notice->a, "http://jackaudio.org/metadata/pretty-name", PropertyChanged,
                             client->property_arg);
        }
        break;
    }
}

void fake_notify_end(jack_client_t *subject, unsigned shutdown) {
    const jack_client_t now = copy_client(subject), *client = &now;
    for (int i = shutdown & SHUTDOWN_TWICE ? 0 : 1; i < 2; i++) {
        if (shutdown & SHUTDOWN_INFO && client->info_end) {
            client->info_end(JackFailure | JackServerError, "JACK server has been closed", client->info_end_arg);
        }
        if (shutdown & SHUTDOWN_PLAIN && client->plain_end) {
            client->plain_end(client->plain_end_arg);
        }
    }
}

static void notify_first(jack_client_t *client) {
    notice_t *notice = client->notices;
    client->notices = notice->next;
    fake_unlock();
    fake_deliver(client, notice);
    free(notice);
    fake_lock();
    client->notified++;
    pthread_cond_broadcast(&fake.changed);
}

static void *run_notifier(void *argument) {
    jack_client_t *client = argument;
    fake_role = ROLE_NOTIFIER;
    bool shut_down = false;
    fake_lock();
    while (!client->ends) {
        if (client->notices != NULL && !client->is_dead) {
            notify_first(client);
        } else if (client->is_dead && !shut_down) {
            shut_down = true;
            unsigned shutdown = client->shutdown;
            fake_unlock();
            fake_notify_end(client, shutdown & (SHUTDOWN_INFO | SHUTDOWN_PLAIN | SHUTDOWN_TWICE));
            fake_lock();
            if (shutdown & (SHUTDOWN_INFO | SHUTDOWN_PLAIN) && !(shutdown & SHUTDOWN_LINGER)) {
                break;
            }
        } else {
            pthread_cond_wait(&fake.changed, &fake.lock);
        }
    }
    fake.threads--;
    pthread_cond_broadcast(&fake.changed);
    fake_unlock();
    return NULL;
}

/// Not by the app's thread creator, unlike libjack: the driver expects that a notification thread
/// which is created so reads from a socket when it is idle, and this one waits for a condition.
bool fake_start_notifier(jack_client_t *client) {
    if (pthread_create(&client->notifier, NULL, run_notifier, client) != 0) {
        return false;
    }
    pthread_setname_np(client->notifier, "fake-notifier");
    fake_lock();
    client->has_notifier = true;
    fake.threads++;
    fake_unlock();
    return true;
}

void fake_end_notifier(jack_client_t *client) {
    fake_lock();
    bool has_notifier = client->has_notifier;
    client->has_notifier = false;
    client->ends = true;
    pthread_cond_broadcast(&fake.changed);
    fake_unlock();
    if (has_notifier) {
        pthread_join(client->notifier, NULL);
    }
}

static void post(jack_client_t *client, const notice_t *notice) {
    notice_t *copy = malloc(sizeof *copy);
    if (copy == NULL) {
        return;
    }
    *copy = *notice;
    notice_t **link = &client->notices;
    while (fake.notify != NOTIFY_REVERSED && *link != NULL) {
        link = &(*link)->next;
    }
    copy->next = *link;
    *link = copy;
    client->posted++;
}

void fake_notify(jack_client_t *client, notice_t notice) {
    if (!client->is_open || client->is_dead || fake.notify == NOTIFY_NEVER) {
        return;
    }
    post(client, &notice);
    if (fake.notify == NOTIFY_TWICE) {
        post(client, &notice);
    }
    pthread_cond_broadcast(&fake.changed);
}

void fake_notify_all(notice_t notice) {
    for (uint32_t i = 0; i < fake.nclients; i++) {
        fake_notify(fake.clients[i], notice);
    }
}

void fake_await_notified(jack_client_t *client) {
    struct timespec limit;
    clock_gettime(CLOCK_MONOTONIC, &limit);
    limit.tv_sec += 2;
    uint64_t wanted = client->posted;
    while (client->notified < wanted && !client->is_dead && fake_role == ROLE_CALLER) {
        if (pthread_cond_timedwait(&fake.changed, &fake.lock, &limit) == ETIMEDOUT) {
            return;
        }
    }
}

void fake_drop_notices(jack_client_t *client) {
    while (client->notices != NULL) {
        notice_t *notice = client->notices;
        client->notices = notice->next;
        free(notice);
    }
}
