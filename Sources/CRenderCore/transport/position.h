/// The position that the cycle publishes and any thread reads.
#ifndef RCORE_POSITION_H
#define RCORE_POSITION_H

#include "rcore_transport.h"

#include <stdatomic.h>

enum {
    /// Positions kept: a reader finds a whole one while the cycle writes the next.
    POSITIONS_KEPT = 4,
    POSITION_WORDS = (sizeof(rcore_transport_t) + 7) / 8,
};

struct position_board {
    /// Position n is at n modulo POSITIONS_KEPT.
    _Atomic(uint64_t) kept[POSITIONS_KEPT][POSITION_WORDS];
    /// Number of the last position.
    _Atomic(uint64_t) last;
};

/// Publishes a position. [render]
void position_publish(struct position_board *board, const rcore_transport_t *position) RCORE_RT;
/// Changes only the time of the last position. [render]
void position_publish_time(struct position_board *board, uint64_t time) RCORE_RT;
/// Returns the last position. [any but render]
rcore_transport_t position_read(const struct position_board *board);

#endif
