#define _GNU_SOURCE
#include "watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Signals ------------------------------------------------------------------------------------

static int receive_signal(sd_bus_message *signal, void *userdata, sd_bus_error *unused) {
    (void)unused;
    followed_signal_t *followed = userdata;
    desktop_watch_t *watch = followed->watch;
    if (!is_from(signal, followed->sender)) {
        return 0;
    }
    if (signal_limit_exceeds(&followed->limit, &watch->due_us)) {
        watch->wait_us = watch->wait_us < watch->due_us ? watch->wait_us : watch->due_us;
        followed->slot = sd_bus_slot_unref(followed->slot);
        return 0;
    }
    const char *path = sd_bus_message_get_path(signal);
    message_values_t values;
    if (message_values_read(&values, signal) >= 0 && path) {
        // The callee may end the following of this signal.
        watch->callbacks.signalled(watch->callbacks.context, followed->number, path, values.values, values.count);
    }
    message_values_destroy(&values);
    return 0;
}

/// If the bus refuses the match, only these signals are missing.
static int ignore_reply(sd_bus_message *reply, void *userdata, sd_bus_error *unused) {
    (void)reply, (void)userdata, (void)unused;
    return 0;
}

static int listen(followed_signal_t *followed) {
    return sd_bus_add_match_async(followed->watch->connection.bus, &followed->slot, followed->match, receive_signal,
                                  ignore_reply, followed);
}

/// Adds a condition to a match. Returns false if the match becomes too long, or the value is no
/// part of one.
static bool add_condition(char *match, const char *key, const char *value) {
    if (!value) {
        return true;
    }
    const size_t length = strlen(match);
    const int added = snprintf(match + length, MATCH_SIZE - length, ",%s='%s'", key, value);
    return !strchr(value, '\'') && added > 0 && (size_t)added < MATCH_SIZE - length;
}

int desktop_watch_follow(desktop_watch_t *watch, uint64_t number, const desktop_watch_signal_t *signal) {
    if (watch->followed_count >= DESKTOP_WATCH_MAXIMUM_SIGNALS) {
        return -ENOSPC;
    }
    if (!signal->sender || strlen(signal->sender) >= SENDER_SIZE) {
        return -EINVAL;
    }
    followed_signal_t *followed = calloc(1, sizeof *followed);
    if (!followed) {
        return -ENOMEM;
    }
    followed->watch = watch;
    followed->number = number;
    strcpy(followed->sender, signal->sender);
    strcpy(followed->match, "type='signal'");
    const bool fits = add_condition(followed->match, "sender", signal->sender) &&
                      add_condition(followed->match, "path", signal->path) &&
                      add_condition(followed->match, "interface", signal->interface) &&
                      add_condition(followed->match, "member", signal->member) &&
                      add_condition(followed->match, "arg0", signal->argument);
    const int result = fits ? listen(followed) : -EINVAL;
    if (result < 0) {
        free(followed);
        return result;
    }
    followed->next = watch->followed;
    watch->followed = followed;
    watch->followed_count++;
    return 0;
}

void desktop_watch_unfollow(desktop_watch_t *watch, uint64_t number) {
    followed_signal_t **link = &watch->followed;
    while (*link && (*link)->number != number) {
        link = &(*link)->next;
    }
    followed_signal_t *followed = *link;
    if (followed) {
        *link = followed->next;
        watch->followed_count--;
        sd_bus_slot_unref(followed->slot);
        free(followed);
    }
}

/// Follows the signals again whose time has passed.
static void unmute(desktop_watch_t *watch) {
    const uint64_t now = bus_connection_now_us();
    watch->due_us = UINT64_MAX;
    uint64_t missed[DESKTOP_WATCH_MAXIMUM_SIGNALS];
    size_t count = 0;
    for (followed_signal_t *followed = watch->followed; followed; followed = followed->next) {
        if (signal_limit_ends(&followed->limit, &watch->due_us, now)) {
            listen(followed);
            missed[count++] = followed->number;
        }
    }
    // The callee may follow others.
    for (size_t i = 0; i < count; i++) {
        watch->callbacks.missed(watch->callbacks.context, missed[i]);
    }
}

// ---- The connection -----------------------------------------------------------------------------

int desktop_watch_open(const char *address, int timeout_ms, const desktop_watch_callbacks_t *callbacks,
                       desktop_watch_t **opened) {
    *opened = NULL;
    desktop_watch_t *watch = calloc(1, sizeof *watch);
    if (!watch) {
        return -ENOMEM;
    }
    watch->callbacks = *callbacks;
    watch->due_us = UINT64_MAX;
    const int result = bus_connection_open(&watch->connection, address, true, timeout_ms);
    if (result < 0) {
        desktop_watch_destroy(watch);
        return result;
    }
    *opened = watch;
    return 0;
}

void desktop_watch_close(desktop_watch_t *watch) {
    while (watch->followed) {
        desktop_watch_unfollow(watch, watch->followed->number);
    }
    watch_calls_cancel(watch);
    bus_connection_close(&watch->connection);
}

void desktop_watch_destroy(desktop_watch_t *watch) {
    if (!watch) {
        return;
    }
    desktop_watch_close(watch);
    bus_connection_destroy(&watch->connection);
    free(watch);
}

int desktop_watch_wait(desktop_watch_t *watch, uint64_t deadline_us) {
    while (true) {
        watch->wait_us = watch->due_us < deadline_us ? watch->due_us : deadline_us;
        // `receive_signal` may change the time meanwhile.
        const int result = bus_connection_wait(&watch->connection, false, &watch->wait_us);
        if (result <= 0) {
            return result;
        }
        const uint64_t now = bus_connection_now_us();
        if (now >= watch->due_us) {
            unmute(watch);
        }
        if (now >= deadline_us) {
            return 1;
        }
    }
}

void desktop_watch_wake(desktop_watch_t *watch) { bus_connection_wake(&watch->connection); }
