#ifndef PEER_SIGNAL_H
#define PEER_SIGNAL_H

#include <stdbool.h>

/// Call before the stream starts: sets whether `peer_fill` counts, or plays the sound when
/// triggered.
void peer_signal_begin(bool count);

#endif
