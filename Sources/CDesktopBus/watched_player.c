#define _GNU_SOURCE
#include "bus_connection.h"
#include "players.h"
#include "signal_limit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Reports ------------------------------------------------------------------------------------

void watched_player_report(watched_player_t *player) {
    desktop_players_t *players = player->players;
    if (!player->is_reported) {
        return;
    }
    const char *names[DESKTOP_PLAYERS_MAXIMUM_NAMES];
    for (size_t i = 0; i < player->name_count; i++) {
        names[i] = player->names[i] + strlen(NAME_PREFIX);
    }
    const desktop_players_player_t report = {
        .owner = player->owner,
        .names = names,
        .name_count = player->name_count,
        .process = player->process,
        .values = &player->values,
    };
    players->callbacks.changed(players->callbacks.context, &report);
}

static bool all_answered(const watched_player_t *player) {
    for (int i = 0; i < QUERIES; i++) {
        if (!player->queries[i].is_answered) {
            return false;
        }
    }
    return true;
}

/// Reports the player for the first time if all first calls have ended.
static void check_answers(watched_player_t *player) {
    if (!all_answered(player)) {
        return;
    }
    player->is_reported = true;
    watched_player_report(player);
    players_check_synced(player->players);
}

// ---- Queries ------------------------------------------------------------------------------------

static int receive_answer(sd_bus_message *reply, void *userdata, sd_bus_error *unused);

static int query_index(const query_t *query) { return (int)(query - query->player->queries); }

/// Requests a value. Only a first request has a time limit, since a report waits for it.
static int send_query(query_t *query) {
    watched_player_t *player = query->player;
    const int index = query_index(query);
    const bool asks_bus = index == PROCESS;
    sd_bus_message *message = NULL;
    int result = asks_bus ? new_method_call(&player->players->connection, BUS_NAME, "/org/freedesktop/DBus", BUS_NAME,
                                            "GetConnectionUnixProcessID", &message)
                          : new_method_call(&player->players->connection, player->owner, PLAYER_OBJECT,
                                            PROPERTIES_INTERFACE, "Get", &message);
    if (result >= 0) {
        result = asks_bus ? sd_bus_message_append(message, "s", player->owner)
                          : sd_bus_message_append(message, "ss", property_interface(index), property_name(index));
    }
    query->is_stale = false;
    result = result < 0 ? result
                        : sd_bus_call_async(player->players->connection.bus, &query->slot, message, receive_answer,
                                            query, query->is_answered ? UINT64_MAX : CALL_LIMIT_US);
    sd_bus_message_unref(message);
    return result;
}

/// Reads the value of a reply. Returns whether it has changed.
static bool read_answer(query_t *query, sd_bus_message *reply) {
    watched_player_t *player = query->player;
    if (query_index(query) == PROCESS) {
        return is_from(reply, BUS_NAME) && sd_bus_message_read(reply, "u", &player->process) > 0;
    }
    return is_from(reply, player->owner) && property_read(&player->values, query_index(query), reply) > 0;
}

/// Frees a player without names that owes no reply.
static void free_if_idle(watched_player_t *player) {
    for (int i = 0; i < QUERIES; i++) {
        if (player->queries[i].slot) {
            return;
        }
    }
    players_take_out(player);
    watched_player_destroy(player);
}

static int receive_answer(sd_bus_message *reply, void *userdata, sd_bus_error *unused) {
    (void)unused;
    query_t *query = userdata;
    const bool is_first = !query->is_answered;
    query->slot = sd_bus_slot_unref(query->slot);
    query->is_answered = true;
    const bool is_late = sd_bus_message_is_method_error(reply, SD_BUS_ERROR_NO_REPLY) > 0;
    const bool has_changed = !sd_bus_message_get_error(reply) && read_answer(query, reply);
    if (query->player->name_count == 0) {
        free_if_idle(query->player);
        return 0;
    }
    // A player that hung at first is asked once more without a limit: it replies when it goes on.
    if (query->is_stale || (is_first && is_late)) {
        send_query(query);
    }
    if (is_first) {
        check_answers(query->player);
    } else if (has_changed) {
        watched_player_report(query->player);
    }
    return 0;
}

/// Requests a value that has changed, or will when the current call has ended.
static void refresh(watched_player_t *player, int property) {
    query_t *query = &player->queries[property];
    if (query->slot) {
        query->is_stale = true;
    } else {
        send_query(query);
    }
}

static void refresh_interface(watched_player_t *player, const char *interface) {
    for (int i = 0; i < PROPERTIES; i++) {
        if (strcmp(property_interface(i), interface) == 0) {
            refresh(player, i);
        }
    }
}

// ---- Changes ------------------------------------------------------------------------------------

/// Reads the changed properties into `values`. Returns whether a value has changed, or a negative
/// errno.
static int read_changed(desktop_players_values_t *values, const char *interface, sd_bus_message *signal) {
    bool has_changed = false;
    int result = sd_bus_message_enter_container(signal, 'a', "{sv}");
    while (result >= 0 && (result = sd_bus_message_enter_container(signal, 'e', "sv")) > 0) {
        const char *name = NULL;
        result = sd_bus_message_read(signal, "s", &name);
        if (result >= 0) {
            const int property = property_find(interface, name);
            result = property < 0 ? sd_bus_message_skip(signal, "v") : property_read(values, property, signal);
            has_changed = has_changed || (property >= 0 && result > 0);
        }
        result = result < 0 ? result : sd_bus_message_exit_container(signal);
    }
    result = result < 0 ? result : sd_bus_message_exit_container(signal);
    return result < 0 ? result : has_changed;
}

/// Requests the values of the properties that are only announced.
static int read_invalidated(watched_player_t *player, const char *interface, sd_bus_message *signal) {
    const char *name = NULL;
    int result = sd_bus_message_enter_container(signal, 'a', "s");
    while (result >= 0 && (result = sd_bus_message_read(signal, "s", &name)) > 0) {
        const int property = property_find(interface, name);
        if (property >= 0) {
            refresh(player, property);
        }
    }
    return result;
}

/// Handles a PropertiesChanged.
static int receive_changes(sd_bus_message *signal, void *userdata, sd_bus_error *unused) {
    (void)unused;
    watched_player_t *player = userdata;
    const char *interface = NULL;
    if (!is_from(signal, player->owner)) {
        return 0;
    }
    if (signal_limit_exceeds(&player->limit, &player->players->due_us)) {
        player->match = sd_bus_slot_unref(player->match);
        return 0;
    }
    if (sd_bus_message_has_signature(signal, "sa{sv}as") <= 0 || sd_bus_message_read(signal, "s", &interface) < 0) {
        return 0;
    }
    desktop_players_values_t values = player->values;
    const int changed = read_changed(&values, interface, signal);
    if (changed < 0 || read_invalidated(player, interface, signal) < 0) {
        // sd-bus refuses some texts that the bus accepts, such as a title with U+FFFE.
        refresh_interface(player, interface);
    }
    if (changed > 0) {
        player->values = values;
        watched_player_report(player);
    }
    return 0;
}

/// If the bus refuses the match, only this player's changes are missing.
static int ignore_reply(sd_bus_message *reply, void *userdata, sd_bus_error *unused) {
    (void)reply, (void)userdata, (void)unused;
    return 0;
}

static int listen(watched_player_t *player) {
    char match[1024];
    const int length = snprintf(match, sizeof match,
                                "type='signal',sender='%s',path='" PLAYER_OBJECT "',interface='" PROPERTIES_INTERFACE
                                "',member='PropertiesChanged',arg0namespace='" ROOT_INTERFACE "'",
                                player->owner);
    if (length < 0 || (size_t)length >= sizeof match) {
        return -EINVAL;
    }
    return sd_bus_add_match_async(player->players->connection.bus, &player->match, match, receive_changes, ignore_reply,
                                  player);
}

void watched_player_unmute(watched_player_t *player) {
    listen(player);
    for (int i = 0; i < PROPERTIES; i++) {
        refresh(player, i);
    }
}

void watched_player_leave(watched_player_t *player) {
    desktop_players_t *players = player->players;
    if (player->is_reported) {
        players->callbacks.vanished(players->callbacks.context, player->owner);
    }
    player->is_reported = false;
    player->is_initial = false;
    player->match = sd_bus_slot_unref(player->match);
    player->limit.muted_until_us = 0;
    free_if_idle(player);
}

void watched_player_return(watched_player_t *player) {
    listen(player);
    for (int i = 0; i < QUERIES; i++) {
        query_t *query = &player->queries[i];
        query->is_stale = query->slot != NULL;
        // A call without a limit may take forever.
        query->is_answered = query->is_answered && query->slot;
        if (!query->slot && send_query(query) < 0) {
            query->is_answered = true;
        }
    }
    // The name is reported by the caller, or with the first values.
    player->is_reported = all_answered(player);
}

// ---- Lifetime -----------------------------------------------------------------------------------

watched_player_t *watched_player_create(desktop_players_t *players, const char *owner) {
    watched_player_t *player = calloc(1, sizeof *player);
    if (!player || strlen(owner) >= sizeof player->owner) {
        free(player);
        return NULL;
    }
    player->players = players;
    strcpy(player->owner, owner);
    player->values.can_control = true;
    if (listen(player) < 0) {
        watched_player_destroy(player);
        return NULL;
    }
    for (int i = 0; i < QUERIES; i++) {
        query_t *query = &player->queries[i];
        query->player = player;
        if (send_query(query) < 0) {
            watched_player_destroy(player);
            return NULL;
        }
    }
    return player;
}

void watched_player_destroy(watched_player_t *player) {
    for (int i = 0; i < QUERIES; i++) {
        sd_bus_slot_unref(player->queries[i].slot);
    }
    sd_bus_slot_unref(player->match);
    free(player);
}
