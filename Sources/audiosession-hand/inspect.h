/// `--inspect`: what there is on PipeWire that concerns adoption, for `audiosession doctor`.
#ifndef HAND_INSPECT_H
#define HAND_INSPECT_H

#include "options.h"

/// Connects, prints `KEY=VALUE` lines and disconnects; changes nothing. Takes at most 2 s. Returns
/// the exit status: 69 if PipeWire is not running or does not answer.
int inspect_run(const hand_options_t *options);

#endif
