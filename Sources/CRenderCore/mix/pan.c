#include "mix/pan.h"

#include "mix/matrix.h"
#include "mix/pan_law.h"
#include "mix/ramp.h"

enum { min_segment = 64, max_segment = 512, segments = 64 };

void pan_set(struct voice *voice, float pan) RCORE_RT {
    ramp_set(&voice->pan, pan);
    pan_law_gains(voice->pan_law, pan_spreads(voice), pan, voice->stereo.ends);
    voice->stereo.steps[0] = voice->stereo.steps[1] = 0.0f;
    voice->pan_remaining = 0;
}

void pan_none(struct voice *voice) RCORE_RT {
    const rcore_matrix_t *matrix = voice->matrix;
    const bool pair = matrix != NULL && matrix->inputs == 1 && matrix->outputs == 2;
    for (unsigned side = 0; side < 2; side++) {
        voice->stereo.ends[side] = pair ? matrix->gains[side] : 1.0f;
        voice->stereo.steps[side] = 0.0f;
    }
    voice->pan_remaining = 0;
}

// Starts the next straight segment of a pan ramp, if the ramp is not over. Segments are counted
// from the end of the ramp, so that the last one ends there.
void pan_begin_segment(struct voice *voice) RCORE_RT {
    if (voice->pan.remaining == 0) {
        voice->stereo.steps[0] = voice->stereo.steps[1] = 0.0f;
        return;
    }
    const uint32_t length = (voice->pan.remaining - 1) % voice->pan_segment + 1;
    float end[2];
    ramp_advance(&voice->pan, length);
    pan_law_gains(voice->pan_law, pan_spreads(voice), ramp_value(&voice->pan), end);
    for (unsigned side = 0; side < 2; side++) {
        voice->stereo.steps[side] = (end[side] - voice->stereo.ends[side]) / (float)length;
        voice->stereo.ends[side] = end[side];
    }
    voice->pan_remaining = (uint16_t)length;
}

// Returns the length of a full segment of a pan that moves in `ramp_frames`.
static uint16_t segment_of(uint32_t ramp_frames) RCORE_RT {
    const uint32_t length = ramp_frames / segments;
    return (uint16_t)(length < min_segment ? min_segment : length > max_segment ? max_segment : length);
}

void pan_to(struct voice *voice, float pan, uint32_t ramp_frames) RCORE_RT {
    if (ramp_frames == 0) {
        pan_set(voice, pan);
        return;
    }
    // Starts from the current position; within a segment, the current gains lie between the
    // segment's ends.
    struct ramp now = voice->pan;
    now.remaining += voice->pan_remaining;
    for (unsigned side = 0; side < 2; side++) {
        voice->stereo.ends[side] -= voice->stereo.steps[side] * (float)voice->pan_remaining;
    }
    voice->pan_remaining = 0;
    voice->pan_segment = segment_of(ramp_frames);
    ramp_line(&voice->pan, ramp_value(&now), pan, ramp_frames);
    pan_begin_segment(voice);
}
