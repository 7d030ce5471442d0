/// Which beat is at which transport frame. All functions [render].
#ifndef RCORE_CLOCK_H
#define RCORE_CLOCK_H

#include "transport/transport.h"

/// Returns the beat of a transport frame by the line, and by the map.
double clock_line_beat(const struct transport *transport, int64_t frame) RCORE_RT;
double clock_map_beat(const struct transport *transport, int64_t frame) RCORE_RT;
/// Returns the place of a transport frame in the map, in frames.
double clock_map_place(const struct transport *transport, int64_t frame) RCORE_RT;
/// Returns the beat of the current position.
double clock_beat(const struct transport *transport) RCORE_RT;

/// Returns the transport frame nearest to a beat, which is a fixed-point number; by the map.
int64_t clock_map_frame(const struct transport *transport, uint64_t fixed) RCORE_RT;
/// Returns the frames until the frame nearest to a beat, as if the transport rolled; negative: it
/// has passed it. `when`: a time that is a beat.
int64_t clock_frames_until(const struct transport *transport, uint64_t when) RCORE_RT;
/// Returns the frames from the current one to that of a beat, both included, at most UINT32_MAX; 0:
/// it has passed it.
uint32_t clock_frames_through(const struct transport *transport, uint64_t when) RCORE_RT;

#endif
