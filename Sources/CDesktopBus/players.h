/// The state of a watch of other players.
#ifndef PLAYERS_H
#define PLAYERS_H

#include "bus_connection.h"
#include "desktop_players.h"
#include "signal_limit.h"

#define NAME_PREFIX "org.mpris.MediaPlayer2."
#define PLAYER_OBJECT "/org/mpris/MediaPlayer2"
#define ROOT_INTERFACE "org.mpris.MediaPlayer2"
#define PLAYER_INTERFACE "org.mpris.MediaPlayer2.Player"

enum {
    /// The names of a bus have at most 255 bytes.
    NAME_SIZE = 256,
    /// More names of one reply to ListNames are ignored.
    MAXIMUM_LISTED = 4 * DESKTOP_PLAYERS_MAXIMUM,
    CALL_LIMIT_US = DESKTOP_PLAYERS_CALL_SECONDS * 1000000,
};

/// What is read of a player: its properties, each by a call of its own, and its process.
enum {
    IDENTITY,
    DESKTOP_ENTRY,
    PLAYBACK_STATUS,
    CAN_CONTROL,
    CAN_PAUSE,
    CAN_PLAY,
    PROPERTIES,
    PROCESS = PROPERTIES,
    QUERIES
};

struct watched_player;

/// The reading of one value of a player. At most one call at a time: a player that announces
/// changes all the time is asked again only when it has replied.
typedef struct query {
    struct watched_player *player;
    /// The call without a reply; NULL: none.
    sd_bus_slot *slot;
    /// The value has changed since the call was sent.
    bool is_stale;
    /// The first call has ended, or a report does not wait for it.
    bool is_answered;
} query_t;

typedef struct watched_player {
    desktop_players_t *players;
    char owner[NAME_SIZE];
    char names[DESKTOP_PLAYERS_MAXIMUM_NAMES][NAME_SIZE];
    /// Whether the last reply to ListNames contains the name.
    bool is_listed[DESKTOP_PLAYERS_MAXIMUM_NAMES];
    /// 0: it has left, but owes replies.
    size_t name_count;
    uint32_t process;
    desktop_players_values_t values;
    query_t queries[QUERIES];
    /// The match of its signals; NULL while it is muted.
    sd_bus_slot *match;
    signal_limit_t limit;
    /// `synced` waits for it.
    bool is_initial;
    /// All first calls have ended.
    bool is_reported;
} watched_player_t;

/// A request for the owner of a name that is listed.
typedef struct lookup {
    desktop_players_t *players;
    sd_bus_slot *slot;
    char name[NAME_SIZE];
    struct lookup *next;
} lookup_t;

/// A call to a player. It outlives the player: its reply may arrive after the player has released
/// its name.
typedef struct player_call {
    desktop_players_t *players;
    sd_bus_slot *slot;
    desktop_players_call_t call;
    uint64_t number;
    char owner[NAME_SIZE];
    struct player_call *next;
} player_call_t;

struct desktop_players {
    bus_connection_t connection;
    desktop_players_callbacks_t callbacks;
    /// The match of changes of owners; NULL while they are muted.
    sd_bus_slot *owner_match;
    signal_limit_t owner_limit;
    /// The call of ListNames.
    sd_bus_slot *listing;
    lookup_t *lookups;
    player_call_t *calls;
    watched_player_t *watched[DESKTOP_PLAYERS_MAXIMUM];
    size_t count;
    bool is_synced;
    /// When the next signals are no longer muted; UINT64_MAX: none are.
    uint64_t due_us;
};

// ---- player_table.c -----------------------------------------------------------------------------

watched_player_t *players_find(desktop_players_t *players, const char *owner);

/// Removes a player from the table.
void players_take_out(watched_player_t *player);

/// Reports `synced` if it is due.
void players_check_synced(desktop_players_t *players);

// ---- player_names.c -----------------------------------------------------------------------------

/// Adds a name to the player of that owner, which may be new.
void players_add_name(desktop_players_t *players, const char *name, const char *owner);

/// Removes a name, and with its last one, the player.
void players_remove_name(desktop_players_t *players, const char *name, const char *owner);

/// Returns the index of a name of a player; its count if it does not own it.
size_t watched_player_find_name(const watched_player_t *player, const char *name);

// ---- player_owners.c: the owners of names on the bus --------------------------------------------

/// Follows changes of owners, and lists the current ones, which replace those that are known.
int player_owners_follow(desktop_players_t *players);

/// Cancels all requests and the match.
void player_owners_cancel(desktop_players_t *players);

// ---- watched_player.c: one player ---------------------------------------------------------------

/// Allocates a player without names and requests its values. Returns NULL on failure.
watched_player_t *watched_player_create(desktop_players_t *players, const char *owner);

/// Cancels its queries and frees it.
void watched_player_destroy(watched_player_t *player);

/// Reports the player's values, unless some are still awaited.
void watched_player_report(watched_player_t *player);

/// Reports that a player without names has vanished. Frees it, unless it owes replies: if it
/// releases and takes a name all the time, it must not be asked again each time, since a bus limits
/// the calls without a reply.
void watched_player_leave(watched_player_t *player);

/// Follows a player again that has left, and has got a name now.
void watched_player_return(watched_player_t *player);

/// Follows the signals of a player that was muted, and requests its values.
void watched_player_unmute(watched_player_t *player);

// ---- player_values.c: the types and limits of values --------------------------------------------

/// The interface and name of a property.
const char *property_interface(int property);
const char *property_name(int property);

/// Returns the property of that interface and name; -1: it is of no interest.
int property_find(const char *interface, const char *name);

/// Reads the variant that follows in `message` as a property's new value. Returns whether the value
/// has changed, or a negative errno if the message is malformed. Skips a value of another type or
/// without a meaning.
int property_read(desktop_players_values_t *values, int property, sd_bus_message *message);

// ---- player_calls.c ----------------------------------------------------------------------------

/// Cancels all calls without reporting them.
void player_calls_cancel(desktop_players_t *players);

#endif
