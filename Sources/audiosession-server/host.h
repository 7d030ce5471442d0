/// A JACK server in this process, by JACK's control interface.
#ifndef AUDIOSESSION_SERVER_HOST_H
#define AUDIOSESSION_SERVER_HOST_H

#include "options.h"

typedef struct host host_t;

/// Starts the server that `options` describe; clients can connect on return. NULL when it cannot run: `error` (of `error_size`
/// bytes) then holds one sentence that says why. The caller owns it.
host_t *host_start(const server_options_t *options, char *error, unsigned long error_size);

/// A descriptor that becomes readable when clients come or go.
int host_change_fd(const host_t *host);

/// How many clients are connected now, those of the server itself not counted. Takes back the change descriptor's readiness.
int host_client_count(host_t *host);

/// Stops the server and frees it; its clients are told. NULL does nothing.
void host_stop(host_t *host);

#endif
