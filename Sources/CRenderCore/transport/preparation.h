/// Whether control has prepared the pass of the transport.
#ifndef RCORE_PREPARATION_H
#define RCORE_PREPARATION_H

#include "transport/transport.h"

/// Returns whether the current pass has been prepared, or need not be. [render]
bool transport_is_prepared(const struct transport *transport) RCORE_RT;

#endif
