// Control thread, arbiter and render thread run concurrently, for the thread sanitizer and to
// expose race conditions.
#include "expect.h"
#include "stage.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_bool over;

static void *render(void *argument) {
    float planes[STAGE_CHANNELS][256];
    float *outputs[STAGE_CHANNELS] = {planes[0], planes[1]};
    uint32_t turn = 0, bad = 0;
    while (!atomic_load(&over)) {
        const uint32_t nframes = 1 + turn++ % 256;
        rcore_process(argument, NULL, 0, outputs, STAGE_CHANNELS, nframes);
        for (uint32_t i = 0; i < nframes; i++) {
            bad += !(fabsf(planes[0][i]) < 64.0f);
        }
    }
    EXPECT_EQUAL(bad, 0);
    return NULL;
}

static void *arbitrate(void *argument) {
    stage_t *stage = argument;
    for (uint32_t serial = 1; !atomic_load(&over); serial++) {
        sgate_page_set_grant(stage->gate, (sgate_grant_t){.attenuation = (uint16_t)(serial * 997),
                                                          .ramp_ms = (uint16_t)(serial % 7),
                                                          .paused = serial % 5 == 0,
                                                          .muted = serial % 11 == 0,
                                                          .serial = serial});
        sgate_page_set_volume(stage->gate, (sgate_volume_t){.gain = (float)(serial % 100) / 100, .ramp_ms = 1});
        sched_yield();
    }
    return NULL;
}

/// Repeats a call until the ring has room; another thread makes room.
#define POST(call)                                                                                                     \
    while ((call) == RCORE_FULL) {                                                                                     \
        sched_yield();                                                                                                 \
    }

TEST(threads_do_not_disturb_each_other) {
    enum { turns = 3000, nvoices = 16 };
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = ramp_buffer(2000);
    pthread_t renderer, arbiter;
    EXPECT_EQUAL(pthread_create(&renderer, NULL, render, stage.core), 0);
    EXPECT_EQUAL(pthread_create(&arbiter, NULL, arbitrate, &stage), 0);

    rcore_voice_t voices[nvoices] = {0};
    uint64_t played = 0, read = 0;
    for (unsigned turn = 0; turn < turns; turn++) {
        rcore_voice_t *voice = &voices[turn % nvoices];
        if (*voice != 0) {
            POST(rcore_post_stop(stage.queue, *voice, turn % 50, RCORE_NOW));
            // The voice of a suspended session ends at once; a playing one ends after its ramp, if
            // the session lets it run.
            while (rcore_voice_state(stage.core, *voice) != RCORE_VOICE_ENDED) {
                sched_yield();
            }
            EXPECT_EQUAL(rcore_voice_release(stage.core, *voice), RCORE_OK);
            played++;
        }
        rcore_voice_params_t params = rcore_voice_params_default();
        params.buffer = buffer;
        params.bus = turn % 3;
        params.loop_count = turn % 4;
        *voice = rcore_voice_acquire(stage.core);
        EXPECT(*voice != 0);
        POST(rcore_post_start(stage.queue, *voice, &params, turn % 2 ? RCORE_NOW : rcore_time(stage.core) + 300));
        POST(rcore_post_gain(stage.queue, *voice, 0.5f, 100, RCORE_NOW));
        if (turn % 10 == 0) {
            POST(rcore_post_plan(stage.queue, stage_plan(stage.gate), RCORE_NOW));
        }
        rcore_collect_plans(stage.core);
        rcore_event_t event;
        while (rcore_next_event(stage.core, &event)) {
            read++;
        }
        (void)rcore_read_counters(stage.core);
        (void)rcore_take_route_peak(stage.core, 0, 0);
        (void)rcore_bus_gate_gain(stage.core, 0);
        (void)rcore_voice_frames(stage.core, *voice);
    }
    atomic_store(&over, true);
    pthread_join(renderer, NULL);
    pthread_join(arbiter, NULL);
    EXPECT_EQUAL(played, turns - nvoices);
    EXPECT(read > 0);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(threads_do_not_disturb_each_other);
    return test_result();
}
