// A moving gain times a moving pan is a parabola. Its coefficients are counted from the piece's last frame, so that a ramp ends exactly on its
// target, as it does for a voice alone. Voices are added one after the other, in their order, so a flat group has the same bits too.
#include "group.h"

#include "pan.h"
#include "widest.h"

/// One voice of the group: where its samples are, and its gain on either side at frame f before the last: [0] + f ([1] + f [2]).
struct lane {
    const float *samples;
    float left[3];
    float right[3];
};

WIDEST static void mix_flat(float *restrict left, float *restrict right, const struct lane *lanes,
                            uint32_t nframes) RCORE_RT {
    const float *restrict a = lanes[0].samples;
    const float *restrict b = lanes[1].samples;
    const float *restrict c = lanes[2].samples;
    const float *restrict d = lanes[3].samples;
    const float la = lanes[0].left[0], lb = lanes[1].left[0], lc = lanes[2].left[0], ld = lanes[3].left[0];
    const float ra = lanes[0].right[0], rb = lanes[1].right[0], rc = lanes[2].right[0], rd = lanes[3].right[0];
    for (uint32_t i = 0; i < nframes; i++) {
        left[i] = (((left[i] + a[i] * la) + b[i] * lb) + c[i] * lc) + d[i] * ld;
        right[i] = (((right[i] + a[i] * ra) + b[i] * rb) + c[i] * rc) + d[i] * rd;
    }
}

static inline float gain_at(const float gain[3], float f) RCORE_RT { return gain[0] + f * (gain[1] + f * gain[2]); }

WIDEST static void mix_moving(float *restrict left, float *restrict right, const struct lane *lanes,
                              uint32_t nframes) RCORE_RT {
    const float *restrict a = lanes[0].samples;
    const float *restrict b = lanes[1].samples;
    const float *restrict c = lanes[2].samples;
    const float *restrict d = lanes[3].samples;
    const struct lane la = lanes[0], lb = lanes[1], lc = lanes[2], ld = lanes[3];
    const int32_t last = (int32_t)nframes - 1;
    for (int32_t i = 0; i <= last; i++) {
        const float f = (float)(i - last);
        left[i] = (((left[i] + a[i] * gain_at(la.left, f)) + b[i] * gain_at(lb.left, f)) + c[i] * gain_at(lc.left, f)) +
                  d[i] * gain_at(ld.left, f);
        right[i] =
            (((right[i] + a[i] * gain_at(la.right, f)) + b[i] * gain_at(lb.right, f)) + c[i] * gain_at(lc.right, f)) +
            d[i] * gain_at(ld.right, f);
    }
}

// ---- Which voices -----------------------------------------------------------------------------------------------------------------

// Whether nothing about the voice begins or ends within the next frames, and all of it fits a lane.
static inline bool is_plain(struct voice *voice, uint32_t nframes) RCORE_RT {
    const bool still = (voice->fade.remaining | voice->speed.remaining | voice->phase) == 0 &&
                       voice->fade.target == 1.0f && voice->speed.target == 1.0f;
    const bool simple = voice->kind == SOURCE_MEMORY && voice->channels == 1 && voice->matrix == NULL &&
                        voice->pan_law != RCORE_PAN_NONE && !voice->paused && !voice->stopping && !voice->gathered;
    // Not to its very end either: then it is over.
    if (!still || !simple || voice->frame + nframes >= voice->direct_end) {
        return false;
    }
    return (voice->gain.remaining == 0 || voice->gain.remaining >= nframes) && pan_stretch(voice, nframes) == nframes;
}

// A ramp's value at the last of the frames, and its slope.
static inline void slope_of(const struct ramp *ramp, uint32_t nframes, float line[2]) RCORE_RT {
    const bool moves = ramp->remaining > 0;
    line[1] = moves ? ramp->step : 0.0f;
    line[0] = ramp->target - line[1] * (float)(moves ? ramp->remaining - nframes : 0);
}

static inline void multiply(const float a[2], const float b[2], float product[3]) RCORE_RT {
    product[0] = a[0] * b[0];
    product[1] = a[0] * b[1] + a[1] * b[0];
    product[2] = a[1] * b[1];
}

// Returns whether its gain moves.
static inline bool lay_lane(const struct voice *voice, uint32_t nframes, struct lane *lane) RCORE_RT {
    float gain[2];
    slope_of(&voice->gain, nframes, gain);
    const bool pans = voice->pan_remaining > 0;
    const float left_step = pans ? voice->pan_steps[0] : 0.0f, right_step = pans ? voice->pan_steps[1] : 0.0f;
    const float after = (float)(pans ? voice->pan_remaining - nframes : 0);
    const float left[2] = {voice->pan_gains[0] - left_step * after, left_step};
    const float right[2] = {voice->pan_gains[1] - right_step * after, right_step};
    lane->samples = voice->samples + voice->frame;
    multiply(gain, left, lane->left);
    multiply(gain, right, lane->right);
    return pans || voice->gain.remaining > 0;
}

static inline void pass(struct voice *voice, uint32_t nframes) RCORE_RT {
    voice->frame += nframes;
    count_up(&voice->frames, nframes);
    pan_advance(voice, nframes);
    ramp_advance(&voice->gain, nframes);
}

bool group_render(rcore_t *core, uint32_t index, uint32_t nframes) RCORE_RT {
    const uint32_t *playing = core->playing + index;
    if (index + group_size > core->playing_count || playing[0] == RCORE_NONE) {
        return false;
    }
    const uint32_t bus = core->voices[playing[0]].bus;
    if (bus >= core->config.max_buses || core->buses[bus].frozen || core->buses[bus].channels < 2) {
        return false;
    }
    struct lane lanes[group_size];
    bool moves = false;
    for (uint32_t i = 0; i < group_size; i++) {
        if (playing[i] == RCORE_NONE) {
            return false;
        }
        struct voice *voice = &core->voices[playing[i]];
        if (voice->bus != bus || !is_plain(voice, nframes)) {
            return false;
        }
        moves |= lay_lane(voice, nframes, &lanes[i]);
    }
    float *left = bus_channel(core, bus, 0);
    float *right = bus_channel(core, bus, 1);
    if (moves) {
        mix_moving(left, right, lanes, nframes);
    } else {
        mix_flat(left, right, lanes, nframes);
    }
    for (uint32_t i = 0; i < group_size; i++) {
        pass(&core->voices[playing[i]], nframes);
    }
    return true;
}
