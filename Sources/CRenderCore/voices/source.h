/// The sources of a voice's samples: memory, a stream, a callback of the app, or live input.
#ifndef RCORE_SOURCE_H
#define RCORE_SOURCE_H

#include "core/core.h"
#include "voices/voice_state.h"

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
/// Returns whether the source has ended. While a filter drains, silence follows without end.
bool source_over(const struct voice *voice) RCORE_RT;
/// Ends the loop after the current pass; within the crossfade of the loop, after one more.
void source_leave_loop(struct voice *voice) RCORE_RT;
/// Prefetches memory of the voices that follow the one at `index` in the list of playing voices,
/// because voices and their samples are scattered in memory: of a voice that is `far` ahead, its
/// first cache line; of one that is `near`, its samples and, unless it is in a batch of mono
/// sources, its other cache lines.
static inline void source_prefetch(const rcore_t *core, uint32_t index, uint32_t nframes) RCORE_RT {
    enum { far = 16, near = 8, line = 64, lines = 3 };
    if (index + far < core->voices.playing_count && core->voices.playing[index + far] != RCORE_NONE) {
        __builtin_prefetch(&core->voices.pool[core->voices.playing[index + far]]);
    }
    if (index + near < core->voices.playing_count && core->voices.playing[index + near] != RCORE_NONE) {
        const struct voice *voice = &core->voices.pool[core->voices.playing[index + near]];
        for (uint32_t frame = 0; voice->samples != NULL && frame < nframes; frame += line / sizeof(float)) {
            __builtin_prefetch(voice->samples + voice->frame + frame);
        }
        if (voice->batch == BATCH_NONE || (voice->batch & BATCH_PAIR) != 0) {
            for (size_t byte = line; byte < (size_t)lines * line; byte += line) {
                __builtin_prefetch((const char *)voice + byte);
            }
        }
    }
}

#endif
