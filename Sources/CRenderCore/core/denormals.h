/// Flush-to-zero: operations on denormal numbers can take a hundred times as long as others, and
/// JACK does not disable them.
#ifndef RCORE_DENORMALS_H
#define RCORE_DENORMALS_H

#include "rcore_base.h"

#if defined(__SSE__)
#include <xmmintrin.h>
typedef unsigned int flush_mode;
/// Enables flush-to-zero and denormals-are-zero. Returns the previous mode.
static inline flush_mode denormals_flush_begin(void) RCORE_RT {
    const flush_mode mode = _mm_getcsr();
    _mm_setcsr(mode | 0x8040u);
    return mode;
}
/// Restores the mode.
static inline void denormals_flush_end(flush_mode mode) RCORE_RT { _mm_setcsr(mode); }
#elif defined(__aarch64__)
typedef uint64_t flush_mode;
static inline flush_mode denormals_flush_begin(void) RCORE_RT {
    flush_mode mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    __asm__ volatile("msr fpcr, %0" : : "r"(mode | (UINT64_C(1) << 24)));
    return mode;
}
static inline void denormals_flush_end(flush_mode mode) RCORE_RT { __asm__ volatile("msr fpcr, %0" : : "r"(mode)); }
#else
typedef int flush_mode;
static inline flush_mode denormals_flush_begin(void) RCORE_RT { return 0; }
static inline void denormals_flush_end(flush_mode mode) RCORE_RT { (void)mode; }
#endif

#endif
