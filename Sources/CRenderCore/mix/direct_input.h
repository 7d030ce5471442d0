/// Direct input of a bus: the voices that play on it.
#ifndef RCORE_DIRECT_INPUT_H
#define RCORE_DIRECT_INPUT_H

#include "render_core.h"

struct mix_op;

/// Delays the direct input of a bus for delay compensation, and mutes it while other buses are
/// soloed.
void direct_input_prepare(rcore_t *core, const struct mix_op *op, uint32_t nframes) RCORE_RT;

#endif
