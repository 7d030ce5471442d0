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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__) && __clang_major__ >= 20
#define ASESSION_AUDIO __attribute__((nonblocking))
#else
#define ASESSION_AUDIO
#endif

/// A session.
typedef struct asession asession_t;

// ---- Errors -------------------------------------------------------------------------------------

typedef enum asession_status {
    ASESSION_OK = 0,
    /// An argument is out of range.
    ASESSION_BAD_ARGUMENT = 1,
    /// Out of memory or file descriptors.
    ASESSION_NO_MEMORY = 2,
    /// No arbiter is running, and none could be started.
    ASESSION_NO_ARBITER = 3,
    /// The arbiter has ended, or does not answer. The request may have been carried out.
    ASESSION_LOST = 4,
    /// A rule refuses the request: see `rule` and `by`.
    ASESSION_REFUSED = 5,
    /// The arbiter cannot carry out the request for another reason, such as a limit.
    ASESSION_FAILED = 6
} asession_status_t;

/// Why a call has failed. A failed call has changed nothing, unless the status is ASESSION_LOST.
typedef struct asession_error {
    asession_status_t status;
    /// What was asked, why it failed and what to do, in English.
    char message[512];
    /// The code of the refusal or error in the protocol, such as "insufficientPriority"; or empty.
    char code[32];
    /// The rule that refuses, such as "ACT-5"; or empty.
    char rule[16];
    /// The session that prevents it; 0: none.
    uint64_t by;
} asession_error_t;

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
/// frees it, and is the only function that may be called.
void asession_close(asession_t *session);

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
    ASESSION_MULTI_ROUTE = 5
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
    ASESSION_VOICE_PROMPT = 8
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
    ASESSION_OVERRIDE_MUTED_MICROPHONE_INTERRUPTION = 0x80
};

/// Sets the category, the mode and the options together (a combination of the bits above; all
/// others are cleared). [owner] Refused if they do not fit together, or, while the session is
/// active, by a session of higher priority.
asession_status_t asession_set_category(asession_t *session, asession_category_t category, asession_mode_t mode,
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

/// States that the session begins or ceases to take input. [owner]
asession_status_t asession_set_recording(asession_t *session, bool is_recording, asession_error_t *error);

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
    /// Another arbiter has restored the session.
    ASESSION_EVENT_ARBITER_RETURNED = 10,
    /// The session was waiting (`asession_request_activation`), and is active now.
    ASESSION_EVENT_ACTIVATED = 11
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
} asession_event_t;

/// Returns a descriptor that is readable (POLLIN) when `asession_dispatch` has something to do; -1
/// for NULL. [owner] It does not change until the session is closed, and may be added to any event
/// loop. Do not read from it.
int asession_fd(const asession_t *session);

/// Receives what the arbiter has sent, answers its pings, and connects again after a loss. [owner]
/// Never waits, unless it has to start the next arbiter. Read all events after it.
void asession_dispatch(asession_t *session);

/// Copies the next event and removes it. [owner] Returns false if there is none. Events are in the
/// order of the arbiter's decisions. If more than 1,024 wait, the oldest is dropped.
bool asession_next_event(asession_t *session, asession_event_t *event);

// ---- The gate -----------------------------------------------------------------------------------
//
// The gate fades the session out while it is interrupted, lowers it while another one speaks, and
// applies the system volume, in ramps that have no step. It is not a noise gate. While the session
// is paused and its fade-out is over, it is suspended: its sources should not advance, so that they
// resume with the frame after the last one of the fade.

/// The gate of a session.
typedef struct asession_gate asession_gate_t;

/// Returns the session's gate, which exists as long as the session; NULL for NULL. [owner]
asession_gate_t *asession_gate(asession_t *session);

/// Sets the sample rate of the buffers, in Hz, at most 768,000; 48,000 initially. [owner or audio]
/// Ramps that run keep their number of frames.
void asession_gate_set_sample_rate(asession_gate_t *gate, uint32_t sample_rate) ASESSION_AUDIO;

/// Returns how many of the next `nframes` frames the sources should render: `nframes`, 0 while the
/// session is suspended, or fewer if the fade-out ends earlier. [audio] Optional, once per cycle
/// before `asession_gate_apply` with the same `nframes`, which then applies the same grant.
uint32_t asession_gate_begin(asession_gate_t *gate, uint32_t nframes) ASESSION_AUDIO;

/// Applies the gate to the next `nframes` frames, in place: `planes[0…nchannels-1]` each have as
/// many samples. [audio] Once per cycle, for all channels of the session. Frames beyond the end of
/// a fade-out become 0. A gate that is open does not change a bit. Returns what
/// `asession_gate_begin` returned, or would have returned.
uint32_t asession_gate_apply(asession_gate_t *gate, float *const *planes, uint32_t nchannels,
                             uint32_t nframes) ASESSION_AUDIO;

/// What the arbiter grants the session now.
typedef struct asession_gate_state {
    /// Fade out, then suspend the sources.
    bool is_paused;
    /// Fade out while the sources continue.
    bool is_muted;
    /// The session may use live input. Otherwise use zeros.
    bool is_input_granted;
    /// Attenuation of the duck in decibels, 0 or more.
    float attenuation;
    /// The system volume, linear, 0…1.
    float volume;
    /// How long a fade to or from silence should take, in milliseconds.
    uint32_t fade_ms;
    /// The same for a greater and for a lower attenuation.
    uint32_t duck_attack_ms;
    uint32_t duck_release_ms;
    /// The same for another volume.
    uint32_t volume_ramp_ms;
} asession_gate_state_t;

/// Reads the grant, for engines that fade by themselves. [audio] A gate that is NULL is open.
asession_gate_state_t asession_gate_read(asession_gate_t *gate) ASESSION_AUDIO;

#ifdef __cplusplus
}
#endif
#endif
