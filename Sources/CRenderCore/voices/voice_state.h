/// State of a voice in the pool.
#ifndef RCORE_VOICE_STATE_H
#define RCORE_VOICE_STATE_H

#include "mix/ramp.h"
#include "render_core.h"

#include <assert.h>
#include <stdalign.h>
#include <stddef.h>

/// Greatest speed of a voice, in source frames per frame.
#define MAX_SPEED 16

/// The playhead of a memory source, and how often it will still wrap.
struct playhead {
    uint64_t frame;
    uint64_t loops;
    /// Has wrapped: the frame before loop_start is the last of the loop.
    bool wrapped;
    /// Has run beyond the end.
    bool past_end;
};

enum source_kind { SOURCE_MEMORY, SOURCE_STREAM, SOURCE_RENDER, SOURCE_INPUT };

/// Values of a voice's `start`: who may send it commands. Between START_NONE and START_POSTED: 1 +
/// the index of the queue whose open transaction starts the voice.
enum {
    START_NONE = 0,
    START_POSTED = 0xFFFF,
    /// Mask of the values above and of the queue's index.
    START_QUEUE = 0xFFFF,
    START_VARISPEED = 1 << 16,
    START_PANNED = 1 << 17,
    START_MEMORY = 1 << 18,
};

/// Values of a voice's `batch`: 1 + the bus on whose first two channels it plays. A mono source
/// plays on both; with BATCH_PAIR, a stereo source plays channel to channel.
enum { BATCH_NONE = 0, BATCH_PAIR = 1 << 15 };

/// One voice of the pool. Its fields are in the order of how often a cycle reads them: for a voice
/// in a batch (voice_batch.c), the first cache line suffices.
struct voice {
    /// Memory: `samples[channel * stride + frame]`; NULL for other sources and streamed buffers.
    alignas(64) const float *samples;
    /// Memory: the next frame.
    uint64_t frame;
    /// Memory: up to this frame, samples are read directly. source.c then determines the next
    /// segment.
    uint64_t direct_end;
    /// Source frames rendered.
    _Atomic(uint64_t) frames;
    /// Its step is 0 while it is not running.
    struct ramp gain;
    /// Gains at the end of the current pan segment (pan.c); without a pan law, constant gains.
    struct stereo_gains stereo;
    /// Frames left in the current pan segment; 0 while the pan is constant.
    uint16_t pan_remaining;
    /// The batch that it can join; BATCH_NONE: it is rendered on its own.
    uint16_t batch;

    /// generation << 32 | rcore_end_t << 8 | rcore_voice_state_t.
    _Atomic(uint64_t) status;
    uint64_t stride;
    const rcore_matrix_t *matrix;
    /// 1 = audible; 0 = silent. Start, pause, resume, stop and the envelope move it.
    struct ramp fade;
    /// The pan position (-1…1) after the current segment.
    struct ramp pan;
    uint32_t bus;
    /// Channels of the source.
    uint32_t channels;
    /// Length of a full pan segment, in frames.
    uint16_t pan_segment;
    /// An `enum source_kind`.
    uint8_t kind;
    uint8_t pan_law;
    bool paused;
    bool stopping;
    /// Callback: it returned fewer frames than were requested. Stream: varispeed has played it to
    /// its end.
    bool rendered_all;
    /// Memory: the current segment is in the core's source samples.
    bool gathered;

    /// Source frames per frame; at exactly 1 the samples are used as they are.
    struct ramp speed;
    /// Position between two source frames, in 1/2^32 of a frame.
    uint32_t phase;
    /// The phase after the segment that is being mixed.
    uint32_t next_phase;
    /// Source frames that this segment consumes.
    uint32_t consumed;
    /// Index in the core's list of playing voices.
    uint32_t playing_index;
    /// The last frame of the segment was already interpolated from the source frame that comes
    /// next.
    bool has_begun_next;
    /// Stream: the frame before the current one is still in the ring.
    bool primed;
    bool wrapped;
    bool past_end;
    /// A gain command came before the start.
    bool gain_preset;
    /// A speed command came before the start.
    bool speed_preset;
    /// A pause or resume command came before the start.
    bool pause_preset;
    /// A pan command came before the start.
    bool pan_preset;
    /// Counts towards max_playing (polyphony.c).
    bool in_polyphony;
    /// Its fade follows an envelope (voice_pool.h).
    bool has_envelope;
    /// Has a filter.
    bool is_filtered;
    /// Its source has ended; its filter fades out.
    bool is_draining;
    /// Memory: plays a streamed buffer (paging.h).
    bool is_paged;
    /// Its note may leave its loop.
    bool leaves_loop;
    /// Paged: what follows the loop is in memory, or far away.
    bool can_leave_loop;
    /// An rcore_end_t, once the voice is stopping.
    uint8_t end;
    /// Memory: how often it will still wrap.
    uint64_t loops;
    uint64_t loop_start;
    uint64_t loop_end;
    /// Memory: length of the source, in frames.
    uint64_t nframes;
    uint32_t loop_fade;
    /// Frames left of the crossfade after a seek.
    uint32_t seek_remaining;
    uint32_t seek_frames;
    /// Crossfade of the pending seek, in frames.
    uint32_t next_seek_frames;
    /// Another seek starts when the crossfade of the current one ends.
    bool seek_pending;
    /// Target frame of the pending seek.
    uint64_t next_seek;
    /// The neighbours among the voices of its priority, in the order of their starts.
    uint32_t older;
    uint32_t newer;
    /// The playhead from before the seek, which advances until it has faded out.
    struct playhead seek_from;
    _Atomic(uint64_t) underruns;
    /// Paged: 1 = audible, 0 = waits for a page.
    struct ramp page_fade;
    /// Paged: the value of `frames` up to which the source is in memory; UINT64_MAX: to its end.
    uint64_t ahead_end;

    /// Belongs to the voice's owner until the start command is read, then to the render thread.
    rcore_voice_params_t params;
    /// START_…
    _Atomic(uint32_t) start;
    /// Belongs to the owner of the voice.
    uint32_t generation;
};
static_assert(offsetof(struct voice, status) == 64 && offsetof(struct voice, speed) == 128, "a cache line each");

#endif
