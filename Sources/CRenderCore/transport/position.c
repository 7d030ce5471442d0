// The published position. The cycle writes each position to another place than the last ones, then
// publishes its number. A reader that sees a part of position n also sees the number n - 1, because
// each store of a part has release order. So a reader has read a whole position n if the number is
// then less than n + POSITIONS_KEPT - 1. A cycle that is interrupted does not keep readers waiting.
#include "transport/position.h"

#include <assert.h>
#include <string.h>

static_assert(offsetof(rcore_transport_t, time) == 0, "the time is the first word");

void position_publish(struct position_board *board, const rcore_transport_t *position) RCORE_RT {
    const uint64_t number = atomic_load_explicit(&board->last, memory_order_relaxed) + 1;
    uint64_t words[POSITION_WORDS] = {0};
    memcpy(words, position, sizeof *position);
    for (uint32_t i = 0; i < POSITION_WORDS; i++) {
        atomic_store_explicit(&board->kept[number % POSITIONS_KEPT][i], words[i], memory_order_release);
    }
    atomic_store_explicit(&board->last, number, memory_order_release);
}

void position_publish_time(struct position_board *board, uint64_t time) RCORE_RT {
    const uint64_t number = atomic_load_explicit(&board->last, memory_order_relaxed);
    atomic_store_explicit(&board->kept[number % POSITIONS_KEPT][0], time, memory_order_release);
}

rcore_transport_t position_read(const struct position_board *board) {
    for (;;) {
        const uint64_t number = atomic_load_explicit(&board->last, memory_order_acquire);
        uint64_t words[POSITION_WORDS];
        for (uint32_t i = 0; i < POSITION_WORDS; i++) {
            words[i] = atomic_load_explicit(&board->kept[number % POSITIONS_KEPT][i], memory_order_acquire);
        }
        if (atomic_load_explicit(&board->last, memory_order_relaxed) - number < POSITIONS_KEPT - 1) {
            rcore_transport_t position;
            memcpy(&position, words, sizeof position);
            return position;
        }
    }
}
