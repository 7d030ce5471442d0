/// Running curves: the parameters that they move, and their progress.
///
/// A curve is piecewise linear: it drives the linear ramp of its parameter from one point to the
/// next. So readers of a ramp need no knowledge of curves, and a curve pauses with its parameter
/// (in a suspended session or a paused voice). The ramp of a curve must not end within a block,
/// because the next segment starts only with the next block: so blocks end where a segment does. To
/// keep blocks from becoming too short, the points of all curves, except their ends, lie on
/// multiples of a power of two, 8…256.
///
/// A straight line needs a curve only if it ends at a beat, as its length then changes with the
/// tempo. It has one segment.
#ifndef RCORE_CURVES_H
#define RCORE_CURVES_H

#include "queue/command.h"
#include "voices/voice_state.h"

#include <stdatomic.h>

struct curve;

struct curves {
    struct curve *running;
    uint32_t count;
    /// By parameter: 1 + the index in `running` of the curve that moves it; 0: none.
    uint16_t *of_parameter;
    /// Number of curves that wait or run, including those that are being posted. [any]
    _Atomic(uint32_t) reserved;
};

/// Returns the size of a curve in bytes, for set-up.
size_t curves_bytes(void);
/// Returns the number of parameters that curves may move, for set-up.
size_t curves_parameters(const rcore_config_t *config);

/// Reserves one of `max_curves` for a curve that is to be posted. [any] Wait-free. Returns false
/// when as many curves wait or run already.
bool curves_reserve(rcore_t *core) RCORE_RT;
/// Releases the reservation of a curve that will not run or has ended. [any]
void curves_release(rcore_t *core) RCORE_RT;

/// Returns the current value of the parameter that a command is about to move.
float curves_value(const rcore_t *core, const struct command *command) RCORE_RT;
/// Starts the curve of a command that was applied as a linear ramp. If the command started no ramp
/// or the ramp needs no curve, only releases its reservation. `from`: the value before it; `until`:
/// the beat at which it ends; 0: it ends after the command's frames.
void curves_begin(rcore_t *core, const struct command *command, float from, uint64_t until) RCORE_RT;

/// Ends the curve of a parameter, if one is running. Does nothing for a command that sets no
/// parameter. `kind`: the command that sets the parameter; `object`: the index of a voice, or a
/// slot.
void curves_end(rcore_t *core, uint16_t kind, uint32_t object) RCORE_RT;
/// Ends all curves of a voice.
void curves_end_voice(rcore_t *core, const struct voice *voice) RCORE_RT;

/// Removes the curves that have ended or whose slot was reset, retimes those whose beat has another
/// frame, and starts the next segment of those whose segment has ended. Returns the frames until
/// the next end of a segment, at most `nframes`. The clock of the transport does not change within
/// the block. Costs nothing while no curve is running.
uint32_t curves_limit(rcore_t *core, uint32_t nframes) RCORE_RT;

#endif
