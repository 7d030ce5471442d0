/// Where a voice's samples come from: memory, a stream, a function of the app's, or live input.
#ifndef RCORE_SOURCE_H
#define RCORE_SOURCE_H

#include "core.h"

/// Goes to the source's beginning.
void source_begin(struct voice *voice) RCORE_RT;
/// Makes the next contiguous piece of every channel ready, at most `nframes`, and returns its length; 0: nothing is there now.
uint32_t source_piece(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT;
/// One channel of that piece, which begins `offset` frames into the slice; NULL is silence.
const float *source_channel(const rcore_t *core, struct voice *voice, uint32_t channel, uint32_t offset,
                            uint32_t nframes) RCORE_RT;
/// Leaves the piece behind.
void source_advance(struct voice *voice, uint32_t nframes) RCORE_RT;
/// Whether nothing will come any more.
bool source_over(const struct voice *voice) RCORE_RT;
/// Goes elsewhere in memory, fading over `ramp_frames` of the source.
void source_seek(struct voice *voice, uint64_t frame, uint32_t ramp_frames) RCORE_RT;
/// Takes up the seek that waited for the end of another.
void source_follow_seek(struct voice *voice) RCORE_RT;
/// Lets the loop go after the present pass.
void source_leave_loop(struct voice *voice) RCORE_RT;
/// Asks for the memory of voices that are rendered soon after the one at `index` of the playing ones: they lie apart, and so do their samples.
/// First for the voice, then for its samples; and for the rest of the voice, if it does not go in a group.
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
        if (voice->group == GROUP_NONE || (voice->group & GROUP_PAIR) != 0) {
            for (size_t byte = line; byte < lines * line; byte += line) {
                __builtin_prefetch((const char *)voice + byte);
            }
        }
    }
}

#endif
