// Varispeed by the 4-point, third-order Hermite spline (Catmull-Rom): between the frames 0 and 1, from the frames -1…2.
//
// Frames are counted from the present one, `position` of memory or the ring's next of a stream. A stream's frame before the present
// one stays in the ring (`primed`), so that it can be looked at again.
#include "varispeed.h"

#include "widest.h"

// Where each frame lies, and how many there are. `places` may lie beyond what the source has; that is for the caller to see.
static double lay_places(rcore_t *core, const struct voice *voice, uint32_t nframes) RCORE_RT {
    double place = voice->phase;
    struct ramp speed = voice->speed;
    for (uint32_t i = 0; i < nframes; i++) {
        core->speed_places[i] = place;
        ramp_advance(&speed, 1);
        place += (double)ramp_value(&speed);
    }
    return place;
}

// How many of the frames laid out lie before `end`.
static uint32_t count_before(const rcore_t *core, double end, uint32_t nframes) RCORE_RT {
    uint32_t low = 0;
    while (low < nframes) { // places rise: bisect
        const uint32_t middle = low + (nframes - low) / 2;
        if (core->speed_places[middle] < end) {
            low = middle + 1;
        } else {
            nframes = middle;
        }
    }
    return low;
}

// ---- What the source has ------------------------------------------------------------------------------------------------------

// Source frames from the present one on; a stream that goes on keeps two back, which the spline looks ahead to.
static double frames_ahead(struct voice *voice) RCORE_RT {
    if (voice->params.buffer != NULL) {
        const uint64_t nframes = voice->params.buffer->nframes;
        if (voice->position >= nframes && voice->loops > 0) {
            voice->loops -= voice->loops == UINT64_MAX ? 0 : 1;
            voice->position -= nframes;
        }
        return voice->position < nframes ? (double)(nframes - voice->position) : 0.0;
    }
    const bool finished = rcore_fifo_finished(voice->params.fifo);
    const double ahead = (double)rcore_fifo_readable(voice->params.fifo) - (voice->primed ? 1.0 : 0.0);
    return finished ? ahead : ahead - 2.0;
}

// Frame `index` of memory, counted from the present one (-1 is the one before).
static float memory_frame(const struct voice *voice, uint32_t channel, int64_t index) RCORE_RT {
    const rcore_buffer_t *buffer = voice->params.buffer;
    const float *samples = buffer->samples + channel * buffer->stride;
    const int64_t length = (int64_t)buffer->nframes;
    int64_t frame = (int64_t)voice->position + index;
    if (frame < 0) {
        return voice->rendered > 0 ? samples[length - 1] : 0.0f; // it has looped: what came before is the end
    }
    if (frame >= length) {
        return voice->loops > 0 ? samples[frame % length] : 0.0f;
    }
    return samples[frame];
}

// Puts the source frames -1…count-2 of one channel in a row.
static void gather_memory(rcore_t *core, const struct voice *voice, uint32_t channel, uint32_t count) RCORE_RT {
    for (uint32_t i = 0; i < count; i++) {
        core->speed_samples[i] = memory_frame(voice, channel, (int64_t)i - 1);
    }
}

static void gather_stream(rcore_t *core, const struct voice *voice, uint32_t channel, uint32_t count) RCORE_RT {
    float *row = core->speed_samples;
    uint32_t done = voice->primed ? 0 : 1;
    uint32_t offset = 0;
    while (done < count) {
        const float *samples;
        const uint32_t piece = rcore_fifo_peek(voice->params.fifo, channel, offset, count - done, &samples);
        if (piece == 0) {
            break;
        }
        memcpy(row + done, samples, sizeof(float) * piece);
        done += piece;
        offset += piece;
    }
    for (; done < count; done++) {
        row[done] = 0.0f; // beyond the end
    }
    if (!voice->primed) {
        row[0] = voice->rendered > 0 && count > 2 ? 2.0f * row[1] - row[2] : 0.0f; // not kept: a straight line back
    }
}

// ---- In between -----------------------------------------------------------------------------------------------------------------

WIDEST static void interpolate(float *restrict target, const float *restrict row, const double *restrict places,
                               uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        const int32_t index = (int32_t)places[i];
        const float t = (float)(places[i] - (double)index);
        const float before = row[index];
        const float here = row[index + 1];
        const float next = row[index + 2];
        const float after = row[index + 3];
        const float slope = 0.5f * (next - before);
        const float curve = before - 2.5f * here + 2.0f * next - 0.5f * after;
        const float bend = 0.5f * (after - before) + 1.5f * (here - next);
        target[i] = ((bend * t + curve) * t + slope) * t + here;
    }
}

uint32_t varispeed_piece(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT {
    const double ahead = frames_ahead(voice);
    const double end = lay_places(core, voice, nframes);
    const uint32_t count = count_before(core, ahead, nframes);
    if (count == 0) {
        voice->rendered_all = voice->params.fifo != NULL && rcore_fifo_finished(voice->params.fifo);
        return 0;
    }
    const double next = count < nframes ? core->speed_places[count] : end;
    voice->consumed = (uint32_t)next;
    voice->next_phase = next - (double)voice->consumed;
    const uint32_t row = (uint32_t)core->speed_places[count - 1] + 4;
    for (uint32_t channel = 0; channel < voice->channels && channel < core->config.max_channels; channel++) {
        if (voice->params.buffer != NULL) {
            gather_memory(core, voice, channel, row);
        } else {
            gather_stream(core, voice, channel, row);
        }
        interpolate(core->source_samples + (size_t)channel * core->config.slice_frames, core->speed_samples,
                    core->speed_places, count);
    }
    return count;
}

void varispeed_advance(struct voice *voice) RCORE_RT {
    voice->phase = voice->next_phase;
    voice->rendered += voice->consumed;
    if (voice->params.buffer != NULL) {
        voice->position += voice->consumed;
        return;
    }
    // Up to the frame before the new present one.
    const uint32_t past = voice->consumed + (voice->primed ? 1 : 0);
    if (past > 0) {
        rcore_fifo_consume(voice->params.fifo, past - 1);
        voice->primed = true;
    }
}
