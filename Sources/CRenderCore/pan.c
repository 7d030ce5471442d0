#include "pan.h"

#include "law.h"

enum { least_stretch = 64, greatest_stretch = 512, stretches = 64 };

void pan_set(struct voice *voice, float pan) RCORE_RT {
    ramp_set(&voice->pan, pan);
    law_gains(voice->pan_law, pan_spreads(voice), pan, voice->sides.ends);
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
    law_gains(voice->pan_law, pan_spreads(voice), ramp_value(&voice->pan), end);
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
    for (unsigned side = 0; side < 2; side++) {
        voice->sides.ends[side] -= voice->sides.steps[side] * (float)voice->pan_remaining;
    }
    voice->pan_remaining = 0;
    voice->pan_stretch = stretch_of(ramp_frames);
    ramp_line(&voice->pan, ramp_value(&now), pan, ramp_frames);
    pan_begin_stretch(voice);
}
