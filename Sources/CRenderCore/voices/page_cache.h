/// The page cache: pages of streamed buffers (rcore_page_cache.h).
///
/// The cycle owns the table of slots and the tables of buffers: it alone decides which page is in
/// which slot. Control owns the samples of a slot from a request to its completion. Two rings pass
/// the numbers of slots, from the cycle to control and back.
#ifndef RCORE_PAGE_CACHE_INTERNAL_H
#define RCORE_PAGE_CACHE_INTERNAL_H

#include "queue/ring.h"
#include "rcore_page_cache.h"

#include <stdatomic.h>
#include <stddef.h>

enum page_state {
    /// Has no page.
    PAGE_NONE,
    /// Belongs to control.
    PAGE_REQUESTED,
    PAGE_READY,
    /// Control could not read it.
    PAGE_FAILED,
};

/// The memory of a page.
struct page_slot {
    float *samples;
    rcore_buffer_t *buffer;
    /// Number of the page in its buffer; 0 begins at the end of the head.
    uint32_t page;
    /// An `enum page_state`.
    uint32_t state;
    /// The time at the beginning of the cycle in which a note last needed it. Only the cycle writes
    /// it.
    _Atomic(uint64_t) needed_at;
};

struct page_cache {
    rcore_page_cache_config_t config;
    struct page_slot *slots;
    /// Numbers of the slots without a page.
    uint32_t *unused;
    uint32_t unused_count;
    /// The slot at which the next search begins: they are searched in turn (the clock algorithm).
    uint32_t hand;
    /// Number of slots whose page is requested.
    uint32_t requested_count;
    /// In this cycle, a note that waits found no slot for its page; a note played.
    bool was_full;
    bool has_played;
    /// Number of cycles in a row in which notes waited for slots, no note played, and nothing was
    /// read.
    uint32_t stuck_cycles;
    /// Until then, notes read less far ahead, because a page found no slot.
    uint64_t scarce_until;
    /// The times at the beginnings of this cycle and the one before, and at the end of this one.
    /// They count rendered frames alone: cycles without frames and skipped time age no page.
    _Atomic(uint64_t) now;
    uint64_t previous;
    uint64_t next;
    /// The configured lengths at the core's sample rate.
    uint32_t sample_rate;
    uint64_t ahead_frames;
    uint64_t idle_frames;
    /// Numbers of slots: to control, and back, together with a result.
    struct ring requested;
    struct ring completed;
    uint32_t *requests;
    uint32_t *completions;
    _Atomic(uint32_t) used_count;
    void *memory;
};

/// Frees a cache; NULL does nothing. [control]
void page_cache_destroy(struct page_cache *cache);
/// Begins a cycle of `nframes`: takes completed pages, and removes some of those that have been
/// idle. [render]
void page_cache_begin(rcore_t *core, uint32_t nframes) RCORE_RT;

/// What became of the pages that a voice needs.
struct need {
    /// Frames in memory without a gap, from the first one on.
    uint64_t in_memory;
    /// No slot was free for a page; further ones were not requested.
    bool is_refused;
    /// A page could not be read.
    bool has_failed;
};
/// Marks the pages with the frames `first`…`end` (without it) as needed, and requests those that
/// are not there. [render]
struct need pages_need(rcore_t *core, rcore_buffer_t *buffer, uint64_t first, uint64_t end) RCORE_RT;
/// Returns how far ahead notes read now, in frames. [render]
uint64_t pages_ahead(const struct page_cache *cache) RCORE_RT;
/// Returns whether a note that waits for a slot must end for others to continue: notes that wait
/// need all pages, and nothing is being read. Returns true for one note; later for another one.
/// [render]
bool pages_are_stuck(struct page_cache *cache) RCORE_RT;
/// Returns the samples of a channel of a streamed buffer from `frame` on, and sets `count` to the
/// number that follow each other there; NULL and 0: they are not in memory. [render]
const float *pages_samples(const rcore_buffer_t *buffer, uint32_t channel, uint64_t frame, uint64_t *count) RCORE_RT;

#endif
