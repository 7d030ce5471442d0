/// Helpers that several stages use to read and publish the state of a voice.
#ifndef RCORE_VOICE_INTERNAL_H
#define RCORE_VOICE_INTERNAL_H

#include "core/core.h"
#include "voices/voice_state.h"

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
    struct voice *voice = &core->voices.pool[index];
    const uint64_t status = atomic_load_explicit(&voice->status, memory_order_acquire);
    return status >> 32 == handle >> 32 ? voice : NULL;
}

/// Returns the bus on which a voice plays; NULL if the core has no such slot.
static inline const struct bus_state *voice_bus(const rcore_t *core, const struct voice *voice) RCORE_RT {
    return voice->bus < core->config.max_buses ? &core->mix.buses[voice->bus] : NULL;
}
/// Return the envelope and the filter of a voice that has one.
static inline struct envelope *voice_envelope(const rcore_t *core, const struct voice *voice) RCORE_RT {
    return &core->voices.envelopes[voice - core->voices.pool];
}
static inline struct filter *voice_filter(const rcore_t *core, const struct voice *voice) RCORE_RT {
    return &core->voices.filters[voice - core->voices.pool];
}
/// Returns whether the voice's session is suspended.
static inline bool voice_suspended(const rcore_t *core, const struct voice *voice) RCORE_RT {
    const struct bus_state *bus = voice_bus(core, voice);
    return bus != NULL && bus->suspended;
}
/// Returns whether the voice has faded out.
static inline bool voice_silent(const struct voice *voice) RCORE_RT {
    return voice->fade.remaining == 0 && voice->fade.target == 0.0f;
}

/// Returns what commands may do with a voice that starts with these parameters (START_…).
static inline uint32_t voice_start_flags(const rcore_voice_params_t *params) RCORE_RT {
    return (params->buffer != NULL || params->fifo != NULL ? START_VARISPEED : 0u) |
           (params->buffer != NULL ? START_MEMORY : 0u) | (params->pan_law != RCORE_PAN_NONE ? START_PANNED : 0u);
}

/// Publishes the state of a voice. Release order: a thread that sees the end may free what the
/// voice read.
static inline void voice_publish(struct voice *voice, rcore_voice_t handle, rcore_voice_state_t state,
                                 rcore_end_t end) RCORE_RT {
    atomic_store_explicit(&voice->status, voice_status((uint32_t)(handle >> 32), state, end), memory_order_release);
}

#endif
