/// Voices that play a streamed buffer (page_cache.h): the pages that they need, and what they do
/// while one is missing.
#ifndef RCORE_PAGING_H
#define RCORE_PAGING_H

#include "voices/page_cache.h"
#include "voices/voice_state.h"

/// Sets up a voice that starts on a streamed buffer.
void paging_start(struct voice *voice) RCORE_RT;
/// Marks the pages that the voice will soon play as needed, before each block of `nframes`. If its
/// samples end soon because a page is missing, begins to fade it out within the core's
/// `steal_frames`, and fades it in when they are there. Returns why the voice must end:
/// RCORE_END_SOURCE if the page that it waits for cannot be read, RCORE_END_STOLEN if the cache is
/// too small; otherwise RCORE_END_NONE.
rcore_end_t paging_follow(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT;
/// Returns the number of source frames from the playhead on, loops included, that are in memory;
/// UINT64_MAX: all up to the end of the source.
uint64_t paging_ahead(const struct voice *voice) RCORE_RT;

/// Returns whether the voice waits for a page, inaudible.
static inline bool paging_waits(const struct voice *voice) RCORE_RT {
    return voice->is_paged && voice->page_fade.remaining == 0 && voice->page_fade.target == 0.0f;
}
/// Returns whether the voice fades out before a missing page, or in after it.
static inline bool paging_fades(const struct voice *voice) RCORE_RT {
    return voice->is_paged && (voice->page_fade.remaining > 0 || voice->page_fade.target != 1.0f);
}

#endif
