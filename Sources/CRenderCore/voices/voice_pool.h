/// State of the stages that render voices.
#ifndef RCORE_VOICE_POOL_H
#define RCORE_VOICE_POOL_H

#include "rcore_voice.h"
#include "voices/envelope.h"
#include "voices/filter.h"
#include "voices/page_cache.h"
#include "voices/voice_state.h"

#include <stdatomic.h>

/// Voices of one priority that count toward `max_playing`, oldest first.
struct voice_list {
    uint32_t oldest;
    uint32_t newest;
};

/// The voices that count towards `max_playing`: started, not stopping (polyphony.c).
struct polyphony {
    uint32_t count;
    /// A bit for each priority whose list is not empty.
    uint32_t occupied;
    /// By priority.
    struct voice_list lists[RCORE_MAX_PRIORITY + 1];
};

struct voice_pool {
    struct voice *pool;
    /// Of the voices with `has_envelope`.
    struct envelope *envelopes;
    /// Of the voices with `is_filtered`.
    struct filter *filters;
    /// A bit for each voice. [any]
    _Atomic(uint64_t) *acquired;
    /// Indices of started voices, in the order of their starts. RCORE_NONE in place of a voice that
    /// has ended.
    uint32_t *playing;
    uint32_t playing_count;
    /// Number of RCORE_NONE in `playing`.
    uint32_t gap_count;
    /// Number of voices that have ended so far.
    uint64_t ended_count;
    struct polyphony polyphony;
    /// NULL until the core has one; set once.
    _Atomic(struct page_cache *) page_cache;
    /// [channel * stride]: a temporary buffer of one voice (render callback, varispeed, gathered
    /// segment), or of one bus (output of a delay line, input of a meter).
    float *source_samples;
    /// [MAX_SPEED * block_frames + 4]: consecutive source frames of one channel.
    float *gather_samples;
    /// The same, from the playhead before a seek.
    float *seek_samples;
    /// [block_frames]: the source frame at or before each frame's position.
    int32_t *playhead_frames;
    /// [block_frames]: the distance from that frame, 0…1.
    float *playhead_fractions;
};

#endif
