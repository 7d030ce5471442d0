/// A minimal JACK client: the lower bound that sessions are compared with, and the receiver that
/// checks their output.
///
/// Calls belong on one thread, except where noted. A client whose server has died must not be
/// closed, since libjack may never return. Its process ends instead.
#ifndef BARE_CLIENT_H
#define BARE_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bare_client bare_client_t;

/// Opens a client on a server (PipeWire's if the loader chose its libjack), and registers its
/// ports, `out_1`… and `in_1`…, at most 8 each. Returns NULL if no server runs or if it refuses.
bare_client_t *bare_client_open(const char *server, const char *name, uint32_t outputs, uint32_t inputs);
/// Starts to take part in the cycle. Outputs are silent unless they count.
bool bare_client_activate(bare_client_t *client);
/// Connects each port to one of the device's ports. Returns the number of connections.
uint32_t bare_client_connect_device(bare_client_t *client);
bool bare_client_deactivate(bare_client_t *client);
void bare_client_close(bare_client_t *client);

/// Connects two ports by their full names. Also true if they are already connected.
bool bare_client_connect(bare_client_t *client, const char *source, const char *destination);
/// Returns the number of connections of the port with that full name; 0 if it does not exist.
uint32_t bare_client_links(bare_client_t *client, const char *port);
bool bare_client_set_period(bare_client_t *client, uint32_t nframes);
uint32_t bare_client_period(const bare_client_t *client);
uint64_t bare_client_xruns(const bare_client_t *client);

/// Waits until libjack has reported the server's end. Returns the time of the report in nanoseconds
/// of CLOCK_MONOTONIC, or 0 after the timeout.
uint64_t bare_client_await_loss(bare_client_t *client, uint32_t milliseconds);

/// Makes all outputs count from the next cycle on: sample n is (n + 1) / 2^20, and the count
/// repeats after 2^20 samples.
void bare_client_count(bare_client_t *client);

/// The counting signal that an input has received.
typedef struct bare_client_heard {
    /// CLOCK_MONOTONIC at the beginning of the cycle with the first two samples that count; 0: none
    /// yet.
    uint64_t first_ns;
    /// The number that the first sample of that cycle had, or would have had.
    uint32_t first_frame;
    /// The number of samples that counted.
    uint64_t frames;
    /// The number of samples of 0 after the first that counted.
    uint64_t silent;
    /// The number of counts that were left out.
    uint64_t lost;
    /// The number of times that the count did not continue by one.
    uint64_t breaks;
} bare_client_heard_t;

/// Returns what an input has received so far. The values may be inconsistent if a cycle writes
/// meanwhile: call this when nothing changes, or twice.
bare_client_heard_t bare_client_heard(const bare_client_t *client, uint32_t input);
/// Waits until an input has received that many samples that count. Returns false after the timeout.
bool bare_client_await_frames(const bare_client_t *client, uint32_t input, uint64_t frames, uint32_t milliseconds);

#endif
