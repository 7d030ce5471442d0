// Most voices, most of the time, lie in memory and are led to a pair of channels, by gains that stand still or move. What they are is
// found out when they go by themselves and remembered in a word, `group`; from then on the cycle asks for that, and whether the slice ends
// before something changes.
#include "group.h"

#include "mix_group.h"
#include "pan.h"
#include "source.h"
#include "varispeed.h"
#include "voice.h"

void group_join(const rcore_t *core, struct voice *voice) RCORE_RT {
    group_leave(voice);
    const bool at_rest = !voice->paused && !voice->stopping && voice->fade.remaining == 0 &&
                         voice->fade.target == 1.0f && !varispeed_applies(voice);
    if (voice->kind != SOURCE_MEMORY || !at_rest || voice->bus >= core->config.max_buses ||
        voice->bus >= GROUP_PAIR - 1) {
        return;
    }
    const bool mapped = voice->matrix != NULL;
    if (voice->channels == 1 && (pan_applies(voice) ? !mapped : mapped && voice->matrix->outputs == 2)) {
        voice->group = (uint16_t)(voice->bus + 1);
    } else if (voice->channels == 2 && !mapped) {
        voice->group = (uint16_t)((voice->bus + 1) | GROUP_PAIR);
    }
}

// Whether its samples lie there for all of the slice, not up to their very end (then it may be over), and its gains are straight lines
// throughout. What stands still has 0 frames to go, which less one is more than any slice.
static inline bool joins(const struct voice *voice, uint16_t group, uint32_t nframes) RCORE_RT {
    return voice->group == group && voice->frame + nframes < voice->direct_end &&
           voice->gain.remaining - 1 >= nframes - 1 && (uint32_t)voice->pan_remaining - 1 >= nframes - 1;
}

static inline void fill_lane(struct lane *lane, const struct voice *voice) RCORE_RT {
    const float *samples = voice->samples + voice->frame;
    const bool pair = (voice->group & GROUP_PAIR) != 0;
    lane->left = samples;
    lane->right = pair ? samples + voice->stride : samples;
    lane->sides = voice->sides;
    lane->sides_last = (float)voice->pan_remaining - 1.0f;
    lane->gain_end = voice->gain.target;
    lane->gain_step = voice->gain.step;
    lane->gain_last = (float)voice->gain.remaining - 1.0f;
    lane->moves = voice->pan_remaining > 0 ? LANE_PAN : voice->gain.remaining > 0 ? LANE_GAIN : LANE_NOTHING;
}

static inline void advance(struct voice *voice, uint32_t nframes) RCORE_RT {
    voice->frame += nframes;
    count_up(&voice->frames, nframes);
    ramp_advance_to_rest(&voice->gain, nframes);
    pan_advance(voice, nframes);
}

static struct voice *voice_after(const rcore_t *core, uint32_t index) RCORE_RT {
    return index < core->playing_count && core->playing[index] != RCORE_NONE ? &core->voices[core->playing[index]]
                                                                             : NULL;
}

uint32_t group_render(rcore_t *core, uint32_t index, uint32_t nframes) RCORE_RT {
    struct voice *voice = &core->voices[core->playing[index]];
    const uint16_t group = voice->group;
    if (!joins(voice, group, nframes) || group == GROUP_NONE || voice_frozen(core, voice) ||
        core->buses[voice->bus].channels < 2) {
        return 0;
    }
    const uint32_t bus = voice->bus;
    struct lane lanes[GROUP_MOST];
    uint32_t count = 0;
    do {
        source_prefetch(core, index + count, nframes);
        fill_lane(&lanes[count], voice);
        advance(voice, nframes);
        count++;
        voice = voice_after(core, index + count);
    } while (count < GROUP_MOST && voice != NULL && joins(voice, group, nframes));
    bus_open(core, bus, nframes);
    mix_group(bus_channel(core, bus, 0), bus_channel(core, bus, 1), lanes, count, (group & GROUP_PAIR) != 0, nframes);
    return count;
}
