// Most voices play from memory to a pair of channels, with constant or moving gains. After such a
// voice was rendered on its own, `batch_join` stores in its `batch` which batch it can join. From
// then on, each block only checks that value, and that nothing changes before the block ends.
#include "voices/voice_batch.h"

#include "core/core.h"
#include "core/counters.h"
#include "mix/batch_mix.h"
#include "mix/buses.h"
#include "mix/matrix.h"
#include "mix/pan.h"
#include "mix/ramp.h"
#include "voices/source.h"
#include "voices/varispeed.h"
#include "voices/voice.h"

void batch_join(const rcore_t *core, struct voice *voice) RCORE_RT {
    batch_leave(voice);
    const bool is_steady = !voice->paused && !voice->stopping && voice->fade.remaining == 0 &&
                           voice->fade.target == 1.0f && !varispeed_applies(voice) && !voice->is_filtered &&
                           !voice->is_paged;
    if (voice->kind != SOURCE_MEMORY || !is_steady || voice->bus >= core->config.max_buses ||
        voice->bus >= BATCH_PAIR - 1) {
        return;
    }
    const bool mapped = voice->matrix != NULL;
    if (voice->channels == 1 && (pan_applies(voice) ? !mapped : mapped && voice->matrix->outputs == 2)) {
        voice->batch = (uint16_t)(voice->bus + 1);
    } else if (voice->channels == 2 && !mapped) {
        voice->batch = (uint16_t)((voice->bus + 1) | BATCH_PAIR);
    }
}

// Returns whether the voice's samples lie in memory for the whole block and end after it (otherwise
// the voice may be over), and its gains are straight lines throughout. A constant gain has 0 frames
// remaining; the subtraction of 1 wraps around to the greatest integer, which no block exceeds.
static inline bool can_join(const struct voice *voice, uint16_t batch, uint32_t nframes) RCORE_RT {
    return voice->batch == batch && voice->frame + nframes < voice->direct_end &&
           voice->gain.remaining - 1 >= nframes - 1 && (uint32_t)voice->pan_remaining - 1 >= nframes - 1;
}

static inline uint32_t moves_of(const struct voice *voice) RCORE_RT {
    return voice->pan_remaining > 0 ? MOVES_PAN : voice->gain.remaining > 0 ? MOVES_GAIN : MOVES_NOTHING;
}

// Describes the voice's next frames to the mixing loop, and advances the voice past them.
static inline void take_frames(struct voice *voice, struct batch_member *member, uint32_t nframes) RCORE_RT {
    const float *samples = voice->samples + voice->frame;
    member->left = samples;
    member->right = (voice->batch & BATCH_PAIR) != 0 ? samples + voice->stride : samples;
    member->moves = moves_of(voice);
    voice->frame += nframes;
    add_to_counter(&voice->frames, nframes);
    if (member->moves == MOVES_NOTHING) {
        member->stereo.ends[0] = voice->gain.target * voice->stereo.ends[0];
        member->stereo.ends[1] = voice->gain.target * voice->stereo.ends[1];
        return;
    }
    member->stereo = voice->stereo;
    member->stereo_last = (float)voice->pan_remaining - 1.0f;
    member->gain_end = voice->gain.target;
    member->gain_step = voice->gain.step;
    member->gain_last = (float)voice->gain.remaining - 1.0f;
    ramp_advance_and_stop(&voice->gain, nframes);
    pan_advance(voice, nframes);
}

// Returns the voice at `index` in the list of playing voices; NULL beyond its end, or if it has
// ended.
static struct voice *playing_voice_at(const rcore_t *core, uint32_t index) RCORE_RT {
    return index < core->voices.playing_count && core->voices.playing[index] != RCORE_NONE
               ? &core->voices.pool[core->voices.playing[index]]
               : NULL;
}

uint32_t batch_render(rcore_t *core, uint32_t index, uint32_t nframes) RCORE_RT {
    struct voice *voice = &core->voices.pool[core->voices.playing[index]];
    const uint16_t batch = voice->batch;
    if (!can_join(voice, batch, nframes) || batch == BATCH_NONE || voice_suspended(core, voice) ||
        core->mix.buses[voice->bus].channels < 2) {
        return 0;
    }
    const uint32_t bus = voice->bus;
    struct batch_member members[BATCH_MAX];
    uint32_t count = 0;
    do {
        source_prefetch(core, index + count, nframes);
        take_frames(voice, &members[count], nframes);
        count++;
        voice = playing_voice_at(core, index + count);
    } while (count < BATCH_MAX && voice != NULL && can_join(voice, batch, nframes));
    bus_open_for_voice(core, bus, nframes);
    mix_batch(bus_channel(core, bus, 0), bus_channel(core, bus, 1), members, count, (batch & BATCH_PAIR) != 0, nframes);
    return count;
}
