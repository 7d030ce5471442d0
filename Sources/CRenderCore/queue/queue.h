/// Command queues, and how a command gets onto their rings.
#ifndef RCORE_QUEUE_INTERNAL_H
#define RCORE_QUEUE_INTERNAL_H

#include "queue/command.h"

/// A command queue.
struct rcore_queue {
    struct command_ring ring;
    rcore_t *core;
    /// Number of timed commands that were applied or discarded.
    _Atomic(uint64_t) timed_applied;
    /// Number of timed commands that were posted. [producer]
    uint64_t timed_posted;
    /// Number of commands of the open transaction, written but not yet published. [producer]
    uint32_t staged;
    uint8_t index;
    bool transaction_open;
    bool transaction_failed;
    /// [control]
    bool open;
};

/// Checks that the queue has room for one more command, due at `when`. Only this thread uses up
/// room, so it stays free until `queue_put`. [producer] Returns RCORE_FULL if there is no room or
/// the open transaction has failed already; an open transaction has then failed.
rcore_status_t queue_reserve(rcore_queue_t *queue, uint64_t when) RCORE_RT;
/// Reserves one of the core's `max_curves` curves. [producer] Returns RCORE_FULL like
/// `queue_reserve`.
rcore_status_t queue_reserve_curve(rcore_queue_t *queue) RCORE_RT;
/// Writes a command to the next slot, and publishes it unless a transaction is open. [producer]
void queue_put(rcore_queue_t *queue, struct command command) RCORE_RT;

/// Frees the place of a timed command, which has left the heaps. [render]
static inline void queue_did_apply(rcore_queue_t *queue) RCORE_RT {
    // Release: the command no longer occupies a heap.
    const uint64_t applied = atomic_load_explicit(&queue->timed_applied, memory_order_relaxed);
    atomic_store_explicit(&queue->timed_applied, applied + 1, memory_order_release);
}

#endif
