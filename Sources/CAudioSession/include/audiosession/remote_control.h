/// What a session plays, for lock screens and panels, and their commands: play, pause, the keys of
/// headsets. `audiosession.h` includes this header.
///
/// The session that has played last, without mixing with others, and handles commands receives
/// them (REMOTE-2), as ASESSION_EVENT_REMOTE_COMMAND. `audiosession-mpris` connects the desktop.
#ifndef AUDIOSESSION_REMOTE_CONTROL_H
#define AUDIOSESSION_REMOTE_CONTROL_H

#include "audiosession/status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A command. In parentheses: what the event has.
typedef enum asession_command {
    ASESSION_COMMAND_PLAY = 0,
    ASESSION_COMMAND_PAUSE = 1,
    ASESSION_COMMAND_TOGGLE_PLAY_PAUSE = 2,
    ASESSION_COMMAND_STOP = 3,
    ASESSION_COMMAND_NEXT_TRACK = 4,
    ASESSION_COMMAND_PREVIOUS_TRACK = 5,
    /// (`value`: seconds, negative for backward)
    ASESSION_COMMAND_SKIP = 6,
    /// (`value`: the position in seconds)
    ASESSION_COMMAND_SEEK = 7,
    /// (`value`: 1 is normal speed)
    ASESSION_COMMAND_SET_RATE = 8,
    /// (`flag`)
    ASESSION_COMMAND_SET_SHUFFLED = 9,
    /// (`value`: an asession_repeat_mode_t)
    ASESSION_COMMAND_SET_REPEAT_MODE = 10,
    /// Show the program's window.
    ASESSION_COMMAND_RAISE = 11,
    ASESSION_COMMAND_QUIT = 12
} asession_command_t;

/// States which commands the session handles: a combination of `1u << command`; 0: none (REMOTE-1).
/// [owner]
asession_status_t asession_set_remote_commands(asession_t *session, unsigned commands, asession_error_t *error);

typedef enum asession_playback_state {
    ASESSION_PLAYBACK_STOPPED = 0,
    ASESSION_PLAYBACK_PLAYING = 1,
    ASESSION_PLAYBACK_PAUSED = 2
} asession_playback_state_t;

typedef enum asession_repeat_mode {
    ASESSION_REPEAT_OFF = 0,
    /// The track.
    ASESSION_REPEAT_ONE = 1,
    /// The list.
    ASESSION_REPEAT_ALL = 2
} asession_repeat_mode_t;

/// What a session plays. Texts are in UTF-8; NULL: unknown.
typedef struct asession_now_playing {
    asession_playback_state_t playback_state;
    /// Identifies the track among those of the program.
    const char *track_identifier;
    const char *title;
    const char *artist;
    const char *album;
    /// A URL, such as file:///home/user/cover.png.
    const char *artwork_url;
    /// Seconds; 0: unknown.
    double duration;
    /// Seconds, at the time of the call. It advances by `rate` while playing.
    double position;
    /// 1, and 0, are normal speed.
    double rate;
    /// Published if the session handles ASESSION_COMMAND_SET_SHUFFLED at the time of the call.
    bool is_shuffled;
    /// Published if it handles ASESSION_COMMAND_SET_REPEAT_MODE.
    asession_repeat_mode_t repeat_mode;
} asession_now_playing_t;

/// Publishes what the session plays (REMOTE-3); NULL: nothing. [owner] Copies it. Call it when
/// something has changed or after a jump, not for each second.
asession_status_t asession_set_now_playing(asession_t *session, const asession_now_playing_t *now_playing,
                                           asession_error_t *error);

/// States that the user has paused the session: it is not resumed after an interruption. [owner]
asession_status_t asession_user_paused(asession_t *session, asession_error_t *error);

#ifdef __cplusplus
}
#endif
#endif
