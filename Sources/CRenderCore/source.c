// Sources: the four kinds, a line each wherever they differ.
#include "source.h"

#include "varispeed.h"

void source_begin(struct voice *voice) RCORE_RT {
    const rcore_voice_params_t *params = &voice->params;
    voice->channels = params->buffer != NULL ? params->buffer->channels
                      : params->fifo != NULL ? rcore_fifo_channels(params->fifo)
                      : params->render       ? params->render_channels
                                             : params->input_channels;
    voice->position = params->start_frame;
    voice->loops = params->loop_count;
    voice->rendered = 0;
    voice->rendered_all = false;
    voice->phase = 0.0;
    voice->primed = false;
    if (!voice->speed_set) {
        ramp_set(&voice->speed, params->speed);
    }
}

static uint32_t buffer_piece(struct voice *voice, uint32_t nframes) RCORE_RT {
    const rcore_buffer_t *buffer = voice->params.buffer;
    if (voice->position == buffer->nframes && voice->loops > 0) {
        voice->loops -= voice->loops == UINT64_MAX ? 0 : 1;
        voice->position = 0;
    }
    const uint64_t left = buffer->nframes - voice->position;
    return left < nframes ? (uint32_t)left : nframes;
}

// An app's function fills the core's own memory; it may say too much, not too little.
static uint32_t render_piece(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT {
    if (voice->rendered_all) {
        return 0;
    }
    float *planes[RCORE_MAX_CHANNELS];
    for (uint32_t channel = 0; channel < voice->channels; channel++) {
        planes[channel] = core->source_samples + (size_t)channel * core->config.slice_frames;
    }
    const uint32_t rendered = voice->params.render(voice->params.render_context, planes, voice->channels, nframes);
    voice->rendered_all = rendered < nframes;
    return rendered < nframes ? rendered : nframes;
}

uint32_t source_piece(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT {
    if (varispeed_applies(voice)) {
        return varispeed_piece(core, voice, nframes);
    }
    if (voice->params.buffer != NULL) {
        return buffer_piece(voice, nframes);
    }
    if (voice->params.fifo != NULL) {
        if (voice->primed) { // back at speed 1: the frame that varispeed kept is past
            rcore_fifo_consume(voice->params.fifo, 1);
            voice->primed = false;
        }
        const float *unused;
        return rcore_fifo_peek(voice->params.fifo, 0, 0, nframes, &unused);
    }
    return voice->params.render ? render_piece(core, voice, nframes) : nframes;
}

// Live input is heard only while the session's gate grants it; a bus without a gate is the app's own business.
static const float *input_channel(const rcore_t *core, const struct voice *voice, uint32_t channel,
                                  uint32_t offset) RCORE_RT {
    const uint32_t input = voice->params.first_input + channel;
    if (input >= core->ninputs || core->inputs[input] == NULL || !gates_grant_input(core, voice->params.bus)) {
        return NULL;
    }
    return core->inputs[input] + core->input_offset + offset;
}

const float *source_channel(const rcore_t *core, struct voice *voice, uint32_t channel, uint32_t offset,
                            uint32_t nframes) RCORE_RT {
    if (varispeed_applies(voice)) {
        return core->source_samples + (size_t)channel * core->config.slice_frames;
    }
    if (voice->params.buffer != NULL) {
        const rcore_buffer_t *buffer = voice->params.buffer;
        return buffer->samples + channel * buffer->stride + voice->position;
    }
    if (voice->params.fifo != NULL) {
        const float *samples;
        (void)rcore_fifo_peek(voice->params.fifo, channel, 0, nframes, &samples);
        return samples;
    }
    if (voice->params.render) {
        return core->source_samples + (size_t)channel * core->config.slice_frames;
    }
    return input_channel(core, voice, channel, offset);
}

void source_advance(struct voice *voice, uint32_t nframes) RCORE_RT {
    if (varispeed_applies(voice)) {
        varispeed_advance(voice);
        return;
    }
    if (voice->params.buffer != NULL) {
        voice->position += nframes;
    } else if (voice->params.fifo != NULL) {
        rcore_fifo_consume(voice->params.fifo, nframes);
    }
    voice->rendered += nframes;
}

bool source_over(const struct voice *voice) RCORE_RT {
    if (voice->params.buffer != NULL) {
        return voice->position >= voice->params.buffer->nframes && voice->loops == 0;
    }
    return voice->rendered_all || (voice->params.fifo != NULL && rcore_fifo_drained(voice->params.fifo));
}

// Voices lie apart in memory and so do their samples. Asking for them some voices ahead hides most of the way: first the voice, then
// what it points to, then the samples.
void source_prefetch(const rcore_t *core, uint32_t index, uint32_t nframes) RCORE_RT {
    enum { far = 16, middle = 12, near = 8, line = 64 };
    if (index + far < core->playing_count) {
        const char *voice = (const char *)&core->voices[core->playing[index + far]];
        for (size_t byte = 0; byte < sizeof(struct voice); byte += line) {
            __builtin_prefetch(voice + byte);
        }
    }
    if (index + middle < core->playing_count) {
        const struct voice *voice = &core->voices[core->playing[index + middle]];
        __builtin_prefetch(voice->params.buffer);
        __builtin_prefetch(voice->params.matrix);
    }
    if (index + near < core->playing_count) {
        const struct voice *voice = &core->voices[core->playing[index + near]];
        const rcore_buffer_t *buffer = voice->params.buffer;
        for (uint32_t channel = 0; buffer != NULL && channel < buffer->channels && channel < 2; channel++) {
            const float *samples = buffer->samples + channel * buffer->stride + voice->position;
            for (uint32_t frame = 0; frame < nframes; frame += line / sizeof(float)) {
                __builtin_prefetch(samples + frame);
            }
        }
    }
}
