/// A media player on the session bus: sd-bus, for Swift. This library answers what the bus asks
/// from a copy of the player's values, and passes every command to a callback. It decides nothing:
/// names, differences and the meaning of commands are the caller's.
///
/// Thread tags: [bus] one thread at a time, which may be another one after a function has returned.
/// [any] any thread, at the same time as other functions. Callbacks run in `desktop_bus_wait`.
///
/// Functions that return an int return 0 or more, or a negative errno. All texts are UTF-8 without
/// the noncharacters that sd-bus refuses (U+FDD0…U+FDEF, U+FFFE, U+FFFF and so on in each plane).
#ifndef DESKTOP_BUS_H
#define DESKTOP_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct desktop_bus desktop_bus_t;

/// The properties of a media player, except its position. A flag is 0 or 1.
typedef struct desktop_bus_player {
    const char *identity;
    /// NULL: the property does not exist.
    const char *desktop_entry;
    int can_quit;
    int can_raise;

    const char *playback_status;
    const char *loop_status;
    double rate;
    double minimum_rate;
    double maximum_rate;
    int shuffle;
    int can_go_next;
    int can_go_previous;
    int can_play;
    int can_pause;
    int can_seek;

    /// The metadata. `track` is an object path; NULL: the metadata is empty. Other members that are
    /// NULL, or negative, are left out.
    const char *track;
    int64_t length_us;
    const char *title;
    const char *artist;
    const char *album;
    const char *art_url;
} desktop_bus_player_t;

/// What a program on the bus requests, by the name of the method or property.
typedef enum desktop_bus_request_kind {
    DESKTOP_BUS_RAISE,
    DESKTOP_BUS_QUIT,
    DESKTOP_BUS_NEXT,
    DESKTOP_BUS_PREVIOUS,
    DESKTOP_BUS_PAUSE,
    DESKTOP_BUS_PLAY_PAUSE,
    DESKTOP_BUS_STOP,
    DESKTOP_BUS_PLAY,
    /// `microseconds`: the offset.
    DESKTOP_BUS_SEEK,
    /// `text`: the object path of a track; `microseconds`: the position.
    DESKTOP_BUS_SET_POSITION,
    /// `text`: the URI.
    DESKTOP_BUS_OPEN_URI,
    /// `text`: the new value.
    DESKTOP_BUS_SET_LOOP_STATUS,
    /// `number`: the new value; for `Shuffle` 0 or 1.
    DESKTOP_BUS_SET_RATE,
    DESKTOP_BUS_SET_SHUFFLE,
    DESKTOP_BUS_SET_VOLUME,
} desktop_bus_request_kind_t;

/// A request. `text` is valid during the call and never NULL.
typedef struct desktop_bus_request {
    desktop_bus_request_kind_t kind;
    const char *text;
    int64_t microseconds;
    double number;
} desktop_bus_request_t;

/// How a request ended: which reply its sender receives.
typedef enum desktop_bus_result {
    DESKTOP_BUS_DONE,
    /// The error org.freedesktop.DBus.Error.NotSupported, .Failed or .InvalidArgs.
    DESKTOP_BUS_NOT_SUPPORTED,
    DESKTOP_BUS_FAILED,
    DESKTOP_BUS_INVALID,
} desktop_bus_result_t;

/// The size of the buffer for the text of an error, with its final NUL.
#define DESKTOP_BUS_MESSAGE_SIZE 1024

/// What the bus calls, all with `context`. None of them may call `desktop_bus_wait` or
/// `desktop_bus_close`.
typedef struct desktop_bus_callbacks {
    void *context;
    /// Performs a request. If it fails, writes a text into `message`.
    desktop_bus_result_t (*perform)(void *context, const desktop_bus_request_t *request,
                                    char message[DESKTOP_BUS_MESSAGE_SIZE]);
    /// Returns the current position in microseconds.
    int64_t (*position)(void *context);
    /// The reply to `desktop_bus_request_name`. `error` is NULL unless the bus refused the request;
    /// otherwise `owned` says whether the name is this connection's now, or another one's.
    void (*named)(void *context, bool owned, const char *error);
} desktop_bus_callbacks_t;

/// Connects to the bus at `address` and waits until it accepts the connection, for at most
/// `timeout_ms`. [bus] The caller closes `*opened` with `desktop_bus_close`. Returns 0, or
/// -ETIMEDOUT, -EINVAL (the address has no form that sd-bus knows), -ENOENT, -ECONNREFUSED, -EPERM,
/// -EMFILE…; then `*opened` is NULL.
int desktop_bus_open(const char *address, int timeout_ms, const desktop_bus_callbacks_t *callbacks,
                     desktop_bus_t **opened);

/// Closes the connection, which releases its names. [bus] From then on, only `desktop_bus_wake` and
/// `desktop_bus_destroy` may be called. Idempotent.
void desktop_bus_close(desktop_bus_t *bus);

/// Closes the connection and frees it; NULL does nothing. [bus] No other thread may still use it.
void desktop_bus_destroy(desktop_bus_t *bus);

/// Serves the bus until `desktop_bus_wake` has been called, or, if `until_sent`, everything has
/// been sent to the bus. [bus] Returns 0, or the negative errno with which the connection ended.
int desktop_bus_wait(desktop_bus_t *bus, bool until_sent);

/// Makes the current or next `desktop_bus_wait` return. [any] One system call.
void desktop_bus_wake(desktop_bus_t *bus);

/// Returns whether all messages have been sent to the bus. [bus]
bool desktop_bus_has_sent(desktop_bus_t *bus);

/// Sets the player that the bus sees, and copies it; NULL: there is no player object. [bus] Sends
/// nothing. Returns 0, or -ENOMEM…; then the previous player remains or there is none.
int desktop_bus_set_player(desktop_bus_t *bus, const desktop_bus_player_t *player);

/// Requests a name; `named` receives the reply. [bus] The reply to an earlier request is no longer
/// reported.
int desktop_bus_request_name(desktop_bus_t *bus, const char *name);

/// Releases a name that was requested, also before the reply has arrived. [bus]
int desktop_bus_release_name(desktop_bus_t *bus, const char *name);

/// Sends PropertiesChanged with the current values of these properties; the list ends with NULL.
/// [bus] They belong to org.mpris.MediaPlayer2, or to its Player if `of_player`.
int desktop_bus_send_changes(desktop_bus_t *bus, bool of_player, char **properties);

/// Sends Seeked with a position in microseconds. [bus]
int desktop_bus_send_seeked(desktop_bus_t *bus, int64_t position_us);

#ifdef __cplusplus
}
#endif

#endif
