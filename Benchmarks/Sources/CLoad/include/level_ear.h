/// A JACK client that listens for a constant level, sample by sample: how many frames were another one.
///
/// Calls belong on one thread.
#ifndef LEVEL_EAR_H
#define LEVEL_EAR_H

#include <stdbool.h>
#include <stdint.h>

typedef struct level_ear level_ear_t;

enum { LEVEL_EAR_INPUTS = 2 };

/// What came in since the beginning.
typedef struct level_heard {
    uint64_t frames;    ///< that were looked at
    uint64_t deviating; ///< of which some input was further from the level than allowed
    uint64_t gaps;      ///< times that such frames followed one another
    uint64_t xruns;     ///< of the server, since the client was opened
    double farthest;    ///< the greatest distance of all
} level_heard_t;

/// Opens a client with two inputs and takes part in the cycle; NULL when there is no server or it says no.
level_ear_t *level_ear_open(const char *server, const char *name, float level, float tolerance);
void level_ear_close(level_ear_t *ear);
/// Connects a port, by its full name, to one of the inputs.
bool level_ear_connect(level_ear_t *ear, const char *port, uint32_t input);
/// Looks from the next cycle on, and counts anew.
void level_ear_begin(level_ear_t *ear);
/// What was heard so far.
level_heard_t level_ear_heard(const level_ear_t *ear);

#endif
