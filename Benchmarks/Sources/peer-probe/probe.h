/// Two bare JACK clients: one sends to the peers, one receives from them. They are separate so that
/// a path through a peer does not form a cycle in the server's graph.
#ifndef PROBE_H
#define PROBE_H

#include "peer_tap.h"

#include <jack/jack.h>
#include <stdatomic.h>

enum { MAX_TAPS = 24 };

struct probe {
    jack_client_t *source, *listener;
    jack_port_t *output, *inputs[MAX_TAPS];
    uint32_t ntaps;
    /// Whether the server has died.
    atomic_bool is_lost;
    peer_tap_t *taps[MAX_TAPS];
    /// The offset of a requested impulse in the next cycle, in frames; and the frame at which it
    /// was sent.
    _Atomic int32_t impulse_offset;
    _Atomic uint32_t impulse_frame;
};

/// Opens and activates both clients. Returns false if no server runs or if it refuses.
bool probe_open(struct probe *probe, const char *server, uint32_t ntaps);

/// Closes both clients, unless the server has died, since libjack may then never return.
void probe_close(struct probe *probe);

/// Sends an impulse in one of the next cycles, at an offset below the period. Once
/// `probe_impulse_is_out`, `impulse_frame` is its frame.
void probe_impulse(struct probe *probe, uint32_t offset);
bool probe_impulse_is_out(const struct probe *probe);

/// Returns the server's frame at a recent time of CLOCK_MONOTONIC.
uint32_t probe_frame_at(const struct probe *probe, uint64_t nanoseconds);

uint64_t probe_now(void);

#endif
