/// The control socket: what no JACK client can ask of a server. One request a connection, one packet each way, for this user alone.
///
/// `rate 44100` is answered with `ok 44100`, the rate there is then, or with `error` and a sentence that says why and what is so;
/// `status` with `ok rate=48000 period=1024 driver=dummy clients=2`.
#ifndef AUDIOSESSION_SERVER_CONTROL_H
#define AUDIOSESSION_SERVER_CONTROL_H

#include "host.h"

typedef struct control control_t;

/// Listens at `path`, in place of a server that was killed. NULL when it cannot: `error` (of `error_size` bytes) then holds one
/// sentence that says why. The caller owns it.
control_t *control_open(const char *path, char *error, unsigned long error_size);

/// A descriptor that becomes readable when there is something to serve.
int control_fd(const control_t *control);

/// Serves one of those who have asked, and waits for nobody: a peer that stays silent is closed when others need its place.
void control_serve(control_t *control, host_t *host);

/// Stops listening, removes the socket and frees it. NULL does nothing.
void control_close(control_t *control);

#endif
