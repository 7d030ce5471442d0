/// Places of a memory source: loops with their cross-fades, and what is before and after.
#ifndef RCORE_PLACE_H
#define RCORE_PLACE_H

#include "core.h"

/// The voice's present place, and going elsewhere. [render]
static inline struct place voice_place(const struct voice *voice) RCORE_RT {
    return (struct place){voice->frame, voice->loops, voice->looped, voice->past};
}
static inline void voice_set_place(struct voice *voice, struct place place) RCORE_RT {
    voice->frame = place.frame;
    voice->loops = place.loops;
    voice->looped = place.looped;
    voice->past = place.past;
    voice->direct_end = 0; // to be found out
}

/// Goes back if the place is at the loop's end and still has to.
void place_settle(const struct voice *voice, struct place *place) RCORE_RT;
/// Whether the place will go back from loop_end before it ends.
bool place_loops(const struct voice *voice, const struct place *place) RCORE_RT;
/// Frames from the place to the end of the source, those that are played again counted; UINT64_MAX: more than that.
uint64_t place_ahead(const struct voice *voice, const struct place *place) RCORE_RT;
/// Frames from the place that are played as they lie in memory, without going back or fading.
uint64_t place_direct(const struct voice *voice, const struct place *place) RCORE_RT;
/// Goes on by `nframes`, at most to the end.
void place_advance(const struct voice *voice, struct place *place, uint64_t nframes) RCORE_RT;
/// Puts the frame before the place, then `nframes` from it on, in a row; silence beyond the end.
void place_gather(const struct voice *voice, uint32_t channel, struct place place, uint32_t nframes,
                  float *row) RCORE_RT;
/// The same for the voice's present place, mixed with the one that a seek left.
void voice_gather(rcore_t *core, const struct voice *voice, uint32_t channel, uint32_t nframes) RCORE_RT;
/// Goes on by `nframes` source frames, in both.
void voice_advance(struct voice *voice, uint64_t nframes) RCORE_RT;

#endif
