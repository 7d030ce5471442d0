// Playheads of memory sources. A playhead at the end of a loop wraps only when the next frame is
// needed: a voice that leaves the loop exactly at its end does not wrap.
#include "voices/playhead.h"

#include "core/core.h"

#include <string.h>

void playhead_settle(const struct voice *voice, struct playhead *playhead) RCORE_RT {
    if (playhead->loops > 0 && playhead->frame == voice->loop_end) {
        playhead->loops -= playhead->loops == UINT64_MAX ? 0 : 1;
        playhead->frame = voice->loop_start;
        playhead->wrapped = true;
    }
}

bool playhead_loops(const struct voice *voice, const struct playhead *playhead) RCORE_RT {
    return playhead->loops > 0 && playhead->frame <= voice->loop_end;
}

uint64_t playhead_remaining(const struct voice *voice, const struct playhead *playhead) RCORE_RT {
    if (!playhead_loops(voice, playhead)) {
        return voice->nframes - playhead->frame;
    }
    const uint64_t length = voice->loop_end - voice->loop_start;
    const uint64_t last = voice->loop_end - playhead->frame + voice->nframes - voice->loop_start;
    uint64_t frames;
    const bool overflows =
        __builtin_mul_overflow(playhead->loops - 1, length, &frames) || __builtin_add_overflow(frames, last, &frames);
    return overflows ? UINT64_MAX : frames;
}

uint64_t playhead_direct(const struct voice *voice, const struct playhead *playhead) RCORE_RT {
    if (!playhead_loops(voice, playhead)) {
        return voice->nframes - playhead->frame;
    }
    const uint64_t end = voice->loop_end - voice->loop_fade;
    return playhead->frame < end ? end - playhead->frame : 0;
}

void playhead_advance(const struct voice *voice, struct playhead *playhead, uint64_t nframes) RCORE_RT {
    while (nframes > 0) {
        playhead_settle(voice, playhead);
        const uint64_t end = playhead_loops(voice, playhead) ? voice->loop_end : voice->nframes;
        const uint64_t step = end - playhead->frame < nframes ? end - playhead->frame : nframes;
        if (step == 0) {
            playhead->past_end = true;
            return;
        }
        playhead->frame += step;
        nframes -= step;
    }
}

// Copies frames that follow each other in the source. Those that are not in memory are silence.
static void copy_frames(const struct voice *voice, uint32_t channel, uint64_t frame, uint32_t nframes,
                        float *row) RCORE_RT {
    while (nframes > 0) {
        uint64_t count;
        const float *samples = memory_samples(voice, channel, frame, &count);
        if (count == 0) {
            memset(row, 0, sizeof(float) * nframes);
            return;
        }
        const uint32_t step = count < nframes ? (uint32_t)count : nframes;
        memcpy(row, samples, sizeof(float) * step);
        frame += step;
        row += step;
        nframes -= step;
    }
}

// Crossfades `row`, whose first frame is number `first` of a fade of `length` frames, to
// `incoming`.
static void crossfade(float *restrict row, const float *restrict incoming, uint32_t first, uint32_t length,
                      uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        const float weight = (float)(first + i + 1) / (float)length;
        row[i] += (incoming[i] - row[i]) * weight;
    }
}

// Crossfades the part of `row` that lies in the fade before the loop's end with the frames before
// the loop's start. row[0] is `frame`.
static void fade_loop(const struct voice *voice, uint32_t channel, uint64_t frame, uint32_t nframes,
                      float *row) RCORE_RT {
    const uint64_t begin = voice->loop_end - voice->loop_fade;
    const uint64_t length = voice->loop_end - voice->loop_start;
    uint32_t i = frame < begin ? (uint32_t)(begin - frame < nframes ? begin - frame : nframes) : 0;
    while (i < nframes) {
        uint64_t count;
        const float *incoming = memory_samples(voice, channel, frame + i - length, &count);
        if (count == 0) {
            return;
        }
        const uint32_t step = count < nframes - i ? (uint32_t)count : nframes - i;
        crossfade(row + i, incoming, (uint32_t)(frame + i - begin), voice->loop_fade, step);
        i += step;
    }
}

// Returns the frame before the playhead.
static float frame_before(const struct voice *voice, uint32_t channel, const struct playhead *playhead) RCORE_RT {
    if (playhead->past_end) {
        return 0.0f; // the silence after the end
    }
    const bool back = playhead->wrapped && playhead->frame == voice->loop_start;
    const uint64_t after = back ? voice->loop_end : playhead->frame;
    if (after == 0) {
        return 0.0f;
    }
    float sample;
    copy_frames(voice, channel, after - 1, 1, &sample);
    if (voice->loop_fade > 0 && (back || playhead_loops(voice, playhead))) {
        fade_loop(voice, channel, after - 1, 1, &sample);
    }
    return sample;
}

void playhead_gather(const struct voice *voice, uint32_t channel, struct playhead playhead, uint32_t nframes,
                     float *row) RCORE_RT {
    playhead_settle(voice, &playhead);
    *row++ = frame_before(voice, channel, &playhead);
    while (nframes > 0) {
        playhead_settle(voice, &playhead);
        const bool loops = playhead_loops(voice, &playhead);
        const uint64_t outgoing = (loops ? voice->loop_end : voice->nframes) - playhead.frame;
        const uint32_t step = outgoing < nframes ? (uint32_t)outgoing : nframes;
        if (step == 0) {
            break;
        }
        copy_frames(voice, channel, playhead.frame, step, row);
        if (loops && voice->loop_fade > 0) {
            fade_loop(voice, channel, playhead.frame, step, row);
        }
        playhead.frame += step;
        row += step;
        nframes -= step;
    }
    memset(row, 0, sizeof(float) * nframes);
}

void voice_gather(rcore_t *core, const struct voice *voice, uint32_t channel, uint32_t nframes) RCORE_RT {
    float *row = core->voices.gather_samples;
    playhead_gather(voice, channel, voice_playhead(voice), nframes, row);
    if (voice->seek_remaining == 0) {
        return;
    }
    const float *outgoing = core->voices.seek_samples;
    playhead_gather(voice, channel, voice->seek_from, nframes, core->voices.seek_samples);
    // Index 0 is the frame before the playhead.
    for (uint32_t i = 0; i <= nframes && i <= voice->seek_remaining; i++) {
        row[i] += (outgoing[i] - row[i]) * ((float)(voice->seek_remaining - i) / (float)voice->seek_frames);
    }
}

void voice_advance(struct voice *voice, uint64_t nframes) RCORE_RT {
    struct playhead playhead = voice_playhead(voice);
    playhead_advance(voice, &playhead, nframes);
    voice_set_playhead(voice, playhead);
    if (voice->seek_remaining > 0) {
        playhead_advance(voice, &voice->seek_from, nframes);
        voice->seek_remaining -= nframes < voice->seek_remaining ? (uint32_t)nframes : voice->seek_remaining;
    }
}
