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

static inline float spline(const float *points, float t) RCORE_RT {
    const float slope = 0.5f * (points[2] - points[0]);
    const float curve = points[0] - 2.5f * points[1] + 2.0f * points[2] - 0.5f * points[3];
    const float bend = 0.5f * (points[3] - points[0]) + 1.5f * (points[1] - points[2]);
    return ((bend * t + curve) * t + slope) * t + points[1];
}

static inline float fraction(uint64_t place) RCORE_RT { return (float)(int32_t)((uint32_t)place >> 8) * 0x1p-24f; }

WIDEST static void interpolate(float *restrict target, const float *restrict row, const int32_t *restrict frames,
                               const float *restrict fractions, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        target[i] = spline(row + frames[i], fractions[i]);
    }
}

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define RCORE_SHUFFLES
#endif
#endif
#if defined(RCORE_SHUFFLES)
typedef float four __attribute__((vector_size(16)));
typedef float eight __attribute__((vector_size(32)));
typedef uint32_t eight_counts __attribute__((vector_size(32)));
typedef int32_t eight_integers __attribute__((vector_size(32)));

static inline void load_four(four *points, const float *row, uint64_t place) RCORE_RT {
    memcpy(points, row + (place >> 32), sizeof *points);
}

// At constant speed, eight frames at a time: the four points of each lie together, so they are loaded as they lie and then turned, points
// into columns. Gathering every point for itself takes longer.
WIDEST static uint32_t interpolate_eights(float *restrict target, const float *restrict row, uint64_t place,
                                          uint64_t speed, uint32_t nframes) RCORE_RT {
    const eight_counts steps = (eight_counts){0, 1, 2, 3, 4, 5, 6, 7} * (uint32_t)speed;
    uint32_t i = 0;
    for (; i + 8 <= nframes; i += 8, place += 8 * speed) {
        four at[8];
        for (unsigned k = 0; k < 8; k++) {
            load_four(&at[k], row, place + k * speed);
        }
        const eight p = __builtin_shufflevector(at[0], at[4], 0, 1, 2, 3, 4, 5, 6, 7);
        const eight q = __builtin_shufflevector(at[1], at[5], 0, 1, 2, 3, 4, 5, 6, 7);
        const eight r = __builtin_shufflevector(at[2], at[6], 0, 1, 2, 3, 4, 5, 6, 7);
        const eight s = __builtin_shufflevector(at[3], at[7], 0, 1, 2, 3, 4, 5, 6, 7);
        const eight front_pq = __builtin_shufflevector(p, q, 0, 8, 1, 9, 4, 12, 5, 13);
        const eight front_rs = __builtin_shufflevector(r, s, 0, 8, 1, 9, 4, 12, 5, 13);
        const eight back_pq = __builtin_shufflevector(p, q, 2, 10, 3, 11, 6, 14, 7, 15);
        const eight back_rs = __builtin_shufflevector(r, s, 2, 10, 3, 11, 6, 14, 7, 15);
        const eight a = __builtin_shufflevector(front_pq, front_rs, 0, 1, 8, 9, 4, 5, 12, 13);
        const eight b = __builtin_shufflevector(front_pq, front_rs, 2, 3, 10, 11, 6, 7, 14, 15);
        const eight c = __builtin_shufflevector(back_pq, back_rs, 0, 1, 8, 9, 4, 5, 12, 13);
        const eight d = __builtin_shufflevector(back_pq, back_rs, 2, 3, 10, 11, 6, 7, 14, 15);
        // As `fraction` and `spline`, to the bit.
        const eight_counts low = (uint32_t)place + steps;
        const eight t = __builtin_convertvector((eight_integers)(low >> 8), eight) * 0x1p-24f;
        const eight slope = 0.5f * (c - a);
        const eight curve = a - 2.5f * b + 2.0f * c - 0.5f * d;
        const eight bend = 0.5f * (d - a) + 1.5f * (b - c);
        const eight between = ((bend * t + curve) * t + slope) * t + b;
        memcpy(target + i, &between, sizeof between);
    }
    return i;
}
#else
static uint32_t interpolate_eights(float *restrict target, const float *restrict row, uint64_t place, uint64_t speed,
                                   uint32_t nframes) RCORE_RT {
    (void)target, (void)row, (void)place, (void)speed, (void)nframes;
    return 0;
}
#endif

WIDEST static void interpolate_rest(float *restrict target, const float *restrict row, uint64_t place, uint64_t speed,
                                    uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        target[i] = spline(row + ((place + i * speed) >> 32), fraction(place + i * speed));
    }
}

// ---- Pieces ---------------------------------------------------------------------------------------------------------------------

// At constant speed, with all frames there: no places are laid out.
static void even_piece(rcore_t *core, struct voice *voice, uint64_t speed, uint32_t nframes) RCORE_RT {
    const uint64_t last = voice->phase + (nframes - 1) * speed;
    const uint64_t next = last + speed;
    voice->consumed = (uint32_t)(next >> 32);
    voice->next_phase = (uint32_t)next;
    for (uint32_t channel = 0; channel < voice->channels; channel++) {
        float *target = slot_channel(core, core->source_samples, 0, channel);
        const float *row = row_of(core, voice, channel, (uint32_t)(last >> 32) + 4);
        const uint32_t done = interpolate_eights(target, row, voice->phase, speed, nframes);
        interpolate_rest(target + done, row, voice->phase + done * speed, speed, nframes - done);
    }
}

uint32_t varispeed_piece(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT {
    const uint64_t ahead = frames_ahead(voice);
    if (voice->speed.remaining == 0) {
        const uint64_t speed = fixed(voice->speed.target);
        if ((voice->phase + (nframes - 1) * speed) >> 32 < ahead) {
            even_piece(core, voice, speed, nframes);
            return nframes;
        }
    }
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
