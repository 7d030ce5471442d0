/// Meters: the levels of a bus or a route, which any thread can read at any rate without a lock.
///
/// A bus or a route gets its meter with the plan (rcore_plan.h). The meter measures the output of a
/// bus after gain and gate, or the output of a route to the driver. Buses and routes without a
/// meter incur no cost. Values are linear, with full scale at 1. NaN and infinite samples count as
/// silence.
///
/// Two simpler peaks need no meter: `rcore_take_route_peak` and `rcore_take_input_peak`
/// (render_core.h) return the greatest magnitude since one reader's last call, and clear it.
///
/// A reader may read less often than the cycle runs: a held value is the maximum of at least the
/// last `hold_seconds`, so every reader that reads at least that often sees every peak.
///
/// Analysis that may take longer than a cycle (loudness, spectra) runs elsewhere, on the meter's
/// tap: a ring into which the meter writes everything it measures, including silence, for one
/// consumer.
#ifndef RCORE_METER_H
#define RCORE_METER_H

#include "rcore_base.h"
#include "rcore_fifo.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rcore_meter rcore_meter_t;

/// Parameters of a meter. Zero selects the default where the comment gives one.
typedef struct rcore_meter_description {
    /// Channels of the bus or route, 1…64.
    uint32_t channels;
    /// Hz, 1,000…768,000.
    uint32_t sample_rate;
    /// Hold time of peaks, 0…60 s. 0: 1.5 s. A peak is held for at least this time, and at most
    /// twice as long.
    float hold_seconds;
    /// Time constant of RMS and correlation, 0…60 s. 0: 0.3 s.
    float integration_seconds;
    /// Also measures inter-sample peaks (ITU-R BS.1770), by eightfold oversampling.
    bool true_peak;
    /// Minimum capacity of the tap in frames, up to 2^28. 0: no tap.
    uint32_t tap_frames;
} rcore_meter_description_t;

/// The levels of one channel.
typedef struct rcore_meter_level {
    /// Greatest magnitude of a sample, held.
    float peak;
    /// Greatest magnitude of the waveform through the samples, held. 0 when it is not measured.
    float true_peak;
    /// Greatest magnitude of a sample since the meter was created or reset.
    float greatest_peak;
    /// Greatest magnitude of the waveform since the meter was created or reset.
    float greatest_true_peak;
    /// Root of the mean square, exponentially weighted. A full-scale sine has 0.707.
    float rms;
    /// Samples of magnitude 1 or more since the meter was created or reset.
    uint64_t clipped;
} rcore_meter_level_t;

/// Creates a meter. [control] Returns NULL and sets `status` when a value is out of range or memory
/// cannot be allocated; `status` may be NULL. The caller owns the meter and keeps it until no plan
/// uses it.
rcore_meter_t *rcore_meter_create(const rcore_meter_description_t *description, rcore_status_t *status);
/// Frees a meter; NULL does nothing. [control]
void rcore_meter_destroy(rcore_meter_t *meter);

/// Returns the tap: the ring that receives everything the meter measures, with one write for each
/// `rcore_meter_write`. NULL if the meter has no tap. [any] The meter owns the ring and is its
/// producer; the thread that reads it is its only consumer. NaN and infinite samples are 0 in it.
rcore_fifo_t *rcore_meter_tap(const rcore_meter_t *meter) RCORE_RT;
/// Returns the number of frames lost because the tap was full, since the meter was created. [any]
uint64_t rcore_meter_dropped_frames(const rcore_meter_t *meter) RCORE_RT;

/// Returns the number of channels. [any]
uint32_t rcore_meter_channels(const rcore_meter_t *meter) RCORE_RT;
/// Returns the levels of one channel; silence for a channel that the meter does not have. [any]
/// Each value is as of the last cycle or, while a cycle runs, as of the part of it that was
/// measured.
rcore_meter_level_t rcore_meter_read(const rcore_meter_t *meter, uint32_t channel) RCORE_RT;
/// Returns the correlation of the first two channels: 1 identical, 0 uncorrelated (also silent or
/// mono), -1 in opposite phase. [any]
float rcore_meter_correlation(const rcore_meter_t *meter) RCORE_RT;
/// Returns the number of frames measured since the meter was created. [any]
uint64_t rcore_meter_frames(const rcore_meter_t *meter) RCORE_RT;
/// Resets the greatest peaks and the number of clipped samples, from the next cycle on. [any]
void rcore_meter_reset(rcore_meter_t *meter) RCORE_RT;

/// Measures `nframes` planar frames; a NULL plane is silence. [producer] The core calls this for
/// the meters of its plan; an app may call it for its own meters. Cost per channel and frame: about
/// 4 operations, with true peak about 230 more, vectorised; with a tap, one copy.
void rcore_meter_write(rcore_meter_t *meter, const float *const *planes, uint32_t nframes) RCORE_RT;

#ifdef __cplusplus
}
#endif
#endif
