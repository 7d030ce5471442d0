#define _GNU_SOURCE
#include "players.h"
#include "bus_connection.h"

#include <errno.h>
#include <stdlib.h>

int desktop_players_open(const char *address, int timeout_ms, const desktop_players_callbacks_t *callbacks,
                         desktop_players_t **opened) {
    *opened = NULL;
    desktop_players_t *players = calloc(1, sizeof *players);
    if (!players) {
        return -ENOMEM;
    }
    players->callbacks = *callbacks;
    players->due_us = UINT64_MAX;
    int result = bus_connection_open(&players->connection, address, false, timeout_ms);
    result = result < 0 ? result : player_owners_follow(players);
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
    player_calls_cancel(players);
    player_owners_cancel(players);
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

/// Follows the signals again whose time has passed.
static void unmute(desktop_players_t *players) {
    const uint64_t now = bus_connection_now_us();
    players->due_us = UINT64_MAX;
    for (size_t i = 0; i < players->count; i++) {
        if (signal_limit_ends(&players->watched[i]->limit, &players->due_us, now)) {
            watched_player_unmute(players->watched[i]);
        }
    }
    if (signal_limit_ends(&players->owner_limit, &players->due_us, now)) {
        player_owners_follow(players);
    }
}

int desktop_players_wait(desktop_players_t *players) {
    while (true) {
        // The deadline may arise while the bus is served: `signal_limit_exceeds` sets it.
        const int result = bus_connection_wait(&players->connection, false, &players->due_us);
        if (result <= 0) {
            return result;
        }
        unmute(players);
    }
}

void desktop_players_wake(desktop_players_t *players) { bus_connection_wake(&players->connection); }
