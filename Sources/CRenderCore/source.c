// Sources: the four kinds, a line each wherever they differ.
#include "source.h"

#include "place.h"
#include "varispeed.h"

static void begin_memory(struct voice *voice) RCORE_RT {
    const rcore_voice_params_t *params = &voice->params;
    const rcore_buffer_t *buffer = params->buffer;
    voice->samples = buffer->samples;
    voice->stride = buffer->stride;
    voice->nframes = buffer->nframes;
    voice->channels = buffer->channels;
    voice->loop_start = params->loop_start;
    voice->loop_end = params->loop_end == 0 ? buffer->nframes : params->loop_end;
    voice->loop_fade = params->loop_fade_frames;
    // A seek before the start may lead beyond the end.
    const uint64_t start = params->start_frame < voice->nframes ? params->start_frame : voice->nframes;
    voice_set_place(voice, (struct place){start, params->loop_count, false, false});
}

void source_begin(struct voice *voice) RCORE_RT {
    const rcore_voice_params_t *params = &voice->params;
    voice->rendered_all = voice->primed = voice->gathered = false;
    voice->phase = 0;
    voice->seek_remaining = 0;
    voice->samples = NULL;
    voice->seek_waits = false;
    if (params->buffer != NULL) {
        voice->kind = SOURCE_MEMORY;
        begin_memory(voice);
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
    if (!voice->speed_set) {
        ramp_set(&voice->speed, params->speed);
    }
}

void source_seek(struct voice *voice, uint64_t frame, uint32_t ramp_frames) RCORE_RT {
    if (voice->seek_remaining > 0 && ramp_frames > 0) {
        voice->seek_waits = true;
        voice->next_seek = frame;
        voice->next_seek_frames = ramp_frames;
        return;
    }
    voice->seek_waits = false;
    voice->sought_from = voice_place(voice);
    voice->seek_remaining = voice->seek_frames = ramp_frames;
    voice_set_place(voice, (struct place){frame < voice->nframes ? frame : voice->nframes, voice->loops, false, false});
}

void source_leave_loop(struct voice *voice) RCORE_RT {
    // In the fade, its end included, it is on its way back already: once more.
    const bool fading = voice->loop_fade > 0 && voice->loops > 0 && voice->frame <= voice->loop_end &&
                        voice->frame >= voice->loop_end - voice->loop_fade;
    voice->loops = fading ? 1 : 0;
    voice->direct_end = 0;
}

// ---- Pieces -----------------------------------------------------------------------------------------------------------------------

// Where samples cannot be taken as they lie: in the fades of loops and seeks.
static uint32_t gather_piece(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT {
    if (voice->seek_remaining > 0) {
        nframes = voice->seek_remaining < nframes ? voice->seek_remaining : nframes;
    } else {
        const uint64_t left = voice->loop_end - voice->frame;
        nframes = left < nframes ? (uint32_t)left : nframes;
    }
    for (uint32_t channel = 0; channel < voice->channels; channel++) {
        voice_gather(core, voice, channel, nframes);
        memcpy(slot_channel(core, core->source_samples, 0, channel), core->gather_samples + 1, sizeof(float) * nframes);
    }
    voice->gathered = true;
    return nframes;
}

static uint32_t memory_piece(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT {
    voice->gathered = false;
    if (voice->frame >= voice->direct_end) {
        struct place place = voice_place(voice);
        place_settle(voice, &place);
        voice_set_place(voice, place);
        if (source_over(voice)) {
            return 0;
        }
        const uint64_t direct = voice->seek_remaining > 0 ? 0 : place_direct(voice, &place);
        if (direct == 0) {
            return gather_piece(core, voice, nframes);
        }
        voice->direct_end = voice->frame + direct;
    }
    const uint64_t left = voice->direct_end - voice->frame;
    return left < nframes ? (uint32_t)left : nframes;
}

static uint32_t stream_piece(struct voice *voice, uint32_t nframes) RCORE_RT {
    if (voice->primed) { // back at speed 1: the frame that varispeed kept is past
        rcore_fifo_consume(voice->params.fifo, 1);
        voice->primed = false;
    }
    const float *unused;
    return rcore_fifo_peek(voice->params.fifo, 0, 0, nframes, &unused);
}

// An app's function fills the core's own memory; it may say too much, not too little.
static uint32_t render_piece(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT {
    if (voice->rendered_all) {
        return 0;
    }
    float *planes[RCORE_MAX_CHANNELS];
    for (uint32_t channel = 0; channel < voice->channels; channel++) {
        planes[channel] = slot_channel(core, core->source_samples, 0, channel);
    }
    const uint32_t rendered = voice->params.render(voice->params.render_context, planes, voice->channels, nframes);
    voice->rendered_all = rendered < nframes;
    return rendered < nframes ? rendered : nframes;
}

uint32_t source_piece(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT {
    if (varispeed_applies(voice)) {
        return varispeed_piece(core, voice, nframes);
    }
    switch (voice->kind) {
    case SOURCE_MEMORY:
        return memory_piece(core, voice, nframes);
    case SOURCE_STREAM:
        return stream_piece(voice, nframes);
    case SOURCE_RENDER:
        return render_piece(core, voice, nframes);
    default:
        return nframes;
    }
}

static const float *input_channel(const rcore_t *core, const struct voice *voice, uint32_t channel,
                                  uint32_t offset) RCORE_RT {
    const uint32_t slot = voice->params.input;
    return slot < core->config.max_inputs && channel < core->inputs[slot].channels
               ? slot_channel(core, core->input_samples, slot, channel) + offset
               : NULL;
}

const float *source_channel(const rcore_t *core, struct voice *voice, uint32_t channel, uint32_t offset,
                            uint32_t nframes) RCORE_RT {
    if (varispeed_applies(voice) || voice->gathered) {
        return slot_channel(core, core->source_samples, 0, channel);
    }
    switch (voice->kind) {
    case SOURCE_MEMORY:
        return voice->samples + channel * voice->stride + voice->frame;
    case SOURCE_STREAM: {
        const float *samples;
        (void)rcore_fifo_peek(voice->params.fifo, channel, 0, nframes, &samples);
        return samples;
    }
    case SOURCE_RENDER:
        return slot_channel(core, core->source_samples, 0, channel);
    default:
        return input_channel(core, voice, channel, offset);
    }
}

void source_advance(struct voice *voice, uint32_t nframes) RCORE_RT {
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
    count_up(&voice->frames, nframes);
}

void source_follow_seek(struct voice *voice) RCORE_RT {
    if (voice->seek_waits && voice->seek_remaining == 0) {
        source_seek(voice, voice->next_seek, voice->next_seek_frames);
    }
}

bool source_over(const struct voice *voice) RCORE_RT {
    if (voice->kind == SOURCE_MEMORY) {
        const struct place place = voice_place(voice);
        return voice->frame >= voice->nframes && !place_loops(voice, &place) && voice->seek_remaining == 0;
    }
    return voice->rendered_all || (voice->kind == SOURCE_STREAM && rcore_fifo_drained(voice->params.fifo));
}
