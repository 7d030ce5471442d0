/// Internals of the core: the state that set-up allocates and the cycle uses.
#ifndef RCORE_CORE_H
#define RCORE_CORE_H

#include "buffer.h"
#include "command.h"
#include "crossfade.h"
#include "matrix.h"
#include "mix.h"
#include "plan.h"
#include "ramp.h"
#include "render_core.h"
#include "ring.h"
#include "schedule.h"
#include "slot_state.h"
#include "voice_state.h"

#include <semaphore.h>
#include <string.h>

/// Envelopes in `connection_envelopes`: the pre-fader gain of a bus; of a connection, the weights
/// of a crossfade, the gain, and the gains of both sides while a pan moves.
enum { ENVELOPE_PRE_FADER, ENVELOPE_WEIGHT, ENVELOPE_CONNECTION, ENVELOPE_LEFT, ENVELOPE_RIGHT, CONNECTION_ENVELOPES };

/// One step of mixing: a bus slot of the active plans. The steps are in mixing order.
struct mix_op {
    alignas(64) struct bus_state *state;
    /// The slot's bus in the current plan, or NULL.
    const struct plan_bus *current;
    /// The slot's bus in the outgoing plan, or NULL.
    const struct plan_bus *previous;
    /// Samples of the first channel.
    float *samples;
    /// Connections in the current plan.
    const struct connection *connections;
    uint32_t connection_count;
    uint32_t slot;
    /// Has a gate in the current plan.
    bool gated;
    /// Has a pan law in the current plan.
    bool panned;
    /// Without a signal, the bus needs no processing.
    bool idle;
    /// `idle`, and with a signal and steady gains, the bus only needs mixing into its connections.
    /// Requires that a single plan is active.
    bool passthrough;
};
static_assert(sizeof(struct mix_op) == 64, "a cache line");

/// A bus that has a gate in the current plan, or otherwise in the outgoing plan.
struct gated {
    struct bus_state *state;
    const sgate_page_t *page;
    uint32_t slot;
};

/// Voices of one priority that count toward `max_playing`, oldest first.
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
    /// Floats from the samples of one channel to those of the next.
    size_t stride;
    void *arena;
    _Atomic(uint32_t) sample_rate;

    // Shared by control and cycle.
    struct rcore_queue *queues;
    struct ring event_ring;
    rcore_event_t *events;
    /// A bit for each voice. [any]
    _Atomic(uint64_t) *acquired_voices;
    /// The cycle no longer uses plans with lower serials.
    _Atomic(uint64_t) retired_serial;

    // Control.
    /// Newest first.
    rcore_plan_t *posted_plans;
    uint64_t posted_serial;

    // Wakes control for work (work.c).
    sem_t work;
    /// Whether `work` was posted and control has not yet taken the post. [any]
    _Atomic(bool) work_is_posted;
    /// Whether the cycle has made work since it last posted `work`. [render]
    bool has_work;

    // Cycle.
    _Atomic(uint64_t) time;
    const rcore_plan_t *plan;
    struct crossfade crossfade;
    /// Binary heap by (when, order).
    struct command *pending;
    uint32_t pending_count;
    uint64_t next_order;
    /// Running curves (curves.c).
    struct curve *curves;
    uint32_t curve_count;
    /// By parameter: 1 + the index in `curves` of the curve that moves it; 0: none.
    uint16_t *curve_of;
    /// Number of curves that wait or run, including those that are being posted. [any]
    _Atomic(uint32_t) curves_reserved;
    struct voice *voices;
    /// By route slot; like `has_signal` of a bus.
    bool *route_has_signal;
    /// Whether a gate was suspended when the cycle last checked.
    bool any_suspended;
    /// Whether the direct input of a bus needed processing when the cycle last checked (bus_mix.c).
    bool any_direct_input;
    /// Indices of started voices, in the order of their starts. RCORE_NONE in place of a voice that
    /// has ended.
    uint32_t *playing;
    uint32_t playing_count;
    /// Number of RCORE_NONE in `playing`.
    uint32_t gap_count;
    /// Number of voices that count toward `max_playing`: started, not stopping.
    uint32_t polyphony_count;
    /// A bit for each priority whose list is not empty.
    uint32_t occupied_priorities;
    /// These voices, by priority (polyphony.c).
    struct voice_list polyphony_lists[RCORE_MAX_PRIORITY + 1];
    struct bus_state *buses;
    /// By bus slot: its buses in the active plans.
    struct schedule_slot *slots;
    /// Bus slots of the active plans, in mixing order.
    uint32_t *schedule;
    /// The mix ops of these slots, in the same order.
    struct mix_op *mix_ops;
    uint32_t schedule_count;
    struct gated *gated;
    uint32_t gated_count;
    /// Whether a gate has a running ramp or a new grant or volume, or the plan changed. Otherwise
    /// all gates are steady.
    bool gates_move;
    struct send_state *sends;
    struct input_state *inputs;
    /// [(slot * max_channels + channel) * stride]
    float *bus_samples;
    /// [channel * stride]: the sum of a bus, for the insert or the direct input of the outgoing
    /// plan.
    float *crossfade_samples;
    /// [(slot * max_channels + channel) * stride]
    float *route_samples;
    /// The same: routes that only the outgoing plan has, and the copies that its limiters process.
    float *outgoing_samples;
    /// The same, by input slot.
    float *input_samples;
    /// [channel * stride]: a temporary buffer of one voice (render callback, varispeed, gathered
    /// segment), or of one bus (output of a delay line, input of a meter).
    float *source_samples;
    /// [MAX_SPEED * block_frames + 4]: consecutive source frames of one channel.
    float *gather_samples;
    /// The same, from the playhead before a seek.
    float *seek_samples;
    /// [block_frames]: the source frame at or before each frame's position.
    int32_t *playhead_frames;
    /// [block_frames]: the distance from that frame, 0…1.
    float *playhead_fractions;
    /// [block_frames]
    float *envelope;
    /// [block_frames] each: of the bus and the connection that are being mixed (strip.c).
    float *connection_envelopes[CONNECTION_ENVELOPES];
    /// [slot * max_channels + channel]: float bits.
    _Atomic(uint32_t) *peaks;
    _Atomic(uint32_t) *input_peaks;
    struct counters counters;
};

/// Returns one channel of a slot in an array of all slots' samples.
static inline float *slot_channel(const rcore_t *core, float *samples, uint32_t slot, uint32_t channel) RCORE_RT {
    return samples + ((size_t)slot * core->config.max_channels + channel) * core->stride;
}
/// Returns one channel of a bus slot.
static inline float *bus_channel(const rcore_t *core, uint32_t slot, uint32_t channel) RCORE_RT {
    return slot_channel(core, core->bus_samples, slot, channel);
}

/// Sets `planes` to the channels of a slot, which follow `first` one after the other.
static inline void planes_of(const rcore_t *core, float *first, uint32_t channels, float **planes) RCORE_RT {
    for (uint32_t channel = 0; channel < channels; channel++) {
        planes[channel] = first + channel * core->stride;
    }
}

/// Returns a slot's bus in the current plan, or NULL.
static inline const struct plan_bus *current_bus(const rcore_t *core, uint32_t slot) RCORE_RT {
    const uint32_t index = core->slots[slot].current;
    return core->plan != NULL && index != RCORE_NONE ? &core->plan->buses[index] : NULL;
}
/// Returns a slot's bus in the outgoing plan, or NULL.
static inline const struct plan_bus *previous_bus(const rcore_t *core, uint32_t slot) RCORE_RT {
    const uint32_t index = core->slots[slot].previous;
    return core->crossfade.outgoing != NULL && index != RCORE_NONE ? &core->crossfade.outgoing->buses[index] : NULL;
}

/// Adds to a counter that only the cycle writes.
static inline void add_to_counter(_Atomic(uint64_t) *counter, uint64_t amount) RCORE_RT {
    const uint64_t value = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, value + amount, memory_order_relaxed);
}

static inline uint64_t core_now(const rcore_t *core) RCORE_RT {
    return atomic_load_explicit(&core->time, memory_order_relaxed);
}

/// Packs a voice's status word.
static inline uint64_t voice_status(uint32_t generation, rcore_voice_state_t state, rcore_end_t end) RCORE_RT {
    return (uint64_t)generation << 32 | (uint64_t)end << 8 | (uint64_t)state;
}
static inline rcore_voice_state_t status_state(uint64_t status) RCORE_RT {
    return (rcore_voice_state_t)(status & 0xFF);
}
/// Returns the voice of a handle; NULL: the handle is stale.
static inline struct voice *voice_find(const rcore_t *core, rcore_voice_t handle) RCORE_RT {
    const uint32_t index = (uint32_t)handle - 1;
    if ((uint32_t)handle == 0 || index >= core->config.max_voices) {
        return NULL;
    }
    struct voice *voice = &core->voices[index];
    const uint64_t status = atomic_load_explicit(&voice->status, memory_order_acquire);
    return status >> 32 == handle >> 32 ? voice : NULL;
}

/// Raises a peak meter to `peak` if that is higher. Non-negative floats have the same order as
/// their bits. A reader that takes the peak between the load and the store loses at most the peak
/// of one block.
static inline void raise_peak(_Atomic(uint32_t) *meter, float peak) RCORE_RT {
    uint32_t bits;
    memcpy(&bits, &peak, sizeof bits);
    if (bits > atomic_load_explicit(meter, memory_order_relaxed)) {
        atomic_store_explicit(meter, bits, memory_order_relaxed);
    }
}

// ---- The stages of the cycle, one file each -----------------------------------------------------

/// Lists the buses that have gates, after the active plans have changed (gate.c).
void gates_collect(rcore_t *core) RCORE_RT;
/// Applies the new grants and volumes of all gates, and suspends the buses under suspended gates.
void gates_read(rcore_t *core) RCORE_RT;
/// Returns the frames until the next session suspends or resume delay ends, at most `nframes`.
uint32_t gates_limit(const rcore_t *core, uint32_t nframes) RCORE_RT;
/// Returns whether all of a gate's gains are exactly 1 and steady.
bool gate_is_open(const struct gate_state *gate) RCORE_RT;
/// Multiplies `envelope` by a gate's gains for the next frames.
void gate_multiply(const struct gate_state *gate, float *envelope, uint32_t nframes) RCORE_RT;
/// Advances all gates by `nframes`; suspends sessions and reports grants whose ramps have ended.
void gates_advance(rcore_t *core, uint32_t nframes) RCORE_RT;
/// Resets the state of a bus slot.
void bus_reset(struct bus_state *bus) RCORE_RT;
/// Marks the buses that receive the signal of a voice, insert or delay line in any active plan, or
/// would if its gate opened (buses.c).
void buses_mark_sounding(rcore_t *core) RCORE_RT;
/// After a change of the plan from `old`: makes each suspended session refill when it resumes (sets
/// its `refill_frames` to the session's latency) if one of its buses has another insert, channel
/// count, direct delay or delay line than in `old`, or is new and has latency (gate.c).
void gates_plan_changed(rcore_t *core, const rcore_plan_t *old) RCORE_RT;
/// Returns whether an active plan has the send (slots.c).
bool send_is_active(const rcore_t *core, const struct send_state *send) RCORE_RT;
/// Applies mute and solo to the buses of the current plan, in `ramp_frames`; to new buses at once
/// (solo.c).
void solo_apply(rcore_t *core, uint32_t ramp_frames) RCORE_RT;

/// Applies pending and newly posted commands that are due; stores the others (commands.c).
void commands_take(rcore_t *core) RCORE_RT;
/// Applies the pending commands that are due.
void commands_apply(rcore_t *core) RCORE_RT;
/// Returns the frames until the next command is due, at most `nframes`.
uint32_t commands_limit(const rcore_t *core, uint32_t nframes) RCORE_RT;

/// Reads the permission of every input (inputs.c).
void inputs_read(rcore_t *core) RCORE_RT;
/// Reads the driver's inputs from frame `offset` on and applies gain, permission, meters and
/// captures.
void inputs_process(rcore_t *core, const float *const *inputs, uint32_t ninputs, uint32_t offset,
                    uint32_t nframes) RCORE_RT;
/// Fades out the inputs that the new plan does not have. Returns whether a voice plays one of them.
bool inputs_fade_out_removed(rcore_t *core, const rcore_plan_t *old, const rcore_plan_t *plan,
                             uint32_t ramp_frames) RCORE_RT;
/// Resets the state of an input slot. The ramp of its first permission takes `join_frames`.
void input_reset(struct input_state *input, uint32_t join_frames) RCORE_RT;
/// Returns whether a voice that has started, even if it is paused, has the input of this slot as
/// its source.
bool input_is_played(const rcore_t *core, uint32_t slot) RCORE_RT;

/// Applies one voice command. Returns false if the voice had not ended and its session is
/// suspended; otherwise true, also for a stale handle (voices.c).
bool voice_apply(rcore_t *core, const struct command *command) RCORE_RT;
/// Mixes all playing voices into their buses.
void voices_render(rcore_t *core, uint32_t nframes) RCORE_RT;
/// Stops every started voice of a bus slot, or of all slots (RCORE_NONE).
void voices_stop(rcore_t *core, uint32_t slot, uint32_t ramp_frames) RCORE_RT;

/// Sets the channels from `first` to `count` - 1 to silence.
void channels_clear(const rcore_t *core, float *samples, uint32_t first, uint32_t count, uint32_t nframes) RCORE_RT;
/// Prepares a bus before a signal is added: clears it if this is the first one in the block
/// (buses.c). A bus without any signal is never cleared. Does nothing if no active plan has the
/// bus.
void bus_open(rcore_t *core, uint32_t slot, uint32_t nframes) RCORE_RT;
/// Prepares a route in the same way.
void route_open(rcore_t *core, uint32_t slot, uint32_t channels, uint32_t nframes) RCORE_RT;
/// Begins a block: marks all routes as having no signal. While plans crossfade, clears all routes
/// instead, and marks them as having a signal (buses.c).
void routes_begin(rcore_t *core, uint32_t nframes) RCORE_RT;
/// Delays the direct input of a bus for delay compensation, and mutes it while other buses are
/// soloed (direct_input.c).
void direct_input_prepare(rcore_t *core, const struct mix_op *op, uint32_t nframes) RCORE_RT;
/// Sets the connections and the flags of a mix op whose other members are set, once for the active
/// plans (bus_mix.c).
void mix_op_prepare(rcore_t *core, struct mix_op *op) RCORE_RT;
/// Mixes buses into parents, sends and routes.
void buses_mix(rcore_t *core, uint32_t nframes) RCORE_RT;
/// Limits, meters and captures the routes and adds them to the outputs from frame `offset` on
/// (routes.c).
void routes_write(rcore_t *core, float *const *outputs, uint32_t noutputs, uint32_t offset, uint32_t nframes) RCORE_RT;

/// Measures the next frames with a meter, and reports work if its tap is filling (strip.c).
void meter_write(rcore_t *core, rcore_meter_t *meter, const float *const *planes, uint32_t nframes) RCORE_RT;

/// Posts an event; counts it as dropped when the ring is full (events.c).
void event_post(rcore_t *core, rcore_event_t event) RCORE_RT;
/// Wakes the control thread if this cycle has made work for it (work.c).
void work_report(rcore_t *core) RCORE_RT;

#endif
