/// The inner mixing loops: one source channel into one or two target channels.
#ifndef RCORE_MIX_H
#define RCORE_MIX_H

#include "mix/ramp.h"

/// Scaling of a source channel over the next frames, in addition to the gain of each path from the
/// source channel to a target channel.
struct scaling {
    /// One gain per frame; NULL: `ramp` applies instead.
    const float *envelope;
    /// If it has frames remaining, it applies, and lasts for all of the next frames.
    struct ramp ramp;
    /// Constant factor.
    float gain;
};

/// The moving gain of a path: `end - step * (last - i)` at frame i, as in ramp.h.
struct path {
    float end;
    float step;
    float last;
};

/// Advances by `nframes`.
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
/// Adds `channels` channels, which lie `stride` floats apart, each to its own target, scaled by a
/// constant gain. Produces the same bits as `mix_one`.
void mix_channels(float *restrict targets, const float *restrict sources, size_t stride, uint32_t channels, float gain,
                  uint32_t nframes) RCORE_RT;
/// Like `mix_channels`, for targets that count as silent: overwrites whatever they contain.
void mix_channels_first(float *restrict targets, const float *restrict sources, size_t stride, uint32_t channels,
                        float gain, uint32_t nframes) RCORE_RT;
/// Adds `source` to two targets, the first scaled by `paths[0]`, the second by `paths[1]`. Used for
/// a panned mono voice, whose source is then read only once.
void mix_two(float *restrict first, float *restrict second, const float *restrict source, const struct scaling *scaling,
             const float paths[2], uint32_t nframes) RCORE_RT;
/// Like `mix_one` and `mix_two`, with moving path gains.
void mix_one_moving(float *restrict target, const float *restrict source, const struct scaling *scaling,
                    const struct path *path, uint32_t nframes) RCORE_RT;
void mix_two_moving(float *restrict first, float *restrict second, const float *restrict source,
                    const struct scaling *scaling, const struct path paths[2], uint32_t nframes) RCORE_RT;

#endif
