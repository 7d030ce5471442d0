/// The gate of a session. `audiosession.h` includes this header.
///
/// The gate fades the session out while it is interrupted, lowers it while another one speaks,
/// and applies the system volume, in ramps that have no step. It is not a noise gate. While the
/// session is paused and its fade-out is over, it is suspended: its sources should not advance,
/// so that they resume with the frame after the last one of the fade.
#ifndef AUDIOSESSION_GATE_H
#define AUDIOSESSION_GATE_H

#include "audiosession/status.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__) && __clang_major__ >= 20
#define ASESSION_AUDIO __attribute__((nonblocking))
#else
#define ASESSION_AUDIO
#endif

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
