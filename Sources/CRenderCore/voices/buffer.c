#include "voices/buffer.h"

#include "core/memory.h"

#include <stdlib.h>

#define MAX_FRAMES (UINT64_C(1) << 40)

static rcore_buffer_t *allocate(uint32_t channels, uint64_t nframes, rcore_status_t *status) {
    *status = RCORE_BAD_ARGUMENT;
    if (channels < 1 || channels > RCORE_MAX_CHANNELS || nframes < 1 || nframes > MAX_FRAMES) {
        return NULL;
    }
    *status = RCORE_NO_MEMORY;
    const uint64_t per_line = RCORE_ALIGNMENT / sizeof(float);
    const uint64_t stride = (nframes + per_line - 1) / per_line * per_line;
    rcore_buffer_t *buffer = memory_allocate(sizeof *buffer);
    if (buffer == NULL) {
        return NULL;
    }
    buffer->samples = memory_allocate(sizeof(float) * channels * stride);
    if (buffer->samples == NULL) {
        free(buffer);
        return NULL;
    }
    buffer->nframes = nframes;
    buffer->stride = stride;
    buffer->channels = channels;
    buffer->references = 1;
    *status = RCORE_OK;
    return buffer;
}

// Copies one channel, whose samples are `step` apart. Replaces NaN and infinite samples by 0 and
// counts them.
static void fill_channel(rcore_buffer_t *buffer, uint32_t channel, const float *source, size_t step) {
    float *samples = buffer->samples + channel * buffer->stride;
    for (uint64_t i = 0; i < buffer->nframes; i++) {
        const float sample = source[i * step];
        const bool finite = sample_is_finite(sample);
        buffer->nonfinite += finite ? 0 : 1;
        samples[i] = finite ? sample : 0.0f;
    }
}

rcore_buffer_t *rcore_buffer_create(uint32_t channels, uint64_t nframes, const float *const *planes,
                                    rcore_status_t *status) {
    rcore_status_t ignored;
    status = status != NULL ? status : &ignored;
    *status = RCORE_BAD_ARGUMENT;
    if (planes == NULL || channels > RCORE_MAX_CHANNELS) {
        return NULL;
    }
    for (uint32_t channel = 0; channel < channels; channel++) {
        if (planes[channel] == NULL) {
            return NULL;
        }
    }
    rcore_buffer_t *buffer = allocate(channels, nframes, status);
    for (uint32_t channel = 0; buffer != NULL && channel < channels; channel++) {
        fill_channel(buffer, channel, planes[channel], 1);
    }
    return buffer;
}

rcore_buffer_t *rcore_buffer_create_interleaved(uint32_t channels, uint64_t nframes, const float *frames,
                                                rcore_status_t *status) {
    rcore_status_t ignored;
    status = status != NULL ? status : &ignored;
    *status = RCORE_BAD_ARGUMENT;
    if (frames == NULL) {
        return NULL;
    }
    rcore_buffer_t *buffer = allocate(channels, nframes, status);
    for (uint32_t channel = 0; buffer != NULL && channel < channels; channel++) {
        fill_channel(buffer, channel, frames + channel, channels);
    }
    return buffer;
}

rcore_buffer_t *rcore_buffer_retain(rcore_buffer_t *buffer) {
    (void)atomic_fetch_add_explicit(&buffer->references, 1, memory_order_relaxed);
    return buffer;
}

void rcore_buffer_release(rcore_buffer_t *buffer) {
    // Acquire and release: whoever frees the samples sees what all other owners did with them.
    if (buffer == NULL || atomic_fetch_sub_explicit(&buffer->references, 1, memory_order_acq_rel) > 1) {
        return;
    }
    if (buffer->head != NULL) { // a streamed buffer
        rcore_buffer_release(buffer->head);
        free(buffer->slots);
    } else {
        free(buffer->samples);
    }
    free(buffer);
}

uint32_t rcore_buffer_users(const rcore_buffer_t *buffer) RCORE_RT {
    return atomic_load_explicit(&buffer->users, memory_order_acquire);
}

uint32_t rcore_buffer_channels(const rcore_buffer_t *buffer) { return buffer->channels; }

uint64_t rcore_buffer_nframes(const rcore_buffer_t *buffer) { return buffer->nframes; }

uint32_t rcore_buffer_read_interleaved(const rcore_buffer_t *buffer, uint64_t first, float *frames, uint32_t nframes) {
    const uint64_t end = buffer->head != NULL ? buffer->head_frames : buffer->nframes;
    const uint64_t left = first < end ? end - first : 0;
    const uint32_t count = left < nframes ? (uint32_t)left : nframes;
    for (uint32_t channel = 0; count > 0 && channel < buffer->channels; channel++) {
        const float *samples = buffer->samples + channel * buffer->stride + first;
        for (uint32_t i = 0; i < count; i++) {
            frames[(size_t)i * buffer->channels + channel] = samples[i];
        }
    }
    return count;
}

uint64_t rcore_buffer_nonfinite_count(const rcore_buffer_t *buffer) { return buffer->nonfinite; }
