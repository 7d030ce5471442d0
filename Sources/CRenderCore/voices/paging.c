// Voices that play a streamed buffer.
//
// In each block, a voice walks along the frames that it will play, the wrap of a loop included, as
// far as the cache reads ahead. What lies there is needed, and what is in memory without a gap is
// what the voice may read. If its key may be released within a loop, what follows the loop is
// needed as well.
//
// A voice that waits needs nothing beyond the first missing page: otherwise, voices that wait would
// hold pages that others wait for.
#include "voices/paging.h"

#include "core/core.h"
#include "core/counters.h"
#include "mix/ramp.h"
#include "voices/buffer.h"
#include "voices/playhead.h"
#include "voices/voice.h"

/// Pages that a voice walks along at most.
#define MAX_PAGES_AHEAD 128u
/// Source frames that interpolation reads beyond those that a segment consumes.
#define SPLINE_FRAMES 4u

static rcore_buffer_t *buffer_of(const struct voice *voice) RCORE_RT {
    // const for its readers; its table belongs to the cycle
    return (rcore_buffer_t *)(uintptr_t)voice->params.buffer;
}

static uint64_t frames_rendered(const struct voice *voice) RCORE_RT {
    return atomic_load_explicit(&voice->frames, memory_order_relaxed);
}

static double greatest_speed(const struct voice *voice) RCORE_RT {
    const float speed = ramp_value(&voice->speed);
    return speed > voice->speed.target ? (double)speed : (double)voice->speed.target;
}

// Returns the number of source frames that the voice reads for `nframes` at most.
static uint64_t source_frames(const struct voice *voice, uint64_t nframes) RCORE_RT {
    return (uint64_t)((double)nframes * greatest_speed(voice)) + SPLINE_FRAMES;
}

// Returns the number of frames that the voice can render from `ahead` source frames.
static uint64_t frames_from(const struct voice *voice, uint64_t ahead) RCORE_RT {
    return ahead > SPLINE_FRAMES ? (uint64_t)((double)(ahead - SPLINE_FRAMES) / greatest_speed(voice)) : 0;
}

static uint64_t lesser(uint64_t a, uint64_t b) RCORE_RT { return a < b ? a : b; }

void paging_start(struct voice *voice) RCORE_RT {
    voice->is_paged = voice->can_leave_loop = true;
    ramp_set(&voice->page_fade, 1.0f);
    voice->ahead_end = 0;
}

uint64_t paging_ahead(const struct voice *voice) RCORE_RT {
    const uint64_t rendered = frames_rendered(voice);
    return voice->ahead_end == UINT64_MAX ? UINT64_MAX : voice->ahead_end > rendered ? voice->ahead_end - rendered : 0;
}

// ---- The walk -----------------------------------------------------------------------------------

/// What a walk has found.
struct walk {
    /// Frames from the playhead on that are in memory without a gap; UINT64_MAX: all up to the end
    /// of the source.
    uint64_t ahead;
    /// A page found no slot, or could not be read.
    bool is_refused;
    bool has_failed;
};

// Adds the need for a range to what the walk has found, and returns how many of its frames are in
// memory.
static uint64_t need(rcore_t *core, const struct voice *voice, struct walk *walk, uint64_t first,
                     uint64_t end) RCORE_RT {
    const struct need need = pages_need(core, buffer_of(voice), first, end);
    walk->is_refused = walk->is_refused || need.is_refused;
    walk->has_failed = walk->has_failed || need.has_failed;
    return need.in_memory;
}

// Marks the frames before the playhead that its interpolation reads: the one before it, and at the
// beginning of a loop the loop's last one.
static void need_frame_before(rcore_t *core, const struct voice *voice, struct walk *walk) RCORE_RT {
    if (voice->frame > 0) {
        (void)need(core, voice, walk, voice->frame - 1, voice->frame);
    }
    if (voice->wrapped && voice->frame == voice->loop_start) {
        (void)need(core, voice, walk, voice->loop_end - 1, voice->loop_end);
    }
}

// Marks the frames that crossfade with those from `frame` to `end` in a loop, of which `in_memory`
// are in memory. Returns how many can be played.
static uint64_t need_loop_fade(rcore_t *core, const struct voice *voice, struct walk *walk, uint64_t frame,
                               uint64_t end, uint64_t in_memory) RCORE_RT {
    const uint64_t begin = voice->loop_end - voice->loop_fade;
    if (voice->loop_fade == 0 || end <= begin) {
        return in_memory;
    }
    const uint64_t length = voice->loop_end - voice->loop_start;
    // The frame before the first one as well: interpolation reads it.
    const uint64_t first = frame > begin ? frame - 1 : begin;
    const uint64_t incoming = need(core, voice, walk, first - length, end - length);
    const uint64_t playable = first + incoming > frame ? first + incoming - frame : 0;
    return lesser(in_memory, playable);
}

// Walks along the next `nframes` frames that the voice will play; beyond a missing page only if
// `beyond`.
static void walk_along(rcore_t *core, const struct voice *voice, struct walk *walk, uint64_t nframes,
                       bool beyond) RCORE_RT {
    // Up to the loop's end, and the whole loop or what follows its last pass.
    enum { most_parts = 2 };
    struct playhead playhead = voice_playhead(voice);
    bool is_contiguous = true;
    for (uint32_t part = 0; part < most_parts && nframes > 0 && (is_contiguous || beyond); part++) {
        playhead_settle(voice, &playhead);
        const bool loops = playhead_loops(voice, &playhead);
        const uint64_t left = (loops ? voice->loop_end : voice->nframes) - playhead.frame;
        const uint64_t step = lesser(left, nframes);
        const uint64_t end = playhead.frame + step;
        uint64_t in_memory = need(core, voice, walk, playhead.frame, end);
        in_memory = loops ? need_loop_fade(core, voice, walk, playhead.frame, end, in_memory) : in_memory;
        walk->ahead += is_contiguous ? in_memory : 0;
        is_contiguous = is_contiguous && in_memory == step;
        const bool is_whole_loop = loops && playhead.loops == UINT64_MAX && playhead.frame == voice->loop_start;
        if (step == left && (!loops || is_whole_loop)) {
            walk->ahead = is_contiguous ? UINT64_MAX : walk->ahead;
            return;
        }
        playhead.frame = end;
        nframes -= step;
    }
}

// Marks what follows the loop of a voice that may leave it at any time. Records whether it can do
// so now: `enough` of it is in memory, or the voice gets there so late that it can fade out before.
static void need_tail(rcore_t *core, struct voice *voice, struct walk *walk, uint64_t nframes,
                      uint64_t enough) RCORE_RT {
    voice->can_leave_loop = true;
    if (voice->leaves_loop && voice->loops > 0 && voice->loop_end < voice->nframes) {
        const uint64_t left = voice->nframes - voice->loop_end;
        const uint64_t end = voice->loop_end + lesser(left, nframes);
        const bool is_there = need(core, voice, walk, voice->loop_end, end) >= lesser(left, enough);
        voice->can_leave_loop = is_there || voice->frame + enough <= voice->loop_end;
    }
}

// ---- Waiting ------------------------------------------------------------------------------------

// Fades the voice out before its samples end, and in when `ahead` of them suffice again. A rising
// speed shortens a fade-out.
static void fade(struct voice *voice, uint64_t ahead, uint64_t needed, uint32_t ramp_frames) RCORE_RT {
    struct ramp *ramp = &voice->page_fade;
    if (ahead >= needed) {
        if (ramp->target == 0.0f) {
            ramp_to(ramp, 1.0f, ramp_frames);
        }
        return;
    }
    const uint32_t left = (uint32_t)lesser(frames_from(voice, ahead), ramp_frames);
    if (ramp->target != 0.0f || ramp->remaining > left) {
        ramp_to(ramp, 0.0f, left);
    }
}

rcore_end_t paging_follow(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT {
    const rcore_buffer_t *buffer = voice->params.buffer;
    struct page_cache *cache = buffer->cache;
    const uint32_t ramp_frames = (uint32_t)lesser(core->config.steal_frames, RCORE_MAX_PERIOD);
    const uint64_t most = lesser(MAX_PAGES_AHEAD, cache->config.pages / 2) << buffer->page_shift;
    // What must be there for a fade-out to end in time if no page comes before the next block.
    const uint64_t needed = source_frames(voice, (uint64_t)nframes + ramp_frames);
    const uint64_t to_walk = lesser(needed + source_frames(voice, pages_ahead(cache)), most);
    const bool waits = paging_waits(voice);
    struct walk walk = {.ahead = 0};
    need_frame_before(core, voice, &walk);
    walk_along(core, voice, &walk, waits ? lesser(needed, most) : to_walk, !waits);
    if (!waits || walk.ahead >= needed) {
        need_tail(core, voice, &walk, to_walk, needed);
    }
    voice->ahead_end = walk.ahead == UINT64_MAX ? UINT64_MAX : frames_rendered(voice) + walk.ahead;
    fade(voice, walk.ahead, needed, ramp_frames);
    if (!waits || walk.ahead >= needed) {
        cache->has_played = cache->has_played || !voice_suspended(core, voice);
        return RCORE_END_NONE;
    }
    if (needed > most || (walk.is_refused && pages_are_stuck(cache))) {
        add_to_counter(&core->counters.stolen_voices, 1);
        return RCORE_END_STOLEN;
    }
    return walk.has_failed ? RCORE_END_SOURCE : RCORE_END_NONE;
}
