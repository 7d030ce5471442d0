// Command queues: each thread has its own, and none blocks another.
#include "expect.h"
#include "stage.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

TEST(as_many_queues_as_the_core_has) {
    stage_t stage = stage_open(NULL); // has opened one of four queues
    rcore_queue_t *queues[3];
    for (unsigned i = 0; i < 3; i++) {
        queues[i] = rcore_queue_open(stage.core, NULL);
        EXPECT(queues[i] != NULL);
    }
    rcore_status_t status = RCORE_OK;
    EXPECT(rcore_queue_open(stage.core, &status) == NULL);
    EXPECT_EQUAL(status, RCORE_FULL);
    EXPECT(rcore_queue_open(stage.core, NULL) == NULL);
    rcore_queue_close(queues[1]);
    EXPECT(rcore_queue_open(stage.core, &status) == queues[1]);
    EXPECT_EQUAL(status, RCORE_OK);
    rcore_queue_close(NULL);
    stage_close(&stage);
}

/// Commands posted before a queue is closed take effect. Its open transaction is dropped, and does
/// not reach the next owner.
TEST(closing_keeps_what_was_posted) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(1000, 0.25f);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    rcore_queue_t *queue = rcore_queue_open(stage.core, NULL);
    const rcore_voice_t heard = rcore_voice_acquire(stage.core), dropped = rcore_voice_acquire(stage.core);
    EXPECT_EQUAL(rcore_post_start(queue, heard, &params, 10), RCORE_OK);
    EXPECT_EQUAL(rcore_transaction_begin(queue), RCORE_OK);
    EXPECT_EQUAL(rcore_post_start(queue, dropped, &params, RCORE_NOW), RCORE_OK);
    rcore_queue_close(queue);
    EXPECT(rcore_queue_open(stage.core, NULL) == queue);
    EXPECT_EQUAL(rcore_transaction_commit(queue), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_buffer_users(buffer), 1);
    stage_render(&stage, 100, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 10, 0.0f), -1);
    EXPECT_EQUAL(first_other(stage.out[0], 10, 100, 0.25f), -1);
    EXPECT_EQUAL(rcore_voice_release(stage.core, dropped), RCORE_OK);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

TEST(any_queue_commands_any_voice) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(1000, 0.5f);
    rcore_queue_t *other = rcore_queue_open(stage.core, NULL);
    const rcore_voice_t voice = stage_play(&stage, buffer, RCORE_NOW);
    EXPECT_EQUAL(rcore_post_gain(other, voice, 0.5f, 0, 50), RCORE_OK);
    EXPECT_EQUAL(rcore_post_stop(other, voice, 0, 80), RCORE_OK);
    stage_render(&stage, 100, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 50, 0.5f), -1);
    EXPECT_EQUAL(first_other(stage.out[0], 50, 80, 0.25f), -1);
    EXPECT_EQUAL(first_other(stage.out[0], 80, 100, 0.0f), -1);
    EXPECT_EQUAL(rcore_voice_end_reason(stage.core, voice), RCORE_END_STOPPED);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// Until the commit, only its own queue can command the voices of a transaction.
TEST(a_transaction_is_nobody_elses_before_the_commit) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(1000, 0.5f);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    rcore_queue_t *other = rcore_queue_open(stage.core, NULL);
    const rcore_voice_t voice = rcore_voice_acquire(stage.core);
    EXPECT_EQUAL(rcore_post_gain(stage.queue, voice, 0.5f, 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_transaction_begin(stage.queue), RCORE_OK);
    EXPECT_EQUAL(rcore_post_start(stage.queue, voice, &params, RCORE_NOW), RCORE_OK);
    EXPECT_EQUAL(rcore_post_gain(other, voice, 0.1f, 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_gain(stage.queue, voice, 0.5f, 0, RCORE_NOW), RCORE_OK);
    EXPECT_EQUAL(rcore_voice_release(stage.core, voice), RCORE_FULL); // pending
    // Each queue has a transaction of its own.
    EXPECT_EQUAL(rcore_transaction_begin(other), RCORE_OK);
    EXPECT_EQUAL(rcore_transaction_commit(stage.queue), RCORE_OK);
    EXPECT_EQUAL(rcore_post_gain(other, voice, 0.25f, 0, 20), RCORE_OK);
    EXPECT_EQUAL(rcore_transaction_commit(other), RCORE_OK);
    stage_render(&stage, 100, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 20, 0.25f), -1);
    EXPECT_EQUAL(first_other(stage.out[0], 20, 100, 0.125f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// A full queue returns RCORE_FULL, and does not affect other queues.
TEST(a_full_queue_is_full_alone) {
    stage_t stage = stage_open(NULL);
    rcore_queue_t *other = rcore_queue_open(stage.core, NULL);
    const uint32_t capacity = rcore_configuration(stage.core).command_capacity;
    for (uint32_t i = 0; i < capacity; i++) {
        EXPECT_EQUAL(rcore_post_bus_gain(other, 0, 1.0f, 0, 1000), RCORE_OK);
    }
    EXPECT_EQUAL(rcore_post_bus_gain(other, 0, 1.0f, 0, RCORE_NOW), RCORE_FULL);
    EXPECT_EQUAL(rcore_post_bus_gain(stage.queue, 0, 0.5f, 0, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 64, 64);
    // All its commands are pending: it accepts no further timed commands, but any untimed one.
    EXPECT_EQUAL(rcore_post_bus_gain(other, 0, 1.0f, 0, 1000), RCORE_FULL);
    EXPECT_EQUAL(rcore_post_bus_gain(stage.queue, 0, 1.0f, 0, 1000), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_gain(other, 0, 1.0f, 0, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 1000, 64);
    EXPECT_EQUAL(rcore_post_bus_gain(other, 0, 1.0f, 0, 5000), RCORE_OK);
    stage_close(&stage);
}

// ---- Threads ------------------------------------------------------------------------------------

enum { nthreads = 3, notes = 4000 };
// Sums of it are exact.
static const float note_level = 0x1p-12f;

struct player {
    stage_t *stage;
    rcore_queue_t *queue;
    rcore_buffer_t *buffer;
    atomic_uint *playing;
};

// Triggers chords of up to four one-shots of one frame each, and never releases a voice itself.
static void *trigger(void *argument) {
    const struct player *player = argument;
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = player->buffer;
    params.one_shot = true;
    for (unsigned note = 0; note < notes;) {
        const unsigned chord = 1 + note % 4 < notes - note ? 1 + note % 4 : notes - note;
        rcore_transaction_begin(player->queue);
        bool whole = true;
        for (unsigned i = 0; i < chord && whole; i++) {
            const rcore_voice_t voice = rcore_voice_acquire(player->stage->core);
            whole = voice != 0 && rcore_post_start(player->queue, voice, &params, RCORE_NOW) == RCORE_OK;
            if (voice != 0 && !whole) {
                (void)rcore_voice_release(player->stage->core, voice);
            }
        }
        if (whole && rcore_transaction_commit(player->queue) == RCORE_OK) {
            note += chord;
        } else { // no voice or no room: the chord's other notes are freed automatically
            rcore_transaction_cancel(player->queue);
            sched_yield();
        }
    }
    atomic_fetch_sub(player->playing, 1);
    return NULL;
}

/// Every note of every thread is audible once: none is lost or doubled, and no voice is used twice
/// at once.
TEST(threads_trigger_at_once) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(1, note_level);
    atomic_uint playing = nthreads;
    struct player players[nthreads];
    pthread_t threads[nthreads];
    for (unsigned i = 0; i < nthreads; i++) {
        players[i] = (struct player){&stage, rcore_queue_open(stage.core, NULL), buffer, &playing};
        EXPECT_EQUAL(pthread_create(&threads[i], NULL, trigger, &players[i]), 0);
    }
    double sum = 0.0;
    float left[16], right[16];
    float *outputs[] = {left, right};
    for (bool last = false; !last;) {
        last = atomic_load(&playing) == 0;
        rcore_process(stage.core, NULL, 0, outputs, 2, 16);
        for (unsigned i = 0; i < 16; i++) {
            sum += (double)left[i];
        }
        sched_yield();
    }
    for (unsigned i = 0; i < nthreads; i++) {
        pthread_join(threads[i], NULL);
    }
    EXPECT_NEAR(sum / (double)note_level, nthreads * notes, 0);
    EXPECT_EQUAL(rcore_buffer_users(buffer), 0);
    for (uint32_t i = 0; i < stage_config().max_voices; i++) {
        EXPECT(rcore_voice_acquire(stage.core) != 0); // all were released
    }
    EXPECT(rcore_voice_acquire(stage.core) == 0);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(as_many_queues_as_the_core_has);
    RUN(closing_keeps_what_was_posted);
    RUN(any_queue_commands_any_voice);
    RUN(a_transaction_is_nobody_elses_before_the_commit);
    RUN(a_full_queue_is_full_alone);
    RUN(threads_trigger_at_once);
    return test_result();
}
