/// The inner loops: one source channel into one or two target channels.
#ifndef RCORE_MIX_H
#define RCORE_MIX_H

#include "ramp.h"

/// How a source channel is scaled over the next frames, the path's own gain apart.
struct scaling {
    const float *envelope; ///< a gain per frame; or NULL:
    struct ramp ramp;      ///< then this ramp, which lasts for all of them
    float gain;            ///< constant factor
};

/// A gain of the path that moves: `end - step * (last - i)` at frame i, as in ramp.h.
struct path {
    float end;
    float step;
    float last;
};

/// Goes on by `nframes`.
static inline void scaling_advance(struct scaling *scaling, uint32_t nframes) RCORE_RT {
    if (scaling->envelope != NULL) {
        scaling->envelope += nframes;
    } else {
        ramp_advance(&scaling->ramp, nframes);
    }
}

/// Adds `source` to `target`, scaled by `scaling` and `path`.
void mix_one(float *restrict target, const float *restrict source, const struct scaling *scaling, float path,
             uint32_t nframes) RCORE_RT;
/// Adds so many channels, `stride` floats apart, each to its own, scaled by a gain that stands still: the same bits as by `mix_one`.
void mix_channels(float *restrict targets, const float *restrict sources, size_t stride, uint32_t channels, float gain,
                  uint32_t nframes) RCORE_RT;
/// The same where the targets are silent, whatever lies there.
void mix_channels_first(float *restrict targets, const float *restrict sources, size_t stride, uint32_t channels,
                        float gain, uint32_t nframes) RCORE_RT;
/// Adds `source` to two targets, the first scaled by `paths[0]`, the second by `paths[1]`: a panned mono voice, read once.
void mix_two(float *restrict first, float *restrict second, const float *restrict source, const struct scaling *scaling,
             const float paths[2], uint32_t nframes) RCORE_RT;
/// The same two with paths that move.
void mix_one_moving(float *restrict target, const float *restrict source, const struct scaling *scaling,
                    const struct path *path, uint32_t nframes) RCORE_RT;
void mix_two_moving(float *restrict first, float *restrict second, const float *restrict source,
                    const struct scaling *scaling, const struct path paths[2], uint32_t nframes) RCORE_RT;

#endif
