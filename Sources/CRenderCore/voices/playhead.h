/// Playheads of memory sources: loops with their crossfades, and the frames around a playhead.
#ifndef RCORE_PLAYHEAD_H
#define RCORE_PLAYHEAD_H

#include "voices/page_cache.h"
#include "voices/voice_state.h"

/// Return and set the voice's current playhead. [render]
static inline struct playhead voice_playhead(const struct voice *voice) RCORE_RT {
    return (struct playhead){voice->frame, voice->loops, voice->wrapped, voice->past_end};
}
static inline void voice_set_playhead(struct voice *voice, struct playhead playhead) RCORE_RT {
    voice->frame = playhead.frame;
    voice->loops = playhead.loops;
    voice->wrapped = playhead.wrapped;
    voice->past_end = playhead.past_end;
    voice->direct_end = 0; // computed again when needed
}

/// Returns the samples of one channel from `frame` (below the length) on, and sets `count` to the
/// number that follow each other there; NULL and 0: they are not in memory. [render]
static inline const float *memory_samples(const struct voice *voice, uint32_t channel, uint64_t frame,
                                          uint64_t *count) RCORE_RT {
    if (voice->is_paged) {
        return pages_samples(voice->params.buffer, channel, frame, count);
    }
    *count = voice->nframes - frame;
    return voice->samples + channel * voice->stride + frame;
}

/// Wraps the playhead to loop_start if it is at loop_end and has passes left.
void playhead_settle(const struct voice *voice, struct playhead *playhead) RCORE_RT;
/// Returns whether the playhead will wrap at loop_end before the source ends.
bool playhead_loops(const struct voice *voice, const struct playhead *playhead) RCORE_RT;
/// Returns the number of frames from the playhead to the end of the source, repeated ones included;
/// UINT64_MAX if there are more.
uint64_t playhead_remaining(const struct voice *voice, const struct playhead *playhead) RCORE_RT;
/// Returns the number of frames from the playhead that can be read directly from memory, without a
/// wrap or the fade of a loop. The caller handles the crossfade of a seek.
uint64_t playhead_direct(const struct voice *voice, const struct playhead *playhead) RCORE_RT;
/// Advances by `nframes`, wrapping while the loop has passes left. Stops at the end of the source,
/// and sets `past_end` if frames were left to advance.
void playhead_advance(const struct voice *voice, struct playhead *playhead, uint64_t nframes) RCORE_RT;
/// Copies the frame before the playhead and the `nframes` frames from it on into `row`; frames
/// beyond the end are silence.
void playhead_gather(const struct voice *voice, uint32_t channel, struct playhead playhead, uint32_t nframes,
                     float *row) RCORE_RT;
/// Like `playhead_gather`, for the voice's current playhead, into the core's gather samples.
/// Crossfades with the playhead from before a seek.
void voice_gather(rcore_t *core, const struct voice *voice, uint32_t channel, uint32_t nframes) RCORE_RT;
/// Advances the current playhead and, while a seek crossfades, the one before the seek by `nframes`
/// source frames.
void voice_advance(struct voice *voice, uint64_t nframes) RCORE_RT;

#endif
