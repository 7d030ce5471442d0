// Sources: memory, stream, render callback and live input.
#include "voices/source.h"

#include "core/counters.h"
#include "mix/ramp.h"
#include "voices/buffer.h"
#include "voices/page_cache.h"
#include "voices/paging.h"
#include "voices/playhead.h"
#include "voices/seek.h"
#include "voices/varispeed.h"

#include <string.h>

// Sets up a memory source: its samples, loop and playhead.
static void start_memory(struct voice *voice) RCORE_RT {
    const rcore_voice_params_t *params = &voice->params;
    const rcore_buffer_t *buffer = params->buffer;
    voice->samples = buffer->cache == NULL ? buffer->samples : NULL;
    voice->stride = buffer->stride;
    voice->nframes = buffer->nframes;
    voice->channels = buffer->channels;
    voice->loop_start = params->loop_start;
    voice->loop_end = params->loop_end == 0 ? buffer->nframes : params->loop_end;
    voice->loop_fade = params->loop_fade_frames;
    if (buffer->cache != NULL) {
        paging_start(voice);
    }
    // A seek before the start may have set a frame beyond the end.
    const uint64_t start = params->start_frame < voice->nframes ? params->start_frame : voice->nframes;
    voice_set_playhead(voice, (struct playhead){start, params->loop_count, false, false});
}

void source_start(struct voice *voice) RCORE_RT {
    const rcore_voice_params_t *params = &voice->params;
    voice->rendered_all = voice->primed = voice->gathered = voice->is_paged = false;
    voice->phase = 0;
    voice->seek_remaining = 0;
    voice->samples = NULL;
    voice->seek_pending = false;
    if (params->buffer != NULL) {
        voice->kind = SOURCE_MEMORY;
        start_memory(voice);
    } else if (params->fifo != NULL) {
        voice->kind = SOURCE_STREAM;
        voice->channels = rcore_fifo_channels(params->fifo);
    } else if (params->render) {
        voice->kind = SOURCE_RENDER;
        voice->channels = params->render_channels;
    } else {
        voice->kind = SOURCE_INPUT;
        voice->channels = params->input_channels;
    }
    if (!voice->speed_preset) {
        ramp_set(&voice->speed, params->speed);
    }
}

void source_leave_loop(struct voice *voice) RCORE_RT {
    // Within the loop's crossfade, its end included, the voice already fades to the loop's start,
    // so it must wrap once more. So it does if what follows the loop is not yet in memory.
    const bool fading = voice->loop_fade > 0 && voice->loops > 0 && voice->frame <= voice->loop_end &&
                        voice->frame >= voice->loop_end - voice->loop_fade;
    voice->loops = fading || (voice->is_paged && voice->loops > 0 && !voice->can_leave_loop) ? 1 : 0;
    voice->direct_end = 0;
}

// ---- Segments -----------------------------------------------------------------------------------

// Prepares a segment of computed samples, which are not in memory as such: in the crossfade of a
// loop or a seek. Returns its length.
static uint32_t gather_segment(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT {
    if (voice->seek_remaining > 0) {
        nframes = voice->seek_remaining < nframes ? voice->seek_remaining : nframes;
    } else {
        const uint64_t left = voice->loop_end - voice->frame;
        nframes = left < nframes ? (uint32_t)left : nframes;
    }
    for (uint32_t channel = 0; channel < voice->channels; channel++) {
        voice_gather(core, voice, channel, nframes);
        memcpy(slot_channel(core, core->voices.source_samples, 0, channel), core->voices.gather_samples + 1,
               sizeof(float) * nframes);
    }
    voice->gathered = true;
    return nframes;
}

// Returns the length of the next segment of a memory source: samples that can be read directly, or
// those that `gather_segment` prepares. Returns 0 at the end of the source, and if the next samples
// are not in memory.
static uint32_t memory_segment(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT {
    voice->gathered = false;
    if (voice->is_paged) {
        const uint64_t ahead = paging_ahead(voice);
        nframes = ahead < nframes ? (uint32_t)ahead : nframes;
    }
    if (voice->frame >= voice->direct_end) {
        struct playhead playhead = voice_playhead(voice);
        playhead_settle(voice, &playhead);
        voice_set_playhead(voice, playhead);
        if (source_over(voice)) {
            return 0;
        }
        uint64_t direct = voice->seek_remaining > 0 ? 0 : playhead_direct(voice, &playhead);
        if (direct == 0) {
            return gather_segment(core, voice, nframes);
        }
        if (voice->is_paged) {
            uint64_t contiguous;
            (void)memory_samples(voice, 0, voice->frame, &contiguous);
            direct = contiguous < direct ? contiguous : direct;
        }
        voice->direct_end = voice->frame + direct;
    }
    const uint64_t left = voice->direct_end - voice->frame;
    return left < nframes ? (uint32_t)left : nframes;
}

static uint32_t stream_segment(struct voice *voice, uint32_t nframes) RCORE_RT {
    // At speed 1 again: drops the previous frame, which varispeed kept in the ring.
    if (voice->primed) {
        rcore_fifo_consume(voice->params.fifo, 1);
        voice->primed = false;
    }
    const float *unused;
    return rcore_fifo_peek(voice->params.fifo, 0, 0, nframes, &unused);
}

// Calls the app's callback to fill the source samples. If it returns fewer than `nframes`, the
// source ends; a higher value counts as `nframes`.
static uint32_t render_segment(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT {
    if (voice->rendered_all) {
        return 0;
    }
    float *planes[RCORE_MAX_CHANNELS];
    for (uint32_t channel = 0; channel < voice->channels; channel++) {
        planes[channel] = slot_channel(core, core->voices.source_samples, 0, channel);
    }
    const uint32_t rendered = voice->params.render(voice->params.render_context, planes, voice->channels, nframes);
    voice->rendered_all = rendered < nframes;
    return rendered < nframes ? rendered : nframes;
}

uint32_t source_segment(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT {
    if (voice->is_draining) {
        return nframes;
    }
    if (varispeed_applies(voice)) {
        return varispeed_segment(core, voice, nframes);
    }
    switch (voice->kind) {
    case SOURCE_MEMORY:
        return memory_segment(core, voice, nframes);
    case SOURCE_STREAM:
        return stream_segment(voice, nframes);
    case SOURCE_RENDER:
        return render_segment(core, voice, nframes);
    default:
        return nframes;
    }
}

static const float *input_channel(const rcore_t *core, const struct voice *voice, uint32_t channel,
                                  uint32_t offset) RCORE_RT {
    const uint32_t slot = voice->params.input;
    return slot < core->config.max_inputs && channel < core->inputs.slots[slot].channels
               ? slot_channel(core, core->inputs.samples, slot, channel) + offset
               : NULL;
}

const float *source_channel(const rcore_t *core, struct voice *voice, uint32_t channel, uint32_t offset,
                            uint32_t nframes) RCORE_RT {
    if (voice->is_draining) {
        return NULL;
    }
    if (varispeed_applies(voice) || voice->gathered) {
        return slot_channel(core, core->voices.source_samples, 0, channel);
    }
    switch (voice->kind) {
    case SOURCE_MEMORY: {
        uint64_t unused;
        return voice->is_paged ? pages_samples(voice->params.buffer, channel, voice->frame, &unused)
                               : voice->samples + channel * voice->stride + voice->frame;
    }
    case SOURCE_STREAM: {
        const float *samples;
        (void)rcore_fifo_peek(voice->params.fifo, channel, 0, nframes, &samples);
        return samples;
    }
    case SOURCE_RENDER:
        return slot_channel(core, core->voices.source_samples, 0, channel);
    default:
        return input_channel(core, voice, channel, offset);
    }
}

void source_advance(struct voice *voice, uint32_t nframes) RCORE_RT {
    if (voice->is_draining) {
        return;
    }
    if (varispeed_applies(voice)) {
        varispeed_advance(voice);
        return;
    }
    if (voice->gathered) {
        voice_advance(voice, nframes);
        source_follow_seek(voice);
    } else if (voice->kind == SOURCE_MEMORY) {
        voice->frame += nframes;
    } else if (voice->kind == SOURCE_STREAM) {
        rcore_fifo_consume(voice->params.fifo, nframes);
    }
    add_to_counter(&voice->frames, nframes);
}

bool source_over(const struct voice *voice) RCORE_RT {
    if (voice->is_draining) {
        return false;
    }
    if (voice->kind == SOURCE_MEMORY) {
        const struct playhead playhead = voice_playhead(voice);
        return voice->frame >= voice->nframes && !playhead_loops(voice, &playhead) && voice->seek_remaining == 0;
    }
    return voice->rendered_all || (voice->kind == SOURCE_STREAM && rcore_fifo_drained(voice->params.fifo));
}
