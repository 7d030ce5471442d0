// Which beat is at which transport frame: by the tempo map, or by the line of a leader or MIDI
// clock.
#include "transport/clock.h"

#include <math.h>

// Two programs that compute a beat by different sums agree on its frame: a beat this little before
// the middle of two frames belongs to the second one.
static const double rounding_tolerance = 1e-6;

static int64_t nearest_frame(double frame) RCORE_RT { return (int64_t)floor(frame + 0.5 + rounding_tolerance); }

static double beat_of_fixed(uint64_t fixed) RCORE_RT { return (double)fixed / BEAT_ONE; }

double clock_line_beat(const struct transport *transport, int64_t frame) RCORE_RT {
    const struct beat_line *line = &transport->line;
    return line->beat + (double)(frame - line->frame) * line->beats_per_minute / (60.0 * transport->rate);
}

double clock_map_place(const struct transport *transport, int64_t frame) RCORE_RT {
    const double further = (double)(frame - transport->map_slope_frame) * transport->map_slope;
    return (double)frame + transport->map_shift + further;
}

double clock_map_beat(const struct transport *transport, int64_t frame) RCORE_RT {
    return rcore_tempo_map_beat(transport->map, clock_map_place(transport, frame) / transport->rate);
}

double clock_beat(const struct transport *transport) RCORE_RT {
    return transport->uses_line ? clock_line_beat(transport, transport->frame)
                                : clock_map_beat(transport, transport->frame);
}

int64_t clock_map_frame(const struct transport *transport, uint64_t fixed) RCORE_RT {
    const double seconds = rcore_tempo_map_seconds(transport->map, beat_of_fixed(fixed));
    const double place = seconds * transport->rate - transport->map_shift;
    const double begin = (double)transport->map_slope_frame * transport->map_slope;
    return nearest_frame((place + begin) / (1.0 + transport->map_slope));
}

static int64_t line_frame(const struct transport *transport, uint64_t fixed) RCORE_RT {
    const struct beat_line *line = &transport->line;
    const double beats = beat_of_fixed(fixed) - line->beat;
    return nearest_frame((double)line->frame + beats * (60.0 * transport->rate) / line->beats_per_minute);
}

int64_t clock_frames_until(const struct transport *transport, uint64_t when) RCORE_RT {
    const uint64_t fixed = when & BEAT_FIXED_MASK;
    const int64_t frame = transport->uses_line ? line_frame(transport, fixed) : clock_map_frame(transport, fixed);
    return frame - transport->frame;
}

uint32_t clock_frames_through(const struct transport *transport, uint64_t when) RCORE_RT {
    const int64_t frames = clock_frames_until(transport, when) + 1;
    return frames < 0 ? 0 : frames < UINT32_MAX ? (uint32_t)frames : UINT32_MAX;
}
