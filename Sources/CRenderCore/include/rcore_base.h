/// What every header of the render core shares: thread tags, the real-time mark, status values, limits.
///
/// Thread tags, used by every function's comment:
/// - [control]   one thread at a time, never the render thread; may allocate and block.
/// - [producer]  the one thread that writes a ring, or posts through a port, at a time. [consumer] the one that reads it at a time. Wait-free.
/// - [render]    the render thread, within `rcore_process`: bounded, no allocation, lock or system call.
/// - [any]       any thread, also the render thread; wait-free.
/// `& !active` after a tag: only while no thread is within `rcore_process` or may enter it.
///
/// Audio is planar 32-bit float; gain is linear; lengths are in frames. No seconds and no decibels here: those belong to
/// the session gate, which CSessionGate defines.
#ifndef RCORE_BASE_H
#define RCORE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Marks a function of the cycle. Clang checks that it neither blocks nor allocates, nor calls what might
/// (-Wfunction-effects is an error here, and the realtime sanitizer watches it run). Empty under other compilers.
#if defined(__clang__) && __clang_major__ >= 20
#define RCORE_RT __attribute__((nonblocking))
#else
#define RCORE_RT
#endif

/// What became of a call. Nothing but RCORE_OK changes anything.
typedef enum rcore_status {
    RCORE_OK = 0,
    RCORE_BAD_ARGUMENT = 1, ///< an argument is out of the range its comment gives
    RCORE_NO_MEMORY = 2,    ///< set-up could not allocate
    RCORE_FULL = 3,         ///< the ring or pool has no room; try again after a cycle
    RCORE_STALE = 4,        ///< the voice handle names a voice that has ended or was released
    RCORE_NO_SLOT = 5,      ///< the plan names a bus or route slot beyond the core's limits
    RCORE_CONFLICT = 6,     ///< the plan cannot follow one that the core still holds
} rcore_status_t;

/// One sentence for a status, static storage. [any]
const char *rcore_status_text(rcore_status_t status);

/// A render core: render_core.h makes and runs it, rcore_port.h tells it what to do.
typedef struct rcore rcore_t;

/// Most channels of a source, bus, route or input.
#define RCORE_MAX_CHANNELS 64u
#define RCORE_MAX_ROUTES 64u
/// Longest period, in frames.
#define RCORE_MAX_PERIOD 8192u
/// Sample rates accepted, in Hz.
#define RCORE_MIN_SAMPLE_RATE 1000u
#define RCORE_MAX_SAMPLE_RATE 768000u
/// No bus, no route, no input.
#define RCORE_NONE UINT32_MAX
/// As a command's time: at the next cycle.
#define RCORE_NOW UINT64_C(0)

#ifdef __cplusplus
}
#endif
#endif
