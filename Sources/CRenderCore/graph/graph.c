// The weights of a crossfade between plans.
#include "graph/graph.h"

#include "core/core.h"

void crossfade_weights(const rcore_t *core, bool rises, uint32_t ahead, float *weights, uint32_t nframes) RCORE_RT {
    const int64_t length = core->config.crossfade_frames;
    const int64_t start = (int64_t)core->graph.crossfade.elapsed + ahead - core->graph.crossfade.preroll;
    for (uint32_t i = 0; i < nframes; i++) {
        const int64_t frame = start + i + 1; // the first frame already has a weight
        const int64_t clamped = frame < 0 ? 0 : frame > length ? length : frame;
        const float rising = (float)clamped / (float)length;
        weights[i] = rises ? rising : 1.0f - rising;
    }
}
