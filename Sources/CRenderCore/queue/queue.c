// Command queues: each has a ring from the thread that owns it to the render thread. A transaction
// is written command by command and published as a whole.
#include "queue/queue.h"

#include "core/core.h"
#include "mix/curves.h"
#include "voices/pool.h"
#include "voices/voice.h"

rcore_queue_t *rcore_queue_open(rcore_t *core, rcore_status_t *status) {
    for (uint32_t i = 0; i < core->config.max_queues; i++) {
        struct rcore_queue *queue = &core->commands.queues[i];
        if (!queue->open) {
            queue->open = true;
            if (status != NULL) {
                *status = RCORE_OK;
            }
            return queue;
        }
    }
    if (status != NULL) {
        *status = RCORE_FULL;
    }
    return NULL;
}

void rcore_queue_close(rcore_queue_t *queue) {
    if (queue != NULL) {
        rcore_transaction_cancel(queue);
        queue->open = false;
    }
}

rcore_status_t queue_reserve(rcore_queue_t *queue, uint64_t when) RCORE_RT {
    const uint32_t needed = queue->staged + 1;
    // Timed commands wait in the cycle's heaps and have a separate limit, so they never take room
    // in the ring from untimed commands.
    const uint64_t waiting = queue->timed_posted - atomic_load_explicit(&queue->timed_applied, memory_order_acquire);
    if (queue->transaction_failed || command_ring_writable(&queue->ring, needed) < needed ||
        (when != RCORE_NOW && waiting >= queue->ring.write_capacity)) {
        queue->transaction_failed = queue->transaction_open;
        return RCORE_FULL;
    }
    return RCORE_OK;
}

rcore_status_t queue_reserve_curve(rcore_queue_t *queue) RCORE_RT {
    if (!curves_reserve(queue->core)) {
        queue->transaction_failed = queue->transaction_open;
        return RCORE_FULL;
    }
    return RCORE_OK;
}

void queue_put(rcore_queue_t *queue, struct command command) RCORE_RT {
    queue->timed_posted += command.when != RCORE_NOW ? 1 : 0;
    struct command *slot = command_ring_write_slot(&queue->ring, queue->staged);
    slot->when = command.when;
    // Copies the unions, whichever members are in use.
    slot->voice = command.voice;
    slot->frame = command.frame;
    slot->ramp_frames = command.ramp_frames;
    slot->kind = command.kind;
    slot->queue = queue->index;
    slot->curve = command.curve;
    if (queue->transaction_open) {
        queue->staged += 1;
    } else {
        command_ring_did_write(&queue->ring, 1);
    }
}

rcore_status_t rcore_transaction_begin(rcore_queue_t *queue) RCORE_RT {
    if (queue->transaction_open) {
        return RCORE_BAD_ARGUMENT;
    }
    queue->transaction_open = true;
    queue->transaction_failed = false;
    queue->staged = 0;
    return RCORE_OK;
}

static struct command *staged_command(rcore_queue_t *queue, uint32_t index) RCORE_RT {
    return command_ring_write_slot(&queue->ring, index);
}

// Updates the voices that the transaction starts. If it was posted, they accept commands from every
// queue; otherwise they belong to their owner again, and one-shots return to the pool.
static void settle_starts(rcore_queue_t *queue, bool posted) RCORE_RT {
    for (uint32_t i = 0; i < queue->staged; i++) {
        const struct command *command = staged_command(queue, i);
        if (command->kind == COMMAND_START) {
            struct voice *voice = voice_find(queue->core, command->voice);
            const uint32_t start = atomic_load_explicit(&voice->start, memory_order_relaxed);
            if (!posted) {
                buffer_remove_user(voice->params.buffer);
            }
            atomic_store_explicit(&voice->start, posted ? start | START_POSTED : START_NONE, memory_order_release);
            if (!posted && voice->params.one_shot) {
                pool_release(queue->core, voice);
            }
        }
    }
}

static void close_transaction(rcore_queue_t *queue) RCORE_RT {
    queue->transaction_open = false;
    queue->transaction_failed = false;
    queue->staged = 0;
}

rcore_status_t rcore_transaction_commit(rcore_queue_t *queue) RCORE_RT {
    if (!queue->transaction_open) {
        return RCORE_BAD_ARGUMENT;
    }
    if (queue->transaction_failed) {
        rcore_transaction_cancel(queue);
        return RCORE_FULL;
    }
    settle_starts(queue, true); // before the render thread can see and end them
    command_ring_did_write(&queue->ring, queue->staged);
    close_transaction(queue);
    return RCORE_OK;
}

void rcore_transaction_cancel(rcore_queue_t *queue) RCORE_RT {
    for (uint32_t i = 0; i < queue->staged; i++) {
        const struct command *command = staged_command(queue, i);
        queue->timed_posted -= command->when != RCORE_NOW ? 1 : 0;
        if (command->curve != RCORE_CURVE_LINEAR) {
            curves_release(queue->core);
        }
    }
    settle_starts(queue, false);
    close_transaction(queue);
}
