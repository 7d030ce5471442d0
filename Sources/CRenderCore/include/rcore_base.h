/// Common definitions of the render core: thread tags, the real-time attribute, status values and
/// limits.
///
/// Thread tags, used by every function's comment:
/// - [control]   One thread at a time, never the render thread. May allocate and block.
/// - [producer]  The one thread at a time that writes a ring or posts through a queue. Wait-free.
/// - [consumer]  The one thread at a time that reads a ring. Wait-free.
/// - [render]    The render thread, within `rcore_process`. Bounded time; no allocation, lock or
///               system call. One exception: it wakes a thread that waits in `rcore_wait`.
/// - [any]       Any thread, including the render thread. Wait-free, with the same exception.
/// `& !active` after a tag: only while no thread is inside `rcore_process` or may enter it.
///
/// Audio is planar 32-bit float. Gain is linear and lengths are in frames; only the descriptions of
/// meters and limiters take times in seconds. Decibels and milliseconds belong to the session gate,
/// which CSessionGate defines.
#ifndef RCORE_BASE_H
#define RCORE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Marks a function of the render cycle. Clang verifies that the function neither blocks nor
/// allocates, nor calls anything that might (-Wfunction-effects is an error in this package, and
/// RealtimeSanitizer checks at run time). Expands to nothing with other compilers and with Clang
/// before version 20.
#if defined(__clang__) && __clang_major__ >= 20
#define RCORE_RT __attribute__((nonblocking))
#else
#define RCORE_RT
#endif

/// Result of a call. Unless its comment says otherwise, a call that does not return RCORE_OK
/// changes nothing.
typedef enum rcore_status {
    RCORE_OK = 0,
    /// An argument is outside the range that its comment gives.
    RCORE_BAD_ARGUMENT = 1,
    /// Memory could not be allocated.
    RCORE_NO_MEMORY = 2,
    /// The ring or pool is full. Try again after a cycle.
    RCORE_FULL = 3,
    /// The handle names a voice that has ended or was released.
    RCORE_STALE = 4,
    /// The plan uses a slot or a channel count beyond the core's limits.
    RCORE_NO_SLOT = 5,
    /// The plan conflicts with one that the core still holds.
    RCORE_CONFLICT = 6,
} rcore_status_t;

/// Returns a short description of a status, in static storage. [any]
const char *rcore_status_text(rcore_status_t status);

/// A render core. render_core.h creates and runs it; rcore_queue.h sends it commands.
typedef struct rcore rcore_t;

/// Highest number of channels of a source, bus, route or input.
#define RCORE_MAX_CHANNELS 64u
/// Highest number of routes.
#define RCORE_MAX_ROUTES 64u
/// Longest period, in frames.
#define RCORE_MAX_PERIOD 8192u
/// Range of supported sample rates, in Hz.
#define RCORE_MIN_SAMPLE_RATE 1000u
#define RCORE_MAX_SAMPLE_RATE 768000u
/// No bus, no route, no input.
#define RCORE_NONE UINT32_MAX
/// As a command's time: at the start of the next cycle.
#define RCORE_NOW UINT64_C(0)

#ifdef __cplusplus
}
#endif
#endif
