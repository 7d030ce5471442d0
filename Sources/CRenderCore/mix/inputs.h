/// Inputs: the driver's input channels, as voices and captures receive them.
#ifndef RCORE_INPUTS_H
#define RCORE_INPUTS_H

#include "mix/ramp.h"
#include "render_core.h"

#include <stdatomic.h>

/// The end of a channel's signal: a line from its last sample to 0 instead of a step.
struct input_tail {
    /// The last two samples of the signal, the earlier one first.
    float last[2];
    struct ramp line;
};

/// State of an input slot. It outlasts plans.
struct input_state {
    struct ramp gain;
    /// 1 = granted; 0 = silence.
    struct ramp grant;
    /// 0 while no plan has the slot.
    uint32_t channels;
    /// Length of the ramp of its first permission, in frames.
    uint32_t join_frames;
    /// As for a bus.
    uint32_t resets;
    /// As for a bus.
    uint8_t expected;
    /// Has read its first grant.
    bool attached;
    bool paused;
};

struct inputs {
    struct input_state *slots;
    /// [(slot * max_channels + channel) * stride]
    float *samples;
    /// [slot * max_channels + channel]
    struct input_tail *tails;
    /// [slot * max_channels + channel]: float bits. [any]
    _Atomic(uint32_t) *peaks;
};

/// Reads the permission of every input.
void inputs_read(rcore_t *core) RCORE_RT;
/// Reads the driver's inputs from frame `offset` on and applies gain, permission, meters and
/// captures.
void inputs_process(rcore_t *core, const float *const *inputs, uint32_t ninputs, uint32_t offset,
                    uint32_t nframes) RCORE_RT;
/// Fades out the inputs that the new plan does not have. Returns whether a voice plays one of them.
bool inputs_fade_out_removed(rcore_t *core, const rcore_plan_t *old, const rcore_plan_t *plan,
                             uint32_t ramp_frames) RCORE_RT;
/// Resets the state of an input slot. The ramp of its first permission takes `join_frames`.
void input_reset(rcore_t *core, uint32_t slot, uint32_t join_frames) RCORE_RT;
/// Returns whether a voice that has started, even if it is paused, has the input of this slot as
/// its source.
bool input_is_played(const rcore_t *core, uint32_t slot) RCORE_RT;

#endif
