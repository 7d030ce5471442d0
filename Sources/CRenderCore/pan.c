#include "pan.h"

// A stretch is the 64th part of its move, so that straight lines stray from the law by less than 1e-4; within these bounds.
enum { shortest_stretch = 64, longest_stretch = 512 };

// sin(π/2 · x) for 0…1 by its series, to 2e-7; exact at both ends.
static float quarter_sine(float x) RCORE_RT {
    const float square = x * x;
    float sum = -3.5988432e-6f;
    sum = 1.6044118e-4f + square * sum;
    sum = -4.6817541e-3f + square * sum;
    sum = 7.9692626e-2f + square * sum;
    sum = -6.4596410e-1f + square * sum;
    sum = 1.5707963f + square * sum;
    return x <= 0.0f ? 0.0f : x >= 1.0f ? 1.0f : x * sum;
}

static float law_gain(uint8_t law, float share) RCORE_RT {
    return law == RCORE_PAN_EQUAL_POWER ? quarter_sine(share) : share;
}

static void law_gains(const struct voice *voice, float pan, float gains[2]) RCORE_RT {
    const float right = 0.5f * (pan + 1.0f);
    gains[0] = law_gain(voice->pan_law, 1.0f - right);
    gains[1] = law_gain(voice->pan_law, right);
    if (!pan_spreads(voice)) { // balance: the middle changes nothing, nothing is louder than it was
        const float middle = law_gain(voice->pan_law, 0.5f);
        gains[0] = gains[0] < middle ? gains[0] / middle : 1.0f;
        gains[1] = gains[1] < middle ? gains[1] / middle : 1.0f;
    }
}

void pan_set(struct voice *voice, float pan) RCORE_RT {
    ramp_set(&voice->pan, pan);
    law_gains(voice, pan, voice->pan_gains);
    voice->pan_steps[0] = voice->pan_steps[1] = 0.0f;
    voice->pan_remaining = 0;
}

void pan_go(struct voice *voice, float pan, uint32_t ramp_frames) RCORE_RT {
    if (ramp_frames == 0) {
        pan_set(voice, pan);
        return;
    }
    // From where it is now: within a stretch, that is between its ends.
    struct ramp now = voice->pan;
    now.remaining += voice->pan_remaining;
    ramp_set(&voice->pan, ramp_value(&now));
    for (unsigned side = 0; side < 2; side++) {
        voice->pan_gains[side] -= voice->pan_steps[side] * (float)voice->pan_remaining;
    }
    voice->pan_remaining = 0;
    const uint32_t part = ramp_frames / 64;
    voice->pan_length = (uint16_t)(part < shortest_stretch  ? shortest_stretch
                                   : part > longest_stretch ? longest_stretch
                                                            : part);
    ramp_go(&voice->pan, pan, ramp_frames);
}

void pan_begin_stretch(struct voice *voice) RCORE_RT {
    const uint32_t length = (voice->pan.remaining - 1) % voice->pan_length + 1;
    float end[2];
    ramp_advance(&voice->pan, length);
    law_gains(voice, ramp_value(&voice->pan), end);
    for (unsigned side = 0; side < 2; side++) {
        voice->pan_steps[side] = (end[side] - voice->pan_gains[side]) / (float)length;
        voice->pan_gains[side] = end[side];
    }
    voice->pan_remaining = (uint16_t)length;
}
