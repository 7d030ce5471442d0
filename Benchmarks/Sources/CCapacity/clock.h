/// The clock of all measurements.
#ifndef CAPACITY_CLOCK_H
#define CAPACITY_CLOCK_H

#include <stdint.h>

/// Returns the nanoseconds of a monotonic clock.
uint64_t clock_now(void);

#endif
