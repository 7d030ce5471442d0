#include "bus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OBJECT "/org/mpris/MediaPlayer2"
#define ROOT_INTERFACE "org.mpris.MediaPlayer2"
#define PLAYER_INTERFACE "org.mpris.MediaPlayer2.Player"

// ---- Requests -----------------------------------------------------------------------------------

/// Passes a request to the caller, and sets the error that its sender receives.
static int perform(desktop_bus_t *bus, const desktop_bus_request_t *request, sd_bus_error *error) {
    char message[DESKTOP_BUS_MESSAGE_SIZE] = "";
    switch (bus->callbacks.perform(bus->callbacks.context, request, message)) {
    case DESKTOP_BUS_DONE:
        return 0;
    case DESKTOP_BUS_NOT_SUPPORTED:
        return sd_bus_error_set(error, SD_BUS_ERROR_NOT_SUPPORTED, message);
    case DESKTOP_BUS_INVALID:
        return sd_bus_error_set(error, SD_BUS_ERROR_INVALID_ARGS, message);
    case DESKTOP_BUS_FAILED:
        break;
    }
    return sd_bus_error_set(error, SD_BUS_ERROR_FAILED, message);
}

/// Performs the method `kind` and replies. sd-bus has compared the arguments with the signature.
static int handle(sd_bus_message *message, void *userdata, sd_bus_error *error, desktop_bus_request_kind_t kind) {
    desktop_bus_request_t request = {.kind = kind, .text = ""};
    int result = 0;
    if (kind == DESKTOP_BUS_SEEK) {
        result = sd_bus_message_read(message, "x", &request.microseconds);
    } else if (kind == DESKTOP_BUS_SET_POSITION) {
        result = sd_bus_message_read(message, "ox", &request.text, &request.microseconds);
    } else if (kind == DESKTOP_BUS_OPEN_URI) {
        result = sd_bus_message_read(message, "s", &request.text);
    }
    result = result < 0 ? result : perform(userdata, &request, error);
    return result < 0 ? result : sd_bus_reply_method_return(message, NULL);
}

#define METHOD(name, kind)                                                                                             \
    static int name(sd_bus_message *message, void *userdata, sd_bus_error *error) {                                    \
        return handle(message, userdata, error, kind);                                                                 \
    }

METHOD(raise_window, DESKTOP_BUS_RAISE)
METHOD(quit, DESKTOP_BUS_QUIT)
METHOD(next, DESKTOP_BUS_NEXT)
METHOD(previous, DESKTOP_BUS_PREVIOUS)
METHOD(pause_playback, DESKTOP_BUS_PAUSE)
METHOD(play_pause, DESKTOP_BUS_PLAY_PAUSE)
METHOD(stop, DESKTOP_BUS_STOP)
METHOD(play, DESKTOP_BUS_PLAY)
METHOD(seek, DESKTOP_BUS_SEEK)
METHOD(set_position, DESKTOP_BUS_SET_POSITION)
METHOD(open_uri, DESKTOP_BUS_OPEN_URI)

/// Performs the change of a property that can be written.
static int set_property(sd_bus *connection, const char *path, const char *interface, const char *property,
                        sd_bus_message *value, void *userdata, sd_bus_error *error) {
    (void)connection, (void)path, (void)interface;
    desktop_bus_request_t request = {.kind = DESKTOP_BUS_SET_VOLUME, .text = ""};
    int result;
    if (strcmp(property, "LoopStatus") == 0) {
        request.kind = DESKTOP_BUS_SET_LOOP_STATUS;
        result = sd_bus_message_read(value, "s", &request.text);
    } else if (strcmp(property, "Shuffle") == 0) {
        int shuffle = 0;
        request.kind = DESKTOP_BUS_SET_SHUFFLE;
        result = sd_bus_message_read(value, "b", &shuffle);
        request.number = shuffle;
    } else {
        if (strcmp(property, "Rate") == 0) {
            request.kind = DESKTOP_BUS_SET_RATE;
        }
        result = sd_bus_message_read(value, "d", &request.number);
    }
    return result < 0 ? result : perform(userdata, &request, error);
}

// ---- Properties ---------------------------------------------------------------------------------

#define GETTER(name, ...)                                                                                              \
    static int name(sd_bus *connection, const char *path, const char *interface, const char *property,                 \
                    sd_bus_message *reply, void *userdata, sd_bus_error *error) {                                      \
        (void)connection, (void)path, (void)interface, (void)property, (void)error;                                    \
        const desktop_bus_t *bus = userdata;                                                                           \
        (void)bus;                                                                                                     \
        return __VA_ARGS__;                                                                                            \
    }

GETTER(get_true, sd_bus_message_append(reply, "b", 1))
GETTER(get_false, sd_bus_message_append(reply, "b", 0))
GETTER(get_no_texts, sd_bus_message_append(reply, "as", 0))
GETTER(get_loop_status, sd_bus_message_append(reply, "s", bus->player.loop_status))
GETTER(get_rate, sd_bus_message_append(reply, "d", bus->player.rate))
GETTER(get_shuffle, sd_bus_message_append(reply, "b", bus->player.shuffle))
GETTER(get_volume, sd_bus_message_append(reply, "d", 1.0))
GETTER(get_position, sd_bus_message_append(reply, "x", bus->callbacks.position(bus->callbacks.context)))

/// Appends an entry of the metadata, unless it has no text.
static int append_text(sd_bus_message *reply, const char *key, const char *text) {
    return text ? sd_bus_message_append(reply, "{sv}", key, "s", text) : 0;
}

static int append_metadata(sd_bus_message *reply, const desktop_bus_player_t *player) {
    int result = sd_bus_message_open_container(reply, 'a', "{sv}");
    if (player->track) {
        result = result < 0 ? result : sd_bus_message_append(reply, "{sv}", "mpris:trackid", "o", player->track);
        if (player->length_us >= 0) {
            result = result < 0 ? result : sd_bus_message_append(reply, "{sv}", "mpris:length", "x", player->length_us);
        }
        result = result < 0 ? result : append_text(reply, "xesam:title", player->title);
        if (player->artist) {
            result =
                result < 0 ? result : sd_bus_message_append(reply, "{sv}", "xesam:artist", "as", 1, player->artist);
        }
        result = result < 0 ? result : append_text(reply, "xesam:album", player->album);
        result = result < 0 ? result : append_text(reply, "mpris:artUrl", player->art_url);
    }
    return result < 0 ? result : sd_bus_message_close_container(reply);
}

GETTER(get_metadata, append_metadata(reply, &bus->player))

/// A property that sd-bus reads from a member of the player.
#define MEMBER(name, type, member)                                                                                     \
    SD_BUS_PROPERTY(name, type, NULL, offsetof(desktop_bus_t, player.member), SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE)

static const sd_bus_vtable ROOT_TABLE[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("Raise", "", "", raise_window, 0),
    SD_BUS_METHOD("Quit", "", "", quit, 0),
    MEMBER("CanQuit", "b", can_quit),
    MEMBER("CanRaise", "b", can_raise),
    MEMBER("Identity", "s", identity),
    SD_BUS_PROPERTY("HasTrackList", "b", get_false, 0, SD_BUS_VTABLE_PROPERTY_CONST),
    SD_BUS_PROPERTY("SupportedUriSchemes", "as", get_no_texts, 0, SD_BUS_VTABLE_PROPERTY_CONST),
    SD_BUS_PROPERTY("SupportedMimeTypes", "as", get_no_texts, 0, SD_BUS_VTABLE_PROPERTY_CONST),
    SD_BUS_VTABLE_END,
};

static const sd_bus_vtable ROOT_ENTRY_TABLE[] = {
    SD_BUS_VTABLE_START(0),
    MEMBER("DesktopEntry", "s", desktop_entry),
    SD_BUS_VTABLE_END,
};

static const sd_bus_vtable PLAYER_TABLE[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("Next", "", "", next, 0),
    SD_BUS_METHOD("Previous", "", "", previous, 0),
    SD_BUS_METHOD("Pause", "", "", pause_playback, 0),
    SD_BUS_METHOD("PlayPause", "", "", play_pause, 0),
    SD_BUS_METHOD("Stop", "", "", stop, 0),
    SD_BUS_METHOD("Play", "", "", play, 0),
    SD_BUS_METHOD_WITH_NAMES("Seek", "x", SD_BUS_PARAM(Offset), "", , seek, 0),
    SD_BUS_METHOD_WITH_NAMES("SetPosition", "ox", SD_BUS_PARAM(TrackId) SD_BUS_PARAM(Position), "", , set_position, 0),
    SD_BUS_METHOD_WITH_NAMES("OpenUri", "s", SD_BUS_PARAM(Uri), "", , open_uri, 0),
    SD_BUS_SIGNAL_WITH_NAMES("Seeked", "x", SD_BUS_PARAM(Position), 0),
    MEMBER("PlaybackStatus", "s", playback_status),
    SD_BUS_WRITABLE_PROPERTY("LoopStatus", "s", get_loop_status, set_property, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_WRITABLE_PROPERTY("Rate", "d", get_rate, set_property, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_WRITABLE_PROPERTY("Shuffle", "b", get_shuffle, set_property, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_PROPERTY("Metadata", "a{sv}", get_metadata, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_WRITABLE_PROPERTY("Volume", "d", get_volume, set_property, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    // Advances all the time; clients read it.
    SD_BUS_PROPERTY("Position", "x", get_position, 0, 0),
    MEMBER("MinimumRate", "d", minimum_rate),
    MEMBER("MaximumRate", "d", maximum_rate),
    MEMBER("CanGoNext", "b", can_go_next),
    MEMBER("CanGoPrevious", "b", can_go_previous),
    MEMBER("CanPlay", "b", can_play),
    MEMBER("CanPause", "b", can_pause),
    MEMBER("CanSeek", "b", can_seek),
    SD_BUS_PROPERTY("CanControl", "b", get_true, 0, SD_BUS_VTABLE_PROPERTY_CONST),
    SD_BUS_VTABLE_END,
};

// ---- The player ---------------------------------------------------------------------------------

static const size_t TEXTS[] = {
    offsetof(desktop_bus_player_t, identity),    offsetof(desktop_bus_player_t, desktop_entry),
    offsetof(desktop_bus_player_t, loop_status), offsetof(desktop_bus_player_t, playback_status),
    offsetof(desktop_bus_player_t, track),       offsetof(desktop_bus_player_t, title),
    offsetof(desktop_bus_player_t, artist),      offsetof(desktop_bus_player_t, album),
    offsetof(desktop_bus_player_t, art_url),
};
enum { TEXT_COUNT = sizeof TEXTS / sizeof TEXTS[0] };

/// Copies all texts of the player into one block, which its members then point to. Returns the
/// block, or NULL if it cannot be allocated.
static char *copy_texts(desktop_bus_player_t *player) {
    const char **members[TEXT_COUNT];
    size_t size = 1;
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        members[i] = (const char **)((char *)player + TEXTS[i]);
        size += *members[i] ? strlen(*members[i]) + 1 : 0;
    }
    char *block = malloc(size);
    char *next = block;
    for (size_t i = 0; block && i < TEXT_COUNT; i++) {
        if (*members[i]) {
            const size_t length = strlen(*members[i]) + 1;
            *members[i] = memcpy(next, *members[i], length);
            next += length;
        }
    }
    return block;
}

void player_remove(desktop_bus_t *bus) {
    for (int i = 0; i < INTERFACES; i++) {
        bus->interfaces[i] = sd_bus_slot_unref(bus->interfaces[i]);
    }
    free(bus->texts);
    bus->texts = NULL;
}

/// Registers an interface, or one without a value removes it.
static int set_interface(desktop_bus_t *bus, int index, const char *name, const sd_bus_vtable *table, bool exists) {
    if (!exists) {
        bus->interfaces[index] = sd_bus_slot_unref(bus->interfaces[index]);
    }
    return !exists || bus->interfaces[index]
               ? 0
               : sd_bus_add_object_vtable(bus->connection.bus, &bus->interfaces[index], OBJECT, name, table, bus);
}

int desktop_bus_set_player(desktop_bus_t *bus, const desktop_bus_player_t *player) {
    if (!player) {
        player_remove(bus);
        return 0;
    }
    desktop_bus_player_t copy = *player;
    char *texts = copy_texts(&copy);
    if (!texts) {
        return -ENOMEM;
    }
    free(bus->texts);
    bus->texts = texts;
    bus->player = copy;
    int result = set_interface(bus, ROOT, ROOT_INTERFACE, ROOT_TABLE, true);
    result = result < 0 ? result
                        : set_interface(bus, ROOT_ENTRY, ROOT_INTERFACE, ROOT_ENTRY_TABLE, copy.desktop_entry != NULL);
    result = result < 0 ? result : set_interface(bus, PLAYER, PLAYER_INTERFACE, PLAYER_TABLE, true);
    if (result < 0) {
        player_remove(bus);
    }
    return result;
}

int desktop_bus_send_changes(desktop_bus_t *bus, bool of_player, char **properties) {
    return sd_bus_emit_properties_changed_strv(bus->connection.bus, OBJECT,
                                               of_player ? PLAYER_INTERFACE : ROOT_INTERFACE, properties);
}

int desktop_bus_send_seeked(desktop_bus_t *bus, int64_t position_us) {
    return sd_bus_emit_signal(bus->connection.bus, OBJECT, PLAYER_INTERFACE, "Seeked", "x", position_us);
}
