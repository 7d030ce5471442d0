// Transactions: all commands take effect together, or none does.
#include "expect.h"
#include "stage.h"

static rcore_status_t start(rcore_queue_t *queue, rcore_voice_t voice, const rcore_buffer_t *buffer, uint64_t when) {
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    return rcore_post_start(queue, voice, &params, when);
}

TEST(a_chord_starts_on_one_frame) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(100, 0.25f);
    EXPECT_EQUAL(rcore_transaction_begin(stage.queue), RCORE_OK);
    for (unsigned note = 0; note < 3; note++) {
        EXPECT_EQUAL(start(stage.queue, rcore_voice_acquire(stage.core), buffer, RCORE_NOW), RCORE_OK);
        stage_render(&stage, 64, 64); // nothing takes effect before the commit
    }
    EXPECT_EQUAL(first_other(stage.out[0], 0, 192, 0.0f), -1);
    EXPECT_EQUAL(rcore_transaction_commit(stage.queue), RCORE_OK);
    stage_render(&stage, 64, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 192, 256, 0.75f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

TEST(what_finds_no_room_takes_effect_not_at_all) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(100, 0.25f);
    const rcore_voice_t voice = rcore_voice_acquire(stage.core);
    EXPECT_EQUAL(rcore_transaction_begin(stage.queue), RCORE_OK);
    EXPECT_EQUAL(start(stage.queue, voice, buffer, RCORE_NOW), RCORE_OK);
    rcore_status_t status = RCORE_OK;
    for (unsigned i = 0; i < 1000 && status == RCORE_OK; i++) {
        status = rcore_post_bus_gain(stage.queue, 0, 0.5f, 0, RCORE_NOW);
    }
    EXPECT_EQUAL(status, RCORE_FULL);
    // The transaction has failed permanently.
    EXPECT_EQUAL(rcore_post_bus_gain(stage.queue, 0, 0.5f, 0, RCORE_NOW), RCORE_FULL);
    EXPECT_EQUAL(rcore_transaction_commit(stage.queue), RCORE_FULL);
    stage_render(&stage, 64, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 64, 0.0f), -1);
    // The voice is unchanged.
    EXPECT_EQUAL(start(stage.queue, voice, buffer, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 64, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 64, 128, 0.25f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

TEST(a_transaction_can_be_dropped) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(100, 0.25f);
    const rcore_voice_t voice = rcore_voice_acquire(stage.core);
    rcore_transaction_cancel(stage.queue); // no transaction is open
    EXPECT_EQUAL(rcore_transaction_begin(stage.queue), RCORE_OK);
    EXPECT_EQUAL(start(stage.queue, voice, buffer, RCORE_NOW), RCORE_OK);
    rcore_transaction_cancel(stage.queue);
    stage_render(&stage, 64, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 64, 0.0f), -1);
    EXPECT_EQUAL(rcore_voice_release(stage.core, voice), RCORE_OK);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

TEST(transactions_do_not_nest_and_hold_no_plans) {
    stage_t stage = stage_open(NULL);
    EXPECT_EQUAL(rcore_transaction_commit(stage.queue), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_transaction_begin(stage.queue), RCORE_OK);
    EXPECT_EQUAL(rcore_transaction_begin(stage.queue), RCORE_BAD_ARGUMENT);
    rcore_plan_t *plan = stage_plan(stage.gate);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_BAD_ARGUMENT);
    rcore_plan_destroy(plan);
    EXPECT_EQUAL(rcore_transaction_commit(stage.queue), RCORE_OK); // empty
    stage_close(&stage);
}

int main(void) {
    RUN(a_chord_starts_on_one_frame);
    RUN(what_finds_no_room_takes_effect_not_at_all);
    RUN(a_transaction_can_be_dropped);
    RUN(transactions_do_not_nest_and_hold_no_plans);
    return test_result();
}
