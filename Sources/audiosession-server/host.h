/// A JACK server in this process, by JACK's control interface.
#ifndef AUDIOSESSION_SERVER_HOST_H
#define AUDIOSESSION_SERVER_HOST_H

#include "options.h"

typedef struct host host_t;

/// Starts the server that `options` describe; clients can connect on return. NULL when it cannot run: `error` (of `error_size`
/// bytes) then holds one sentence that says why. The caller owns it.
host_t *host_start(const server_options_t *options, char *error, unsigned long error_size);

/// A descriptor that becomes readable when clients, ports or connections come or go.
int host_change_fd(const host_t *host);

/// Takes back the change descriptor's readiness.
void host_take_change(host_t *host);

/// How many clients are connected now, those of the server itself not counted.
int host_client_count(const host_t *host);

/// The rate there is, in Hz.
uint32_t host_sample_rate(const host_t *host);

/// The period there is, in frames.
uint32_t host_period(const host_t *host);

/// The JACK driver that runs: "alsa", "dummy".
const char *host_driver_name(const host_t *host);

/// Changes the rate while clients play: they are told, and the device's ports are registered anew. Keeps period and device. False when the device
/// does not take it: the rate is the one before then, and `error` (of `error_size` bytes) holds one sentence. Waits for the clients to take note.
bool host_set_sample_rate(host_t *host, uint32_t rate, char *error, unsigned long error_size);

/// Whether no driver could be had any more after a change of rate: nothing is heard from then on, so the server is to end.
bool host_is_dead(const host_t *host);

/// Stops the server and frees it; its clients are told. NULL does nothing.
void host_stop(host_t *host);

#endif
