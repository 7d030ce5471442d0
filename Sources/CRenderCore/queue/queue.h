/// Internals of command queues: how a command gets onto the ring.
#ifndef RCORE_QUEUE_INTERNAL_H
#define RCORE_QUEUE_INTERNAL_H

#include "queue/command.h"

/// Checks that the queue has room for one more command, due at `when`. Only this thread uses up
/// room, so it stays free until `queue_put`. [producer] Returns RCORE_FULL if there is no room or
/// the open transaction has failed already; an open transaction has then failed.
rcore_status_t queue_reserve(rcore_queue_t *queue, uint64_t when) RCORE_RT;
/// Reserves one of the core's `max_curves` curves. [producer] Returns RCORE_FULL like
/// `queue_reserve`.
rcore_status_t queue_reserve_curve(rcore_queue_t *queue) RCORE_RT;
/// Writes a command to the next slot, and publishes it unless a transaction is open. [producer]
void queue_put(rcore_queue_t *queue, struct command command) RCORE_RT;

#endif
