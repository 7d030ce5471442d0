/// Instruments: play sounds in memory as notes, on the frames of MIDI messages.
///
/// An instrument consists of zones. A note-on starts a voice for each zone that matches its key,
/// velocity and program; the instrument plays it at the pitch, gain and pan that key, velocity,
/// controllers and pitch bend require, through an envelope. It runs in the cycle: a note begins on
/// exactly the frame of its message. rcore_midi.h passes messages to instruments.
///
/// Messages that an instrument follows, on each channel: note-on and note-off, pitch bend (whose
/// range RPN 0 sets), volume (7), pan (10), expression (11), sustain (64), sostenuto (66), program
/// change, channel and key pressure, the controllers of filters, all sound off (120), reset all
/// controllers (121) and all notes off (123…127). With MPE, set in its configuration or by RPN 6,
/// messages on the manager channel of a zone apply to all its member channels, and those on a
/// member channel to its note.
///
/// Volume and expression multiply the gain by (value / 127)² each, and are 127 until a message sets
/// them; pan adds -1…1 to that of the zone, and 64 is the centre. A bend of b (-8192…8191) changes
/// the pitch by b / 8192 of its range. Of channel and key pressure, the greater one counts. Notes
/// that fade out follow these messages as well.
///
/// A note-on for a key that is down, or held by a pedal, on the same channel releases the earlier
/// note. "All sound off" ends all notes of a channel within the core's `steal_frames`; "all notes
/// off" (and 124…127) releases them like note-offs. "Reset all controllers" leaves volume, pan,
/// program and bend range as they are. An MPE zone that RPN 6 sets gets bend ranges of 2 and 48
/// semitones; channels that it adds or removes release their notes.
///
/// While the session of its bus is suspended, an instrument ignores note-ons and follows all other
/// messages: a note whose key is released meanwhile is over, the others continue with the next
/// frame.
#ifndef RCORE_INSTRUMENT_H
#define RCORE_INSTRUMENT_H

#include "rcore_base.h"
#include "rcore_buffer.h"
#include "rcore_filter.h"
#include "rcore_matrix.h"
#include "rcore_pan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rcore_instrument rcore_instrument_t;

/// When a zone is played.
typedef enum rcore_zone_trigger {
    /// At note-on.
    RCORE_ZONE_ATTACK = 0,
    /// When the note is released: at note-off, or when the pedal that held it is lifted, even if
    /// its sound has ended by itself. Not if it was choked or stolen, or ended by "all sound off".
    /// It plays to its end, with the velocity and program of the note-on.
    RCORE_ZONE_RELEASE = 1,
} rcore_zone_trigger_t;

/// How an envelope falls. It always rises linearly in gain.
typedef enum rcore_envelope_curve {
    /// Linearly in gain.
    RCORE_ENVELOPE_LINEAR = 0,
    /// Exponentially, as strings and percussion fade: the distance to the sustain level, or to 0,
    /// falls by 90 dB in `decay_frames` or `release_frames`, equally fast all the time. A release
    /// ends at -90 dB.
    RCORE_ENVELOPE_EXPONENTIAL = 1,
} rcore_envelope_curve_t;

/// A sound, and the notes for which it is played. Lengths are in frames of the sound
/// (`sample_rate`). The caller keeps buffer and matrix until the instrument is freed and
/// `rcore_buffer_users` is 0.
typedef struct rcore_zone {
    const rcore_buffer_t *buffer;
    /// Map from the buffer's channels to the bus's; NULL: channel to channel.
    const rcore_matrix_t *matrix;
    /// Hz, RCORE_MIN_SAMPLE_RATE…RCORE_MAX_SAMPLE_RATE: at another rate of the core, the zone is
    /// resampled as it plays. 0: always the rate of the core.
    uint32_t sample_rate;
    /// An rcore_zone_trigger_t.
    uint32_t trigger;

    // Range of notes, each end included.
    uint8_t low_key;
    uint8_t high_key;
    /// Velocities are 1…127.
    uint8_t low_velocity;
    uint8_t high_velocity;
    uint8_t low_program;
    uint8_t high_program;
    /// Round robin: of `sequence_length` (1…127) successive notes in this zone's range, the zone
    /// plays the one at `sequence_position` (1…sequence_length).
    uint8_t sequence_length;
    uint8_t sequence_position;

    /// The key at which the zone plays at its own pitch.
    uint8_t root_key;
    /// Ignores the release of the key, and plays to its end.
    bool one_shot;
    /// After the release, plays what follows the loop; otherwise repeats the loop as it fades out.
    bool leaves_loop;
    /// Jumps from `loop_end` back to `loop_start` without end. Not for zones that ignore a release:
    /// one_shot, and RCORE_ZONE_RELEASE.
    bool loops;
    /// Pitch in cents: per key, -1200…1200, usually 100; and in addition, -12,000…12,000. The speed
    /// of playback, with the ratio of the sample rates, is limited to 1/16…16.
    float key_tracking;
    float tuning;

    /// Linear, finite.
    float gain;
    /// 0: velocity does not change the gain; 1: the gain is proportional to velocity², and 1 at
    /// 127. Values between mix the two.
    float velocity_tracking;
    /// -1…1; added to the channel's pan.
    float pan;

    /// Playback range, as in rcore_voice_params_t. In a streamed buffer (rcore_page_cache.h),
    /// `start_frame` lies in the head, and what follows it there must last until control has read
    /// the first page.
    uint64_t start_frame;
    uint64_t loop_start;
    uint64_t loop_end;
    uint32_t loop_fade_frames;

    /// The envelope: 0 for `delay_frames`, while the sound already plays; rises to 1 in
    /// `attack_frames`, stays for `hold_frames`, falls to `sustain` (0…1) in `decay_frames`, and
    /// from the release on to 0 in `release_frames`. A note whose `sustain` is 0 ends after the
    /// decay. Parts of 0 frames are left out.
    uint32_t delay_frames;
    uint32_t attack_frames;
    uint32_t hold_frames;
    uint32_t decay_frames;
    uint32_t release_frames;
    float sustain;
    /// An rcore_envelope_curve_t.
    uint32_t curve;

    /// The group that this zone belongs to, and the group whose start ends this zone's notes within
    /// `choke_frames` (by the same curve), as a closed hi-hat ends an open one. 0: none.
    uint32_t group;
    uint32_t choked_by;
    uint32_t choke_frames;

    /// The filter of the zone's notes. With one, the buffer has at most RCORE_MAX_FILTER_CHANNELS
    /// channels. When its sound ends, the filter fades out within the core's `steal_frames`.
    rcore_filter_t filter;
} rcore_zone_t;

/// Returns a zone for all keys, velocities and programs: root key 60, no loop, full velocity
/// tracking, no attack, full sustain, a linear release of 240 frames, no filter. [any]
rcore_zone_t rcore_zone_default(void);

typedef struct rcore_instrument_config {
    /// Slot of the bus on which the notes play.
    uint32_t bus;
    /// Highest number of notes' voices at once, 1…4096. Another one steals the voice that was
    /// released first, or if none was, the oldest one, which fades out within the core's
    /// `steal_frames` and no longer counts. They are taken from the core's voices (`max_voices`).
    uint32_t max_notes;
    /// Priority of the voices, 0…RCORE_MAX_PRIORITY.
    uint32_t priority;
    /// Law of the pan; RCORE_PAN_NONE: notes are not panned.
    rcore_pan_law_t pan_law;
    /// Range of the pitch bend in semitones, up and down, 0…96, until RPN 0 changes it.
    float bend_range;
    /// Linear gain at full pressure, 0…16; 1: pressure changes nothing.
    float pressure_gain;
    /// Ramp of gain, pan, pitch and cutoff when a controller changes, 1…2^20 frames.
    uint32_t ramp_frames;
    /// MPE: the number of member channels of the lower zone (manager channel 0) and of the upper
    /// zone (manager channel 15), 0…15, together at most 14 if neither is 0.
    uint8_t lower_members;
    uint8_t upper_members;
    /// Pitch bend range of member channels in semitones, 0…96, until RPN 0 changes it.
    float member_bend_range;
} rcore_instrument_config_t;

/// Returns 64 notes on bus 0, lowest priority, equal-power pan, bend ranges of 2 and 48 semitones,
/// no effect of pressure, ramps of 240 frames, no MPE. [any]
rcore_instrument_config_t rcore_instrument_config_default(void);

/// Creates an instrument for a core, with copies of `count` zones (0…65,536). [control] Returns
/// NULL with RCORE_BAD_ARGUMENT or RCORE_NO_MEMORY; `status` may be NULL. The caller owns the
/// instrument, and keeps it until no routing that has it is left (`rcore_collect_midi_routings`).
rcore_instrument_t *rcore_instrument_create(const rcore_t *core, const rcore_instrument_config_t *config,
                                            const rcore_zone_t *zones, uint32_t count, rcore_status_t *status);
/// Frees an instrument; NULL does nothing. [control]
void rcore_instrument_destroy(rcore_instrument_t *instrument);

/// Returns the number of voices that its notes play, without stolen ones, as of the last message or
/// the beginning of the last cycle. [any]
uint32_t rcore_instrument_voices(const rcore_instrument_t *instrument) RCORE_RT;
/// Returns the number of notes of which a voice did not start, because none was free. [any]
uint64_t rcore_instrument_missed_notes(const rcore_instrument_t *instrument) RCORE_RT;

#ifdef __cplusplus
}
#endif
#endif
