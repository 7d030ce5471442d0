/// How the transport follows MIDI time code: hours, minutes, seconds and frames of a video or tape,
/// in quarter frames while it runs (eight of them state a time), or in one full message when it is
/// moved.
///
/// The tempo map assigns the beats, from the time code of the start of the piece on. At each
/// quarter frame, the time gets the speed with which it is right when the next one is expected
/// (tick_filter.h), so that it never jumps or goes back because of jitter.
#ifndef RCORE_TIME_CODE_H
#define RCORE_TIME_CODE_H

#include "rcore_transport.h"
#include "transport/tick_filter.h"

struct transport;

enum { TIME_CODE_PIECES = 8, TIME_CODE_FULL = 10 };

struct time_code {
    struct tick_filter ticks;
    /// What the quarter frames have stated, by their number, and how many have come in order since
    /// number 0.
    uint8_t pieces[TIME_CODE_PIECES];
    uint32_t received;
    uint8_t next_piece;
    /// `quarter` is the time code of the last quarter frame, in quarter frames from 0:00; it may
    /// lie beyond a day.
    bool is_known;
    int64_t quarter;
    /// The transport starts at this one.
    int64_t start_quarter;
    /// A full message has moved the transport to `quarter`, and no quarter frame has come since.
    bool is_located;
    rcore_time_code_rate_t rate;
    /// The time code of the start of the piece since the transport was moved last, in seconds.
    double start;
    /// The bytes of a system-exclusive message so far.
    uint8_t exclusive[TIME_CODE_FULL];
    uint32_t exclusive_size;
};

/// Begins to follow time code, with a transport that is stopped. [render]
void time_code_begin(struct transport *transport) RCORE_RT;
/// Handles a MIDI message, or a segment of a system-exclusive one, at the frame `now` of the core.
/// Returns whether a new pass begins. [render]
bool time_code_receive(struct transport *transport, uint64_t now, const uint8_t *bytes, uint32_t size) RCORE_RT;
/// Stops a transport that rolls if quarter frames are missing. Returns whether a new pass begins.
/// [render]
bool time_code_check(struct transport *transport, uint64_t now) RCORE_RT;
/// Returns the time code of the position, in seconds, below a day. [render]
double time_code_seconds(const struct transport *transport) RCORE_RT;

#endif
