/// Voices: what is played, how, and what became of it.
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

/// Names a voice for one playing; 0 is never a voice.
typedef uint64_t rcore_voice_t;

/// Renders the next `nframes` frames of a source of an app's own into `planes`, one for each of `channels`; returns how many it
/// rendered: fewer than asked end the voice. [render] It keeps the contract of the cycle: no lock, allocation or system call.
typedef uint32_t (*rcore_render_t)(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT;

/// Highest priority; 0 is the lowest.
#define RCORE_MAX_PRIORITY 15u

/// What a voice plays, and how. Exactly one of buffer, fifo, render and input_channels is set. What it points to is kept by the caller
/// until the voice has ended.
typedef struct rcore_voice_params {
    const rcore_buffer_t *buffer; ///< memory source
    rcore_fifo_t *fifo;           ///< streamed source
    rcore_render_t render;        ///< source of an app's own, of render_channels channels; called at most once a slice
    void *render_context;         ///< handed to `render`
    uint32_t render_channels;     ///< 1…the core's max_channels
    uint32_t input_channels;      ///< live input: so many channels of the plan's input, heard in the same cycle
    uint32_t input;               ///< its slot; what no plan has, or its session's gate does not grant, is silence
    uint32_t bus;                 ///< slot; a bus that no plan has is silence, the voice runs on
    const rcore_matrix_t *matrix; ///< source channels in, bus channels out; NULL: channel to channel
    float gain;                   ///< linear, finite
    rcore_pan_law_t
        pan_law; ///< a mono source without a matrix is panned to the bus's first two channels; anything else is balanced
    float pan;   ///< between them, by the law over its value in the middle, at most 1. -1 left … 1 right
    float speed;          ///< varispeed of memory and stream: 1/16…16 source frames a frame; others play at 1
    uint32_t priority;    ///< 0…RCORE_MAX_PRIORITY, for `rcore_post_start` when all places are taken
    uint64_t start_frame; ///< memory: first frame to play, below its length
    uint64_t loop_count;  ///< memory: how often to go back from loop_end to loop_start; UINT64_MAX for ever
    uint64_t loop_start;  ///< memory: below loop_end
    uint64_t
        loop_end; ///< memory: the frame after the loop's last; 0: its length. What follows is played after the last time
    uint32_t
        loop_fade_frames; ///< memory: the last ones before loop_end cross-fade (linear) into those before loop_start; at
                          ///< most either of loop_start and the loop's length; 0 joins them as they are
    uint32_t fade_in_frames; ///< 0 begins at full gain
    bool paused;             ///< begins standing still
    bool one_shot; ///< memory and live input: gives itself back when it ends; its handle is stale from then on, and
                   ///< `rcore_buffer_users` tells when the buffer is free. Its matrix is kept as long as the buffer
} rcore_voice_params_t;

/// Unity gain and speed on bus 0, from the beginning, once, no pan, no fade, lowest priority. [any]
rcore_voice_params_t rcore_voice_params_default(void);

typedef enum rcore_voice_state {
    RCORE_VOICE_FREE = 0,    ///< released, or never acquired
    RCORE_VOICE_WAITING = 1, ///< acquired; its start has not taken effect
    RCORE_VOICE_PLAYING = 2,
    RCORE_VOICE_PAUSED = 3, ///< stands still, or fades towards it
    RCORE_VOICE_ENDED = 4,  ///< over: the core holds nothing of it; may be released
} rcore_voice_state_t;

/// Why a voice ended.
typedef enum rcore_end {
    RCORE_END_NONE = 0,    ///< it has not
    RCORE_END_SOURCE = 1,  ///< its source was over
    RCORE_END_STOPPED = 2, ///< it was told to
    RCORE_END_STOLEN = 3,  ///< another one needed its place
    RCORE_END_REFUSED = 4, ///< at its start all places were held by higher priorities
} rcore_end_t;

/// Takes a voice from the pool. [any] Wait-free. 0 when all are taken. It belongs to the caller, who starts it and gives it back with
/// `rcore_voice_release` once it has ended or if it was never started; one thread at a time does either.
rcore_voice_t rcore_voice_acquire(rcore_t *core) RCORE_RT;
/// Gives a voice back. [any] RCORE_STALE if it was released before; RCORE_FULL while a start is on its way or it still plays:
/// stop it first and wait for its end.
rcore_status_t rcore_voice_release(rcore_t *core, rcore_voice_t voice) RCORE_RT;
/// What the voice is doing, as of the last cycle. [any] RCORE_VOICE_FREE for stale handles.
rcore_voice_state_t rcore_voice_state(const rcore_t *core, rcore_voice_t voice) RCORE_RT;
/// Why it ended. [any] RCORE_END_NONE while it has not, and for stale handles.
rcore_end_t rcore_voice_end_reason(const rcore_t *core, rcore_voice_t voice) RCORE_RT;
/// Frames of its source that were rendered, loops included; with `start_frame` and the source's length this is the position. [any]
/// Stays readable until the voice is released; 0 for stale handles.
uint64_t rcore_voice_frames(const rcore_t *core, rcore_voice_t voice) RCORE_RT;
/// Frames that a streamed source could not deliver in time. [any]
uint64_t rcore_voice_underrun_frames(const rcore_t *core, rcore_voice_t voice) RCORE_RT;

#ifdef __cplusplus
}
#endif
#endif
