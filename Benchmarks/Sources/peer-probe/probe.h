/// Two bare JACK clients: one whose output the peers hear, one whose inputs hear the peers. Two, so that what goes through a peer makes no
/// circle in the server's graph.
#ifndef PROBE_H
#define PROBE_H

#include "peer_ear.h"

#include <jack/jack.h>
#include <stdatomic.h>

enum { MAX_EARS = 24 };

struct probe {
    jack_client_t *source, *listener;
    jack_port_t *output, *inputs[MAX_EARS];
    uint32_t nears;
    atomic_bool is_lost; ///< the server has died
    peer_ear_t *ears[MAX_EARS];
    /// An impulse is wanted, that many frames into the next cycle; where it was put.
    _Atomic int32_t impulse_offset;
    _Atomic uint32_t impulse_frame;
};

/// Opens and activates both clients. False when there is no server or it says no.
bool probe_open(struct probe *probe, const char *server, uint32_t nears);

/// Closes both, unless the server has died: then libjack may never return.
void probe_close(struct probe *probe);

/// Puts an impulse into a cycle that comes, at an offset below the period. The frame by `impulse_frame` once `probe_impulse_is_out`.
void probe_impulse(struct probe *probe, uint32_t offset);
bool probe_impulse_is_out(const struct probe *probe);

/// The frame of the server's at a time of CLOCK_MONOTONIC not long ago.
uint32_t probe_frame_at(const struct probe *probe, uint64_t nanoseconds);

uint64_t probe_now(void);

#endif
