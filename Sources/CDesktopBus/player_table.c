#define _GNU_SOURCE
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
