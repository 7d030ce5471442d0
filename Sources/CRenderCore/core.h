/// Inside of the core: what set-up lays out and the cycle walks.
#ifndef RCORE_CORE_H
#define RCORE_CORE_H

#include "buffer.h"
#include "matrix.h"
#include "mix.h"
#include "plan.h"
#include "ramp.h"
#include "render_core.h"
#include "ring.h"

#include <string.h>

enum command_kind {
    COMMAND_START,
    COMMAND_STOP,
    COMMAND_PAUSE,
    COMMAND_RESUME,
    COMMAND_GAIN,
    COMMAND_SPEED,
    COMMAND_BUS_GAIN,
    COMMAND_PLAN,
};

/// Greatest speed of a voice.
#define MAX_SPEED 16

/// Fixed-size; a start's parameters travel in the voice.
struct command {
    uint64_t when;
    uint64_t order;  // given by the cycle: commands for one time keep their order
    uint64_t serial; // plan: its serial
    union {
        rcore_voice_t voice;
        rcore_plan_t *plan;
    };
    uint32_t kind;
    uint32_t bus;
    float gain;
    uint32_t ramp_frames;
};

/// One voice of the pool. `params` belongs to control until the start command is read, then to the cycle.
struct voice {
    _Atomic(uint64_t) status; // generation << 32 | rcore_voice_state_t
    _Atomic(uint64_t) frames; // rendered, as published
    _Atomic(uint64_t) underruns;
    rcore_voice_params_t params;
    struct ramp gain;
    struct ramp fade;  // 1 = heard; 0 = silent: of pause, resume, stop, start
    struct ramp speed; // source frames per frame; exactly 1 takes the samples as they are
    double phase;      // between the source's frames, 0…1
    double next_phase; // after the piece that is being mixed
    uint32_t consumed; // source frames that this piece takes
    bool primed;       // stream: the frame before the present one is still in the ring
    uint64_t position; // memory: next frame
    uint64_t loops;    // memory: how often still to begin again
    uint64_t rendered;
    uint32_t channels;   // of the source
    bool rendered_all;   // callback: it gave fewer frames than were asked for
    uint32_t generation; // [control]
    bool start_posted;   // [control]
    bool paused;
    bool stopping;
    bool gain_set;  // a gain came before the start
    bool speed_set; // a speed did
};

/// What a session bus's gate is doing (gate.c).
struct gate_state {
    uint64_t verdict_word;
    uint64_t volume_word;
    struct ramp open; // 1 = heard; 0 = paused or muted
    struct ramp volume;
    double duck;      // attenuation now, in 1/256 dB
    double duck_step; // per frame
    double duck_target;
    uint32_t duck_remaining;
    bool attached; // has read its first verdict
    bool paused;
    bool frozen;
    bool settling; // a verdict was applied and its ramps are not over
};

/// State of a bus slot; outlasts plans.
struct bus_state {
    struct gate_state gate;
    struct ramp gain;
    uint32_t channels;           // 0 while no plan has it
    bool frozen;                 // its own gate or one it leads to stands still
    _Atomic(uint32_t) gate_gain; // float bits, published
};

struct counters {
    _Atomic(uint64_t) cycles;
    _Atomic(uint64_t) late_commands;
    _Atomic(uint64_t) dropped_events;
    _Atomic(uint64_t) underrun_frames;
    _Atomic(uint64_t) nonfinite_samples;
    _Atomic(uint32_t) playing_voices;
};

struct rcore {
    rcore_config_t config;
    size_t arena_bytes;
    size_t unlocked_bytes;
    void *arena;
    _Atomic(uint32_t) sample_rate;

    // Between control and cycle.
    struct ring command_ring;
    struct command *commands;
    struct ring event_ring;
    rcore_event_t *events;
    _Atomic(uint64_t) applied_serial; // of the plan in use
    _Atomic(uint64_t) timed_done;     // commands with a time that have taken effect

    // Control.
    uint32_t *free_voices; // a stack
    uint32_t free_count;
    rcore_plan_t *posted_plans; // newest first
    uint64_t posted_serial;
    uint64_t timed_posted; // producer: commands with a time
    uint32_t staged;       // producer: commands of the open group, written and not published
    bool group_open;
    bool group_failed;

    // Cycle.
    _Atomic(uint64_t) time;
    const rcore_plan_t *plan;
    const float *const *inputs; // of the present cycle, from the present slice on at `input_offset`
    uint32_t ninputs;
    uint32_t input_offset;
    struct command *pending; // binary heap by (when, order)
    uint32_t pending_count;
    uint64_t next_order;
    struct voice *voices;
    uint32_t *playing; // indices of started voices, in the order of their starts
    uint32_t playing_count;
    struct bus_state *buses;
    float *bus_samples;       // [(slot * max_channels + channel) * slice_frames]
    float *route_samples;     // [(slot * max_channels + channel) * slice_frames]
    float *source_samples;    // [channel * slice_frames], what a render callback fills
    float *speed_samples;     // [MAX_SPEED * slice_frames + 4]: one channel's source frames, in a row
    double *speed_places;     // [slice_frames]: where among them each frame lies
    float *envelope;          // [slice_frames]
    _Atomic(uint32_t) *peaks; // [slot * max_channels + channel], float bits
    struct counters counters;
};

/// Where one channel of a bus (route) is rendered.
static inline float *bus_channel(const rcore_t *core, uint32_t slot, uint32_t channel) RCORE_RT {
    return core->bus_samples + ((size_t)slot * core->config.max_channels + channel) * core->config.slice_frames;
}
static inline float *route_channel(const rcore_t *core, uint32_t slot, uint32_t channel) RCORE_RT {
    return core->route_samples + ((size_t)slot * core->config.max_channels + channel) * core->config.slice_frames;
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
static inline uint64_t voice_status(uint32_t generation, rcore_voice_state_t state) RCORE_RT {
    return (uint64_t)generation << 32 | (uint64_t)state;
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

// ---- The stages of the cycle, one file each -----------------------------------------------------------------------------------

/// Reads every gate once and hands frozenness down to the buses below (gate.c).
void gates_read(rcore_t *core) RCORE_RT;
/// Frames until the next session freezes, at most `nframes`.
uint32_t gates_limit(const rcore_t *core, uint32_t nframes) RCORE_RT;
/// Multiplies a gate's gains for the next frames into `envelope`; false when all are exactly 1 and nothing was done.
bool gate_multiply(const struct gate_state *gate, float *envelope, uint32_t nframes) RCORE_RT;
/// Goes on by `nframes`; freezes and reports what has settled.
void gates_advance(rcore_t *core, uint32_t nframes) RCORE_RT;
/// Whether live input may be heard on a bus: every gate from it on grants it.
bool gates_grant_input(const rcore_t *core, uint32_t slot) RCORE_RT;
/// Forgets whatever the slot was.
void bus_reset(struct bus_state *bus) RCORE_RT;

/// Takes what was posted, keeps what is not yet due (commands.c).
void commands_take(rcore_t *core) RCORE_RT;
/// Applies what is due now.
void commands_apply(rcore_t *core) RCORE_RT;
/// Frames until the next command is due, at most `nframes`.
uint32_t commands_limit(const rcore_t *core, uint32_t nframes) RCORE_RT;

/// Applies one voice command; false: it came in a pause of its session (voices.c).
bool voice_apply(rcore_t *core, const struct command *command) RCORE_RT;
/// Mixes all playing voices into their buses.
void voices_render(rcore_t *core, uint32_t nframes) RCORE_RT;

/// Silences the plan's buses and routes; mixes buses into parents and routes (buses.c).
void buses_clear(rcore_t *core, uint32_t nframes) RCORE_RT;
void buses_mix(rcore_t *core, uint32_t nframes) RCORE_RT;
/// Adds routes to the outputs from frame `offset`, meters and captures them (routes.c).
void routes_write(rcore_t *core, float *const *outputs, uint32_t noutputs, uint32_t offset, uint32_t nframes) RCORE_RT;

/// Posts an event, or counts it as dropped (events.c).
void event_post(rcore_t *core, rcore_event_t event) RCORE_RT;

#endif
