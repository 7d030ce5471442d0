/// Functions that all clients here share.
#ifndef LATENCY_CLIENT_H
#define LATENCY_CLIENT_H

#include <jack/jack.h>
#include <stdbool.h>

/// Opens a client on a running server. Returns NULL if no server runs or if it refuses. Prints
/// nothing.
jack_client_t *client_open(const char *server, const char *name);
/// Closes a client. NULL does nothing.
void client_close(jack_client_t *client);
/// Registers an audio port with additional `flags`. Returns NULL if the server refuses.
jack_port_t *client_port(jack_client_t *client, const char *name, unsigned long flags);
/// Connects two ports. Also returns true if they are already connected.
bool client_connect(jack_client_t *client, const char *source, const char *destination);

#endif
