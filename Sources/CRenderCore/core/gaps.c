// Gaps of the input. A reader that sees a part of a gap that replaced an earlier one also sees the
// count before it, and rejects what it has read.
#include "core/gaps.h"

#include "core/core.h"

void rcore_report_gap(rcore_t *core, rcore_gap_t gap) RCORE_RT {
    struct gaps *gaps = &core->gaps;
    const uint64_t count = atomic_load_explicit(&gaps->count, memory_order_relaxed);
    const uint32_t index = (uint32_t)(count % RCORE_GAPS_KEPT);
    atomic_store_explicit(&gaps->last[index].time, gap.time, memory_order_release);
    atomic_store_explicit(&gaps->last[index].frames, gap.frames, memory_order_release);
    atomic_store_explicit(&gaps->count, count + 1, memory_order_release);
}

void rcore_set_gap_limit(rcore_t *core, uint64_t time) RCORE_RT {
    atomic_store_explicit(&core->gaps.limit_complement, ~time, memory_order_release);
}

uint64_t rcore_gap_limit(const rcore_t *core) RCORE_RT {
    return ~atomic_load_explicit(&core->gaps.limit_complement, memory_order_acquire);
}

uint64_t rcore_gap_count(const rcore_t *core) RCORE_RT {
    return atomic_load_explicit(&core->gaps.count, memory_order_acquire);
}

bool rcore_read_gap(const rcore_t *core, uint64_t number, rcore_gap_t *gap) RCORE_RT {
    const uint32_t index = (uint32_t)(number % RCORE_GAPS_KEPT);
    if (number >= rcore_gap_count(core)) {
        return false;
    }
    gap->time = atomic_load_explicit(&core->gaps.last[index].time, memory_order_acquire);
    gap->frames = atomic_load_explicit(&core->gaps.last[index].frames, memory_order_acquire);
    return rcore_gap_count(core) - number < RCORE_GAPS_KEPT;
}
