/// Curves that run: what they move, and how far they are.
///
/// A curve is a polygon: it drives the linear ramp of its parameter from one of its points to the next. So whoever reads a ramp knows
/// nothing of curves, and where a parameter stands still (a frozen session, a paused voice) its curve does as well. A ramp must
/// not come to rest within a slice, or frames would be lost: slices end where a straight line does. For that not to cut the mixing to
/// pieces, the points of all curves lie on frames that are multiples of a power of two, 8…256.
#ifndef RCORE_CURVES_H
#define RCORE_CURVES_H

#include "core.h"

/// Bytes of a curve, and how many parameters there are that one may move: for set-up.
size_t curves_bytes(void);
size_t curves_parameters(const rcore_config_t *config);

/// Takes a place among `max_curves` for a curve to be posted; false: all wait or run. [any] Wait-free.
bool curves_take_place(rcore_t *core) RCORE_RT;
/// Gives the place back of one that will not run any more. [any]
void curves_give_back(rcore_t *core) RCORE_RT;

/// The value that a command is about to move.
float curves_value(const rcore_t *core, const struct command *command) RCORE_RT;
/// Lets a command that took effect as a linear ramp go along its curve, from the value that was before.
void curves_begin(rcore_t *core, const struct command *command, float from) RCORE_RT;

/// Ends the curve, if one runs, of a parameter (the `enum command_kind` that sets it) of a voice (its index) or slot.
void curves_end(rcore_t *core, uint16_t kind, uint32_t object) RCORE_RT;
/// Ends those of a voice.
void curves_end_voice(rcore_t *core, const struct voice *voice) RCORE_RT;

/// Goes on to the next straight line where one is over; frames until the first of them ends, at most `nframes`.
uint32_t curves_next(rcore_t *core, uint32_t nframes) RCORE_RT;
/// The same, at no cost where no curve runs.
static inline uint32_t curves_limit(rcore_t *core, uint32_t nframes) RCORE_RT {
    return core->curve_count == 0 ? nframes : curves_next(core, nframes);
}

#endif
