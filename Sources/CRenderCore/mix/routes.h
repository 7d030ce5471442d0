/// Routes: the last stage of the cycle.
#ifndef RCORE_ROUTES_H
#define RCORE_ROUTES_H

#include "render_core.h"

/// Limits, meters and captures the routes, and adds them to the outputs from frame `offset` on.
void routes_write(rcore_t *core, float *const *outputs, uint32_t noutputs, uint32_t offset, uint32_t nframes) RCORE_RT;

#endif
