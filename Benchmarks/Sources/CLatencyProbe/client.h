/// What all clients here have in common.
#ifndef LATENCY_CLIENT_H
#define LATENCY_CLIENT_H

#include <jack/jack.h>
#include <stdbool.h>

/// A client at a server that runs; NULL: none does, or it says no. Prints nothing.
jack_client_t *client_open(const char *server, const char *name);
/// Ends it; NULL does nothing.
void client_close(jack_client_t *client);
/// Registers an audio port with further `flags`; NULL when the server says no.
jack_port_t *client_port(jack_client_t *client, const char *name, unsigned long flags);
/// True where they are connected already.
bool client_connect(jack_client_t *client, const char *source, const char *destination);

#endif
