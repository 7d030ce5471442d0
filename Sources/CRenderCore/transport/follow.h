/// How the transport follows that of the server.
#ifndef RCORE_FOLLOW_H
#define RCORE_FOLLOW_H

#include "transport/transport.h"

/// Follows the server's transport for this cycle. Returns whether a new pass begins. [render]
bool transport_follow(struct transport *transport) RCORE_RT;

#endif
