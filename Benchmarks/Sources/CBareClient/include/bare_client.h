/// A JACK client as bare as one can be: the bound beside which sessions are measured, and the ear that hears what they put out.
///
/// Calls belong on one thread, but for what the comments say. A client whose server has died must not be closed: libjack may never
/// return. Its process ends instead.
#ifndef BARE_CLIENT_H
#define BARE_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bare_client bare_client_t;

/// Opens a client at a server, PipeWire's where the loader chose its libjack, and registers its ports, `out_1`… and `in_1`…, each at
/// most 8. NULL when there is no server or it says no.
bare_client_t *bare_client_open(const char *server, const char *name, uint32_t outputs, uint32_t inputs);
/// Takes part in the cycle: outputs are silent, unless they count.
bool bare_client_activate(bare_client_t *client);
/// Connects each port to one of the device's; returns how many connections were made.
uint32_t bare_client_connect_device(bare_client_t *client);
bool bare_client_deactivate(bare_client_t *client);
void bare_client_close(bare_client_t *client);

/// Connects two ports by their full names; true where they are connected already.
bool bare_client_connect(bare_client_t *client, const char *source, const char *destination);
/// How many ports the port of that full name is connected to; 0 where there is none.
uint32_t bare_client_links(bare_client_t *client, const char *port);
bool bare_client_set_period(bare_client_t *client, uint32_t nframes);
uint32_t bare_client_period(const bare_client_t *client);
uint64_t bare_client_xruns(const bare_client_t *client);

/// Waits until libjack has told the server's end; when it did, in nanoseconds of CLOCK_MONOTONIC, 0 when it did not within that time.
uint64_t bare_client_await_loss(bare_client_t *client, uint32_t milliseconds);

/// From the next cycle on all outputs count: sample n is (n + 1) / 2^20, and after 2^20 of them they begin anew.
void bare_client_count(bare_client_t *client);

/// What came in at an input that counts.
typedef struct bare_client_heard {
    uint64_t
        first_ns; ///< CLOCK_MONOTONIC at the beginning of the cycle that brought the first two samples that count; 0: none yet
    uint32_t first_frame; ///< the number that the first sample of that cycle had, or would have had
    uint64_t frames;      ///< samples that counted
    uint64_t silent;      ///< samples of 0 after the first that counted
    uint64_t lost;        ///< numbers that were left out
    uint64_t breaks;      ///< times that the count did not go on by one
} bare_client_heard_t;

/// What an input heard so far, torn if the cycle writes meanwhile: ask when nothing changes, or twice.
bare_client_heard_t bare_client_heard(const bare_client_t *client, uint32_t input);
/// Waits until an input has heard that many samples that count; false when it has not within that time.
bool bare_client_await_frames(const bare_client_t *client, uint32_t input, uint64_t frames, uint32_t milliseconds);

#endif
