/// The OpenAL context of a loopback, for this folder's sources and for tests.
#ifndef OPENAL_CONTEXT_H
#define OPENAL_CONTEXT_H

#include "openal_loopback.h"

/// Returns the context; NULL once it is closed.
struct ALCcontext_struct *openal_loopback_context(openal_loopback_t *loopback);

#endif
