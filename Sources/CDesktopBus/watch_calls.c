#define _GNU_SOURCE
#include "bus_connection.h"
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/// Removes a call from the list, and frees it.
static void destroy_call(watch_call_t *call) {
    watch_call_t **link = &call->watch->calls;
    while (*link && *link != call) {
        link = &(*link)->next;
    }
    if (*link) {
        *link = call->next;
        call->watch->call_count--;
    }
    sd_bus_slot_unref(call->slot);
    free(call);
}

static int receive_reply(sd_bus_message *reply, void *userdata, sd_bus_error *unused) {
    (void)unused;
    watch_call_t *call = userdata;
    const desktop_watch_callbacks_t callbacks = call->watch->callbacks;
    const uint64_t number = call->number;
    message_values_t values = {.descriptor = -1};
    int result = -sd_bus_message_get_errno(reply);
    // A bus may deliver replies that another connection has made up.
    result = result == 0 && !is_from(reply, call->destination) ? -EPROTO : result;
    result = result < 0 ? result : message_values_read(&values, reply);
    destroy_call(call);
    const int descriptor = result >= 0 && values.descriptor >= 0 ? fcntl(values.descriptor, F_DUPFD_CLOEXEC, 3) : -1;
    callbacks.completed(callbacks.context, number, result, values.values, result < 0 ? 0 : values.count, descriptor);
    message_values_destroy(&values);
    return 0;
}

int desktop_watch_call(desktop_watch_t *watch, uint64_t number, const char *destination, const char *path,
                       const char *interface, const char *member, const char *const *arguments, size_t count) {
    if (watch->call_count >= DESKTOP_WATCH_MAXIMUM_CALLS) {
        return -ENOSPC;
    }
    watch_call_t *call = strlen(destination) < SENDER_SIZE ? calloc(1, sizeof *call) : NULL;
    if (!call) {
        return -ENOMEM;
    }
    call->watch = watch;
    call->number = number;
    strcpy(call->destination, destination);
    call->next = watch->calls;
    watch->calls = call;
    watch->call_count++;
    sd_bus_message *message = NULL;
    int result = new_method_call(&watch->connection, destination, path, interface, member, &message);
    for (size_t i = 0; i < count; i++) {
        result = result < 0 ? result : sd_bus_message_append(message, "s", arguments[i]);
    }
    result = result < 0 ? result
                        : sd_bus_call_async(watch->connection.bus, &call->slot, message, receive_reply, call,
                                            (uint64_t)DESKTOP_WATCH_CALL_SECONDS * 1000000);
    sd_bus_message_unref(message);
    if (result < 0) {
        destroy_call(call);
    }
    return result;
}

void watch_calls_cancel(desktop_watch_t *watch) {
    while (watch->calls) {
        destroy_call(watch->calls);
    }
}
