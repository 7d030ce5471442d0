/// Channel maps: gains from input channels to output channels.
#ifndef RCORE_MATRIX_H
#define RCORE_MATRIX_H

#include "rcore_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An immutable matrix of linear gains, `gain[output * inputs + input]`.
typedef struct rcore_matrix rcore_matrix_t;

/// Creates a matrix from `outputs * inputs` gains, one row per output. [control] Channel counts:
/// 1…RCORE_MAX_CHANNELS; gains: finite. Returns NULL with RCORE_BAD_ARGUMENT for other values, NULL
/// with RCORE_NO_MEMORY if memory cannot be allocated. `status` may be NULL. The caller owns the
/// matrix and keeps it while a plan or a voice uses it.
rcore_matrix_t *rcore_matrix_create(uint32_t inputs, uint32_t outputs, const float *gains, rcore_status_t *status);

/// Creates the standard channel map. [control] Mono goes to both channels of the front pair (or to
/// the only output). With as many or more outputs than inputs, each channel goes to the same
/// channel. With one or two outputs and more inputs, the map is the ITU-R BS.775 down-mix (WAVE
/// channel order), whose two sides are averaged for one output. With more outputs, but fewer than
/// inputs, each channel goes to the same channel, and those without an output are down-mixed to the
/// front pair. Down-mixes are normalised so that full scale cannot clip. Returns NULL and sets
/// `status` like `rcore_matrix_create`.
rcore_matrix_t *rcore_matrix_create_standard(uint32_t inputs, uint32_t outputs, rcore_status_t *status);

/// Frees a matrix; NULL does nothing. [control]
void rcore_matrix_destroy(rcore_matrix_t *matrix);

/// Returns the number of input channels. [any]
uint32_t rcore_matrix_inputs(const rcore_matrix_t *matrix);
/// Returns the number of output channels. [any]
uint32_t rcore_matrix_outputs(const rcore_matrix_t *matrix);
/// Returns one gain; 0 when a channel is out of range. [any]
float rcore_matrix_gain(const rcore_matrix_t *matrix, uint32_t output, uint32_t input);

#ifdef __cplusplus
}
#endif
#endif
