/// Inside of command ports: one command onto the ring.
#ifndef RCORE_PORT_INTERNAL_H
#define RCORE_PORT_INTERNAL_H

#include "core.h"

/// Tells whether the port, or its open group, has room for one more command that is due `when`. [producer] RCORE_FULL: it has not, and the
/// open group has failed.
rcore_status_t port_reserve(rcore_port_t *port, uint64_t when) RCORE_RT;
/// The same for the place that a curve takes.
rcore_status_t port_reserve_curve(rcore_port_t *port) RCORE_RT;
/// Puts the command there; there must be room. [producer]
void port_put(rcore_port_t *port, struct command command) RCORE_RT;

#endif
