/// The last gaps of the input, which the cycle writes and any thread reads.
#ifndef RCORE_GAPS_H
#define RCORE_GAPS_H

#include "rcore_gap.h"

#include <stdatomic.h>

struct gaps {
    /// Gap n is at n modulo the number of gaps kept.
    struct {
        _Atomic(uint64_t) time;
        _Atomic(uint64_t) frames;
    } last[RCORE_GAPS_KEPT];
    _Atomic(uint64_t) count;
    /// The gap limit, as its bitwise complement, so that 0 is the initial one.
    _Atomic(uint64_t) limit_complement;
};

#endif
