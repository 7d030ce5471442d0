#define _GNU_SOURCE
#include "bus_connection.h"
#include "players.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/// Removes a call from the list, and frees it.
static void destroy_call(player_call_t *call) {
    player_call_t **link = &call->players->calls;
    while (*link && *link != call) {
        link = &(*link)->next;
    }
    if (*link) {
        *link = call->next;
    }
    sd_bus_slot_unref(call->slot);
    free(call);
}

static int receive_reply(sd_bus_message *reply, void *userdata, sd_bus_error *unused) {
    (void)unused;
    player_call_t *call = userdata;
    const desktop_players_callbacks_t callbacks = call->players->callbacks;
    const uint64_t number = call->number;
    int64_t position = 0;
    // A bus may deliver replies that another connection has made up.
    bool succeeded = !sd_bus_message_get_error(reply) && is_from(reply, call->owner);
    if (call->call == DESKTOP_PLAYERS_POSITION) {
        succeeded = succeeded && sd_bus_message_read(reply, "v", "x", &position) > 0;
    }
    destroy_call(call);
    callbacks.completed(callbacks.context, number, succeeded, succeeded ? position : 0);
    return 0;
}

static int send_call(player_call_t *call) {
    const bool reads = call->call == DESKTOP_PLAYERS_POSITION;
    const char *member = reads ? "Get" : call->call == DESKTOP_PLAYERS_PAUSE ? "Pause" : "Play";
    sd_bus_message *message = NULL;
    int result = new_method_call(&call->players->connection, call->owner, PLAYER_OBJECT,
                                 reads ? PROPERTIES_INTERFACE : PLAYER_INTERFACE, member, &message);
    if (reads) {
        result = result < 0 ? result : sd_bus_message_append(message, "ss", PLAYER_INTERFACE, "Position");
    }
    result = result < 0 ? result
                        : sd_bus_call_async(call->players->connection.bus, &call->slot, message, receive_reply, call,
                                            CALL_LIMIT_US);
    sd_bus_message_unref(message);
    return result;
}

int desktop_players_call(desktop_players_t *players, const char *owner, desktop_players_call_t call, uint64_t number) {
    const watched_player_t *player = players_find(players, owner);
    if (!player || player->name_count == 0) {
        return -ENOENT;
    }
    player_call_t *made = calloc(1, sizeof *made);
    if (!made) {
        return -ENOMEM;
    }
    made->players = players;
    made->call = call;
    made->number = number;
    strcpy(made->owner, player->owner);
    made->next = players->calls;
    players->calls = made;
    const int result = send_call(made);
    if (result < 0) {
        destroy_call(made);
    }
    return result;
}

void player_calls_cancel(desktop_players_t *players) {
    while (players->calls) {
        destroy_call(players->calls);
    }
}
