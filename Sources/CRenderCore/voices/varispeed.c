// Varispeed: plays a source faster or slower, interpolated (interpolation.h).
//
// Frames are counted from the current one: the playhead in memory, or the next frame in a stream's
// ring. The frame before a stream's current one stays in the ring (`primed`), so that it can be
// read again. Positions are counted in 1/2^32 of a source frame. Their sums are exact, so the bits
// are the same wherever a period is divided.
#include "voices/varispeed.h"

#include "core/core.h"
#include "core/counters.h"
#include "mix/ramp.h"
#include "voices/interpolation.h"
#include "voices/paging.h"
#include "voices/playhead.h"
#include "voices/seek.h"

#include <string.h>

static const double one_frame = 4294967296.0; // 2^32

// Converts by a signed type, for which processors have an instruction.
static uint64_t fixed(float speed) RCORE_RT { return (uint64_t)(int64_t)((double)speed * one_frame); }

// Computes the source position of each frame and returns that of the frame after them. Positions
// may lie beyond the source's available frames; the caller checks that.
static uint64_t compute_positions(rcore_t *core, const struct voice *voice, uint32_t nframes) RCORE_RT {
    uint64_t position = voice->phase;
    struct ramp speed = voice->speed;
    for (uint32_t i = 0; i < nframes; i++) {
        core->voices.playhead_frames[i] = (int32_t)(position >> 32);
        core->voices.playhead_fractions[i] = interpolation_fraction(position);
        ramp_advance(&speed, 1);
        position += fixed(ramp_value(&speed));
    }
    return position;
}

// Returns how many of the `nframes` computed positions lie before source frame `end`.
static uint32_t count_before(const rcore_t *core, uint64_t end, uint32_t nframes) RCORE_RT {
    uint32_t low = 0;
    while (low < nframes) { // positions ascend: bisect
        const uint32_t middle = low + (nframes - low) / 2;
        if ((uint64_t)core->voices.playhead_frames[middle] < end) {
            low = middle + 1;
        } else {
            nframes = middle;
        }
    }
    return low;
}

// ---- Available source frames --------------------------------------------------------------------

// Returns the number of available source frames from the current one on. Wraps the playhead of a
// memory source first if it is at the end of its loop. While a seek crossfades, counts at least the
// frames of the crossfade; those beyond the end are silence. Holds back two frames of a stream that
// is not finished, because the spline also needs the frames that follow. Sets `finished` if the
// stream's producer has finished.
static uint64_t frames_ahead(struct voice *voice, bool *finished) RCORE_RT {
    *finished = false;
    if (voice->kind == SOURCE_MEMORY) {
        struct playhead playhead = voice_playhead(voice);
        playhead_settle(voice, &playhead);
        voice_set_playhead(voice, playhead);
        const uint64_t ahead = playhead_remaining(voice, &playhead);
        if (voice->is_paged && paging_ahead(voice) < ahead) {
            return paging_ahead(voice); // it has faded out before what it cannot interpolate
        }
        return ahead > voice->seek_remaining ? ahead : voice->seek_remaining;
    }
    // Before the count is loaded: if the stream is finished, the count then includes all its
    // frames.
    *finished = rcore_fifo_finished(voice->params.fifo);
    const uint64_t readable = rcore_fifo_readable(voice->params.fifo);
    const uint64_t kept = (voice->primed ? 1u : 0u) + (*finished ? 0u : 2u);
    return readable > kept ? readable - kept : 0;
}

// Copies the source frames -1…count-2 of a stream's channel into the core's gather samples.
static void gather_stream(rcore_t *core, const struct voice *voice, uint32_t channel, uint32_t count) RCORE_RT {
    float *row = core->voices.gather_samples;
    uint32_t done = voice->primed ? 0 : 1;
    uint32_t offset = 0;
    while (done < count) {
        const float *samples;
        const uint32_t segment = rcore_fifo_peek(voice->params.fifo, channel, offset, count - done, &samples);
        if (segment == 0) {
            break;
        }
        memcpy(row + done, samples, sizeof(float) * segment);
        done += segment;
        offset += segment;
    }
    for (; done < count; done++) {
        row[done] = 0.0f; // beyond the end
    }
    if (!voice->primed) {
        const bool has_played = atomic_load_explicit(&voice->frames, memory_order_relaxed) > 0;
        // The ring no longer has the frame before the current one: extrapolate it linearly.
        row[0] = has_played && count > 2 ? 2.0f * row[1] - row[2] : 0.0f;
    }
}

// Returns the source frames -1…count-2 of one channel as consecutive samples: the source's own
// memory if they are contiguous there, otherwise a copy.
static const float *row_of(rcore_t *core, const struct voice *voice, uint32_t channel, uint32_t count) RCORE_RT {
    if (voice->kind == SOURCE_STREAM) {
        gather_stream(core, voice, channel, count);
        return core->voices.gather_samples;
    }
    const struct playhead playhead = voice_playhead(voice);
    const bool after_wrap = voice->wrapped && voice->frame == voice->loop_start;
    if (voice->seek_remaining == 0 && voice->frame > 0 && !after_wrap && playhead_direct(voice, &playhead) >= count) {
        uint64_t contiguous;
        const float *samples = memory_samples(voice, channel, voice->frame - 1, &contiguous);
        if (contiguous >= count) {
            return samples;
        }
    }
    voice_gather(core, voice, channel, count - 1);
    return core->voices.gather_samples;
}

// ---- Segments -----------------------------------------------------------------------------------

// Stores where the segment ends: `varispeed_advance` continues from there. `last`: the source frame
// at or before the last frame of the segment.
static void set_end_position(struct voice *voice, uint64_t position, uint32_t last) RCORE_RT {
    voice->consumed = (uint32_t)(position >> 32);
    voice->next_phase = (uint32_t)position;
    voice->has_begun_next = last == voice->consumed;
}

// If the speed is constant and the source has enough frames, interpolates all of them and returns
// true.
static bool even_segment(rcore_t *core, struct voice *voice, uint64_t ahead, uint32_t nframes) RCORE_RT {
    const uint64_t speed = fixed(voice->speed.target);
    const uint64_t last = voice->phase + (nframes - 1) * speed;
    if (voice->speed.remaining > 0 || last >> 32 >= ahead) {
        return false;
    }
    for (uint32_t channel = 0; channel < voice->channels; channel++) {
        interpolate_evenly(slot_channel(core, core->voices.source_samples, 0, channel),
                           row_of(core, voice, channel, (uint32_t)(last >> 32) + 4), voice->phase, speed, nframes);
    }
    set_end_position(voice, last + speed, (uint32_t)(last >> 32));
    return true;
}

uint32_t varispeed_segment(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT {
    bool finished;
    const uint64_t ahead = frames_ahead(voice, &finished);
    if (even_segment(core, voice, ahead, nframes)) {
        return nframes;
    }
    const uint64_t end = compute_positions(core, voice, nframes);
    const uint32_t count = count_before(core, ahead, nframes);
    if (count == 0) {
        voice->rendered_all = finished;
        return 0;
    }
    // Fewer frames than requested: computes the positions again, up to where the segment ends.
    const uint64_t position = count < nframes ? compute_positions(core, voice, count) : end;
    set_end_position(voice, position, (uint32_t)core->voices.playhead_frames[count - 1]);
    const uint32_t row = (uint32_t)core->voices.playhead_frames[count - 1] + 4;
    for (uint32_t channel = 0; channel < voice->channels; channel++) {
        interpolate(slot_channel(core, core->voices.source_samples, 0, channel), row_of(core, voice, channel, row),
                    core->voices.playhead_frames, core->voices.playhead_fractions, count);
    }
    return count;
}

void varispeed_advance(struct voice *voice) RCORE_RT {
    voice->phase = voice->next_phase;
    add_to_counter(&voice->frames, voice->consumed);
    if (voice->kind == SOURCE_MEMORY) {
        voice_advance(voice, voice->consumed);
        if (voice->has_begun_next) { // at the end of a loop, it has already wrapped
            struct playhead playhead = voice_playhead(voice);
            playhead_settle(voice, &playhead);
            voice_set_playhead(voice, playhead);
        }
        source_follow_seek(voice);
        return;
    }
    // Consume the stream up to the frame before the new current one.
    const uint32_t passed = voice->consumed + (voice->primed ? 1 : 0);
    if (passed > 0) {
        rcore_fifo_consume(voice->params.fifo, passed - 1);
        voice->primed = true;
    }
}
