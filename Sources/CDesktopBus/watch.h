/// The state of a watch of services.
#ifndef WATCH_H
#define WATCH_H

#include "bus_connection.h"
#include "desktop_watch.h"
#include "signal_limit.h"

enum {
    /// The names of a bus have at most 255 bytes.
    SENDER_SIZE = 256,
    MATCH_SIZE = 1024,
    /// A text has fewer bytes, with its NUL.
    TEXT_SIZE = 256,
};

/// Signals of one kind that are followed.
typedef struct followed_signal {
    desktop_watch_t *watch;
    uint64_t number;
    char sender[SENDER_SIZE];
    char match[MATCH_SIZE];
    /// NULL while it is muted.
    sd_bus_slot *slot;
    signal_limit_t limit;
    struct followed_signal *next;
} followed_signal_t;

/// A call without a reply.
typedef struct watch_call {
    desktop_watch_t *watch;
    uint64_t number;
    char destination[SENDER_SIZE];
    sd_bus_slot *slot;
    struct watch_call *next;
} watch_call_t;

struct desktop_watch {
    bus_connection_t connection;
    desktop_watch_callbacks_t callbacks;
    followed_signal_t *followed;
    size_t followed_count;
    watch_call_t *calls;
    size_t call_count;
    /// When the next signals are no longer muted; UINT64_MAX: none are.
    uint64_t due_us;
    /// When the current wait ends: at its deadline, or at `due_us`.
    uint64_t wait_us;
};

// ---- watch_values.c -----------------------------------------------------------------------------

/// The values of a message. The caller frees `values`.
typedef struct message_values {
    desktop_watch_value_t *values;
    size_t count;
    /// The first descriptor in the message, which belongs to it; -1: none.
    int descriptor;
} message_values_t;

/// Reads all values of a message. Returns -E2BIG if there are too many.
int message_values_read(message_values_t *values, sd_bus_message *message);

/// Frees the values.
void message_values_destroy(message_values_t *values);

// ---- watch_calls.c ------------------------------------------------------------------------------

/// Cancels all calls without reporting them.
void watch_calls_cancel(desktop_watch_t *watch);

#endif
