/// Flush-to-zero: denormal numbers cost a hundred times a normal one, and JACK leaves them on.
#ifndef RCORE_FLUSH_H
#define RCORE_FLUSH_H

#include "rcore_base.h"

#if defined(__SSE__)
#include <xmmintrin.h>
typedef unsigned int flush_mode;
/// Turns flush-to-zero and denormals-are-zero on; returns the mode before.
static inline flush_mode flush_begin(void) RCORE_RT {
    const flush_mode mode = _mm_getcsr();
    _mm_setcsr(mode | 0x8040u);
    return mode;
}
/// Puts the mode back.
static inline void flush_end(flush_mode mode) RCORE_RT { _mm_setcsr(mode); }
#elif defined(__aarch64__)
typedef uint64_t flush_mode;
static inline flush_mode flush_begin(void) RCORE_RT {
    flush_mode mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    __asm__ volatile("msr fpcr, %0" : : "r"(mode | (UINT64_C(1) << 24)));
    return mode;
}
static inline void flush_end(flush_mode mode) RCORE_RT { __asm__ volatile("msr fpcr, %0" : : "r"(mode)); }
#else
typedef int flush_mode;
static inline flush_mode flush_begin(void) RCORE_RT { return 0; }
static inline void flush_end(flush_mode mode) RCORE_RT { (void)mode; }
#endif

#endif
