// Control is woken when a cycle has made work for it, and only then.
#include "expect.h"
#include "stage.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

/// Opens a stage whose plan is in effect, and takes the work of that.
static stage_t open_idle_stage(void) {
    stage_t stage = stage_open(NULL);
    stage_render(&stage, 1000, 100);
    rcore_event_t event;
    while (rcore_next_event(stage.core, &event)) {
    }
    (void)rcore_collect_plans(stage.core);
    (void)rcore_try_wait(stage.core);
    return stage;
}

/// Renders a period. Returns whether it made work.
static bool makes_work(stage_t *stage, uint32_t nframes) {
    stage_render(stage, nframes, nframes);
    return rcore_try_wait(stage->core);
}

/// Silence and a steady voice make no work; the voice's end makes work once. Its first block does,
/// too, because the session then has signal.
TEST(an_event_is_work) {
    stage_t stage = open_idle_stage();
    EXPECT(!makes_work(&stage, 64));
    rcore_buffer_t *buffer = constant_buffer(200, 1.0f);
    const rcore_voice_t voice = stage_play(&stage, buffer, RCORE_NOW);
    EXPECT(makes_work(&stage, 64)); // the signal begins
    EXPECT(!makes_work(&stage, 64));
    EXPECT(makes_work(&stage, 128));
    EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_ENDED);
    EXPECT(!makes_work(&stage, 64));
    const uint32_t serial = stage_grant(&stage, (sgate_grant_t){.paused = true});
    EXPECT(makes_work(&stage, 64));
    rcore_event_t event = {0};
    while (event.kind != RCORE_EVENT_GATE_SETTLED) {
        EXPECT(rcore_next_event(stage.core, &event));
    }
    EXPECT_EQUAL(event.value, serial);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// An event that does not fit into the ring is work as well: states replace it.
TEST(a_dropped_event_is_work) {
    stage_t stage = open_idle_stage();
    rcore_buffer_t *buffer = constant_buffer(10, 1.0f);
    rcore_config_t config = rcore_configuration(stage.core);
    for (uint32_t i = 0; i <= config.event_capacity; i++) {
        const rcore_voice_t voice = stage_play(&stage, buffer, RCORE_NOW);
        EXPECT(makes_work(&stage, 16));
        EXPECT_EQUAL(rcore_voice_release(stage.core, voice), RCORE_OK);
    }
    EXPECT_EQUAL(rcore_read_counters(stage.core).dropped_events, 1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// A stream makes work in every cycle from a quarter of its FIFO on, until it is filled or
/// finished. While it is paused, it makes none.
TEST(a_stream_that_runs_low_is_work) {
    stage_t stage = open_idle_stage();
    static const float frames[1024] = {0.0f};
    rcore_fifo_t *fifo = rcore_fifo_create(1, 1024, NULL);
    EXPECT(rcore_fifo_write_interleaved(fifo, frames, 1024));
    rcore_voice_params_t params = rcore_voice_params_default();
    params.fifo = fifo;
    const rcore_voice_t voice = stage_start(&stage, &params, RCORE_NOW);
    EXPECT(makes_work(&stage, 1)); // the signal begins
    EXPECT(!makes_work(&stage, 254));
    EXPECT(makes_work(&stage, 1));
    EXPECT(makes_work(&stage, 64));
    EXPECT_EQUAL(rcore_post_pause(stage.queue, voice, 0, RCORE_NOW), RCORE_OK);
    EXPECT(!makes_work(&stage, 64));
    EXPECT_EQUAL(rcore_post_resume(stage.queue, voice, 0, RCORE_NOW), RCORE_OK);
    EXPECT(makes_work(&stage, 64));
    EXPECT(rcore_fifo_write_interleaved(fifo, frames, 384));
    EXPECT(!makes_work(&stage, 64));
    EXPECT(makes_work(&stage, 512));  // in several blocks
    EXPECT(makes_work(&stage, 2000)); // an underrun
    rcore_fifo_finish(fifo);
    EXPECT(makes_work(&stage, 64)); // the voice ends
    EXPECT(!makes_work(&stage, 64));
    stage_close(&stage);
    rcore_fifo_destroy(fifo);
}

/// The same at another speed than 1.
TEST(a_resampled_stream_that_runs_low_is_work) {
    stage_t stage = open_idle_stage();
    static const float frames[1024] = {0.0f};
    rcore_fifo_t *fifo = rcore_fifo_create(1, 1024, NULL);
    EXPECT(rcore_fifo_write_interleaved(fifo, frames, 1024));
    rcore_voice_params_t params = rcore_voice_params_default();
    params.fifo = fifo;
    params.speed = 0.5f;
    stage_start(&stage, &params, RCORE_NOW);
    EXPECT(makes_work(&stage, 1)); // the signal begins
    EXPECT(!makes_work(&stage, 499));
    EXPECT(makes_work(&stage, 20));
    stage_close(&stage);
    rcore_fifo_destroy(fifo);
}

/// The capture of a route and the tap of a meter make work from half of their FIFOs on, until they
/// are read.
TEST(a_recording_that_fills_is_work) {
    stage_t stage = open_idle_stage();
    rcore_fifo_t *capture = rcore_fifo_create(2, 1024, NULL);
    const rcore_meter_description_t description = {.channels = 2, .sample_rate = STAGE_RATE, .tap_frames = 2048};
    rcore_meter_t *meter = rcore_meter_create(&description, NULL);
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_bus_description_t bus = {.slot = 0, .channels = 2, .parent = RCORE_NONE};
    const rcore_route_description_t route = {.slot = 0, .channels = 2, .capture = capture, .meter = meter};
    EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, NULL), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_OK);
    EXPECT(makes_work(&stage, 32)); // the plan
    while (rcore_fifo_readable(capture) < 448) {
        (void)makes_work(&stage, 32); // the end of the crossfade
    }
    EXPECT(!makes_work(&stage, 32));
    EXPECT(makes_work(&stage, 32));
    EXPECT(makes_work(&stage, 32));
    rcore_fifo_consume(capture, 1024);
    EXPECT(!makes_work(&stage, 448)); // the tap has 992 of 2048 frames
    rcore_fifo_consume(capture, 1024);
    EXPECT(makes_work(&stage, 64));
    rcore_fifo_consume(rcore_meter_tap(meter), 1024);
    EXPECT(!makes_work(&stage, 64));
    stage_close(&stage);
    rcore_meter_destroy(meter);
    rcore_fifo_destroy(capture);
}

/// A plan that the cycle no longer uses is work.
TEST(a_retired_plan_is_work) {
    stage_t stage = open_idle_stage();
    rcore_buffer_t *buffer = constant_buffer(10000, 1.0f);
    stage_play(&stage, buffer, RCORE_NOW);
    EXPECT(makes_work(&stage, 16)); // the signal begins
    EXPECT(!makes_work(&stage, 16));
    // Without the bus, so that the earlier plan fades out.
    EXPECT_EQUAL(rcore_post_plan(stage.queue, rcore_plan_create(), RCORE_NOW), RCORE_OK);
    EXPECT(makes_work(&stage, 16));
    EXPECT_EQUAL(rcore_collect_plans(stage.core), 2);
    EXPECT(!makes_work(&stage, 16));
    EXPECT(makes_work(&stage, rcore_configuration(stage.core).crossfade_frames));
    EXPECT_EQUAL(rcore_collect_plans(stage.core), 1);
    EXPECT(!makes_work(&stage, 16));
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

struct waiter {
    rcore_t *core;
    uint64_t expected;
    _Atomic(uint64_t) ended;
};

// Waits for work and counts the voices that have ended, until all have.
static void *count_ended(void *argument) {
    struct waiter *waiter = argument;
    while (atomic_load(&waiter->ended) < waiter->expected) {
        rcore_wait(waiter->core);
        rcore_event_t event;
        while (rcore_next_event(waiter->core, &event)) {
            atomic_fetch_add(&waiter->ended, event.kind == RCORE_EVENT_VOICE_ENDED ? 1 : 0);
        }
    }
    return NULL;
}

/// No work is missed, however it coincides with the return from the wait: otherwise, this test
/// waits forever.
TEST(no_work_is_missed) {
    enum { voices = 20000 };
    stage_t stage = open_idle_stage();
    rcore_buffer_t *buffer = constant_buffer(1, 1.0f);
    struct waiter waiter = {.core = stage.core, .expected = voices};
    pthread_t thread;
    EXPECT_EQUAL(pthread_create(&thread, NULL, count_ended, &waiter), 0);
    for (uint32_t i = 0; i < voices; i++) {
        const rcore_voice_t voice = stage_play(&stage, buffer, RCORE_NOW);
        rcore_process(stage.core, NULL, 0, NULL, 0, 8);
        EXPECT_EQUAL(rcore_voice_release(stage.core, voice), RCORE_OK);
        // Every third one waits for all before: the next ones meet a busy thread.
        while (i % 3 == 0 && atomic_load(&waiter.ended) < i + 1) {
            sched_yield();
        }
    }
    EXPECT_EQUAL(pthread_join(thread, NULL), 0);
    EXPECT_EQUAL(atomic_load(&waiter.ended), voices);
    EXPECT_EQUAL(rcore_read_counters(stage.core).dropped_events, 0);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

static void *wait_once(void *argument) {
    rcore_wait(argument);
    return NULL;
}

/// Another thread can end a wait, also before it has begun; several wakes count as one.
TEST(a_wait_can_be_ended) {
    stage_t stage = open_idle_stage();
    rcore_wake(stage.core);
    rcore_wake(stage.core);
    rcore_wait(stage.core);
    EXPECT(!rcore_try_wait(stage.core));
    pthread_t thread;
    EXPECT_EQUAL(pthread_create(&thread, NULL, wait_once, stage.core), 0);
    rcore_wake(stage.core);
    EXPECT_EQUAL(pthread_join(thread, NULL), 0);
    stage_close(&stage);
}

int main(void) {
    RUN(an_event_is_work);
    RUN(a_dropped_event_is_work);
    RUN(a_stream_that_runs_low_is_work);
    RUN(a_resampled_stream_that_runs_low_is_work);
    RUN(a_recording_that_fills_is_work);
    RUN(a_retired_plan_is_work);
    RUN(no_work_is_missed);
    RUN(a_wait_can_be_ended);
    return test_result();
}
