/// What one input port hears: when sound begins, and whether a signal that counts its frames goes on.
///
/// `peer_ear_hear` belongs to one thread, the cycle's; everything else to another one.
#ifndef PEER_EAR_H
#define PEER_EAR_H

#include <stdbool.h>
#include <stdint.h>

enum { PEER_EAR_COUNT_LENGTH = 1 << 20 }; ///< sample n of the count is (n + 1) / this; then it begins anew

typedef struct peer_ear peer_ear_t;

/// NULL when there is no memory.
peer_ear_t *peer_ear_make(void);
void peer_ear_free(peer_ear_t *ear);

/// Hears a cycle whose first sample has the number `frame` of the server's, and which began at `nanoseconds`. [audio thread]
void peer_ear_hear(peer_ear_t *ear, const float *samples, uint32_t nframes, uint32_t frame, uint64_t nanoseconds);

/// From the next cycle on, sound is news.
void peer_ear_arm(peer_ear_t *ear);
/// Whether sound was heard since it was armed; then the frame of the first sample that was not silent.
bool peer_ear_onset(const peer_ear_t *ear, uint32_t *frame);
/// How many samples since then were loud.
uint32_t peer_ear_loud(const peer_ear_t *ear);
/// Samples since the last that was not silent.
uint64_t peer_ear_quiet(const peer_ear_t *ear);

/// From the next cycle on, the count is heard as if it had not been before.
void peer_ear_forget_count(peer_ear_t *ear);

/// What was heard of the count, torn where the cycle writes meanwhile.
typedef struct peer_ear_count {
    uint64_t frames;   ///< samples that counted
    uint64_t silent;   ///< samples of 0 after the first that counted
    uint64_t lost;     ///< numbers that were left out
    uint64_t repeated; ///< numbers that came again
    uint64_t garbled;  ///< samples that count nothing
    uint64_t breaks;   ///< times that the count did not go on by one
    int64_t
        first;    ///< the number that the first sample had, or would have had, of the cycle in which it was first heard
    int64_t last; ///< the number heard last
    uint64_t first_ns; ///< when that first cycle began; 0: no count was heard
} peer_ear_count_t;

/// All zero from `peer_ear_forget_count` until the next cycle.
peer_ear_count_t peer_ear_count(const peer_ear_t *ear);

#endif
