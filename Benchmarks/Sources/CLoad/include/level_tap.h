/// A JACK client that checks its input for a constant level, sample by sample, and counts the
/// frames that deviate.
///
/// Calls belong on one thread.
#ifndef LEVEL_TAP_H
#define LEVEL_TAP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct level_tap level_tap_t;

enum { LEVEL_TAP_INPUTS = 2 };

/// The results since the beginning.
typedef struct level_heard {
    /// The number of frames checked.
    uint64_t frames;
    /// The number of frames in which an input was further from the level than allowed.
    uint64_t deviating;
    /// The number of runs of such frames.
    uint64_t gaps;
    /// The server's xruns since the client was opened.
    uint64_t xruns;
    /// The greatest distance from the level.
    double farthest;
} level_heard_t;

/// Opens a client with two inputs and starts to take part in the cycle. Returns NULL if no server
/// runs or if it refuses.
level_tap_t *level_tap_open(const char *server, const char *name, float level, float tolerance);
void level_tap_close(level_tap_t *tap);
/// Connects a port, by its full name, to one of the inputs.
bool level_tap_connect(level_tap_t *tap, const char *port, uint32_t input);
/// Resets the counts, and starts to check with the next cycle.
void level_tap_begin(level_tap_t *tap);
/// Returns the results so far.
level_heard_t level_tap_heard(const level_tap_t *tap);

#endif
