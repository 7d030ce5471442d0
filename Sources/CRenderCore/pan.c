#include "pan.h"

enum { least_stretch = 64, greatest_stretch = 512, stretches = 64 };

// sin(π/2 · x) for 0…1 by the polynomial that comes nearest, to 3e-7; exact at both ends.
static float quarter_sine(float x) RCORE_RT {
    const float square = x * x;
    float sum = 1.5082056e-4f;
    sum = sum * square - 4.6722279e-3f;
    sum = sum * square + 7.9688481e-2f;
    sum = sum * square - 6.4596336e-1f;
    sum = sum * square + 1.5707963f;
    const float sine = sum * x < 1.0f ? sum * x : 1.0f;
    return x <= 0.0f ? 0.0f : x >= 1.0f ? 1.0f : sine;
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
    law_gains(voice, pan, voice->sides.ends);
    voice->sides.steps[0] = voice->sides.steps[1] = 0.0f;
    voice->pan_remaining = 0;
}

void pan_none(struct voice *voice) RCORE_RT {
    const rcore_matrix_t *matrix = voice->matrix;
    const bool pair = matrix != NULL && matrix->inputs == 1 && matrix->outputs == 2;
    for (unsigned side = 0; side < 2; side++) {
        voice->sides.ends[side] = pair ? matrix->gains[side] : 1.0f;
        voice->sides.steps[side] = 0.0f;
    }
    voice->pan_remaining = 0;
}

// The next straight piece of a move, if it is not over. Counted from the move's end, so that the last one ends there.
void pan_begin_stretch(struct voice *voice) RCORE_RT {
    if (voice->pan.remaining == 0) {
        voice->sides.steps[0] = voice->sides.steps[1] = 0.0f;
        return;
    }
    const uint32_t length = (voice->pan.remaining - 1) % voice->pan_stretch + 1;
    float end[2];
    ramp_advance(&voice->pan, length);
    law_gains(voice, ramp_value(&voice->pan), end);
    for (unsigned side = 0; side < 2; side++) {
        voice->sides.steps[side] = (end[side] - voice->sides.ends[side]) / (float)length;
        voice->sides.ends[side] = end[side];
    }
    voice->pan_remaining = (uint16_t)length;
}

static uint16_t stretch_of(uint32_t ramp_frames) RCORE_RT {
    const uint32_t length = ramp_frames / stretches;
    return (uint16_t)(length < least_stretch ? least_stretch : length > greatest_stretch ? greatest_stretch : length);
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
        voice->sides.ends[side] -= voice->sides.steps[side] * (float)voice->pan_remaining;
    }
    voice->pan_remaining = 0;
    voice->pan_stretch = stretch_of(ramp_frames);
    ramp_go(&voice->pan, pan, ramp_frames);
    pan_begin_stretch(voice);
}
