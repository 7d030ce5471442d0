/// A JACK server in this process, run through JACK's control interface.
#ifndef AUDIOSESSION_SERVER_HOST_H
#define AUDIOSESSION_SERVER_HOST_H

#include "options.h"

typedef struct host host_t;

/// Starts the server that `options` describe; clients can connect on return. Returns NULL if it
/// cannot run: `error` (of `error_size` bytes) then holds one sentence that gives the reason. The
/// caller owns it.
host_t *host_start(const server_options_t *options, char *error, unsigned long error_size);

/// Returns a descriptor that becomes readable when clients, ports or connections are added or
/// removed.
int host_change_fd(const host_t *host);

/// Makes the change descriptor unreadable until the next change.
void host_take_change(host_t *host);

/// Returns the number of connected clients, without those of the server itself.
int host_client_count(const host_t *host);

/// Returns the current sample rate, in Hz.
uint32_t host_sample_rate(const host_t *host);

/// Returns the current period, in frames.
uint32_t host_period(const host_t *host);

/// Returns the name of the running JACK driver: "alsa", "dummy".
const char *host_driver_name(const host_t *host);

/// Changes the sample rate while clients play. JACK notifies the clients and registers the device's
/// ports again. Period and device stay the same. Returns false if the device does not accept the
/// rate: the previous rate then remains, if necessary on the dummy driver, and `error` (of
/// `error_size` bytes) holds one sentence; if the dummy driver fails too, `host_is_dead` returns
/// true from then on. Waits until the clients have processed the change.
bool host_set_sample_rate(host_t *host, uint32_t rate, char *error, unsigned long error_size);

/// Returns whether no driver could be opened after a change of rate. Nothing is audible from then
/// on, so the server must exit.
bool host_is_dead(const host_t *host);

/// Stops the server and frees it; JACK notifies its clients. After a failed change of rate, only
/// stops it and leaves the rest to the end of the process. NULL does nothing.
void host_stop(host_t *host);

#endif
