/// Signals of services on a bus, and calls to them: what a watch of the desktop needs of D-Bus.
/// This library knows no service and decides nothing.
///
/// The services are not trusted. Only what the connection itself sends that a signal or a reply is
/// expected from is passed on; texts are shortened, and messages with too many values count as
/// empty. More than 100 signals of one kind in a second are muted for a second.
///
/// Thread tags as in desktop_bus.h. Functions that return an int return 0 or more, or a negative
/// errno.
#ifndef DESKTOP_WATCH_H
#define DESKTOP_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct desktop_watch desktop_watch_t;

enum {
    /// Kinds of signals that are followed at a time, and calls without a reply.
    DESKTOP_WATCH_MAXIMUM_SIGNALS = 256,
    DESKTOP_WATCH_MAXIMUM_CALLS = 256,
    /// Values of a message, and how deep they may be nested.
    DESKTOP_WATCH_MAXIMUM_VALUES = 16384,
    DESKTOP_WATCH_MAXIMUM_DEPTH = 16,
    /// How long a service may take to reply to a call.
    DESKTOP_WATCH_CALL_SECONDS = 5,
};

/// One value of a message, or the beginning or end of some. Variants are replaced by their content.
typedef struct desktop_watch_value {
    /// The type in D-Bus: `b`, `y`, `n`, `q`, `i`, `u`, `x`, `t` or `h`, with `number`; `s`, `o` or
    /// `g`, with `text`; `d`, without a value. `(` and `)` enclose the values of an array, a struct
    /// or an entry of a dictionary.
    char type;
    /// Valid UTF-8, valid during the call; NULL: no text.
    const char *text;
    /// 1 for true. A number beyond the range is the nearest in it.
    int64_t number;
} desktop_watch_value_t;

/// What a watch calls, all with `context`. None of them may call `desktop_watch_close` or
/// `desktop_watch_destroy`.
typedef struct desktop_watch_callbacks {
    void *context;
    /// A signal of that number has arrived, from the object at `path`.
    void (*signalled)(void *context, uint64_t number, const char *path, const desktop_watch_value_t *values,
                      size_t count);
    /// Signals of that number may have been lost.
    void (*missed)(void *context, uint64_t number);
    /// A call has ended, with 0 or a negative errno; -ETIMEDOUT: without a reply in time.
    /// `descriptor` is the first one in the reply, which the callee closes; -1: none.
    void (*completed)(void *context, uint64_t number, int result, const desktop_watch_value_t *values, size_t count,
                      int descriptor);
} desktop_watch_callbacks_t;

/// The kind of a signal. NULL stands for every value.
typedef struct desktop_watch_signal {
    /// The unique name of the connection that sends it, or "org.freedesktop.DBus".
    const char *sender;
    const char *path;
    const char *interface;
    const char *member;
    /// Its first value.
    const char *argument;
} desktop_watch_signal_t;

/// Connects to the bus at `address`, and waits for at most `timeout_ms` until it accepts the
/// connection. [bus] Returns as `desktop_bus_open`. The caller frees `*opened` with
/// `desktop_watch_destroy`.
int desktop_watch_open(const char *address, int timeout_ms, const desktop_watch_callbacks_t *callbacks,
                       desktop_watch_t **opened);

/// Disconnects. [bus] No callback is called any longer, also not for calls without a reply. From
/// then on, only `desktop_watch_wake` and `desktop_watch_destroy` may be called. Idempotent.
void desktop_watch_close(desktop_watch_t *watch);

/// Disconnects and frees; NULL does nothing. [bus] No other thread may still use it.
void desktop_watch_destroy(desktop_watch_t *watch);

/// Serves the bus until `desktop_watch_wake` has been called, and returns 0, or until `deadline_us`
/// of the monotonic clock, and returns 1; UINT64_MAX: no deadline. [bus] Returns the negative errno
/// with which the connection ended.
int desktop_watch_wait(desktop_watch_t *watch, uint64_t deadline_us);

/// Makes the current or next `desktop_watch_wait` return. [any] One system call.
void desktop_watch_wake(desktop_watch_t *watch);

/// Follows signals. [bus] `number` must not be in use. Returns -EINVAL for values that are no part
/// of a match, -ENOSPC beyond the limit.
int desktop_watch_follow(desktop_watch_t *watch, uint64_t number, const desktop_watch_signal_t *signal);

/// No longer follows the signals of that number. [bus] An unknown number does nothing.
void desktop_watch_unfollow(desktop_watch_t *watch, uint64_t number);

/// Calls a method with texts as its arguments. [bus] `destination` is the unique name of a
/// connection, or "org.freedesktop.DBus". `completed` receives `number` with the reply, within
/// `DESKTOP_WATCH_CALL_SECONDS`; after an error, it is not called. Returns -ENOSPC beyond the
/// limit.
int desktop_watch_call(desktop_watch_t *watch, uint64_t number, const char *destination, const char *path,
                       const char *interface, const char *member, const char *const *arguments, size_t count);

#ifdef __cplusplus
}
#endif

#endif
