/// The control socket, for requests that no JACK client can make: one request per connection, one
/// packet in each direction, only for this user and root.
///
/// The server answers `rate 44100` with `ok 44100`, the resulting rate, or with `error` and a
/// sentence that gives the reason and the result. It answers `status` with `ok rate=48000
/// period=1024 driver=dummy clients=2`.
#ifndef AUDIOSESSION_SERVER_CONTROL_H
#define AUDIOSESSION_SERVER_CONTROL_H

#include "host.h"

typedef struct control control_t;

/// Listens at `path`, and replaces the socket of a server that was killed. Returns NULL on failure:
/// `error` (of `error_size` bytes) then holds one sentence that gives the reason. The caller owns
/// it.
control_t *control_open(const char *path, char *error, unsigned long error_size);

/// Returns a descriptor that becomes readable when `control_serve` has something to do.
int control_fd(const control_t *control);

/// Serves one of the peers that have sent a request, and accepts one new connection. Serves no more
/// than one, because the caller must let the clients settle after a change of rate. Never waits for
/// a peer, but a change of rate waits for the JACK clients. A peer that stays silent is closed when
/// others need its slot.
void control_serve(control_t *control, host_t *host);

/// Stops listening, removes the socket and frees it. NULL does nothing.
void control_close(control_t *control);

#endif
