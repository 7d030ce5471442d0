/// Measured with jackd 1.9.21 (dummy driver, with and without -S) and PipeWire 0.3.65:
///
/// - If a client is late, jackd without -S and PipeWire skip its cycles. The server's frame counter
///   counts them, so their number is exact.
/// - If the driver of jackd is late, which with -S includes late clients, its frame counter stands
///   still meanwhile. The time between cycles is all that shows how many frames are missing.
///   `jack_get_xrun_delayed_usecs` is not that time, `jack_get_cycle_times` is filtered and takes
///   seconds to settle, and other versions add microseconds to the frame counter.
/// - PipeWire catches up after it was late: cycles follow each other without delay, and its clock
///   shows the time at which they were due. It reports no xruns.
///
/// So this compares the time at which the server started each cycle with the frames that it has
/// counted. In a punctual cycle, the two agree within 0.1 ms. A cycle that is late, or before which
/// the counter has jumped, is followed by several that show whether the server catches up.
#include "missed_frames.h"

#include <math.h>

enum {
    /// The first cycles are irregular. They only set the time that is expected.
    FIRST_CYCLES = 4,
    /// The number of cycles of the same lateness after which frames count as missing.
    STEADY_CYCLES = 4,
    /// The number of cycles after which the decision is made in any case.
    MOST_CYCLES = 32,
};

/// A lateness below this is no loss: threads wake up that late.
static const double least_lateness = 1e6;
/// Latenesses that differ by less are the same.
static const double steadiness = 0.5e6;
/// The clock of a device may be slower than the computer's by this share.
static const double drift = 0.001;

/// Without libm, which the library does not link.
static double lesser(double a, double b) RCORE_RT { return a < b ? a : b; }

static double nanoseconds(double frames, uint32_t sample_rate) RCORE_RT { return frames * 1e9 / sample_rate; }

void missed_frames_reset(struct missed_frames *missed) RCORE_RT { *missed = (struct missed_frames){.count = 0}; }

/// Sets the time that is expected, in the first cycles.
static void begin(struct missed_frames *missed, const struct cycle_start *cycle) RCORE_RT {
    missed->is_pending = false;
    missed->expected = (double)cycle->time;
    missed->xruns = cycle->xruns;
    missed->count++;
}

/// Returns the lateness from which on frames are missing. A loss shorter than a period is certain
/// only if the server has reported an xrun.
static double threshold(const struct missed_frames *missed, const struct cycle_start *cycle) RCORE_RT {
    const double period = nanoseconds(cycle->nframes, cycle->sample_rate);
    return cycle->xruns != missed->xruns || period < least_lateness ? least_lateness : period;
}

/// Ends the observation. Returns the number of missing frames.
static uint64_t decide(struct missed_frames *missed, const struct cycle_start *cycle) RCORE_RT {
    missed->is_pending = false;
    double frames = (double)missed->skipped;
    if (fabs(missed->lateness) >= threshold(missed, cycle)) {
        frames += missed->lateness * cycle->sample_rate / 1e9;
        missed->expected += missed->lateness;
        missed->xruns = cycle->xruns;
    }
    return frames >= 1 ? (uint64_t)(frames + 0.5) : 0;
}

/// Continues the observation with a cycle, which may be its first one.
static uint64_t observe(struct missed_frames *missed, const struct cycle_start *cycle, double late) RCORE_RT {
    missed->pending_cycles++;
    if (fabs(late - missed->lateness) > steadiness) {
        missed->lateness = late;
        missed->steady_cycles = 0;
    } else {
        // The first cycle after an xrun of jackd's dummy driver is 0.2 ms early: it does not count.
        missed->lateness = missed->steady_cycles == 0 ? late : lesser(missed->lateness, late);
        missed->steady_cycles++;
    }
    const bool is_punctual = fabs(late) < least_lateness && missed->skipped == 0;
    if (is_punctual || missed->steady_cycles >= STEADY_CYCLES || missed->pending_cycles >= MOST_CYCLES) {
        return decide(missed, cycle);
    }
    return 0;
}

uint64_t missed_frames_add(struct missed_frames *missed, const struct cycle_start *cycle, uint64_t time) RCORE_RT {
    const struct cycle_start last = missed->last;
    missed->last = *cycle;
    if (cycle->nframes != last.nframes || cycle->sample_rate != last.sample_rate) {
        missed->count = 0;
    }
    if (cycle->nframes == 0 || cycle->sample_rate == 0 || missed->count < FIRST_CYCLES) {
        begin(missed, cycle);
        return 0;
    }
    const int64_t skipped = (int64_t)(int32_t)(cycle->frame - last.frame) - last.nframes;
    const double frames = (double)(skipped + cycle->nframes);
    missed->expected += nanoseconds(frames, cycle->sample_rate);
    const double late = (double)cycle->time - missed->expected;
    if (!missed->is_pending && (skipped != 0 || late >= least_lateness)) {
        missed->is_pending = true;
        missed->begin = time;
        missed->pending_cycles = missed->steady_cycles = 0;
        missed->lateness = 0;
        missed->skipped = 0;
    }
    if (missed->is_pending) {
        missed->skipped += skipped;
        return observe(missed, cycle, late);
    }
    if (late < 0) {
        missed->expected = (double)cycle->time;
    } else {
        missed->expected += lesser(late, drift * nanoseconds(cycle->nframes, cycle->sample_rate));
    }
    missed->xruns = cycle->xruns;
    return 0;
}
