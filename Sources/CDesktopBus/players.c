#define _GNU_SOURCE
#include "players.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

watched_player_t *players_find(desktop_players_t *players, const char *owner) {
    for (size_t i = 0; i < players->count; i++) {
        if (strcmp(players->watched[i]->owner, owner) == 0) {
            return players->watched[i];
        }
    }
    return NULL;
}

void players_check_synced(desktop_players_t *players) {
    if (players->is_synced || players->listing || players->lookups) {
        return;
    }
    for (size_t i = 0; i < players->count; i++) {
        if (players->watched[i]->is_initial && !players->watched[i]->is_reported) {
            return;
        }
    }
    players->is_synced = true;
    players->callbacks.synced(players->callbacks.context);
}

// ---- Names --------------------------------------------------------------------------------------

static bool is_player_name(const char *name) {
    return strncmp(name, NAME_PREFIX, strlen(NAME_PREFIX)) == 0 && name[strlen(NAME_PREFIX)] != 0 &&
           strnlen(name, NAME_SIZE) < NAME_SIZE;
}

/// Returns the index of a name of a player; its count if it does not own it.
static size_t find_name(const watched_player_t *player, const char *name) {
    size_t i = 0;
    while (i < player->name_count && strcmp(player->names[i], name) != 0) {
        i++;
    }
    return i;
}

static void add_name(desktop_players_t *players, const char *name, const char *owner, bool is_initial) {
    watched_player_t *player = players_find(players, owner);
    if (!player) {
        player = players->count < DESKTOP_PLAYERS_MAXIMUM ? watched_player_create(players, owner) : NULL;
        if (!player) {
            return;
        }
        player->is_initial = is_initial;
        players->watched[players->count++] = player;
    }
    if (find_name(player, name) == player->name_count && player->name_count < DESKTOP_PLAYERS_MAXIMUM_NAMES) {
        strcpy(player->names[player->name_count++], name);
        watched_player_report(player);
    }
}

static void remove_player(watched_player_t *player) {
    desktop_players_t *players = player->players;
    for (size_t i = 0; i < players->count; i++) {
        if (players->watched[i] == player) {
            players->watched[i] = players->watched[--players->count];
            break;
        }
    }
    if (player->is_reported) {
        players->callbacks.vanished(players->callbacks.context, player->owner);
    }
    watched_player_destroy(player);
    players_check_synced(players);
}

static void remove_name(desktop_players_t *players, const char *name, const char *owner) {
    watched_player_t *player = players_find(players, owner);
    const size_t index = player ? find_name(player, name) : 0;
    if (!player || index == player->name_count) {
        return;
    }
    player->name_count--;
    memmove(player->names[index], player->names[player->name_count], NAME_SIZE);
    if (player->name_count == 0) {
        remove_player(player);
    } else {
        watched_player_report(player);
    }
}

static int receive_owner_change(sd_bus_message *signal, void *userdata, sd_bus_error *unused) {
    (void)unused;
    const char *name = NULL, *previous = NULL, *next = NULL;
    if (sd_bus_message_read(signal, "sss", &name, &previous, &next) <= 0 || !is_player_name(name)) {
        return 0;
    }
    if (*previous) {
        remove_name(userdata, name, previous);
    }
    if (*next) {
        add_name(userdata, name, next, false);
    }
    return 0;
}

// ---- The start ----------------------------------------------------------------------------------

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

static int receive_owner(sd_bus_message *reply, void *userdata, sd_bus_error *unused) {
    (void)unused;
    lookup_t *lookup = userdata;
    desktop_players_t *players = lookup->players;
    const char *owner = NULL;
    // An error: the name has no owner any longer.
    if (!sd_bus_message_get_error(reply) && is_from(reply, BUS_NAME) && sd_bus_message_read(reply, "s", &owner) > 0) {
        add_name(players, lookup->name, owner, true);
    }
    destroy_lookup(lookup);
    players_check_synced(players);
    return 0;
}

static int call_bus(desktop_players_t *players, sd_bus_slot **slot, const char *member, const char *argument,
                    sd_bus_message_handler_t callback, void *userdata) {
    sd_bus_message *message = NULL;
    int result = new_method_call(players, BUS_NAME, "/org/freedesktop/DBus", BUS_NAME, member, &message);
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

static int receive_names(sd_bus_message *reply, void *userdata, sd_bus_error *unused) {
    (void)unused;
    desktop_players_t *players = userdata;
    players->listing = sd_bus_slot_unref(players->listing);
    if (!sd_bus_message_get_error(reply) && is_from(reply, BUS_NAME) &&
        sd_bus_message_enter_container(reply, 'a', "s") > 0) {
        const char *name = NULL;
        for (int count = 0; count < MAXIMUM_LISTED && sd_bus_message_read(reply, "s", &name) > 0;) {
            if (is_player_name(name)) {
                look_up(players, name);
                count++;
            }
        }
    }
    players_check_synced(players);
    return 0;
}

static int start(desktop_players_t *players) {
    sd_bus *bus = players->connection.bus;
    // Without an own callback for the reply, sd-bus ends the connection if the bus refuses a match.
    int result = sd_bus_add_match_async(bus, &players->owner_match,
                                        "type='signal',sender='" BUS_NAME "',path='/org/freedesktop/DBus',"
                                        "interface='" BUS_NAME "',member='NameOwnerChanged',"
                                        "arg0namespace='" ROOT_INTERFACE "'",
                                        receive_owner_change, NULL, players);
    return result < 0 ? result : call_bus(players, &players->listing, "ListNames", NULL, receive_names, players);
}

// ---- The connection -----------------------------------------------------------------------------

int desktop_players_open(const char *address, int timeout_ms, const desktop_players_callbacks_t *callbacks,
                         desktop_players_t **opened) {
    *opened = NULL;
    desktop_players_t *players = calloc(1, sizeof *players);
    if (!players) {
        return -ENOMEM;
    }
    players->callbacks = *callbacks;
    players->due_us = UINT64_MAX;
    int result = bus_connection_open(&players->connection, address, timeout_ms);
    result = result < 0 ? result : start(players);
    if (result < 0) {
        desktop_players_destroy(players);
        return result;
    }
    *opened = players;
    return 0;
}

void desktop_players_close(desktop_players_t *players) {
    while (players->count > 0) {
        watched_player_destroy(players->watched[--players->count]);
    }
    while (players->lookups) {
        destroy_lookup(players->lookups);
    }
    player_calls_cancel(players);
    players->listing = sd_bus_slot_unref(players->listing);
    players->owner_match = sd_bus_slot_unref(players->owner_match);
    bus_connection_close(&players->connection);
}

void desktop_players_destroy(desktop_players_t *players) {
    if (!players) {
        return;
    }
    desktop_players_close(players);
    bus_connection_destroy(&players->connection);
    free(players);
}

/// Follows the players again whose time has passed.
static void unmute_players(desktop_players_t *players) {
    const uint64_t now = bus_connection_now_us();
    players->due_us = UINT64_MAX;
    for (size_t i = 0; i < players->count; i++) {
        watched_player_t *player = players->watched[i];
        if (player->muted_until_us == 0) {
            continue;
        }
        if (player->muted_until_us <= now) {
            watched_player_unmute(player);
        } else if (player->muted_until_us < players->due_us) {
            players->due_us = player->muted_until_us;
        }
    }
}

int desktop_players_wait(desktop_players_t *players) {
    while (true) {
        // The deadline may arise while the bus is served: `is_flooding` sets it.
        const int result = bus_connection_wait(&players->connection, false, &players->due_us);
        if (result <= 0) {
            return result;
        }
        unmute_players(players);
    }
}

void desktop_players_wake(desktop_players_t *players) { bus_connection_wake(&players->connection); }
