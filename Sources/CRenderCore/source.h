/// The sources of a voice's samples: memory, a stream, a callback of the app, or live input.
#ifndef RCORE_SOURCE_H
#define RCORE_SOURCE_H

#include "core.h"

/// Sets up the voice's source at its start.
void source_start(struct voice *voice) RCORE_RT;
/// Prepares the next contiguous segment of every channel, at most `nframes`, and returns its
/// length; 0 if no frames are available now or the source has ended.
uint32_t source_segment(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT;
/// Returns one channel of that segment, which begins `offset` frames into the block; NULL is
/// silence.
const float *source_channel(const rcore_t *core, struct voice *voice, uint32_t channel, uint32_t offset,
                            uint32_t nframes) RCORE_RT;
/// Advances past the segment.
void source_advance(struct voice *voice, uint32_t nframes) RCORE_RT;
/// Returns whether the source has ended.
bool source_over(const struct voice *voice) RCORE_RT;
/// Seeks in a memory source, with a crossfade over `ramp_frames` of the source. While another seek
/// crossfades, stores the seek as the pending one, unless `ramp_frames` is 0.
void source_seek(struct voice *voice, uint64_t frame, uint32_t ramp_frames) RCORE_RT;
/// Starts the pending seek, if the crossfade of the previous seek has ended.
void source_follow_seek(struct voice *voice) RCORE_RT;
/// Ends the loop after the current pass; within the crossfade of the loop, after one more.
void source_leave_loop(struct voice *voice) RCORE_RT;
/// Prefetches memory of the voices that follow the one at `index` in the list of playing voices,
/// because voices and their samples are scattered in memory: of a voice that is `far` ahead, its
/// first cache line; of one that is `near`, its samples and, unless it is in a batch of mono
/// sources, its other cache lines.
static inline void source_prefetch(const rcore_t *core, uint32_t index, uint32_t nframes) RCORE_RT {
    enum { far = 16, near = 8, line = 64, lines = 3 };
    if (index + far < core->playing_count && core->playing[index + far] != RCORE_NONE) {
        __builtin_prefetch(&core->voices[core->playing[index + far]]);
    }
    if (index + near < core->playing_count && core->playing[index + near] != RCORE_NONE) {
        const struct voice *voice = &core->voices[core->playing[index + near]];
        for (uint32_t frame = 0; voice->samples != NULL && frame < nframes; frame += line / sizeof(float)) {
            __builtin_prefetch(voice->samples + voice->frame + frame);
        }
        if (voice->batch == BATCH_NONE || (voice->batch & BATCH_PAIR) != 0) {
            for (size_t byte = line; byte < lines * line; byte += line) {
                __builtin_prefetch((const char *)voice + byte);
            }
        }
    }
}

#endif
