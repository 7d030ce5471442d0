#include "core/counters.h"
#include "core/memory.h"
#include "queue/ring.h"
#include "rcore_fifo.h"

#include <stdlib.h>

struct rcore_fifo {
    struct ring ring;
    uint32_t channels;
    uint32_t capacity;
    size_t sample_bytes;
    // [channel * capacity + slot]
    float *samples;
    alignas(64) _Atomic(bool) finished;
    _Atomic(uint64_t) nonfinite;
    _Atomic(uint64_t) overruns;
    _Atomic(uint64_t) wake_frame;
};

rcore_fifo_t *rcore_fifo_create(uint32_t channels, uint32_t capacity_frames, rcore_status_t *status) {
    rcore_status_t ignored;
    status = status != NULL ? status : &ignored;
    *status = RCORE_BAD_ARGUMENT;
    if (channels < 1 || channels > RCORE_MAX_CHANNELS || capacity_frames < 1 || capacity_frames > 1u << 28) {
        return NULL;
    }
    const uint32_t capacity = ring_round_up(capacity_frames);
    *status = RCORE_NO_MEMORY;
    rcore_fifo_t *fifo = memory_allocate(sizeof *fifo);
    if (fifo == NULL) {
        return NULL;
    }
    fifo->sample_bytes = sizeof(float) * channels * capacity;
    fifo->samples = memory_allocate(fifo->sample_bytes);
    if (fifo->samples == NULL) {
        free(fifo);
        return NULL;
    }
    (void)memory_lock(fifo->samples, fifo->sample_bytes);
    ring_init(&fifo->ring, capacity);
    fifo->channels = channels;
    fifo->capacity = capacity;
    atomic_init(&fifo->finished, false);
    atomic_init(&fifo->nonfinite, 0);
    atomic_init(&fifo->overruns, 0);
    atomic_init(&fifo->wake_frame, RCORE_FIFO_WHEN_LOW);
    *status = RCORE_OK;
    return fifo;
}

void rcore_fifo_destroy(rcore_fifo_t *fifo) {
    if (fifo != NULL) {
        memory_unlock(fifo->samples, fifo->sample_bytes);
        free(fifo->samples);
        free(fifo);
    }
}

uint32_t rcore_fifo_channels(const rcore_fifo_t *fifo) RCORE_RT { return fifo->channels; }

uint32_t rcore_fifo_capacity(const rcore_fifo_t *fifo) RCORE_RT { return fifo->capacity; }

uint32_t rcore_fifo_writable(rcore_fifo_t *fifo) RCORE_RT {
    return (uint32_t)ring_writable(&fifo->ring, fifo->capacity);
}

// Returns whether the ring is not finished and has room for `nframes`. If only the room is missing,
// counts an overrun.
static bool begin_write(rcore_fifo_t *fifo, uint32_t nframes) RCORE_RT {
    if (atomic_load_explicit(&fifo->finished, memory_order_relaxed)) {
        return false;
    }
    if (ring_writable(&fifo->ring, nframes) < nframes) {
        add_to_counter(&fifo->overruns, 1);
        return false;
    }
    return true;
}

// Copies one channel, `stride` samples apart, into the ring. Returns the number of NaN and infinite
// samples.
static uint64_t write_channel(rcore_fifo_t *fifo, uint32_t channel, const float *source, size_t stride,
                              uint32_t nframes) RCORE_RT {
    float *ring = fifo->samples + (size_t)channel * fifo->capacity;
    const uint64_t first = ring_write_slot(&fifo->ring, 0);
    uint64_t nonfinite = 0;
    for (uint32_t i = 0; i < nframes; i++) {
        const float sample = source[i * stride];
        const bool finite = sample_is_finite(sample);
        nonfinite += finite ? 0 : 1;
        ring[(first + i) & (fifo->capacity - 1)] = finite ? sample : 0.0f;
    }
    return nonfinite;
}

static void silence_channel(rcore_fifo_t *fifo, uint32_t channel, uint32_t nframes) RCORE_RT {
    float *ring = fifo->samples + (size_t)channel * fifo->capacity;
    const uint64_t first = ring_write_slot(&fifo->ring, 0);
    for (uint32_t i = 0; i < nframes; i++) {
        ring[(first + i) & (fifo->capacity - 1)] = 0.0f;
    }
}

bool rcore_fifo_write_interleaved(rcore_fifo_t *fifo, const float *frames, uint32_t nframes) RCORE_RT {
    if (!begin_write(fifo, nframes)) {
        return false;
    }
    uint64_t nonfinite = 0;
    for (uint32_t channel = 0; channel < fifo->channels; channel++) {
        nonfinite += write_channel(fifo, channel, frames + channel, fifo->channels, nframes);
    }
    add_to_counter(&fifo->nonfinite, nonfinite);
    ring_did_write(&fifo->ring, nframes);
    return true;
}

bool rcore_fifo_write(rcore_fifo_t *fifo, const float *const *planes, uint32_t nframes) RCORE_RT {
    if (!begin_write(fifo, nframes)) {
        return false;
    }
    uint64_t nonfinite = 0;
    for (uint32_t channel = 0; channel < fifo->channels; channel++) {
        if (planes[channel] != NULL) {
            nonfinite += write_channel(fifo, channel, planes[channel], 1, nframes);
        } else {
            silence_channel(fifo, channel, nframes);
        }
    }
    add_to_counter(&fifo->nonfinite, nonfinite);
    ring_did_write(&fifo->ring, nframes);
    return true;
}

// Control has three quarters of the ring's time to write, because a late write is an audible gap.
bool rcore_fifo_is_low(rcore_fifo_t *fifo) RCORE_RT {
    const uint32_t least = fifo->capacity - (fifo->capacity + 3) / 4 + 1;
    return ring_readable(&fifo->ring, least) < least && !rcore_fifo_finished(fifo);
}

void rcore_fifo_wake_at(rcore_fifo_t *fifo, uint64_t frame) RCORE_RT {
    // Relaxed: the frame orders no other data. The consumer compares it with a count of its own,
    // and sees a new value in finite time.
    atomic_store_explicit(&fifo->wake_frame, frame, memory_order_relaxed);
}

bool rcore_fifo_is_due(rcore_fifo_t *fifo) RCORE_RT {
    const uint64_t frame = atomic_load_explicit(&fifo->wake_frame, memory_order_relaxed);
    if (frame == RCORE_FIFO_WHEN_LOW) {
        return rcore_fifo_is_low(fifo);
    }
    return frame != RCORE_FIFO_NEVER && ring_read_count(&fifo->ring) >= frame;
}

uint64_t rcore_fifo_frames_read(const rcore_fifo_t *fifo) RCORE_RT { return ring_read_count(&fifo->ring); }

bool rcore_fifo_is_filling(rcore_fifo_t *fifo) RCORE_RT {
    const uint32_t least = fifo->capacity / 2 + 1;
    return ring_writable(&fifo->ring, least) < least;
}

void rcore_fifo_finish(rcore_fifo_t *fifo) RCORE_RT {
    // Release, after the last write: a consumer that sees the end also sees the frames before it.
    atomic_store_explicit(&fifo->finished, true, memory_order_release);
}

uint32_t rcore_fifo_readable(rcore_fifo_t *fifo) RCORE_RT {
    return (uint32_t)ring_readable(&fifo->ring, fifo->capacity);
}

uint32_t rcore_fifo_peek(rcore_fifo_t *fifo, uint32_t channel, uint32_t offset, uint32_t nframes,
                         const float **samples) RCORE_RT {
    const uint64_t readable = ring_readable(&fifo->ring, (uint64_t)offset + nframes);
    if (channel >= fifo->channels || readable <= offset) {
        *samples = NULL;
        return 0;
    }
    const uint64_t slot = ring_read_slot(&fifo->ring, offset);
    uint64_t segment = readable - offset;
    segment = segment < nframes ? segment : nframes;
    segment = segment < fifo->capacity - slot ? segment : fifo->capacity - slot;
    *samples = fifo->samples + (size_t)channel * fifo->capacity + slot;
    return (uint32_t)segment;
}

void rcore_fifo_consume(rcore_fifo_t *fifo, uint32_t nframes) RCORE_RT {
    const uint64_t readable = ring_readable(&fifo->ring, nframes);
    ring_did_read(&fifo->ring, nframes < readable ? nframes : readable);
}

bool rcore_fifo_read_interleaved(rcore_fifo_t *fifo, float *frames, uint32_t nframes) RCORE_RT {
    if (ring_readable(&fifo->ring, nframes) < nframes) {
        return false;
    }
    const uint64_t first = ring_read_slot(&fifo->ring, 0);
    for (uint32_t channel = 0; channel < fifo->channels; channel++) {
        const float *ring = fifo->samples + (size_t)channel * fifo->capacity;
        for (uint32_t i = 0; i < nframes; i++) {
            frames[(size_t)i * fifo->channels + channel] = ring[(first + i) & (fifo->capacity - 1)];
        }
    }
    ring_did_read(&fifo->ring, nframes);
    return true;
}

bool rcore_fifo_finished(const rcore_fifo_t *fifo) RCORE_RT {
    return atomic_load_explicit(&fifo->finished, memory_order_acquire);
}

bool rcore_fifo_drained(rcore_fifo_t *fifo) RCORE_RT {
    // Loads `finished` before the count: otherwise, a last write could come between the two loads.
    return atomic_load_explicit(&fifo->finished, memory_order_acquire) &&
           ring_readable(&fifo->ring, fifo->capacity) == 0;
}

uint64_t rcore_fifo_nonfinite_count(const rcore_fifo_t *fifo) RCORE_RT {
    return atomic_load_explicit(&fifo->nonfinite, memory_order_relaxed);
}

uint64_t rcore_fifo_overrun_count(const rcore_fifo_t *fifo) RCORE_RT {
    return atomic_load_explicit(&fifo->overruns, memory_order_relaxed);
}
