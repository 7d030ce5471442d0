#define _GNU_SOURCE
#include "bus_connection.h"
#include "players.h"
#include "signal_limit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_player_name(const char *name) {
    return strncmp(name, NAME_PREFIX, strlen(NAME_PREFIX)) == 0 && name[strlen(NAME_PREFIX)] != 0 &&
           strnlen(name, NAME_SIZE) < NAME_SIZE;
}

// ---- Changes ------------------------------------------------------------------------------------

static int receive_owner_change(sd_bus_message *signal, void *userdata, sd_bus_error *unused) {
    (void)unused;
    desktop_players_t *players = userdata;
    if (signal_limit_exceeds(&players->owner_limit, &players->due_us)) {
        players->owner_match = sd_bus_slot_unref(players->owner_match);
        return 0;
    }
    const char *name = NULL, *previous = NULL, *next = NULL;
    if (sd_bus_message_read(signal, "sss", &name, &previous, &next) <= 0 || !is_player_name(name)) {
        return 0;
    }
    if (*previous) {
        players_remove_name(players, name, previous);
    }
    if (*next) {
        players_add_name(players, name, next);
    }
    return 0;
}

// ---- The current owners -------------------------------------------------------------------------

/// Removes a lookup from the list, and frees it.
static void destroy_lookup(lookup_t *lookup) {
    lookup_t **link = &lookup->players->lookups;
    while (*link && *link != lookup) {
        link = &(*link)->next;
    }
    if (*link) {
        *link = lookup->next;
    }
    sd_bus_slot_unref(lookup->slot);
    free(lookup);
}

/// Stores the owner of a name, also instead of another one, which has lost it while changes were
/// muted.
static void set_owner(desktop_players_t *players, const char *name, const char *owner) {
    for (size_t i = players->count; i-- > 0;) {
        const watched_player_t *player = players->watched[i];
        if (strcmp(player->owner, owner) != 0 && watched_player_find_name(player, name) < player->name_count) {
            players_remove_name(players, name, player->owner);
        }
    }
    players_add_name(players, name, owner);
}

static int receive_owner(sd_bus_message *reply, void *userdata, sd_bus_error *unused) {
    (void)unused;
    lookup_t *lookup = userdata;
    desktop_players_t *players = lookup->players;
    const char *owner = NULL;
    // An error: the name has no owner any longer.
    if (!sd_bus_message_get_error(reply) && is_from(reply, BUS_NAME) && sd_bus_message_read(reply, "s", &owner) > 0) {
        set_owner(players, lookup->name, owner);
    }
    destroy_lookup(lookup);
    players_check_synced(players);
    return 0;
}

static int call_bus(desktop_players_t *players, sd_bus_slot **slot, const char *member, const char *argument,
                    sd_bus_message_handler_t callback, void *userdata) {
    sd_bus_message *message = NULL;
    int result = new_method_call(&players->connection, BUS_NAME, "/org/freedesktop/DBus", BUS_NAME, member, &message);
    if (argument) {
        result = result < 0 ? result : sd_bus_message_append(message, "s", argument);
    }
    result = result < 0 ? result
                        : sd_bus_call_async(players->connection.bus, slot, message, callback, userdata, CALL_LIMIT_US);
    sd_bus_message_unref(message);
    return result;
}

/// Requests the owner of a name that exists. Later changes of the owner arrive after the reply.
static int look_up(desktop_players_t *players, const char *name) {
    lookup_t *lookup = calloc(1, sizeof *lookup);
    if (!lookup) {
        return -ENOMEM;
    }
    lookup->players = players;
    strcpy(lookup->name, name);
    lookup->next = players->lookups;
    players->lookups = lookup;
    const int result = call_bus(players, &lookup->slot, "GetNameOwner", name, receive_owner, lookup);
    if (result < 0) {
        destroy_lookup(lookup);
    }
    return result;
}

/// Marks a name of the players that are known.
static void mark_listed(desktop_players_t *players, const char *name) {
    for (size_t i = 0; i < players->count; i++) {
        watched_player_t *player = players->watched[i];
        const size_t index = watched_player_find_name(player, name);
        if (index < player->name_count) {
            player->is_listed[index] = true;
        }
    }
}

static void unmark_all(desktop_players_t *players) {
    for (size_t i = 0; i < players->count; i++) {
        memset(players->watched[i]->is_listed, 0, sizeof players->watched[i]->is_listed);
    }
}

/// Removes the names that have no owner any longer.
static void remove_unlisted(desktop_players_t *players) {
    // Backwards: a player that is removed is replaced by one behind it.
    for (size_t i = players->count; i-- > 0;) {
        watched_player_t *player = players->watched[i];
        for (size_t name = player->name_count; name-- > 0;) {
            if (!player->is_listed[name]) {
                const bool is_last = player->name_count == 1;
                players_remove_name(players, player->names[name], player->owner);
                if (is_last) {
                    break;
                }
            }
        }
    }
}

static int receive_names(sd_bus_message *reply, void *userdata, sd_bus_error *unused) {
    (void)unused;
    desktop_players_t *players = userdata;
    players->listing = sd_bus_slot_unref(players->listing);
    if (!sd_bus_message_get_error(reply) && is_from(reply, BUS_NAME) &&
        sd_bus_message_enter_container(reply, 'a', "s") > 0) {
        unmark_all(players);
        const char *name = NULL;
        int count = 0;
        while (sd_bus_message_read(reply, "s", &name) > 0) {
            if (is_player_name(name)) {
                mark_listed(players, name);
                if (count++ < MAXIMUM_LISTED) {
                    look_up(players, name);
                }
            }
        }
        remove_unlisted(players);
    }
    players_check_synced(players);
    return 0;
}

static void cancel_requests(desktop_players_t *players) {
    while (players->lookups) {
        destroy_lookup(players->lookups);
    }
    players->listing = sd_bus_slot_unref(players->listing);
}

int player_owners_follow(desktop_players_t *players) {
    cancel_requests(players);
    sd_bus *bus = players->connection.bus;
    // Without an own callback for the reply, sd-bus ends the connection if the bus refuses a match.
    int result = sd_bus_add_match_async(bus, &players->owner_match,
                                        "type='signal',sender='" BUS_NAME "',path='/org/freedesktop/DBus',"
                                        "interface='" BUS_NAME "',member='NameOwnerChanged',"
                                        "arg0namespace='" ROOT_INTERFACE "'",
                                        receive_owner_change, NULL, players);
    return result < 0 ? result : call_bus(players, &players->listing, "ListNames", NULL, receive_names, players);
}

void player_owners_cancel(desktop_players_t *players) {
    cancel_requests(players);
    players->owner_match = sd_bus_slot_unref(players->owner_match);
}
