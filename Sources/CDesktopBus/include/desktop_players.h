/// The media players of other programs on the session bus (MPRIS): which exist, their values, and
/// calls to them. This library follows the bus and decides nothing.
///
/// The players are not trusted. Only what a player itself sends changes its values; texts are
/// shortened, malformed messages ignored. More than 100 changes of a player in a second, or of the
/// owners of all names, are muted for a second and then read again, so that they do not delay calls
/// to other players.
///
/// Thread tags as in desktop_bus.h. Functions that return an int return 0 or more, or a negative
/// errno.
#ifndef DESKTOP_PLAYERS_H
#define DESKTOP_PLAYERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct desktop_players desktop_players_t;

/// Limits. Players and names beyond them are ignored, longer texts shortened.
enum {
    DESKTOP_PLAYERS_MAXIMUM = 256,
    DESKTOP_PLAYERS_MAXIMUM_NAMES = 8,
    /// With the final NUL.
    DESKTOP_PLAYERS_TEXT_SIZE = 256,
    /// How long a player may take to reply to a call.
    DESKTOP_PLAYERS_CALL_SECONDS = 5,
};

typedef enum desktop_players_status {
    DESKTOP_PLAYERS_STOPPED,
    DESKTOP_PLAYERS_PAUSED,
    DESKTOP_PLAYERS_PLAYING,
} desktop_players_status_t;

/// The properties of a player. A property that it does not have, or that has another type, has its
/// value in an empty `desktop_players_values_t`, but `can_control` is true.
typedef struct desktop_players_values {
    /// Valid UTF-8.
    char identity[DESKTOP_PLAYERS_TEXT_SIZE];
    /// "": it has none, or one that is too long for a file name or contains a slash.
    char desktop_entry[DESKTOP_PLAYERS_TEXT_SIZE];
    desktop_players_status_t status;
    bool can_control;
    bool can_pause;
    bool can_play;
} desktop_players_values_t;

/// A connection that owns at least one name of a player. The pointers are valid during the call.
typedef struct desktop_players_player {
    /// The connection's unique name.
    const char *owner;
    /// Its names of players, without `org.mpris.MediaPlayer2.`, in no order.
    const char *const *names;
    size_t name_count;
    /// 0: unknown.
    uint32_t process;
    const desktop_players_values_t *values;
} desktop_players_player_t;

typedef enum desktop_players_call {
    DESKTOP_PLAYERS_PAUSE,
    DESKTOP_PLAYERS_PLAY,
    /// Reads the position.
    DESKTOP_PLAYERS_POSITION,
} desktop_players_call_t;

/// What a watch calls, all with `context`. None of them may call a function of this header, except
/// `desktop_players_wake`.
typedef struct desktop_players_callbacks {
    void *context;
    /// A player has appeared, or its values or names have changed. A new player is reported once it
    /// has replied to the first requests for its values, or has let 5 s pass.
    void (*changed)(void *context, const desktop_players_player_t *player);
    /// A player that was reported has left the bus or released its last name.
    void (*vanished)(void *context, const char *owner);
    /// All players that were on the bus at the start have been reported, or have vanished. Once.
    void (*synced)(void *context);
    /// A call has ended. `position_us` is 0, except after a successful `DESKTOP_PLAYERS_POSITION`.
    void (*completed)(void *context, uint64_t number, bool succeeded, int64_t position_us);
} desktop_players_callbacks_t;

/// Connects to the bus at `address`, waits for at most `timeout_ms` until it accepts the
/// connection, and begins to watch. [bus] Returns as `desktop_bus_open`. The caller frees
/// `*opened` with `desktop_players_destroy`.
int desktop_players_open(const char *address, int timeout_ms, const desktop_players_callbacks_t *callbacks,
                         desktop_players_t **opened);

/// Disconnects. [bus] No callback is called any longer, also not for calls without a reply. From
/// then on, only `desktop_players_wake` and `desktop_players_destroy` may be called. Idempotent.
void desktop_players_close(desktop_players_t *players);

/// Disconnects and frees; NULL does nothing. [bus] No other thread may still use it.
void desktop_players_destroy(desktop_players_t *players);

/// Serves the bus until `desktop_players_wake` has been called. [bus] Returns 0, or the negative
/// errno with which the connection ended.
int desktop_players_wait(desktop_players_t *players);

/// Makes the current or next `desktop_players_wait` return. [any] One system call.
void desktop_players_wake(desktop_players_t *players);

/// Calls a player, by the unique name of its connection. [bus] `completed` receives `number` with
/// the reply, within `DESKTOP_PLAYERS_CALL_SECONDS`. Returns -ENOENT if there is no such player;
/// after an error, `completed` is not called.
int desktop_players_call(desktop_players_t *players, const char *owner, desktop_players_call_t call, uint64_t number);

#ifdef __cplusplus
}
#endif

#endif
