// Varispeed by the 4-point, third-order Hermite spline (Catmull-Rom): between the frames 0 and 1, from the frames -1…2.
//
// Frames are counted from the present one: a place in memory, or the ring's next of a stream. A stream's frame before the present
// one stays in the ring (`primed`), so that it can be looked at again. Where each frame lies is counted in 1/2^32 of a source frame:
// sums are exact, so the same bits come out wherever a period is cut.
#include "varispeed.h"

#include "place.h"
#include "source.h"
#include "widest.h"

static const double one_frame = 4294967296.0; // 2^32

static uint64_t fixed(float speed) RCORE_RT { return (uint64_t)((double)speed * one_frame); }

// Where each frame lies, and returns where the one after them does. They may lie beyond what the source has; that is for the caller to see.
static uint64_t lay_places(rcore_t *core, const struct voice *voice, uint32_t nframes) RCORE_RT {
    uint64_t place = voice->phase;
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
// `finished`: nothing will follow what there is.
static uint64_t frames_ahead(struct voice *voice, bool *finished) RCORE_RT {
    *finished = false;
    if (voice->kind == SOURCE_MEMORY) {
        struct place place = voice_place(voice);
        place_settle(voice, &place);
        voice_set_place(voice, place);
        const uint64_t ahead = place_ahead(voice, &place);
        return ahead > voice->seek_remaining ? ahead : voice->seek_remaining;
    }
    *finished = rcore_fifo_finished(voice->params.fifo); // before the count: what came before the end is in it
    const uint64_t waiting = rcore_fifo_readable(voice->params.fifo);
    const uint64_t kept = (voice->primed ? 1u : 0u) + (*finished ? 0u : 2u);
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

static inline __attribute__((always_inline)) float spline(const float *points, float t) RCORE_RT {
    const float slope = 0.5f * (points[2] - points[0]);
    const float curve = points[0] - 2.5f * points[1] + 2.0f * points[2] - 0.5f * points[3];
    const float bend = 0.5f * (points[3] - points[0]) + 1.5f * (points[1] - points[2]);
    return ((bend * t + curve) * t + slope) * t + points[1];
}

WIDEST static void interpolate(float *restrict target, const float *restrict row, const int32_t *restrict frames,
                               const float *restrict fractions, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        target[i] = spline(row + frames[i], fractions[i]);
    }
}

// At an even speed eight frames at a time: the four points of each are read together, as they lie, and turned into columns. (Gathering
// each column by itself is several times slower.)
typedef float four __attribute__((vector_size(16)));
typedef float eight __attribute__((vector_size(32)));
typedef uint32_t eight_counts __attribute__((vector_size(32)));
typedef int32_t eight_integers __attribute__((vector_size(32)));

static inline __attribute__((always_inline)) four four_at(const float *row, uint64_t place) RCORE_RT {
    four points;
    memcpy(&points, row + (place >> 32), sizeof points);
    return points;
}

// The points of frame `i`, and those of the one four later. A macro: a function without AVX cannot return eight.
#define POINTS(i)                                                                                                      \
    __builtin_shufflevector(four_at(row, place + (i)*speed), four_at(row, place + ((i) + 4) * speed), 0, 1, 2, 3, 4,   \
                            5, 6, 7)

WIDEST static void interpolate_evenly(float *restrict target, const float *row, uint64_t place, uint64_t speed,
                                      uint32_t nframes) RCORE_RT {
    const eight_counts steps = (eight_counts){0, 1, 2, 3, 4, 5, 6, 7} * (uint32_t)speed;
    uint32_t i = 0;
    for (; i + 8 <= nframes; i += 8, place += 8 * speed) {
        const eight p = POINTS(0), q = POINTS(1), r = POINTS(2), s = POINTS(3);
        const eight first_pq = __builtin_shufflevector(p, q, 0, 8, 1, 9, 4, 12, 5, 13);
        const eight first_rs = __builtin_shufflevector(r, s, 0, 8, 1, 9, 4, 12, 5, 13);
        const eight last_pq = __builtin_shufflevector(p, q, 2, 10, 3, 11, 6, 14, 7, 15);
        const eight last_rs = __builtin_shufflevector(r, s, 2, 10, 3, 11, 6, 14, 7, 15);
        const eight before = __builtin_shufflevector(first_pq, first_rs, 0, 1, 8, 9, 4, 5, 12, 13);
        const eight here = __builtin_shufflevector(first_pq, first_rs, 2, 3, 10, 11, 6, 7, 14, 15);
        const eight next = __builtin_shufflevector(last_pq, last_rs, 0, 1, 8, 9, 4, 5, 12, 13);
        const eight after = __builtin_shufflevector(last_pq, last_rs, 2, 3, 10, 11, 6, 7, 14, 15);
        const eight_counts fractions = (uint32_t)place + steps;
        const eight t = __builtin_convertvector((eight_integers)(fractions >> 8), eight) * 0x1p-24f;
        const eight slope = 0.5f * (next - before);
        const eight curve = before - 2.5f * here + 2.0f * next - 0.5f * after;
        const eight bend = 0.5f * (after - before) + 1.5f * (here - next);
        const eight mixed = ((bend * t + curve) * t + slope) * t + here;
        memcpy(target + i, &mixed, sizeof mixed);
    }
    for (; i < nframes; i++, place += speed) {
        target[i] = spline(row + (place >> 32), (float)(int32_t)((uint32_t)place >> 8) * 0x1p-24f);
    }
}

// ---- Pieces -----------------------------------------------------------------------------------------------------------------------

static void leave_at(struct voice *voice, uint64_t place) RCORE_RT {
    voice->consumed = (uint32_t)(place >> 32);
    voice->next_phase = (uint32_t)place;
}

// All of the frames, if the speed does not change and the source has them.
static bool even_piece(rcore_t *core, struct voice *voice, uint64_t ahead, uint32_t nframes) RCORE_RT {
    const uint64_t speed = fixed(voice->speed.target);
    const uint64_t last = voice->phase + (nframes - 1) * speed;
    if (voice->speed.remaining > 0 || last >> 32 >= ahead) {
        return false;
    }
    for (uint32_t channel = 0; channel < voice->channels; channel++) {
        interpolate_evenly(slot_channel(core, core->source_samples, 0, channel),
                           row_of(core, voice, channel, (uint32_t)(last >> 32) + 4), voice->phase, speed, nframes);
    }
    leave_at(voice, last + speed);
    return true;
}

uint32_t varispeed_piece(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT {
    bool finished;
    const uint64_t ahead = frames_ahead(voice, &finished);
    if (even_piece(core, voice, ahead, nframes)) {
        return nframes;
    }
    const uint64_t end = lay_places(core, voice, nframes);
    const uint32_t count = count_before(core, ahead, nframes);
    if (count == 0) {
        voice->rendered_all = finished;
        return 0;
    }
    leave_at(voice, count < nframes ? lay_places(core, voice, count) : end);
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
        source_follow_seek(voice);
        return;
    }
    // Up to the frame before the new present one.
    const uint32_t past = voice->consumed + (voice->primed ? 1 : 0);
    if (past > 0) {
        rcore_fifo_consume(voice->params.fifo, past - 1);
        voice->primed = true;
    }
}
