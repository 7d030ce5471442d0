/// Streamed buffers: long sounds of instruments, of which only the beginning (the *head*) is in
/// memory for good. What follows is divided into pages. The cycle requests the pages that its notes
/// will soon play, control reads them from disk into the core's page cache, and notes that play the
/// same sound share them.
///
/// A note plays a streamed buffer with the same samples as one in memory, loops and the change of
/// its pitch included, if its pages are there in time. Otherwise it fades out before the missing
/// page (within the core's `steal_frames`), waits, and continues where it was, as does its
/// envelope, when the page is there. It ends if it is released while it waits, or if the page
/// cannot be read. The frames in which it waits are counted (`underrun_frames` of the core's
/// counters). If all pages of the cache are needed by notes that wait for others, notes end, the
/// oldest one first (`stolen_voices`).
#ifndef RCORE_PAGE_CACHE_H
#define RCORE_PAGE_CACHE_H

#include "rcore_base.h"
#include "rcore_buffer.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Samples of a page, over all its channels: a page of c channels has the greatest power of two of
/// frames with at most RCORE_PAGE_SAMPLES / c.
#define RCORE_PAGE_SAMPLES 16384u
/// Highest number of channels of a streamed buffer.
#define RCORE_MAX_STREAMED_CHANNELS 8u

typedef struct rcore_page_cache_config {
    /// Number of pages in memory, 16…2^20, with RCORE_PAGE_SAMPLES samples each.
    uint32_t pages;
    /// How far ahead of a note its pages are requested, in frames of the core, 1…2^24; an eighth of
    /// it while the cache is full. With those of a block and of the fade-out, at most 128 pages and
    /// half of the cache: a note that needs more for these two alone ends. If the sample rate
    /// of the core changes, this and `idle_frames` keep their duration.
    uint32_t ahead_frames;
    /// Pages that no note has needed for as long leave the cache: frames of the core, without those
    /// for which nothing is rendered.
    uint32_t idle_frames;
} rcore_page_cache_config_t;

/// Returns 1024 pages (64 MiB), requested 24,000 frames ahead, that stay for 192,000 frames. [any]
rcore_page_cache_config_t rcore_page_cache_config_default(void);

/// Gives the core a page cache. [control] Its pages take up memory once they have been read for the
/// first time. RCORE_BAD_ARGUMENT: a value is out of range. RCORE_FULL: the core has one.
/// RCORE_NO_MEMORY. `rcore_destroy` frees it.
rcore_status_t rcore_open_page_cache(rcore_t *core, const rcore_page_cache_config_t *config);

/// Creates a buffer of `nframes` (more than those of `head`, at most 2^32) for the zones of
/// instruments of this core, which must have a page cache. [control] Its first frames are those of
/// `head`, with 1…RCORE_MAX_STREAMED_CHANNELS channels, of which it keeps a reference. `context` is
/// for `rcore_next_page_request`. Returns NULL with RCORE_BAD_ARGUMENT or RCORE_NO_MEMORY; `status`
/// may be NULL. `rcore_buffer_users` counts 1 for the pages that are in the cache or requested; the
/// caller may release the buffer when it is 0, or after `rcore_destroy`. A cycle in which the last
/// page leaves the cache wakes control.
rcore_buffer_t *rcore_buffer_create_streamed(const rcore_t *core, rcore_buffer_t *head, uint64_t nframes, void *context,
                                             rcore_status_t *status);

/// A page to read.
typedef struct rcore_page_request {
    /// That of the buffer.
    void *context;
    /// The first frame, counted from the beginning of the sound, and the number of frames.
    uint64_t first_frame;
    uint32_t nframes;
    uint32_t channels;
    /// The core's number of the page.
    uint32_t slot;
} rcore_page_request_t;

/// Takes the next request, in the order in which the cycle made them; false: there is none. Leaves
/// out those that no note needs any longer. A cycle that makes requests wakes control
/// (`rcore_wait`). [control], one thread at a time
bool rcore_next_page_request(rcore_t *core, rcore_page_request_t *request);
/// Completes a request that was taken, with its `nframes` interleaved frames; NULL: they cannot be
/// read. NaN and infinite samples become 0. Notes can play the page from the next cycle on.
/// [control], one thread at a time
void rcore_complete_page_request(rcore_t *core, const rcore_page_request_t *request, const float *frames);

/// Returns the number of pages that are in the cache or requested, as of the last cycle. [any]
uint32_t rcore_page_count(const rcore_t *core) RCORE_RT;

#ifdef __cplusplus
}
#endif
#endif
