/// What the tests of curves at beats share: a voice whose gain is the right channel, and impulses
/// at the beats of its points, which are the left one.
#ifndef BEAT_CURVE_STAGE_H
#define BEAT_CURVE_STAGE_H

#include "transport_stage.h"

/// A point of an automation at a beat. The first one is a jump.
struct point {
    double beat;
    float value;
    rcore_curve_t shape;
};

typedef struct curve_stage {
    stage_t stage;
    rcore_buffer_t *ones;
    rcore_buffer_t *impulse;
    rcore_voice_t voice;
} curve_stage_t;

/// Opens a stage whose voice is heard in the right channel only.
static inline curve_stage_t curve_stage_open(const rcore_config_t *config) {
    static float silence[100], ones[100];
    for (unsigned i = 0; i < 100; i++) {
        ones[i] = 1.0f;
    }
    const float *planes[] = {silence, ones};
    curve_stage_t scene = {
        .stage = stage_open(config), .ones = rcore_buffer_create(2, 100, planes, NULL), .impulse = impulse_buffer(2)};
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = scene.ones;
    params.loop_count = UINT64_MAX;
    scene.voice = stage_start(&scene.stage, &params, RCORE_NOW);
    return scene;
}

static inline void curve_stage_close(curve_stage_t *scene) {
    stage_close(&scene->stage);
    rcore_buffer_release(scene->ones);
    rcore_buffer_release(scene->impulse);
}

/// Posts points in one transaction. Returns the first status that is not RCORE_OK.
static inline rcore_status_t post_points(rcore_queue_t *queue, rcore_parameter_t parameter, uint64_t of, uint32_t pass,
                                         const struct point *points, uint32_t count) {
    expect_ok(rcore_transaction_begin(queue));
    for (uint32_t i = 0; i < count; i++) {
        const struct point *point = &points[i];
        const uint64_t time = rcore_beat_time(pass, point->beat);
        const rcore_status_t status = i == 0
                                          ? rcore_post_curve(queue, parameter, of, point->value, point->shape, 0, time)
                                          : rcore_post_curve_to_beat(queue, parameter, of, point->value, point->shape,
                                                                     time, rcore_beat_time(pass, points[i - 1].beat));
        if (status != RCORE_OK) {
            rcore_transaction_cancel(queue);
            return status;
        }
    }
    return rcore_transaction_commit(queue);
}

/// Posts points of the voice's gain for the current pass, and an impulse at each.
static inline void post_gains(curve_stage_t *scene, const struct point *points, uint32_t count) {
    const uint32_t pass = rcore_read_transport(scene->stage.core).pass;
    for (uint32_t i = 0; i < count; i++) {
        (void)play_impulse(&scene->stage, scene->impulse, rcore_beat_time(pass, points[i].beat));
    }
    expect_ok(post_points(scene->stage.queue, RCORE_PARAMETER_VOICE_GAIN, scene->voice, pass, points, count));
}

/// Expects that the gain has each point's value on the frame of its impulse; `count` points from
/// frame `from` on. Returns the frame of the last one.
static inline uint64_t expect_points(const curve_stage_t *scene, uint64_t from, const struct point *points,
                                     uint32_t count) {
    uint64_t frames[64] = {0};
    EXPECT_EQUAL(find_impulses(&scene->stage, from, frames, 64), count);
    for (uint32_t i = 0; i < count; i++) {
        EXPECT_NEAR(scene->stage.out[1][frames[i]], points[i].value, 0);
    }
    return frames[count - 1];
}

#endif
