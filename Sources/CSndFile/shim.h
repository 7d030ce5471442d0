#include <sndfile.h>

// Swift does not import the array of loops. Returns whether there is a loop, and the first one.
static inline int csndfile_first_loop(const SF_INSTRUMENT *instrument, unsigned *start, unsigned *end) {
    if (instrument->loop_count < 1 || instrument->loops[0].mode == SF_LOOP_NONE) {
        return 0;
    }
    *start = instrument->loops[0].start;
    *end = instrument->loops[0].end;
    return 1;
}
