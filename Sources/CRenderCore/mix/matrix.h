/// Internals of a channel map, for the render cycle.
#ifndef RCORE_MATRIX_INTERNAL_H
#define RCORE_MATRIX_INTERNAL_H

#include "rcore_matrix.h"

struct rcore_matrix {
    uint32_t inputs;
    uint32_t outputs;
    /// Linear gains: `gains[output * inputs + input]`.
    float gains[];
};

#endif
