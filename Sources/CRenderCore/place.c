// Places in memory. A loop goes back when the frame after its end is asked for, not before: who leaves it exactly there has left it.
#include "place.h"

void place_settle(const struct voice *voice, struct place *place) RCORE_RT {
    if (place->loops > 0 && place->frame == voice->loop_end) {
        place->loops -= place->loops == UINT64_MAX ? 0 : 1;
        place->frame = voice->loop_start;
        place->looped = true;
    }
}

bool place_loops(const struct voice *voice, const struct place *place) RCORE_RT {
    return place->loops > 0 && place->frame <= voice->loop_end;
}

uint64_t place_ahead(const struct voice *voice, const struct place *place) RCORE_RT {
    if (!place_loops(voice, place)) {
        return voice->nframes - place->frame;
    }
    const uint64_t length = voice->loop_end - voice->loop_start;
    const uint64_t last = voice->loop_end - place->frame + voice->nframes - voice->loop_start;
    const uint64_t again = place->loops - 1;
    return again > (UINT64_MAX - last) / length ? UINT64_MAX : last + again * length;
}

uint64_t place_direct(const struct voice *voice, const struct place *place) RCORE_RT {
    if (!place_loops(voice, place)) {
        return voice->nframes - place->frame;
    }
    const uint64_t end = voice->loop_end - voice->loop_fade;
    return place->frame < end ? end - place->frame : 0;
}

void place_advance(const struct voice *voice, struct place *place, uint64_t nframes) RCORE_RT {
    while (nframes > 0) {
        place_settle(voice, place);
        const uint64_t end = place_loops(voice, place) ? voice->loop_end : voice->nframes;
        const uint64_t step = end - place->frame < nframes ? end - place->frame : nframes;
        if (step == 0) {
            place->past = true;
            return;
        }
        place->frame += step;
        nframes -= step;
    }
}

// Fades the part of `row` that lies before the loop's end into what lies before its start. row[0] is `frame`.
static void fade_loop(const struct voice *voice, const float *samples, uint64_t frame, uint32_t nframes,
                      float *row) RCORE_RT {
    const uint64_t begin = voice->loop_end - voice->loop_fade;
    const uint64_t length = voice->loop_end - voice->loop_start;
    for (uint32_t i = frame < begin ? (uint32_t)(begin - frame < nframes ? begin - frame : nframes) : 0; i < nframes;
         i++) {
        const float weight = (float)(frame + i - begin + 1) / (float)voice->loop_fade;
        row[i] += (samples[frame + i - length] - row[i]) * weight;
    }
}

// The frame before the place.
static float frame_before(const struct voice *voice, const float *samples, const struct place *place) RCORE_RT {
    if (place->past) {
        return 0.0f; // the silence that follows the end
    }
    const bool back = place->looped && place->frame == voice->loop_start;
    const uint64_t after = back ? voice->loop_end : place->frame;
    if (after == 0) {
        return 0.0f;
    }
    float sample = samples[after - 1];
    if (voice->loop_fade > 0 && (back || place_loops(voice, place))) {
        fade_loop(voice, samples, after - 1, 1, &sample);
    }
    return sample;
}

void place_gather(const struct voice *voice, uint32_t channel, struct place place, uint32_t nframes,
                  float *row) RCORE_RT {
    const float *samples = voice->samples + channel * voice->stride;
    place_settle(voice, &place);
    *row++ = frame_before(voice, samples, &place);
    while (nframes > 0) {
        place_settle(voice, &place);
        const bool loops = place_loops(voice, &place);
        const uint64_t left = (loops ? voice->loop_end : voice->nframes) - place.frame;
        const uint32_t step = left < nframes ? (uint32_t)left : nframes;
        if (step == 0) {
            break;
        }
        memcpy(row, samples + place.frame, sizeof(float) * step);
        if (loops && voice->loop_fade > 0) {
            fade_loop(voice, samples, place.frame, step, row);
        }
        place.frame += step;
        row += step;
        nframes -= step;
    }
    memset(row, 0, sizeof(float) * nframes);
}

void voice_gather(rcore_t *core, const struct voice *voice, uint32_t channel, uint32_t nframes) RCORE_RT {
    float *row = core->gather_samples;
    place_gather(voice, channel, voice_place(voice), nframes, row);
    if (voice->seek_remaining == 0) {
        return;
    }
    const float *left = core->seek_samples;
    place_gather(voice, channel, voice->sought_from, nframes, core->seek_samples);
    for (uint32_t i = 0; i <= nframes && i <= voice->seek_remaining; i++) { // the first is the one before
        row[i] += (left[i] - row[i]) * ((float)(voice->seek_remaining - i) / (float)voice->seek_frames);
    }
}

void voice_advance(struct voice *voice, uint64_t nframes) RCORE_RT {
    struct place place = voice_place(voice);
    place_advance(voice, &place, nframes);
    voice_set_place(voice, place);
    if (voice->seek_remaining > 0) {
        place_advance(voice, &voice->sought_from, nframes);
        voice->seek_remaining -= nframes < voice->seek_remaining ? (uint32_t)nframes : voice->seek_remaining;
    }
}
