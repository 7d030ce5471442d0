// Full rings: commands are refused, events are dropped and counted.
#include "expect.h"
#include "stage.h"

TEST(a_full_command_ring_refuses) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(1000, 1.0f);
    const rcore_voice_t voice = stage_play(&stage, buffer, RCORE_NOW);
    stage_render(&stage, 10, 10);
    const uint32_t capacity = rcore_configuration(stage.core).command_capacity;
    for (uint32_t i = 0; i < capacity; i++) {
        EXPECT_EQUAL(rcore_post_gain(stage.queue, voice, 0.5f, 0, RCORE_NOW), RCORE_OK);
    }
    EXPECT_EQUAL(rcore_post_gain(stage.queue, voice, 0.25f, 0, RCORE_NOW), RCORE_FULL);
    EXPECT_EQUAL(rcore_post_stop(stage.queue, voice, 0, RCORE_NOW), RCORE_FULL);
    EXPECT_EQUAL(rcore_post_bus_gain(stage.queue, 0, 0, 0, RCORE_NOW), RCORE_FULL);

    // A refused start was not posted: the voice can be released.
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    const rcore_voice_t refused = rcore_voice_acquire(stage.core);
    EXPECT_EQUAL(rcore_post_start(stage.queue, refused, &params, RCORE_NOW), RCORE_FULL);
    EXPECT_EQUAL(rcore_voice_release(stage.core, refused), RCORE_OK);
    // A refused plan still belongs to the caller.
    rcore_plan_t *plan = stage_plan(stage.gate);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_FULL);
    rcore_plan_destroy(plan);

    // A cycle makes room.
    stage_render(&stage, 10, 10);
    EXPECT_EQUAL(first_other(stage.out[0], 10, 20, 0.5f), -1);
    EXPECT_EQUAL(rcore_post_gain(stage.queue, voice, 0.25f, 0, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 10, 10);
    EXPECT_EQUAL(first_other(stage.out[0], 20, 30, 0.25f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// A small ring, lap after lap: empty, partly filled, full, and with transactions that are
/// discarded after they were written. The last accepted gain takes effect, and none that was
/// refused or discarded.
TEST(commands_arrive_in_every_lap) {
    for (uint32_t capacity = 1; capacity <= 4; capacity *= 2) {
        rcore_config_t config = stage_config();
        config.command_capacity = capacity;
        stage_t stage = stage_open(&config);
        stage_render(&stage, 8, 8);
        rcore_buffer_t *buffer = constant_buffer(100000, 1.0f);
        stage_play(&stage, buffer, RCORE_NOW);
        stage_render(&stage, 8, 8);
        float expected = 1.0f;
        uint64_t wrong = 0, at = stage.nframes;
        for (uint32_t i = 0; i < 600; i++) {
            const uint32_t discarded = i % (capacity + 1), posted = i / 3 % (capacity + 1);
            EXPECT_EQUAL(rcore_transaction_begin(stage.queue), RCORE_OK);
            for (uint32_t k = 0; k < discarded; k++) {
                EXPECT_EQUAL(rcore_post_bus_gain(stage.queue, 0, 100.0f, 0, RCORE_NOW), RCORE_OK);
            }
            rcore_transaction_cancel(stage.queue);
            const bool together = i % 2 != 0;
            EXPECT(!together || rcore_transaction_begin(stage.queue) == RCORE_OK);
            for (uint32_t k = 0; k < posted; k++) {
                expected = 1.0f / (float)(2 + (i * 5 + k) % 97);
                EXPECT_EQUAL(rcore_post_bus_gain(stage.queue, 0, expected, 0, RCORE_NOW), RCORE_OK);
            }
            EXPECT(!together || rcore_transaction_commit(stage.queue) == RCORE_OK);
            if (posted == capacity) {
                EXPECT_EQUAL(rcore_post_bus_gain(stage.queue, 0, 100.0f, 0, RCORE_NOW), RCORE_FULL);
            }
            stage_render(&stage, 8, 8);
            wrong += first_other(stage.out[0], at, at + 8, expected) != -1;
            at += 8;
        }
        EXPECT_EQUAL(wrong, 0);
        stage_close(&stage);
        rcore_buffer_release(buffer);
    }
}

/// Rings also fill up with commands for later times. Every accepted command takes effect at its
/// frame, and untimed commands are not starved.
TEST(accepted_commands_are_never_lost) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(100000, 1.0f);
    const rcore_voice_t voice = stage_play(&stage, buffer, RCORE_NOW);
    stage_render(&stage, 10, 10);
    float gains[500];
    uint32_t accepted = 0;
    while (accepted < 500) {
        gains[accepted] = 1.0f / (float)(accepted + 2);
        const rcore_status_t status = rcore_post_gain(stage.queue, voice, gains[accepted], 0, 1000 + accepted);
        if (status != RCORE_OK) {
            EXPECT_EQUAL(status, RCORE_FULL);
            const uint32_t before = accepted;
            // Takes as many as it can.
            rcore_process(stage.core, NULL, 0, NULL, 0, 0);
            if (rcore_post_gain(stage.queue, voice, gains[accepted], 0, 1000 + accepted) == RCORE_OK) {
                accepted++;
            }
            if (accepted == before) {
                break;
            }
            continue;
        }
        accepted++;
    }
    EXPECT(accepted >= rcore_configuration(stage.core).command_capacity);
    EXPECT(accepted < 500);
    stage_render(&stage, 1990, 33);
    for (uint32_t i = 0; i < accepted; i++) {
        EXPECT_NEAR(stage.out[0][1000 + i], gains[i], 0);
    }
    EXPECT_EQUAL(rcore_read_counters(stage.core).late_commands, 0);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

TEST(a_full_event_ring_drops_and_counts) {
    rcore_config_t config = stage_config();
    config.event_capacity = 4;
    stage_t stage = stage_open(&config);
    rcore_buffer_t *buffer = constant_buffer(10, 1.0f);
    stage_render(&stage, 16, 16);
    rcore_event_t event;
    while (rcore_next_event(stage.core, &event)) {
    }
    EXPECT_EQUAL(rcore_read_counters(stage.core).dropped_events, 0);

    rcore_voice_t voices[9];
    for (unsigned i = 0; i < 9; i++) {
        voices[i] = stage_play(&stage, buffer, RCORE_NOW);
        stage_render(&stage, 16, 16);
    }
    EXPECT_EQUAL(rcore_read_counters(stage.core).dropped_events, 5);
    for (unsigned i = 0; i < 4; i++) { // the oldest are kept
        EXPECT(rcore_next_event(stage.core, &event));
        EXPECT_EQUAL(event.kind, RCORE_EVENT_VOICE_ENDED);
        EXPECT_EQUAL(event.voice, voices[i]);
        EXPECT_EQUAL(event.value, 10);
        EXPECT_EQUAL(event.bus, RCORE_NONE);
    }
    EXPECT(!rcore_next_event(stage.core, &event));
    for (unsigned i = 0; i < 9; i++) { // the state remains available without events
        EXPECT_EQUAL(rcore_voice_state(stage.core, voices[i]), RCORE_VOICE_ENDED);
        EXPECT_EQUAL(rcore_voice_release(stage.core, voices[i]), RCORE_OK);
    }
    stage_play(&stage, buffer, RCORE_NOW);
    stage_render(&stage, 16, 16);
    EXPECT(rcore_next_event(stage.core, &event)); // the ring accepts events again
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(a_full_command_ring_refuses);
    RUN(commands_arrive_in_every_lap);
    RUN(accepted_commands_are_never_lost);
    RUN(a_full_event_ring_drops_and_counts);
    return test_result();
}
