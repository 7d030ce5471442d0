/// Meters: how loud a bus or a route is, told to any thread at any rate, without a lock.
///
/// A meter is given to a bus or a route with the plan (rcore_plan.h), and measures what leaves it: a bus's after its gain and gate, a route's as it goes to
/// the driver. What has none costs nothing. Values are linear; full scale is 1. Not-a-number counts as silence.
///
/// A reader need not be as fast as the cycle: what a reading holds is the greatest of at least the last `hold_seconds`, so that a peak between two
/// readings is seen by the next one, by every reader.
///
/// What takes longer than a cycle may (loudness, spectra) is measured elsewhere, on what comes through a tap: a ring that the meter writes all that it
/// measures into, silence too, for one consumer.
#ifndef RCORE_METER_H
#define RCORE_METER_H

#include "rcore_base.h"
#include "rcore_fifo.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rcore_meter rcore_meter_t;

/// What is measured. Zero where a default is wanted.
typedef struct rcore_meter_description {
    uint32_t channels;         ///< of the bus or route, 1…64
    uint32_t sample_rate;      ///< Hz, 1,000…768,000
    float hold_seconds;        ///< 0…60; 0: 1.5. A held value stands at least this long, and at most twice
    float integration_seconds; ///< 0…60; 0: 0.3. Time constant of RMS and correlation
    bool true_peak;            ///< also between the samples (ITU-R BS.1770), by eightfold oversampling
    uint32_t tap_frames;       ///< frames that its tap holds at least, up to 2^28; 0: it has none
} rcore_meter_description_t;

/// Of one channel.
typedef struct rcore_meter_level {
    float peak;          ///< greatest magnitude of a sample, held
    float true_peak;     ///< greatest magnitude of the waveform through the samples, held; 0 where it is not measured
    float greatest_peak; ///< since the meter was made or reset
    float greatest_true_peak; ///< likewise
    float rms;                ///< root of the mean square, exponentially weighted; a full-scale sine has 0.707
    uint64_t clipped;         ///< samples of magnitude 1 or more, since the meter was made or reset
} rcore_meter_level_t;

/// Makes a meter. [control] NULL with a status when a value is out of its range or memory is short; `status` may be NULL. The caller owns it and
/// keeps it until no plan uses it.
rcore_meter_t *rcore_meter_create(const rcore_meter_description_t *description, rcore_status_t *status);
/// Frees a meter; NULL does nothing. [control]
void rcore_meter_destroy(rcore_meter_t *meter);

/// The ring that takes what is measured, one write for each `rcore_meter_write`; NULL without one. [any] It is the meter's, which is its producer;
/// whoever reads it is its only consumer. Samples that are no numbers are zeros there.
rcore_fifo_t *rcore_meter_tap(const rcore_meter_t *meter) RCORE_RT;
/// Frames that found no room in the tap, since the meter was made. [any]
uint64_t rcore_meter_dropped_frames(const rcore_meter_t *meter) RCORE_RT;

/// Channels. [any]
uint32_t rcore_meter_channels(const rcore_meter_t *meter) RCORE_RT;
/// Reads one channel's level; silence for a channel that there is not. [any] Each value is of the last cycle or the one before it.
rcore_meter_level_t rcore_meter_read(const rcore_meter_t *meter, uint32_t channel) RCORE_RT;
/// Correlation of the first two channels: 1 the same, 0 independent (or silent, or mono), -1 opposite. [any]
float rcore_meter_correlation(const rcore_meter_t *meter) RCORE_RT;
/// Frames measured since it was made. [any]
uint64_t rcore_meter_frames(const rcore_meter_t *meter) RCORE_RT;
/// Forgets the greatest peaks and the clipped samples, from the next cycle on. [any]
void rcore_meter_reset(rcore_meter_t *meter) RCORE_RT;

/// Measures `nframes` planar frames (a NULL plane is silence). [producer] The core does this for the meters of its plan; other uses are free to.
/// Cost per channel and frame: some 4 operations, with true peak some 230 more, in vectors; with a tap one copy.
void rcore_meter_write(rcore_meter_t *meter, const float *const *planes, uint32_t nframes) RCORE_RT;

#ifdef __cplusplus
}
#endif
#endif
