/// Audio sessions for programs that have their own audio engine, in C and C++.
///
/// A session states what the program plays (`asession_set_category`), whether it plays now
/// (`asession_activate`, `asession_set_playing`), and learns what to do about the sound of other
/// programs: events report that a call interrupts it, that it may resume, that it is lowered. The
/// sound itself is controlled by the session's gate, which the audio callback applies to its
/// buffers (`asession_gate_apply`).
///
/// The arbiter, `audiosessiond`, decides for all programs of the user. Opening a session starts it
/// if it is not running. If it ends, the gate keeps the last decision, and the session is restored
/// with the next arbiter (SRV-3).
///
/// The library creates no thread. Include `asession_fd` in the program's event loop, and call
/// `asession_dispatch` when it is readable: the arbiter disconnects a program that does not do so
/// for some seconds. Functions that send a request wait for the reply. A running arbiter replies
/// within a few milliseconds; if it hangs or has to be started, they wait for 10 s at most.
///
/// Thread tags: [owner] one thread at a time, and not the audio thread; [audio] the audio thread,
/// also while [owner] functions run: these functions neither block nor allocate, and make no system
/// call.
#ifndef AUDIOSESSION_H
#define AUDIOSESSION_H

#include "audiosession/gate.h"
#include "audiosession/protocol.h"
#include "audiosession/remote_control.h"
#include "audiosession/route.h"
#include "audiosession/status.h"
#include "audiosession/version.h"
#include "audiosession/web.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Opening ------------------------------------------------------------------------------------

/// Connects to the arbiter at a socket, starts it if none is running there, and creates an inactive
/// session of category soloAmbient. [owner] Takes 15 s at most. `socket_path` is usually NULL: the
/// path in `AUDIOSESSION_SOCKET`, or the one in the user's runtime folder. The arbiter's program is
/// the one in `AUDIOSESSIOND`, `audiosessiond` in the folder of this program, or the one on the
/// PATH. Returns NULL on an error. The program may play nevertheless: all functions accept a
/// session that is NULL, and its gate is open.
asession_t *asession_open(const char *socket_path, asession_error_t *error);

/// Ends the session and frees it; others are notified (ACT-12). NULL does nothing. [owner] No audio
/// callback may use the gate any longer. In a child process that was forked meanwhile, this only
/// frees it; there, no other function may be called but those that read what has been received.
void asession_close(asession_t *session);

/// Ends the session, but keeps its gate, which fades out and remains closed: for programs that
/// cannot stop the audio callback first. [owner] After that, only the gate's functions and
/// `asession_close`, which frees the session, may be called. NULL does nothing.
void asession_end(asession_t *session);

/// Returns the session's number at the arbiter, as `audiosession status` shows it; 0 for NULL.
/// [owner] It changes if the next arbiter does not know the session.
uint64_t asession_id(const asession_t *session);

// ---- What the program plays ---------------------------------------------------------------------

typedef enum asession_category {
    ASESSION_AMBIENT = 0,
    ASESSION_SOLO_AMBIENT = 1,
    ASESSION_PLAYBACK = 2,
    ASESSION_RECORD = 3,
    ASESSION_PLAY_AND_RECORD = 4,
    ASESSION_MULTI_ROUTE = 5,
    /// Offline rendering: neither input nor output (CAT-5).
    ASESSION_AUDIO_PROCESSING = 6
} asession_category_t;

typedef enum asession_mode {
    ASESSION_MODE_DEFAULT = 0,
    ASESSION_VOICE_CHAT = 1,
    ASESSION_VIDEO_CHAT = 2,
    ASESSION_GAME_CHAT = 3,
    ASESSION_VIDEO_RECORDING = 4,
    ASESSION_MEASUREMENT = 5,
    ASESSION_MOVIE_PLAYBACK = 6,
    ASESSION_SPOKEN_AUDIO = 7,
    ASESSION_VOICE_PROMPT = 8,
    ASESSION_SHORT_FORM_VIDEO = 9,
    ASESSION_DUAL_ROUTE = 10
} asession_mode_t;

/// Bits of the options, with the values that they have in AVAudioSession.
enum {
    ASESSION_MIX_WITH_OTHERS = 0x1,
    ASESSION_DUCK_OTHERS = 0x2,
    ASESSION_ALLOW_BLUETOOTH_HFP = 0x4,
    ASESSION_DEFAULT_TO_SPEAKER = 0x8,
    ASESSION_INTERRUPT_SPOKEN_AUDIO_AND_MIX_WITH_OTHERS = 0x11,
    ASESSION_ALLOW_BLUETOOTH_A2DP = 0x20,
    ASESSION_ALLOW_AIR_PLAY = 0x40,
    ASESSION_OVERRIDE_MUTED_MICROPHONE_INTERRUPTION = 0x80,
    ASESSION_FAR_FIELD_INPUT = 0x40000,
    ASESSION_BLUETOOTH_HIGH_QUALITY_RECORDING = 0x80000
};

/// Sets the category, the mode and the options together (a combination of the bits above; all
/// others are cleared). [owner] Refused if they do not fit together, or, while the session is
/// active, by a session of higher priority.
asession_status_t asession_set_category(asession_t *session, asession_category_t category, asession_mode_t mode,
                                        unsigned options, asession_error_t *error);

typedef enum asession_route_sharing_policy {
    ASESSION_ROUTE_SHARING_DEFAULT = 0,
    /// Shares one route with all long-form audio, such as music and podcasts (ROUTE-10).
    ASESSION_ROUTE_SHARING_LONG_FORM_AUDIO = 1,
    ASESSION_ROUTE_SHARING_LONG_FORM_VIDEO = 2
} asession_route_sharing_policy_t;

/// The same with a route-sharing policy, which `asession_set_category` sets to the default. [owner]
asession_status_t asession_set_category_and_policy(asession_t *session, asession_category_t category,
                                                   asession_mode_t mode, asession_route_sharing_policy_t policy,
                                                   unsigned options, asession_error_t *error);

typedef enum asession_preference {
    /// In Hz.
    ASESSION_SAMPLE_RATE = 0,
    /// In seconds.
    ASESSION_IO_BUFFER_DURATION = 1,
    ASESSION_INPUT_CHANNELS = 2,
    ASESSION_OUTPUT_CHANNELS = 3
} asession_preference_t;

/// States a preference for the audio hardware; 0 clears it. [owner] A program that overrides the
/// period of the server carries it out: the Swift library does, this one does not.
asession_status_t asession_prefer(asession_t *session, asession_preference_t preference, double value,
                                  asession_error_t *error);

// ---- Activity -----------------------------------------------------------------------------------

/// Activates the session: others are interrupted or lowered, as its category says. [owner] Refused
/// while a session of higher priority, such as a call, is active.
asession_status_t asession_activate(asession_t *session, asession_error_t *error);

/// Activates the session, or has it wait until the session that prevents that has ended: then
/// ASESSION_EVENT_ACTIVATED reports that it is active (ACT-14). [owner]
asession_status_t asession_request_activation(asession_t *session, asession_error_t *error);

/// Deactivates the session. `notify_others`: sessions that it has interrupted may resume. [owner]
asession_status_t asession_deactivate(asession_t *session, bool notify_others, asession_error_t *error);

/// States that the session begins or ceases to play. [owner] An active session that does not play
/// for a while no longer lowers others or keeps them waiting (ACT-17).
asession_status_t asession_set_playing(asession_t *session, bool is_playing, asession_error_t *error);

/// States that the session is paused part-way: it remains in use, so that others are kept waiting
/// (ACT-17), but no longer lowers them. [owner]
asession_status_t asession_set_paused(asession_t *session, bool is_paused, asession_error_t *error);

/// States that the session begins or ceases to take input. [owner] To begin activates it (ACT-15),
/// and is refused while the microphone is muted in hardware (INT-10).
asession_status_t asession_set_recording(asession_t *session, bool is_recording, asession_error_t *error);

/// Silences the session, which continues (VOL-3); ASESSION_EVENT_OUTPUT_MUTE_CHANGED reports it.
/// [owner]
asession_status_t asession_set_output_muted(asession_t *session, bool is_muted, asession_error_t *error);

/// Has a session with ASESSION_DUCK_OTHERS lower others only while it is audible, instead of for
/// as long as it is active (DUCK-2). [owner] `asession_gate_apply` finds out from the samples
/// whether it is, by the threshold and the hold time of the arbiter's settings; an engine that
/// only reads the gate lowers nobody then. Programs with this project's libraries are lowered in
/// the same cycle or the next; others once `asession_dispatch` has reported it, for which
/// `asession_fd` is readable every 50 ms while the session is active.
asession_status_t asession_set_ducks_only_while_audible(asession_t *session, bool is_on, asession_error_t *error);

/// States that a call should not interrupt the session while it only rings (INT-6). [owner]
asession_status_t asession_prefer_no_interruptions_from_system_alerts(asession_t *session, bool prefers,
                                                                      asession_error_t *error);

typedef enum asession_activity {
    ASESSION_INACTIVE = 0,
    ASESSION_ACTIVE = 1,
    ASESSION_INTERRUPTED = 2
} asession_activity_t;

/// What the arbiter says of the session.
typedef struct asession_state {
    asession_activity_t activity;
    /// Whether the arbiter is connected. Otherwise the rest is as it was.
    bool is_connected;
    /// Whether other programs play.
    bool is_other_audio_playing;
    /// Whether the program should silence its secondary audio, such as a game's music.
    bool secondary_audio_should_be_silenced;
    bool is_input_available;
    /// A call is active.
    bool is_in_call;
    /// The system volume, 0…1, which the gate applies.
    double volume;
} asession_state_t;

/// Copies the state, as of the last `asession_dispatch` or request. [owner] All zeros for NULL.
void asession_state(const asession_t *session, asession_state_t *state);

// ---- Events -------------------------------------------------------------------------------------

typedef enum asession_event_kind {
    /// Pause: the gate has faded the session out. `reason`.
    ASESSION_EVENT_INTERRUPTION_BEGAN = 1,
    /// `flag`: whether the program should activate the session again and resume.
    ASESSION_EVENT_INTERRUPTION_ENDED = 2,
    /// `flag`: whether the program should silence its secondary audio.
    ASESSION_EVENT_SILENCE_HINT = 3,
    /// `reason`.
    ASESSION_EVENT_ROUTE_CHANGED = 4,
    /// The device that played is gone: pause before the sound continues elsewhere.
    ASESSION_EVENT_OUTPUT_DISCONNECTED = 5,
    /// `value`: 0…1.
    ASESSION_EVENT_VOLUME_CHANGED = 6,
    /// `flag`.
    ASESSION_EVENT_INPUT_MUTE_CHANGED = 7,
    /// The arbiter has deactivated the session, for example because it was suspended, or has ended
    /// and the next one does not know it: activate it again.
    ASESSION_EVENT_DEACTIVATED = 8,
    /// The arbiter has ended. The gate keeps the last decision until the next one is connected.
    ASESSION_EVENT_ARBITER_LOST = 9,
    /// Another arbiter is connected. It has restored the session, unless
    /// ASESSION_EVENT_DEACTIVATED precedes this event.
    ASESSION_EVENT_ARBITER_RETURNED = 10,
    /// The session was waiting (`asession_request_activation`), and is active now.
    ASESSION_EVENT_ACTIVATED = 11,
    /// `command`, and for some commands `value` or `flag`: see asession_command_t.
    ASESSION_EVENT_REMOTE_COMMAND = 12,
    /// Ask the user, then call `asession_answer_record_permission`.
    ASESSION_EVENT_RECORD_PERMISSION_NEEDED = 13,
    /// The user has answered or changed the answer: see `asession_record_permission`.
    ASESSION_EVENT_RECORD_PERMISSION_CHANGED = 14,
    /// The inputs that can be preferred are others now.
    ASESSION_EVENT_AVAILABLE_INPUTS_CHANGED = 15,
    /// `flag`.
    ASESSION_EVENT_OUTPUT_MUTE_CHANGED = 16
} asession_event_kind_t;

/// What has happened. Members that the kind does not mention are 0 or empty.
typedef struct asession_event {
    asession_event_kind_t kind;
    bool flag;
    double value;
    /// The reason, as the protocol names it, such as "newDeviceAvailable".
    char reason[32];
    /// The rule that applied, such as "INT-3".
    char rule[16];
    /// The session that caused it; 0: none.
    uint64_t by;
    asession_command_t command;
} asession_event_t;

/// Returns a descriptor that is readable (POLLIN) when `asession_dispatch` has something to do; -1
/// for NULL. [owner] It does not change until the session is closed, and may be added to any event
/// loop. Do not read from it.
int asession_fd(const asession_t *session);

/// Receives what the arbiter has sent, answers its pings, and connects again after a loss. [owner]
/// Never waits, unless it has to start the next arbiter, or for half a second if the arbiter hangs.
/// Read all events after it.
void asession_dispatch(asession_t *session);

/// Copies the next event and removes it. [owner] Returns false if there is none. Events are in the
/// order of the arbiter's decisions. If more than 1,024 wait, the oldest is dropped.
bool asession_next_event(asession_t *session, asession_event_t *event);

#ifdef __cplusplus
}
#endif
#endif
