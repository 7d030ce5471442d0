#include "mix/matrix.h"

#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

static void set_status(rcore_status_t *status, rcore_status_t value) {
    if (status != NULL) {
        *status = value;
    }
}

static rcore_matrix_t *allocate(uint32_t inputs, uint32_t outputs, rcore_status_t *status) {
    if (inputs < 1 || inputs > RCORE_MAX_CHANNELS || outputs < 1 || outputs > RCORE_MAX_CHANNELS) {
        set_status(status, RCORE_BAD_ARGUMENT);
        return NULL;
    }
    rcore_matrix_t *matrix = memory_allocate(sizeof *matrix + sizeof(float) * inputs * outputs);
    if (matrix == NULL) {
        set_status(status, RCORE_NO_MEMORY);
        return NULL;
    }
    matrix->inputs = inputs;
    matrix->outputs = outputs;
    set_status(status, RCORE_OK);
    return matrix;
}

rcore_matrix_t *rcore_matrix_create(uint32_t inputs, uint32_t outputs, const float *gains, rcore_status_t *status) {
    if (gains == NULL) {
        set_status(status, RCORE_BAD_ARGUMENT);
        return NULL;
    }
    rcore_matrix_t *matrix = allocate(inputs, outputs, status);
    if (matrix == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < inputs * outputs; i++) {
        if (!sample_is_finite(gains[i])) {
            rcore_matrix_destroy(matrix);
            set_status(status, RCORE_BAD_ARGUMENT);
            return NULL;
        }
        matrix->gains[i] = gains[i];
    }
    return matrix;
}

// Sets `pair` to the gains (left, right) of one input channel in a stereo down-mix, by ITU-R
// BS.775. Six and more channels are in WAVE order, L R C LFE Ls Rs …; fewer are in the usual
// orders: L R C, L R Ls Rs, L R C Ls Rs.
static void downmix_gains(uint32_t inputs, uint32_t input, float pair[2]) {
    const float half_power = 0.70710678f;
    const bool has_centre = inputs == 3 || inputs >= 5;
    const bool has_lfe = inputs >= 6;
    const uint32_t first_surround = 2 + (has_centre ? 1 : 0) + (has_lfe ? 1 : 0);
    pair[0] = 0.0f;
    pair[1] = 0.0f;
    if (input < 2) {
        pair[input] = 1.0f;
    } else if (has_centre && input == 2) {
        pair[0] = pair[1] = half_power;
    } else if (has_lfe && input == 3) {
        return; // a down-mix omits the low-frequency effects
    } else {
        pair[(input - first_surround) % 2] = half_power;
    }
}

// Scales the matrix so that full-scale inputs cannot add up to more than full scale. All outputs
// are scaled by the same factor, which keeps their balance.
static void normalise(rcore_matrix_t *matrix) {
    float greatest = 0.0f;
    for (uint32_t output = 0; output < matrix->outputs; output++) {
        float sum = 0.0f;
        for (uint32_t input = 0; input < matrix->inputs; input++) {
            sum += fabsf(matrix->gains[output * matrix->inputs + input]);
        }
        greatest = fmaxf(greatest, sum);
    }
    if (greatest > 1.0f) {
        for (uint32_t i = 0; i < matrix->inputs * matrix->outputs; i++) {
            matrix->gains[i] /= greatest;
        }
    }
}

rcore_matrix_t *rcore_matrix_create_standard(uint32_t inputs, uint32_t outputs, rcore_status_t *status) {
    rcore_matrix_t *matrix = allocate(inputs, outputs, status);
    if (matrix == NULL) {
        return NULL;
    }
    if (inputs == 1) { // mono goes to both channels of the front pair
        for (uint32_t output = 0; output < outputs && output < 2; output++) {
            matrix->gains[output] = 1.0f;
        }
    } else if (inputs <= outputs) {
        for (uint32_t channel = 0; channel < inputs; channel++) {
            matrix->gains[channel * inputs + channel] = 1.0f;
        }
    } else {
        for (uint32_t input = 0; input < inputs; input++) {
            float pair[2];
            if (outputs > 2 && input < outputs) {
                matrix->gains[input * inputs + input] = 1.0f;
                continue;
            }
            downmix_gains(inputs, input, pair);
            if (outputs == 1) {
                matrix->gains[input] = 0.5f * (pair[0] + pair[1]);
            } else {
                matrix->gains[input] += pair[0];
                matrix->gains[inputs + input] += pair[1];
            }
        }
        normalise(matrix);
    }
    return matrix;
}

void rcore_matrix_destroy(rcore_matrix_t *matrix) { free(matrix); }

uint32_t rcore_matrix_inputs(const rcore_matrix_t *matrix) { return matrix->inputs; }

uint32_t rcore_matrix_outputs(const rcore_matrix_t *matrix) { return matrix->outputs; }

float rcore_matrix_gain(const rcore_matrix_t *matrix, uint32_t output, uint32_t input) {
    if (output >= matrix->outputs || input >= matrix->inputs) {
        return 0.0f;
    }
    return matrix->gains[output * matrix->inputs + input];
}
