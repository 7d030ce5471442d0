/// The core: what its stages share, and the state of each stage.
///
/// Each stage has a header with its state and its functions; a file includes the headers of the
/// stages that it calls.
#ifndef RCORE_CORE_H
#define RCORE_CORE_H

#include "core/counters.h"
#include "core/events.h"
#include "core/gaps.h"
#include "core/work.h"
#include "graph/graph.h"
#include "midi/midi.h"
#include "mix/curves.h"
#include "mix/inputs.h"
#include "mix/mix_state.h"
#include "queue/commands.h"
#include "render_core.h"
#include "session/gate.h"
#include "session/signal.h"
#include "transport/transport.h"
#include "voices/voice_pool.h"

/// The memory of all arrays of the core.
struct arena {
    void *memory;
    size_t bytes;
    /// Bytes that the system refused to lock into RAM.
    size_t unlocked_bytes;
};

struct rcore {
    rcore_config_t config;
    struct arena arena;
    /// Floats from the samples of one channel to those of the next.
    size_t stride;
    _Atomic(uint32_t) sample_rate;
    /// Frames rendered so far. Only the cycle writes it.
    _Atomic(uint64_t) time;

    struct command_state commands;
    struct event_state events;
    struct work_state work;
    struct counters counters;
    struct gaps gaps;
    struct graph graph;
    struct gates gates;
    struct signals signals;
    struct inputs inputs;
    struct voice_pool voices;
    struct mix_state mix;
    struct curves curves;
    struct midi_state midi;
    struct transport transport;
};

/// Returns one channel of a slot in an array of all slots' samples.
static inline float *slot_channel(const rcore_t *core, float *samples, uint32_t slot, uint32_t channel) RCORE_RT {
    return samples + ((size_t)slot * core->config.max_channels + channel) * core->stride;
}
/// Returns one channel of a bus slot.
static inline float *bus_channel(const rcore_t *core, uint32_t slot, uint32_t channel) RCORE_RT {
    return slot_channel(core, core->mix.bus_samples, slot, channel);
}

/// Sets `planes` to the channels of a slot, which follow `first` one after the other.
static inline void planes_of(const rcore_t *core, float *first, uint32_t channels, float **planes) RCORE_RT {
    for (uint32_t channel = 0; channel < channels; channel++) {
        planes[channel] = first + channel * core->stride;
    }
}

static inline uint64_t core_now(const rcore_t *core) RCORE_RT {
    return atomic_load_explicit(&core->time, memory_order_relaxed);
}

#endif
