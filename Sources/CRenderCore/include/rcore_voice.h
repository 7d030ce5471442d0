/// Voices: their sources and parameters, their state, and why they ended.
#ifndef RCORE_VOICE_H
#define RCORE_VOICE_H

#include "rcore_base.h"
#include "rcore_buffer.h"
#include "rcore_fifo.h"
#include "rcore_matrix.h"
#include "rcore_pan.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Handle of a voice, valid for one playback. 0 is never a voice.
typedef uint64_t rcore_voice_t;

/// A source of the app: renders its next `nframes` frames. [render] `planes` has one plane for each
/// of `channels`. Returns the number of frames rendered; fewer than `nframes` end the voice. The
/// function follows the rules of the cycle: no lock, allocation or system call.
typedef uint32_t (*rcore_render_t)(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT;

/// Highest priority; 0 is the lowest.
#define RCORE_MAX_PRIORITY 15u

/// What a voice plays, and how. Exactly one of buffer, fifo, render and input_channels is set. The
/// caller keeps what the parameters point to until the voice has ended.
typedef struct rcore_voice_params {
    /// Memory source.
    const rcore_buffer_t *buffer;
    /// Streamed source.
    rcore_fifo_t *fifo;
    /// Source of the app, with render_channels channels. The core calls it at most once per block.
    rcore_render_t render;
    /// Passed to `render`.
    void *render_context;
    /// 1…the core's max_channels.
    uint32_t render_channels;
    /// Live input: number of channels of the plan's input, which the voice plays in the same cycle.
    uint32_t input_channels;
    /// Slot of the live input. An input that no plan has, or that its session's gate does not
    /// grant, is silence.
    uint32_t input;
    /// Slot of the bus. On a bus that no plan has, the voice plays inaudibly.
    uint32_t bus;
    /// Map from the source's channels to the bus's; NULL: channel to channel.
    const rcore_matrix_t *matrix;
    /// Linear, finite.
    float gain;
    /// A mono source without a matrix is panned to the bus's first two channels. Any other source
    /// is balanced between them: each gain is that of the law divided by its value in the centre,
    /// at most 1.
    rcore_pan_law_t pan_law;
    /// -1 left … 1 right.
    float pan;
    /// Varispeed of memory and stream, 1/16…16 source frames per frame. 1 for other sources.
    float speed;
    /// 0…RCORE_MAX_PRIORITY; see `rcore_post_start` for voice stealing.
    uint32_t priority;
    /// Memory: first frame to play, below the length.
    uint64_t start_frame;
    /// Memory: number of times to jump from loop_end back to loop_start; UINT64_MAX: without end. 0
    /// for other sources.
    uint64_t loop_count;
    /// Memory: below loop_end.
    uint64_t loop_start;
    /// Memory: the frame after the loop's last one. 0: the length. After the last pass, the voice
    /// plays what follows.
    uint64_t loop_end;
    /// Memory: number of frames before loop_end that crossfade (linearly) with those before
    /// loop_start. At most loop_start, and at most the loop's length. 0: no crossfade.
    uint32_t loop_fade_frames;
    /// Length of the fade-in; 0: starts at full gain. Not used if the voice starts paused: the
    /// resume command has its own ramp.
    uint32_t fade_in_frames;
    /// Starts paused.
    bool paused;
    /// Memory and live input: the core releases the voice when it ends. The handle is stale from
    /// then on; `rcore_buffer_users` shows when the buffer is unused. The caller keeps the matrix
    /// as long as the buffer.
    bool one_shot;
} rcore_voice_params_t;

/// Returns unity gain and speed on bus 0, from the beginning, once, no pan, no fade, lowest
/// priority. [any]
rcore_voice_params_t rcore_voice_params_default(void);

typedef enum rcore_voice_state {
    /// Released, or never acquired.
    RCORE_VOICE_FREE = 0,
    /// Acquired; its start has not taken effect.
    RCORE_VOICE_WAITING = 1,
    /// Playing, or fading out to its end.
    RCORE_VOICE_PLAYING = 2,
    /// Paused, or fading out to pause.
    RCORE_VOICE_PAUSED = 3,
    /// Ended. The core no longer reads what it points to, and the voice may be released.
    RCORE_VOICE_ENDED = 4,
} rcore_voice_state_t;

/// Why a voice ended.
typedef enum rcore_end {
    /// It has not ended.
    RCORE_END_NONE = 0,
    /// Its source ended.
    RCORE_END_SOURCE = 1,
    /// A command stopped it.
    RCORE_END_STOPPED = 2,
    /// Another voice stole it.
    RCORE_END_STOLEN = 3,
    /// It did not start: as many voices of higher priority played as the core allows.
    RCORE_END_REFUSED = 4,
} rcore_end_t;

/// Acquires a voice from the pool. [any] Wait-free. Returns 0 when all are in use. The caller owns
/// the voice, starts it, and releases it with `rcore_voice_release` after it has ended or if it was
/// never started; only one thread at a time may do either.
rcore_voice_t rcore_voice_acquire(rcore_t *core) RCORE_RT;
/// Releases a voice. [any] RCORE_STALE: it was released before. RCORE_FULL: its start is posted or
/// it still plays; stop it first and wait for its end.
rcore_status_t rcore_voice_release(rcore_t *core, rcore_voice_t voice) RCORE_RT;
/// Returns the voice's state as of the last cycle. [any] RCORE_VOICE_FREE for stale handles.
rcore_voice_state_t rcore_voice_state(const rcore_t *core, rcore_voice_t voice) RCORE_RT;
/// Returns why the voice ended. [any] RCORE_END_NONE while it has not, and for stale handles.
rcore_end_t rcore_voice_end_reason(const rcore_t *core, rcore_voice_t voice) RCORE_RT;
/// Returns the number of frames of the source that were rendered, loops included. [any] Together
/// with `start_frame`, the loop and the source's length, this gives the position, unless the voice
/// seeks or leaves its loop. Readable until the voice is released; 0 for stale handles.
uint64_t rcore_voice_frames(const rcore_t *core, rcore_voice_t voice) RCORE_RT;
/// Returns the number of frames that a streamed source could not deliver in time; 0 for stale
/// handles. [any]
uint64_t rcore_voice_underrun_frames(const rcore_t *core, rcore_voice_t voice) RCORE_RT;

#ifdef __cplusplus
}
#endif
#endif
