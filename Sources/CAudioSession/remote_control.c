/// What a session plays, and the remote commands that it handles.
#include "session_state.h"

// ---- Commands -----------------------------------------------------------------------------------

asession_status_t asession_set_remote_commands(asession_t *session, unsigned commands, asession_error_t *error) {
    if (commands >> COMMANDS != 0) {
        return fail(error, ASESSION_BAD_ARGUMENT,
                    "Commands 0x%x have unknown bits; combine 1u << ASESSION_COMMAND_PLAY and others.", commands);
    }
    json_object *names = json_object_new_array();
    for (unsigned i = 0; i < COMMANDS; i++) {
        if ((commands >> i & 1) != 0) {
            json_object_array_add(names, json_object_new_string(command_names[i]));
        }
    }
    json_object *message = new_action("setRemoteCommands");
    add_member(message, "commands", names);
    const asession_status_t status = submit_setting(session, message, error);
    if (session != NULL && status == ASESSION_OK) {
        session->commands = commands;
    }
    return status;
}

// ---- Now playing --------------------------------------------------------------------------------

/// In the order of asession_playback_state_t.
static const char *const playback_states[] = {"stopped", "playing", "paused"};

/// Returns what the arbiter publishes of this.
static json_object *new_info(const asession_now_playing_t *playing, unsigned commands) {
    json_object *info = json_object_new_object();
    set_text(info, "playbackState", playback_states[playing->playback_state]);
    set_optional_text(info, "trackIdentifier", playing->track_identifier);
    set_optional_text(info, "title", playing->title);
    set_optional_text(info, "artist", playing->artist);
    set_optional_text(info, "album", playing->album);
    set_optional_text(info, "artworkURL", playing->artwork_url);
    if (playing->duration > 0) {
        set_number(info, "duration", playing->duration);
    }
    set_number(info, "position", playing->position);
    set_number(info, "rate", playing->rate == 0 ? 1 : playing->rate);
    if ((commands >> ASESSION_COMMAND_SET_SHUFFLED & 1) != 0) {
        set_flag(info, "isShuffled", playing->is_shuffled);
    }
    if ((commands >> ASESSION_COMMAND_SET_REPEAT_MODE & 1) != 0) {
        set_text(info, "repeatMode", repeat_mode_names[playing->repeat_mode]);
    }
    return info;
}

static bool is_time(double seconds) { return seconds >= 0 && seconds <= 1e9; }

asession_status_t asession_set_now_playing(asession_t *session, const asession_now_playing_t *now_playing,
                                           asession_error_t *error) {
    json_object *message = new_action("setNowPlaying");
    if (now_playing != NULL) {
        const bool is_valid = (unsigned)now_playing->playback_state < COUNT(playback_states) &&
                              (unsigned)now_playing->repeat_mode < REPEAT_MODES && is_time(now_playing->duration) &&
                              is_time(now_playing->position) && is_time(now_playing->rate);
        if (!is_valid) {
            json_object_put(message);
            return fail(error, ASESSION_BAD_ARGUMENT,
                        "A state or repeat mode does not exist, or the duration (%g s), the position (%g s) or the "
                        "rate (%g) is not a value of 0 to 1e9.",
                        now_playing->duration, now_playing->position, now_playing->rate);
        }
        add_member(message, "info", new_info(now_playing, session != NULL ? session->commands : 0));
    }
    return submit_text_setting(session, message, error);
}
