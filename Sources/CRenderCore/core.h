/// Inside of the core: what set-up lays out and the cycle walks.
#ifndef RCORE_CORE_H
#define RCORE_CORE_H

#include "buffer.h"
#include "command.h"
#include "matrix.h"
#include "mix.h"
#include "order.h"
#include "plan.h"
#include "ramp.h"
#include "render_core.h"
#include "ring.h"
#include "slot_state.h"
#include "swap.h"
#include "voice_state.h"

#include <string.h>

/// A bus's before its fader; a way's, and one for each side that a pan moves.
enum { ENVELOPE_BEFORE, ENVELOPE_WEIGHT, ENVELOPE_WAY, ENVELOPE_LEFT, ENVELOPE_RIGHT, WAY_ENVELOPES };

/// A bus slot that is heard, in the order in which buses are mixed.
struct step {
    alignas(64) struct bus_state *state;
    const struct plan_bus *now; // in the plan in use, and in the one that leaves; NULL where it has none
    const struct plan_bus *before;
    float *samples;          // of its first channel
    const struct edge *ways; // in the plan in use
    uint32_t way_count;
    uint32_t slot;
    bool gated;    // in the plan in use
    bool panned;   // likewise
    bool rests;    // does nothing where nothing leads to it that sounds
    bool leads_on; // and otherwise, where nothing moves, nothing but lead on; while one plan alone is heard
};
static_assert(sizeof(struct step) == 64, "a cache line");

/// A bus that has a gate in the plan in use, or in the one that leaves alone.
struct gated {
    struct bus_state *state;
    const sgate_page_t *page;
    uint32_t slot;
};

/// Voices of one priority that have a place, oldest first.
struct voice_list {
    uint32_t oldest;
    uint32_t newest;
};

struct counters {
    _Atomic(uint64_t) cycles;
    _Atomic(uint64_t) late_commands;
    _Atomic(uint64_t) dropped_events;
    _Atomic(uint64_t) underrun_frames;
    _Atomic(uint64_t) stolen_voices;
    _Atomic(uint64_t) refused_voices;
    _Atomic(uint64_t) nonfinite_samples;
    _Atomic(uint32_t) playing_voices;
};

struct rcore {
    rcore_config_t config;
    size_t arena_bytes;
    size_t unlocked_bytes;
    size_t stride; // floats from a channel's samples to the next one's
    void *arena;
    _Atomic(uint32_t) sample_rate;

    // Between control and cycle.
    struct rcore_port *ports;
    struct ring event_ring;
    rcore_event_t *events;
    _Atomic(uint64_t) *taken_voices;  // a bit each, any thread's
    _Atomic(uint64_t) retired_serial; // plans before this one are done with

    // Control.
    rcore_plan_t *posted_plans; // newest first
    uint64_t posted_serial;

    // Cycle.
    _Atomic(uint64_t) time;
    const rcore_plan_t *plan;
    struct swap swap;
    struct command *pending; // binary heap by (when, order)
    uint32_t pending_count;
    uint64_t next_order;
    struct curve *curves; // those that run (curves.c)
    uint32_t curve_count;
    uint16_t *curve_of;             // by parameter: 1 + the index of the curve that moves it, or 0
    _Atomic(uint32_t) curves_taken; // places of curves that wait or run; any thread's
    struct voice *voices;
    bool *fed_routes;  // as a bus
    bool any_frozen;   // a gate stands still, as of the last look
    bool any_prepared; // what is played into a bus may not go on as it is, as of the last look (ways.c)
    uint32_t *playing; // indices of started voices in the order of their starts, RCORE_NONE where one has ended since
    uint32_t playing_count;
    uint32_t gap_count;    // of those RCORE_NONE
    uint32_t placed_count; // voices that have a place: started, not stopping
    uint32_t occupied;     // a bit for each priority that has any
    struct voice_list placed[RCORE_MAX_PRIORITY + 1];
    struct bus_state *buses;
    struct order_slot *slots; // what each bus slot is in the plans that are heard
    uint32_t *order;          // their slots, in the order in which they are mixed
    struct step *steps;       // the same, looked up
    uint32_t order_count;
    struct gated *gated;
    uint32_t gated_count;
    bool gates_move; // one of them does, or has something new, or another plan came: else nothing of them changes
    struct send_state *sends;
    struct input_state *inputs;
    float *bus_samples;     // [(slot * max_channels + channel) * stride]
    float *swap_samples;    // [channel * stride]: a bus's sum, for the insert that leaves
    float *route_samples;   // [(slot * max_channels + channel) * stride]
    float *leaving_samples; // the same: the routes that only the plan that leaves has
    float *input_samples;   // the same, by input slot
    float *source_samples;  // [channel * stride], what a render callback or varispeed fills, and what a meter measures
    float *gather_samples;  // [MAX_SPEED * slice_frames + 4]: one channel's source frames, in a row
    float *seek_samples;    // the same, of the place that a seek left
    int32_t *place_frames;  // [slice_frames]: before which of them each frame lies
    float *place_fractions; // [slice_frames]: and how far behind it, 0…1
    float *envelope;        // [slice_frames]
    float *way_envelopes[WAY_ENVELOPES]; // [slice_frames] each, of a bus and the way out of it that is mixed (strip.c)
    _Atomic(uint32_t) *peaks;            // [slot * max_channels + channel], float bits
    _Atomic(uint32_t) *input_peaks;
    struct counters counters;
};

/// Where one channel of a slot is in an array of slots' samples; of a bus's.
static inline float *slot_channel(const rcore_t *core, float *samples, uint32_t slot, uint32_t channel) RCORE_RT {
    return samples + ((size_t)slot * core->config.max_channels + channel) * core->stride;
}
static inline float *bus_channel(const rcore_t *core, uint32_t slot, uint32_t channel) RCORE_RT {
    return slot_channel(core, core->bus_samples, slot, channel);
}

/// The channels of a slot, one after the other from the first.
static inline void planes_of(const rcore_t *core, float *first, uint32_t channels, float **planes) RCORE_RT {
    for (uint32_t channel = 0; channel < channels; channel++) {
        planes[channel] = first + channel * core->stride;
    }
}

/// A slot's bus in the plan in use, and in the one that leaves; NULL where it has none.
static inline const struct plan_bus *bus_now(const rcore_t *core, uint32_t slot) RCORE_RT {
    const uint32_t index = core->slots[slot].now;
    return core->plan != NULL && index != RCORE_NONE ? &core->plan->buses[index] : NULL;
}
static inline const struct plan_bus *bus_before(const rcore_t *core, uint32_t slot) RCORE_RT {
    const uint32_t index = core->slots[slot].before;
    return core->swap.leaving != NULL && index != RCORE_NONE ? &core->swap.leaving->buses[index] : NULL;
}

/// Adds to a counter that only the cycle writes.
static inline void count_up(_Atomic(uint64_t) *counter, uint64_t amount) RCORE_RT {
    const uint64_t value = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, value + amount, memory_order_relaxed);
}

static inline uint64_t core_now(const rcore_t *core) RCORE_RT {
    return atomic_load_explicit(&core->time, memory_order_relaxed);
}

/// A voice's status word, and who may be named by a handle (NULL: stale).
static inline uint64_t voice_status(uint32_t generation, rcore_voice_state_t state, rcore_end_t end) RCORE_RT {
    return (uint64_t)generation << 32 | (uint64_t)end << 8 | (uint64_t)state;
}
static inline rcore_voice_state_t status_state(uint64_t status) RCORE_RT {
    return (rcore_voice_state_t)(status & 0xFF);
}
static inline struct voice *voice_find(const rcore_t *core, rcore_voice_t handle) RCORE_RT {
    const uint32_t index = (uint32_t)handle - 1;
    if ((uint32_t)handle == 0 || index >= core->config.max_voices) {
        return NULL;
    }
    struct voice *voice = &core->voices[index];
    const uint64_t status = atomic_load_explicit(&voice->status, memory_order_acquire);
    return status >> 32 == handle >> 32 ? voice : NULL;
}

/// Raises a peak meter. Non-negative floats order as their bits do; a reader that takes the peak in between costs at most one slice's.
static inline void peak_raise(_Atomic(uint32_t) *meter, float peak) RCORE_RT {
    uint32_t bits;
    memcpy(&bits, &peak, sizeof bits);
    if (bits > atomic_load_explicit(meter, memory_order_relaxed)) {
        atomic_store_explicit(meter, bits, memory_order_relaxed);
    }
}

// ---- The stages of the cycle, one file each -----------------------------------------------------------------------------------

/// Notes which buses have gates, when the plans that are heard have changed (gate.c).
void gates_note(rcore_t *core) RCORE_RT;
/// Reads every gate once and hands frozenness down to the buses below.
void gates_read(rcore_t *core) RCORE_RT;
/// Frames until the next session freezes, at most `nframes`.
uint32_t gates_limit(const rcore_t *core, uint32_t nframes) RCORE_RT;
/// Whether a gate's gains are all exactly 1 and stay so.
bool gate_is_open(const struct gate_state *gate) RCORE_RT;
/// Multiplies a gate's gains for the next frames into `envelope`.
void gate_multiply(const struct gate_state *gate, float *envelope, uint32_t nframes) RCORE_RT;
/// Goes on by `nframes`; freezes and reports what has settled.
void gates_advance(rcore_t *core, uint32_t nframes) RCORE_RT;
/// Forgets whatever the slot was.
void bus_reset(struct bus_state *bus) RCORE_RT;
/// Marks the buses that a voice leads to which sounds, or would if its gate opened, in any plan that is heard (buses.c).
void buses_mark_sounding(rcore_t *core) RCORE_RT;
/// After a plan took over from another: sessions that stand still while their delay lines changed will begin later (gate.c).
void gates_note_changed(rcore_t *core, const rcore_plan_t *old) RCORE_RT;
/// Whether a plan that is heard has the send (swap.c).
bool send_is_heard(const rcore_t *core, const struct send_state *send) RCORE_RT;
/// Has mute and solo hold for what the plan in use has, in `ramp_frames` (solo.c).
void solo_apply(rcore_t *core, uint32_t ramp_frames) RCORE_RT;

/// Takes what was posted, keeps what is not yet due (commands.c).
void commands_take(rcore_t *core) RCORE_RT;
/// Applies what is due now.
void commands_apply(rcore_t *core) RCORE_RT;
/// Frames until the next command is due, at most `nframes`.
uint32_t commands_limit(const rcore_t *core, uint32_t nframes) RCORE_RT;

/// Reads the permission of every input (inputs.c).
void inputs_read(rcore_t *core) RCORE_RT;
/// Takes the driver's inputs from frame `offset` on: gain, permission, meters, captures.
void inputs_take(rcore_t *core, const float *const *inputs, uint32_t ninputs, uint32_t offset,
                 uint32_t nframes) RCORE_RT;
/// Lets inputs that the new plan has not fade out; tells whether a voice listens to any of them.
bool inputs_leave(rcore_t *core, const rcore_plan_t *old, const rcore_plan_t *plan, uint32_t ramp_frames) RCORE_RT;
/// Forgets whatever the slot was; its first permission takes `join_frames`.
void input_reset(struct input_state *input, uint32_t join_frames) RCORE_RT;
/// Whether a voice listens to it.
bool input_is_heard(const rcore_t *core, uint32_t slot) RCORE_RT;

/// Applies one voice command; false: it came in a pause of its session (voices.c).
bool voice_apply(rcore_t *core, const struct command *command) RCORE_RT;
/// Mixes all playing voices into their buses.
void voices_render(rcore_t *core, uint32_t nframes) RCORE_RT;
/// Stops every voice of a bus slot, or of all (RCORE_NONE).
void voices_stop(rcore_t *core, uint32_t slot, uint32_t ramp_frames) RCORE_RT;

/// Silences the channels from `first` up to `count`.
void channels_clear(const rcore_t *core, float *samples, uint32_t first, uint32_t count, uint32_t nframes) RCORE_RT;
/// Before something is added to a bus or route: silences it where this is the first in its slice (buses.c). What nothing leads to that sounds costs next to nothing.
void bus_open(rcore_t *core, uint32_t slot, uint32_t nframes) RCORE_RT;
void route_open(rcore_t *core, uint32_t slot, uint32_t channels, uint32_t nframes) RCORE_RT;
/// Begins a slice: nothing was added to any route.
void routes_begin(rcore_t *core, uint32_t nframes) RCORE_RT;
/// Has what is played into a bus wait for what is later, and be silent while others are soloed (played.c).
void played_prepare(rcore_t *core, const struct step *step, uint32_t nframes) RCORE_RT;
/// Finds out, once for the plans that are heard, what spares the cycle a closer look: what stands in a step from `ways` on (ways.c).
void step_prepare(rcore_t *core, struct step *step) RCORE_RT;
/// Mixes buses into parents, sends and routes.
void buses_mix(rcore_t *core, uint32_t nframes) RCORE_RT;
/// Adds routes to the outputs from frame `offset`, meters and captures them (routes.c).
void routes_write(rcore_t *core, float *const *outputs, uint32_t noutputs, uint32_t offset, uint32_t nframes) RCORE_RT;

/// Posts an event, or counts it as dropped (events.c).
void event_post(rcore_t *core, rcore_event_t event) RCORE_RT;

#endif
