#define _GNU_SOURCE
#include "players.h"

#include <string.h>

size_t watched_player_find_name(const watched_player_t *player, const char *name) {
    size_t i = 0;
    while (i < player->name_count && strcmp(player->names[i], name) != 0) {
        i++;
    }
    return i;
}

void players_add_name(desktop_players_t *players, const char *name, const char *owner) {
    watched_player_t *player = players_find(players, owner);
    if (!player) {
        player = players->count < DESKTOP_PLAYERS_MAXIMUM ? watched_player_create(players, owner) : NULL;
        if (!player) {
            return;
        }
        player->is_initial = !players->is_synced;
        players->watched[players->count++] = player;
    } else if (player->name_count == 0) {
        player->is_initial = !players->is_synced;
        watched_player_return(player);
    }
    if (watched_player_find_name(player, name) == player->name_count &&
        player->name_count < DESKTOP_PLAYERS_MAXIMUM_NAMES) {
        strcpy(player->names[player->name_count], name);
        player->is_listed[player->name_count++] = true;
        watched_player_report(player);
    }
}

void players_remove_name(desktop_players_t *players, const char *name, const char *owner) {
    watched_player_t *player = players_find(players, owner);
    const size_t index = player ? watched_player_find_name(player, name) : 0;
    if (!player || index == player->name_count) {
        return;
    }
    player->name_count--;
    memmove(player->names[index], player->names[player->name_count], NAME_SIZE);
    player->is_listed[index] = player->is_listed[player->name_count];
    if (player->name_count == 0) {
        watched_player_leave(player);
        players_check_synced(players);
    } else {
        watched_player_report(player);
    }
}
