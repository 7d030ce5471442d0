// The voice pool: one bit per voice, which any thread may set and clear, and the functions that
// read a voice's state by its handle.
//
// Acquiring a voice sets its bit with acquire order, and releasing it clears the bit with release
// order, so the next owner sees everything that was done to the voice. The holder of the bit owns
// the voice: the thread that acquired it until it posts the start, the render thread from then
// until it has published the end, then the first thread again. When a one-shot ends, the render
// thread releases it.
#include "voices/pool.h"

#include "core/core.h"
#include "voices/voice.h"

rcore_voice_params_t rcore_voice_params_default(void) { return (rcore_voice_params_t){.gain = 1.0f, .speed = 1.0f}; }

// Resets the state of a voice that was just acquired, and returns its handle.
static rcore_voice_t issue_handle(rcore_t *core, uint32_t index) RCORE_RT {
    struct voice *voice = &core->voices.pool[index];
    atomic_store_explicit(&voice->start, START_NONE, memory_order_relaxed);
    atomic_store_explicit(&voice->frames, 0, memory_order_relaxed);
    atomic_store_explicit(&voice->underruns, 0, memory_order_relaxed);
    atomic_store_explicit(&voice->status, voice_status(voice->generation, RCORE_VOICE_WAITING, RCORE_END_NONE),
                          memory_order_release);
    return (uint64_t)voice->generation << 32 | (index + 1);
}

rcore_voice_t rcore_voice_acquire(rcore_t *core) RCORE_RT {
    const uint32_t words = (core->config.max_voices + 63) / 64;
    for (uint32_t word = 0; word < words; word++) {
        uint64_t free = ~atomic_load_explicit(&core->voices.acquired[word], memory_order_relaxed);
        while (free != 0) { // one attempt per bit: wait-free
            const uint64_t bit = free & -free;
            const uint64_t before = atomic_fetch_or_explicit(&core->voices.acquired[word], bit, memory_order_acquire);
            if ((before & bit) == 0) {
                return issue_handle(core, word * 64 + (uint32_t)__builtin_ctzll(bit));
            }
            free &= ~(before | bit);
        }
    }
    return 0;
}

void pool_release(rcore_t *core, struct voice *voice) RCORE_RT {
    const uint32_t index = (uint32_t)(voice - core->voices.pool);
    voice->generation += 1;
    atomic_store_explicit(&voice->status, voice_status(voice->generation, RCORE_VOICE_FREE, RCORE_END_NONE),
                          memory_order_release);
    (void)atomic_fetch_and_explicit(&core->voices.acquired[index / 64], ~(UINT64_C(1) << index % 64),
                                    memory_order_release);
}

rcore_status_t rcore_voice_release(rcore_t *core, rcore_voice_t handle) RCORE_RT {
    struct voice *voice = voice_find(core, handle);
    const rcore_voice_state_t state = rcore_voice_state(core, handle);
    if (voice == NULL || state == RCORE_VOICE_FREE) {
        return RCORE_STALE;
    }
    const bool started = atomic_load_explicit(&voice->start, memory_order_relaxed) != START_NONE;
    if (state != RCORE_VOICE_ENDED && (state != RCORE_VOICE_WAITING || started)) {
        return RCORE_FULL;
    }
    pool_release(core, voice);
    return RCORE_OK;
}

// Returns the status of a handle's voice; 0 if the handle is stale.
static uint64_t status_of(const rcore_t *core, rcore_voice_t handle) RCORE_RT {
    const struct voice *voice = voice_find(core, handle);
    if (voice == NULL) {
        return 0;
    }
    const uint64_t status = atomic_load_explicit(&voice->status, memory_order_acquire);
    return status >> 32 == handle >> 32 ? status : 0;
}

rcore_voice_state_t rcore_voice_state(const rcore_t *core, rcore_voice_t handle) RCORE_RT {
    return status_state(status_of(core, handle));
}

rcore_end_t rcore_voice_end_reason(const rcore_t *core, rcore_voice_t handle) RCORE_RT {
    return (rcore_end_t)(status_of(core, handle) >> 8 & 0xFF);
}

uint64_t rcore_voice_frames(const rcore_t *core, rcore_voice_t handle) RCORE_RT {
    const struct voice *voice = voice_find(core, handle);
    return voice == NULL ? 0 : atomic_load_explicit(&voice->frames, memory_order_relaxed);
}

uint64_t rcore_voice_underrun_frames(const rcore_t *core, rcore_voice_t handle) RCORE_RT {
    const struct voice *voice = voice_find(core, handle);
    return voice == NULL ? 0 : atomic_load_explicit(&voice->underruns, memory_order_relaxed);
}
