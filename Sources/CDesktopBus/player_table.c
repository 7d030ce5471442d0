#define _GNU_SOURCE
#include "bus_connection.h"
#include "players.h"

#include <string.h>

watched_player_t *players_find(desktop_players_t *players, const char *owner) {
    for (size_t i = 0; i < players->count; i++) {
        if (strcmp(players->watched[i]->owner, owner) == 0) {
            return players->watched[i];
        }
    }
    return NULL;
}

void players_take_out(watched_player_t *player) {
    desktop_players_t *players = player->players;
    for (size_t i = 0; i < players->count; i++) {
        if (players->watched[i] == player) {
            players->watched[i] = players->watched[--players->count];
            break;
        }
    }
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

// ---- Limits -------------------------------------------------------------------------------------

bool signal_limit_exceeds(signal_limit_t *limit, desktop_players_t *players) {
    const uint64_t now = bus_connection_now_us();
    if (now - limit->second_us >= 1000000) {
        limit->second_us = now;
        limit->count = 0;
    }
    if (++limit->count <= MAXIMUM_SIGNALS) {
        return false;
    }
    limit->muted_until_us = now + MUTE_US;
    players->due_us = players->due_us < limit->muted_until_us ? players->due_us : limit->muted_until_us;
    return true;
}

bool signal_limit_ends(signal_limit_t *limit, desktop_players_t *players, uint64_t now_us) {
    const uint64_t until = limit->muted_until_us;
    if (until != 0 && until <= now_us) {
        limit->muted_until_us = 0;
        return true;
    }
    players->due_us = until != 0 && until < players->due_us ? until : players->due_us;
    return false;
}
