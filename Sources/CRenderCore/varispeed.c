// Varispeed by the 4-point, third-order Hermite spline (Catmull-Rom): between the frames 0 and 1, from the frames -1…2.
//
// Frames are counted from the present one: a place in memory, or the ring's next of a stream. A stream's frame before the present
// one stays in the ring (`primed`), so that it can be looked at again. Where each frame lies is counted in 1/2^32 of a source frame:
// sums are exact, so the same bits come out wherever a period is cut.
#include "varispeed.h"

#include "place.h"
#include "widest.h"

static const double one_frame = 4294967296.0; // 2^32

static uint64_t fixed(float speed) RCORE_RT { return (uint64_t)((double)speed * one_frame); }

WIDEST static void lay_evenly(int32_t *restrict frames, float *restrict fractions, uint64_t phase, uint64_t speed,
                              uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        const uint64_t place = phase + i * speed;
        frames[i] = (int32_t)(place >> 32);
        fractions[i] = (float)(int32_t)((uint32_t)place >> 8) * 0x1p-24f;
    }
}

// Where each frame lies, and returns where the one after them does. They may lie beyond what the source has; that is for the caller to see.
static uint64_t lay_places(rcore_t *core, const struct voice *voice, uint32_t nframes) RCORE_RT {
    uint64_t place = voice->phase;
    if (voice->speed.remaining == 0) {
        const uint64_t speed = fixed(voice->speed.target);
        lay_evenly(core->place_frames, core->place_fractions, place, speed, nframes);
        return place + nframes * speed;
    }
    struct ramp speed = voice->speed;
    for (uint32_t i = 0; i < nframes; i++) {
        core->place_frames[i] = (int32_t)(place >> 32);
        core->place_fractions[i] = (float)(int32_t)((uint32_t)place >> 8) * 0x1p-24f;
        ramp_advance(&speed, 1);
        place += fixed(ramp_value(&speed));
    }
    return place;
}

// How many of the frames laid out lie before source frame `end`.
static uint32_t count_before(const rcore_t *core, uint64_t end, uint32_t nframes) RCORE_RT {
    uint32_t low = 0;
    while (low < nframes) { // places rise: bisect
        const uint32_t middle = low + (nframes - low) / 2;
        if ((uint64_t)core->place_frames[middle] < end) {
            low = middle + 1;
        } else {
            nframes = middle;
        }
    }
    return low;
}

// ---- What the source has ------------------------------------------------------------------------------------------------------

// Source frames from the present one on; a stream that goes on keeps two back, which the spline looks ahead to.
static uint64_t frames_ahead(struct voice *voice) RCORE_RT {
    if (voice->kind == SOURCE_MEMORY) {
        struct place place = voice_place(voice);
        place_settle(voice, &place);
        voice_set_place(voice, place);
        const uint64_t ahead = place_ahead(voice, &place);
        return ahead > voice->seek_remaining ? ahead : voice->seek_remaining;
    }
    const uint64_t waiting = rcore_fifo_readable(voice->params.fifo);
    const uint64_t kept = (voice->primed ? 1u : 0u) + (rcore_fifo_finished(voice->params.fifo) ? 0u : 2u);
    return waiting > kept ? waiting - kept : 0;
}

// Puts the source frames -1…count-2 of a stream's channel in a row.
static void gather_stream(rcore_t *core, const struct voice *voice, uint32_t channel, uint32_t count) RCORE_RT {
    float *row = core->gather_samples;
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
        const bool begun = atomic_load_explicit(&voice->frames, memory_order_relaxed) > 0;
        row[0] = begun && count > 2 ? 2.0f * row[1] - row[2] : 0.0f; // not kept: a straight line back
    }
}

// The source frames -1…count-2 of one channel in a row: where they lie, if they lie so.
static const float *row_of(rcore_t *core, const struct voice *voice, uint32_t channel, uint32_t count) RCORE_RT {
    if (voice->kind == SOURCE_STREAM) {
        gather_stream(core, voice, channel, count);
        return core->gather_samples;
    }
    const struct place place = voice_place(voice);
    const bool back = voice->looped && voice->frame == voice->loop_start;
    if (voice->seek_remaining == 0 && voice->frame > 0 && !back && place_direct(voice, &place) >= count) {
        return voice->samples + channel * voice->stride + voice->frame - 1;
    }
    voice_gather(core, voice, channel, count - 1);
    return core->gather_samples;
}

// ---- In between -----------------------------------------------------------------------------------------------------------------

WIDEST static void interpolate(float *restrict target, const float *restrict row, const int32_t *restrict frames,
                               const float *restrict fractions, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        const float *points = row + frames[i];
        const float t = fractions[i];
        const float slope = 0.5f * (points[2] - points[0]);
        const float curve = points[0] - 2.5f * points[1] + 2.0f * points[2] - 0.5f * points[3];
        const float bend = 0.5f * (points[3] - points[0]) + 1.5f * (points[1] - points[2]);
        target[i] = ((bend * t + curve) * t + slope) * t + points[1];
    }
}

uint32_t varispeed_piece(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT {
    const uint64_t ahead = frames_ahead(voice);
    const uint64_t end = lay_places(core, voice, nframes);
    const uint32_t count = count_before(core, ahead, nframes);
    if (count == 0) {
        voice->rendered_all = voice->kind == SOURCE_STREAM && rcore_fifo_finished(voice->params.fifo);
        return 0;
    }
    const uint64_t next = count < nframes ? lay_places(core, voice, count) : end;
    voice->consumed = (uint32_t)(next >> 32);
    voice->next_phase = (uint32_t)next;
    const uint32_t row = (uint32_t)core->place_frames[count - 1] + 4;
    for (uint32_t channel = 0; channel < voice->channels; channel++) {
        interpolate(slot_channel(core, core->source_samples, 0, channel), row_of(core, voice, channel, row),
                    core->place_frames, core->place_fractions, count);
    }
    return count;
}

void varispeed_advance(struct voice *voice) RCORE_RT {
    voice->phase = voice->next_phase;
    count_up(&voice->frames, voice->consumed);
    if (voice->kind == SOURCE_MEMORY) {
        voice_advance(voice, voice->consumed);
        return;
    }
    // Up to the frame before the new present one.
    const uint32_t past = voice->consumed + (voice->primed ? 1 : 0);
    if (past > 0) {
        rcore_fifo_consume(voice->params.fifo, past - 1);
        voice->primed = true;
    }
}
