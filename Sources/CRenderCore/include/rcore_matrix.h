/// Channel maps: gains from input channels to output channels.
#ifndef RCORE_MATRIX_H
#define RCORE_MATRIX_H

#include "rcore_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An immutable matrix of linear gains, `gain[output * inputs + input]`.
typedef struct rcore_matrix rcore_matrix_t;

/// Makes a matrix from `outputs * inputs` gains, row by output. [control]
/// Channels 1…RCORE_MAX_CHANNELS, gains finite; else NULL with RCORE_BAD_ARGUMENT; NULL with RCORE_NO_MEMORY when memory is
/// short. `status` may be NULL. The caller owns it and keeps it while a plan or a voice uses it.
rcore_matrix_t *rcore_matrix_create(uint32_t inputs, uint32_t outputs, const float *gains, rcore_status_t *status);

/// Makes the usual map: same count, channel to channel; mono to every channel of the front pair; more to fewer by the
/// ITU-R BS.775 down-mix (WAVE channel order), normalised so that full scale cannot clip; fewer to more, channel to channel. [control]
rcore_matrix_t *rcore_matrix_create_standard(uint32_t inputs, uint32_t outputs, rcore_status_t *status);

/// Frees a matrix; NULL does nothing. [control]
void rcore_matrix_destroy(rcore_matrix_t *matrix);

/// Channel counts and one gain (0 when out of range). [any]
uint32_t rcore_matrix_inputs(const rcore_matrix_t *matrix);
uint32_t rcore_matrix_outputs(const rcore_matrix_t *matrix);
float rcore_matrix_gain(const rcore_matrix_t *matrix, uint32_t output, uint32_t input);

#ifdef __cplusplus
}
#endif
#endif
