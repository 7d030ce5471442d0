// The page cache: which page is in which slot, and the exchange with control.
#include "voices/page_cache.h"

#include "core/core.h"
#include "core/memory.h"
#include "voices/buffer.h"
#include "voices/pool.h"

#include <stdlib.h>

enum {
    max_pages = 1 << 20,
    /// Slots to examine for one page, and at most in each cycle for idle pages.
    search_steps = 64,
    most_idle_steps = 256,
};
#define MAX_STREAMED_FRAMES (UINT64_C(1) << 32)

/// What control returns: the number of a slot, and one of these. A dropped page was not read,
/// because no note needs it any longer.
#define COMPLETION_FAILED (UINT32_C(1) << 31)
#define COMPLETION_DROPPED (UINT32_C(1) << 30)

// ---- Control ------------------------------------------------------------------------------------

rcore_page_cache_config_t rcore_page_cache_config_default(void) {
    return (rcore_page_cache_config_t){.pages = 1024, .ahead_frames = 24000, .idle_frames = 192000};
}

static struct page_cache *allocate(const rcore_page_cache_config_t *config, uint32_t sample_rate) {
    struct page_cache *cache = memory_allocate(sizeof *cache);
    if (cache == NULL) {
        return NULL;
    }
    const uint32_t capacity = ring_round_up(config->pages);
    cache->config = *config;
    cache->sample_rate = sample_rate;
    const size_t bytes = sizeof(float) * RCORE_PAGE_SAMPLES * (size_t)config->pages;
    // Not touched: the system provides the memory of a page when control first writes it, and the
    // cycle reads none before.
    cache->memory = aligned_alloc(RCORE_ALIGNMENT, bytes);
    cache->slots = memory_allocate(sizeof *cache->slots * config->pages);
    cache->unused = memory_allocate(sizeof *cache->unused * config->pages);
    cache->requests = memory_allocate(sizeof *cache->requests * capacity);
    cache->completions = memory_allocate(sizeof *cache->completions * capacity);
    if (cache->memory == NULL || cache->slots == NULL || cache->unused == NULL || cache->requests == NULL ||
        cache->completions == NULL) {
        page_cache_destroy(cache);
        return NULL;
    }
    ring_init(&cache->requested, capacity);
    ring_init(&cache->completed, capacity);
    for (uint32_t i = 0; i < config->pages; i++) {
        cache->slots[i].samples = (float *)cache->memory + (size_t)i * RCORE_PAGE_SAMPLES;
        cache->unused[cache->unused_count++] = config->pages - 1 - i;
    }
    return cache;
}

void page_cache_destroy(struct page_cache *cache) {
    if (cache == NULL) {
        return;
    }
    free(cache->memory);
    free(cache->slots);
    free(cache->unused);
    free(cache->requests);
    free(cache->completions);
    free(cache);
}

static struct page_cache *cache_of(const rcore_t *core) RCORE_RT {
    return atomic_load_explicit(&core->voices.page_cache, memory_order_acquire);
}

rcore_status_t rcore_open_page_cache(rcore_t *core, const rcore_page_cache_config_t *config) {
    if (config == NULL || config->pages < 16 || config->pages > max_pages || config->ahead_frames < 1 ||
        config->ahead_frames > 1u << 24) {
        return RCORE_BAD_ARGUMENT;
    }
    if (cache_of(core) != NULL) {
        return RCORE_FULL;
    }
    struct page_cache *cache = allocate(config, atomic_load_explicit(&core->sample_rate, memory_order_relaxed));
    if (cache == NULL) {
        return RCORE_NO_MEMORY;
    }
    atomic_store_explicit(&core->voices.page_cache, cache, memory_order_release);
    return RCORE_OK;
}

// Returns the binary logarithm of the number of frames of a page.
static uint32_t page_shift(uint32_t channels) {
    uint32_t shift = 0;
    while ((2u << shift) * channels <= RCORE_PAGE_SAMPLES) {
        shift++;
    }
    return shift;
}

rcore_buffer_t *rcore_buffer_create_streamed(const rcore_t *core, rcore_buffer_t *head, uint64_t nframes, void *context,
                                             rcore_status_t *status) {
    rcore_status_t ignored;
    status = status != NULL ? status : &ignored;
    *status = RCORE_BAD_ARGUMENT;
    if (cache_of(core) == NULL || head == NULL || head->cache != NULL || head->channels > RCORE_MAX_STREAMED_CHANNELS ||
        nframes <= head->nframes || nframes > MAX_STREAMED_FRAMES) {
        return NULL;
    }
    *status = RCORE_NO_MEMORY;
    rcore_buffer_t *buffer = memory_allocate(sizeof *buffer);
    if (buffer == NULL) {
        return NULL;
    }
    *buffer = (rcore_buffer_t){.nframes = nframes,
                               .stride = head->stride,
                               .channels = head->channels,
                               .references = 1,
                               .samples = head->samples,
                               .head_frames = head->nframes,
                               .cache = cache_of(core),
                               .page_shift = page_shift(head->channels),
                               .context = context};
    const uint64_t pages = ((nframes - head->nframes - 1) >> buffer->page_shift) + 1;
    buffer->slots = memory_allocate(sizeof *buffer->slots * pages);
    if (buffer->slots == NULL) {
        free(buffer);
        return NULL;
    }
    for (uint64_t page = 0; page < pages; page++) {
        buffer->slots[page] = RCORE_NONE;
    }
    buffer->head = rcore_buffer_retain(head);
    *status = RCORE_OK;
    return buffer;
}

static void complete(struct page_cache *cache, uint32_t completion) {
    // It has room for all slots.
    cache->completions[ring_write_slot(&cache->completed, 0)] = completion;
    ring_did_write(&cache->completed, 1);
}

// Returns whether the note that needed a requested page no longer plays.
static bool is_outdated(struct page_cache *cache, const struct page_slot *slot) {
    const uint64_t now = atomic_load_explicit(&cache->now, memory_order_relaxed);
    const uint64_t needed_at = atomic_load_explicit(&slot->needed_at, memory_order_relaxed);
    return now > needed_at && now - needed_at > cache->config.ahead_frames / 2 + 2 * RCORE_MAX_PERIOD;
}

bool rcore_next_page_request(rcore_t *core, rcore_page_request_t *request) {
    struct page_cache *cache = cache_of(core);
    while (cache != NULL && ring_readable(&cache->requested, 1) > 0) {
        const uint32_t number = cache->requests[ring_read_slot(&cache->requested, 0)];
        ring_did_read(&cache->requested, 1);
        const struct page_slot *slot = &cache->slots[number];
        if (is_outdated(cache, slot)) {
            complete(cache, number | COMPLETION_DROPPED);
            continue;
        }
        const rcore_buffer_t *buffer = slot->buffer;
        const uint64_t first = buffer->head_frames + ((uint64_t)slot->page << buffer->page_shift);
        const uint64_t left = buffer->nframes - first;
        const uint32_t most = 1u << buffer->page_shift;
        *request = (rcore_page_request_t){.context = buffer->context,
                                          .first_frame = first,
                                          .nframes = left < most ? (uint32_t)left : most,
                                          .channels = buffer->channels,
                                          .slot = number};
        return true;
    }
    return false;
}

void rcore_complete_page_request(rcore_t *core, const rcore_page_request_t *request, const float *frames) {
    struct page_cache *cache = cache_of(core);
    if (frames == NULL) {
        complete(cache, request->slot | COMPLETION_FAILED);
        return;
    }
    const struct page_slot *slot = &cache->slots[request->slot];
    const uint32_t page_frames = 1u << slot->buffer->page_shift;
    for (uint32_t channel = 0; channel < request->channels; channel++) {
        float *samples = slot->samples + (size_t)channel * page_frames;
        for (uint32_t i = 0; i < request->nframes; i++) {
            const float sample = frames[(size_t)i * request->channels + channel];
            samples[i] = sample_is_finite(sample) ? sample : 0.0f;
        }
    }
    complete(cache, request->slot);
}

uint32_t rcore_page_count(const rcore_t *core) RCORE_RT {
    const struct page_cache *cache = cache_of(core);
    return cache != NULL ? atomic_load_explicit(&cache->used_count, memory_order_relaxed) : 0;
}

// ---- Slots --------------------------------------------------------------------------------------

// Removes the page of a slot. The last page of a buffer no longer counts as its user.
static void remove_page(rcore_t *core, struct page_slot *slot) RCORE_RT {
    rcore_buffer_t *buffer = slot->buffer;
    buffer->slots[slot->page] = RCORE_NONE;
    slot->state = PAGE_NONE;
    slot->buffer = NULL;
    if (--buffer->page_count == 0) {
        buffer_remove_user(buffer);
        core->work.is_due = true; // its owner may wait for this
    }
}

static void publish_used(struct page_cache *cache) RCORE_RT {
    atomic_store_explicit(&cache->used_count, cache->config.pages - cache->unused_count, memory_order_relaxed);
}

// Returns whether a slot has a page that no note has needed in this or the previous cycle. A page
// that was needed in the previous cycle may still be read in this one: its note has not been
// rendered yet.
static bool is_unneeded(const struct page_cache *cache, const struct page_slot *slot) RCORE_RT {
    return (slot->state == PAGE_READY || slot->state == PAGE_FAILED) && slot->needed_at < cache->previous;
}

static struct page_slot *next_slot(struct page_cache *cache, uint32_t *number) RCORE_RT {
    *number = cache->hand;
    cache->hand = cache->hand + 1 < cache->config.pages ? cache->hand + 1 : 0;
    return &cache->slots[*number];
}

// Returns a slot without a page, and if there is none, one whose page no note needs; RCORE_NONE:
// none was found.
static uint32_t take_slot(rcore_t *core, struct page_cache *cache) RCORE_RT {
    if (cache->unused_count > 0) {
        return cache->unused[--cache->unused_count];
    }
    for (uint32_t step = 0; step < search_steps; step++) {
        uint32_t number;
        struct page_slot *slot = next_slot(cache, &number);
        if (is_unneeded(cache, slot)) {
            remove_page(core, slot);
            return number;
        }
    }
    return RCORE_NONE;
}

static void free_slot(rcore_t *core, struct page_cache *cache, uint32_t number) RCORE_RT {
    remove_page(core, &cache->slots[number]);
    cache->unused[cache->unused_count++] = number;
}

// Removes pages that have been idle. Examines so many that each is examined several times until it
// has been idle for too long.
static void remove_idle(rcore_t *core, struct page_cache *cache, uint32_t nframes) RCORE_RT {
    enum { turns = 4, least = 8 };
    const uint64_t steps = (uint64_t)cache->config.pages * nframes * turns / (cache->idle_frames + 1) + least;
    for (uint64_t step = 0; step < steps && step < most_idle_steps; step++) {
        uint32_t number;
        const struct page_slot *slot = next_slot(cache, &number);
        if (is_unneeded(cache, slot) && cache->now - slot->needed_at > cache->idle_frames) {
            free_slot(core, cache, number);
        }
    }
}

static void take_completions(rcore_t *core, struct page_cache *cache) RCORE_RT {
    const uint64_t count = ring_readable(&cache->completed, cache->config.pages);
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t completion = cache->completions[ring_read_slot(&cache->completed, i)];
        const uint32_t number = completion & ~(COMPLETION_FAILED | COMPLETION_DROPPED);
        cache->requested_count -= 1;
        if ((completion & COMPLETION_DROPPED) != 0) {
            free_slot(core, cache, number);
        } else {
            cache->slots[number].state = (completion & COMPLETION_FAILED) != 0 ? PAGE_FAILED : PAGE_READY;
        }
    }
    ring_did_read(&cache->completed, count);
}

void page_cache_begin(rcore_t *core, uint32_t nframes) RCORE_RT {
    struct page_cache *cache = cache_of(core);
    if (cache == NULL) {
        return;
    }
    take_completions(core, cache);
    if (nframes > 0) {
        const uint64_t rate = atomic_load_explicit(&core->sample_rate, memory_order_relaxed);
        cache->ahead_frames = cache->config.ahead_frames * rate / cache->sample_rate;
        cache->idle_frames = cache->config.idle_frames * rate / cache->sample_rate;
        cache->previous = cache->now;
        atomic_store_explicit(&cache->now, cache->next, memory_order_relaxed);
        cache->next += nframes;
        const bool is_stuck = cache->was_full && !cache->has_played && cache->requested_count == 0;
        cache->stuck_cycles = is_stuck ? cache->stuck_cycles + 1 : 0;
        cache->was_full = cache->has_played = false;
        remove_idle(core, cache, nframes);
    }
    publish_used(cache);
}

// ---- Notes --------------------------------------------------------------------------------------

// Has control read the page of a slot.
static void request(rcore_t *core, struct page_cache *cache, uint32_t number) RCORE_RT {
    cache->slots[number].state = PAGE_REQUESTED;
    cache->requested_count += 1;
    // It has room for all slots.
    cache->requests[ring_write_slot(&cache->requested, 0)] = number;
    ring_did_write(&cache->requested, 1);
    core->work.is_due = true;
}

// Requests a page that has no slot. Returns its slot; RCORE_NONE: none is free.
static uint32_t request_new(rcore_t *core, rcore_buffer_t *buffer, uint64_t page) RCORE_RT {
    struct page_cache *cache = buffer->cache;
    const uint32_t number = take_slot(core, cache);
    if (number == RCORE_NONE) {
        cache->scarce_until = cache->now + cache->ahead_frames;
        return RCORE_NONE;
    }
    struct page_slot *slot = &cache->slots[number];
    slot->buffer = buffer;
    slot->page = (uint32_t)page;
    atomic_store_explicit(&slot->needed_at, cache->now, memory_order_relaxed);
    buffer->slots[page] = number;
    if (buffer->page_count++ == 0) {
        buffer_add_user(buffer);
    }
    request(core, cache, number);
    publish_used(cache);
    return number;
}

struct need pages_need(rcore_t *core, rcore_buffer_t *buffer, uint64_t first, uint64_t end) RCORE_RT {
    const uint64_t head = buffer->head_frames;
    if (end <= head) {
        return (struct need){.in_memory = end - first};
    }
    struct page_cache *cache = buffer->cache;
    const uint64_t last = (end - head - 1) >> buffer->page_shift;
    struct need need = {.in_memory = first < head ? head - first : 0};
    bool is_contiguous = true;
    for (uint64_t page = first < head ? 0 : (first - head) >> buffer->page_shift; page <= last; page++) {
        uint32_t number = buffer->slots[page];
        number = number != RCORE_NONE ? number : request_new(core, buffer, page);
        if (number == RCORE_NONE) {
            need.is_refused = true;
            break;
        }
        if (cache->slots[number].state == PAGE_FAILED && cache->slots[number].needed_at < cache->previous) {
            request(core, cache, number); // another note: tries again
        }
        atomic_store_explicit(&cache->slots[number].needed_at, cache->now, memory_order_relaxed);
        need.has_failed = need.has_failed || cache->slots[number].state == PAGE_FAILED;
        is_contiguous = is_contiguous && cache->slots[number].state == PAGE_READY;
        if (is_contiguous) {
            need.in_memory = head + ((page + 1) << buffer->page_shift) - first;
        }
    }
    need.in_memory = need.in_memory < end - first ? need.in_memory : end - first;
    return need;
}

uint64_t pages_ahead(const struct page_cache *cache) RCORE_RT {
    enum { share = 8 };
    return cache->now < cache->scarce_until ? cache->ahead_frames / share : cache->ahead_frames;
}

bool pages_are_stuck(struct page_cache *cache) RCORE_RT {
    cache->was_full = true;
    // By then, every slot has been examined.
    if (cache->stuck_cycles <= cache->config.pages / search_steps + 2) {
        return false;
    }
    cache->stuck_cycles = 0;
    return true;
}

const float *pages_samples(const rcore_buffer_t *buffer, uint32_t channel, uint64_t frame, uint64_t *count) RCORE_RT {
    if (frame < buffer->head_frames) {
        *count = buffer->head_frames - frame;
        return buffer->samples + channel * buffer->stride + frame;
    }
    const uint64_t after_head = frame - buffer->head_frames;
    const uint32_t number = buffer->slots[after_head >> buffer->page_shift];
    const uint64_t page_frames = UINT64_C(1) << buffer->page_shift;
    const uint64_t offset = after_head & (page_frames - 1);
    *count = 0;
    if (number == RCORE_NONE || buffer->cache->slots[number].state != PAGE_READY) {
        return NULL;
    }
    *count = page_frames - offset;
    return buffer->cache->slots[number].samples + channel * page_frames + offset;
}
