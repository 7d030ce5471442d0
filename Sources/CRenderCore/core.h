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
#include "swap.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

enum command_kind {
    COMMAND_START,
    COMMAND_STOP,
    COMMAND_STOP_ALL,
    COMMAND_PAUSE,
    COMMAND_RESUME,
    COMMAND_SEEK,
    COMMAND_LEAVE_LOOP,
    COMMAND_GAIN,
    COMMAND_PAN,
    COMMAND_SPEED,
    COMMAND_BUS_GAIN,
    COMMAND_INPUT_GAIN,
    COMMAND_PLAN,
};

/// Greatest speed of a voice.
#define MAX_SPEED 16

/// Fixed-size; a start's parameters travel in the voice.
struct command {
    uint64_t when;
    uint64_t order; // given by the cycle: commands for one time keep their order
    union {
        uint64_t serial; // plan: its serial
        uint64_t frame;  // seek
    };
    union {
        rcore_voice_t voice;
        rcore_plan_t *plan;
    };
    uint16_t kind;
    uint16_t port; // whose it is
    uint32_t slot; // of a bus or input
    float value;   // a gain, pan or speed
    uint32_t ramp_frames;
};

/// A command port (port.c).
struct rcore_port {
    struct ring ring;
    rcore_t *core;
    struct command *commands;
    _Atomic(uint64_t) timed_done; // commands with a time that have taken effect
    uint64_t timed_posted;        // [producer] commands with a time
    uint32_t staged;              // [producer] commands of the open group, written and not published
    uint16_t index;
    bool group_open;
    bool group_failed;
    bool open; // [control]
};

/// Where a memory source is, and how often it still goes back.
struct place {
    uint64_t frame;
    uint64_t loops;
    bool looped; // has gone back: what was before loop_start is the loop's end
    bool past;   // ran on beyond the end
};

enum source_kind { SOURCE_MEMORY, SOURCE_STREAM, SOURCE_RENDER, SOURCE_INPUT };

/// A voice's `start`: who may command it. Between these two: 1 + the index of the port whose open group starts it.
enum {
    START_NONE = 0,
    START_POSTED = 0xFFFF,
    START_PORT = 0xFFFF, // the bits of these three
    START_VARISPEED = 1 << 16,
    START_PANNED = 1 << 17,
    START_MEMORY = 1 << 18,
};

/// A voice's `group`: 1 + the bus into whose first two channels it goes; a mono source into both, or a stereo one channel to channel.
enum { GROUP_NONE = 0, GROUP_PAIR = 1 << 15 };

/// One voice of the pool, in the order of how often the cycle looks at it: one that goes in a group (group.c) needs the first line alone.
struct voice {
    alignas(64) const float *samples; // memory: [channel * stride + frame]; else NULL
    uint64_t frame;                   // memory: the next
    uint64_t direct_end;      // memory: up to here they are the samples as they lie; source.c finds out what is beyond
    _Atomic(uint64_t) frames; // rendered
    struct ramp gain;         // its step is 0 where it is at rest
    struct sides sides;       // of the pan, at the end of the present stretch (pan.c); no law: of the way to the pair
    uint16_t pan_remaining;   // frames of the stretch; 0: the pan stands still
    uint16_t group;           // which voices it may be mixed with; GROUP_NONE: it goes by itself

    _Atomic(uint64_t) status; // generation << 32 | rcore_end_t << 8 | rcore_voice_state_t
    uint64_t stride;
    const rcore_matrix_t *matrix;
    struct ramp fade; // 1 = heard; 0 = silent: of pause, resume, stop, start
    struct ramp pan;  // -1…1, of what follows the present stretch
    uint32_t bus;
    uint32_t channels;    // of the source
    uint16_t pan_stretch; // frames of a whole one
    uint8_t kind;         // enum source_kind
    uint8_t pan_law;
    bool paused;
    bool stopping;
    bool rendered_all; // callback: it gave fewer frames than were asked for
    bool gathered;     // memory: the present piece lies in the core's source samples

    struct ramp speed;    // source frames per frame; exactly 1 takes the samples as they are
    uint32_t phase;       // between the source's frames, in 1/2^32
    uint32_t next_phase;  // after the piece that is being mixed
    uint32_t consumed;    // source frames that this piece takes
    uint32_t place_index; // in the core's list of playing voices
    bool primed;          // stream: the frame before the present one is still in the ring
    bool looped;
    bool past;
    bool gain_set;    // a gain came before the start
    bool speed_set;   // a speed did
    bool pause_given; // a pause or resume did
    bool pan_given;   // a pan did
    bool placed;      // has one of the max_playing places (polyphony.c)
    uint8_t end;      // rcore_end_t, once it is stopping
    uint64_t loops;   // memory: how often still to go back
    uint64_t loop_start;
    uint64_t loop_end;
    uint64_t nframes; // of memory
    uint32_t loop_fade;
    uint32_t seek_remaining; // frames of the cross-fade that follows a seek
    uint32_t seek_frames;
    uint32_t next_seek_frames; // of the seek that waits for the end of this one
    bool seek_waits;
    uint64_t next_seek;
    uint32_t older; // neighbours among the voices of its priority, in the order of their starts
    uint32_t newer;
    struct place sought_from; // the old place, which goes on while it fades
    _Atomic(uint64_t) underruns;

    rcore_voice_params_t params; // the owner's until the start command is read, then the cycle's
    _Atomic(uint32_t) start;     // START_…
    uint32_t generation;         // whoever owns the voice
};
static_assert(offsetof(struct voice, status) == 64 && offsetof(struct voice, speed) == 128, "a cache line each");

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
    uint32_t channels;           // 0 while no plan has it; while plans cross-fade the greater of theirs
    uint32_t index;              // in the newest plan, while plans are compared (swap.c)
    bool sounding;               // something that sounds leads to it, as of the last look (buses_mark_sounding)
    bool fresh;                  // no plan had it before the one that is being taken over
    bool joined;                 // the plan that leaves has it not
    bool in_plan;                // the plan in use has it
    bool expected;               // a plan that waits will bring it: what is told of it meanwhile holds
    bool gated;                  // and there with a gate
    bool frozen;                 // its own gate or one it leads to stands still
    bool frozen_leaving;         // did so in the plan that leaves
    _Atomic(uint32_t) gate_gain; // float bits, published
};

/// State of an input slot; outlasts plans (inputs.c).
struct input_state {
    struct ramp gain;
    struct ramp grant; // 1 = granted; 0 = silence
    uint32_t channels; // 0 while no plan has it
    uint32_t join_frames;
    bool expected; // as a bus
    bool attached; // has read its first verdict
    bool paused;
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
    struct voice *voices;
    uint32_t *playing; // indices of started voices in the order of their starts, RCORE_NONE where one has ended since
    uint32_t playing_count;
    uint32_t gap_count;    // of those RCORE_NONE
    uint32_t placed_count; // voices that have a place: started, not stopping
    uint32_t occupied;     // a bit for each priority that has any
    struct voice_list placed[RCORE_MAX_PRIORITY + 1];
    struct bus_state *buses;
    struct input_state *inputs;
    float *bus_samples;       // [(slot * max_channels + channel) * slice_frames]
    float *swap_samples;      // the same: the buses' sums while plans cross-fade
    float *route_samples;     // [(slot * max_channels + channel) * slice_frames]
    float *leaving_samples;   // the same: the routes of the plan that leaves
    float *input_samples;     // the same, by input slot
    float *source_samples;    // [channel * slice_frames], what a render callback or varispeed fills
    float *gather_samples;    // [MAX_SPEED * slice_frames + 4]: one channel's source frames, in a row
    float *seek_samples;      // the same, of the place that a seek left
    int32_t *place_frames;    // [slice_frames]: before which of them each frame lies
    float *place_fractions;   // [slice_frames]: and how far behind it, 0…1
    float *envelope;          // [slice_frames]
    _Atomic(uint32_t) *peaks; // [slot * max_channels + channel], float bits
    _Atomic(uint32_t) *input_peaks;
    struct counters counters;
};

/// Where one channel of a slot is in an array of slots' samples; of a bus's.
static inline float *slot_channel(const rcore_t *core, float *samples, uint32_t slot, uint32_t channel) RCORE_RT {
    return samples + ((size_t)slot * core->config.max_channels + channel) * core->config.slice_frames;
}
static inline float *bus_channel(const rcore_t *core, uint32_t slot, uint32_t channel) RCORE_RT {
    return slot_channel(core, core->bus_samples, slot, channel);
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

/// Reads every gate once and hands frozenness down to the buses below (gate.c).
void gates_read(rcore_t *core) RCORE_RT;
/// Frames until the next session freezes, at most `nframes`.
uint32_t gates_limit(const rcore_t *core, uint32_t nframes) RCORE_RT;
/// Multiplies a gate's gains for the next frames into `envelope`; false when all are exactly 1 and nothing was done.
bool gate_multiply(const struct gate_state *gate, float *envelope, uint32_t nframes) RCORE_RT;
/// Goes on by `nframes`; freezes and reports what has settled.
void gates_advance(rcore_t *core, uint32_t nframes) RCORE_RT;
/// Forgets whatever the slot was.
void bus_reset(struct bus_state *bus) RCORE_RT;
/// Marks the plan's buses that a voice leads to which sounds, or would if its gate opened (buses.c).
void buses_mark_sounding(rcore_t *core, const rcore_plan_t *plan) RCORE_RT;

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

/// Silences the buses that voices go to; mixes buses into parents and routes (buses.c).
void buses_clear(rcore_t *core, uint32_t nframes) RCORE_RT;
void buses_mix(rcore_t *core, uint32_t nframes) RCORE_RT;
/// Adds routes to the outputs from frame `offset`, meters and captures them (routes.c).
void routes_write(rcore_t *core, float *const *outputs, uint32_t noutputs, uint32_t offset, uint32_t nframes) RCORE_RT;

/// Posts an event, or counts it as dropped (events.c).
void event_post(rcore_t *core, rcore_event_t event) RCORE_RT;

#endif
