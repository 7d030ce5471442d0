#define _GNU_SOURCE
#include "players.h"

#include <errno.h>
#include <string.h>

static const struct {
    const char *interface;
    const char *name;
} TABLE[PROPERTIES] = {
    [IDENTITY] = {ROOT_INTERFACE, "Identity"},
    [DESKTOP_ENTRY] = {ROOT_INTERFACE, "DesktopEntry"},
    [PLAYBACK_STATUS] = {PLAYER_INTERFACE, "PlaybackStatus"},
    [CAN_CONTROL] = {PLAYER_INTERFACE, "CanControl"},
    [CAN_PAUSE] = {PLAYER_INTERFACE, "CanPause"},
    [CAN_PLAY] = {PLAYER_INTERFACE, "CanPlay"},
};

const char *property_interface(int property) { return TABLE[property].interface; }

const char *property_name(int property) { return TABLE[property].name; }

int property_find(const char *interface, const char *name) {
    for (int i = 0; i < PROPERTIES; i++) {
        if (strcmp(TABLE[i].interface, interface) == 0 && strcmp(TABLE[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/// Stores a text, shortened without splitting a character. Returns whether it has changed.
static bool set_text(char stored[DESKTOP_PLAYERS_TEXT_SIZE], const char *text) {
    size_t length = strnlen(text, DESKTOP_PLAYERS_TEXT_SIZE);
    if (length == DESKTOP_PLAYERS_TEXT_SIZE) {
        length--;
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) {
            length--;
        }
    }
    if (strlen(stored) == length && memcmp(stored, text, length) == 0) {
        return false;
    }
    memcpy(stored, text, length);
    stored[length] = 0;
    return true;
}

/// An identifier must not be shortened, since it would be another one, nor denote a file of another
/// folder.
static bool set_desktop_entry(desktop_players_values_t *values, const char *text) {
    const bool is_valid = strnlen(text, DESKTOP_PLAYERS_TEXT_SIZE) < DESKTOP_PLAYERS_TEXT_SIZE && !strchr(text, '/');
    return set_text(values->desktop_entry, is_valid ? text : "");
}

static bool set_status(desktop_players_values_t *values, const char *text) {
    const desktop_players_status_t previous = values->status;
    if (strcmp(text, "Playing") == 0) {
        values->status = DESKTOP_PLAYERS_PLAYING;
    } else if (strcmp(text, "Paused") == 0) {
        values->status = DESKTOP_PLAYERS_PAUSED;
    } else if (strcmp(text, "Stopped") == 0) {
        values->status = DESKTOP_PLAYERS_STOPPED;
    }
    return values->status != previous;
}

static int read_text(desktop_players_values_t *values, int property, sd_bus_message *message) {
    const char *text = NULL;
    const int result = sd_bus_message_read(message, "v", "s", &text);
    if (result < 0) {
        return result;
    }
    switch (property) {
    case IDENTITY:
        return set_text(values->identity, text);
    case DESKTOP_ENTRY:
        return set_desktop_entry(values, text);
    default:
        return set_status(values, text);
    }
}

static int read_flag(desktop_players_values_t *values, int property, sd_bus_message *message) {
    int value = 0;
    const int result = sd_bus_message_read(message, "v", "b", &value);
    if (result < 0) {
        return result;
    }
    bool *stored = property == CAN_CONTROL ? &values->can_control
                   : property == CAN_PAUSE ? &values->can_pause
                                           : &values->can_play;
    const bool has_changed = *stored != (value != 0);
    *stored = value != 0;
    return has_changed;
}

int property_read(desktop_players_values_t *values, int property, sd_bus_message *message) {
    const bool is_text = property <= PLAYBACK_STATUS;
    char type = 0;
    const char *contents = NULL;
    const int result = sd_bus_message_peek_type(message, &type, &contents);
    if (result <= 0 || type != 'v') {
        return result < 0 ? result : -EBADMSG;
    }
    if (strcmp(contents, is_text ? "s" : "b") != 0) {
        const int skipped = sd_bus_message_skip(message, "v");
        return skipped < 0 ? skipped : 0;
    }
    return is_text ? read_text(values, property, message) : read_flag(values, property, message);
}
