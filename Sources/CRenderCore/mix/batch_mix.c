// Compiles the loops of batch_loops.h for each instruction set, with vectors as large as its
// registers. MULTIVERSION has one vector type for all sets, and GCC keeps vectors that are larger
// than a register in memory, which makes these loops four times slower.
#include "mix/batch_mix.h"

#include "core/multiversion.h"

static const float first_frames[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

#define VECTOR_BYTES 16
#define TARGET
#define VERSION(name) name##_default
#include "mix/batch_loops.h"

#ifdef RCORE_SEVERAL_VERSIONS

#define VECTOR_BYTES 32
#define TARGET RCORE_TARGET_V3
#define VERSION(name) name##_v3
#include "mix/batch_loops.h"

#define VECTOR_BYTES 64
#define TARGET RCORE_TARGET_V4
#define VERSION(name) name##_v4
#include "mix/batch_loops.h"

#endif

SELECT_VERSION(mix_batch,
               (float *restrict left, float *restrict right, const struct batch_member *members, uint32_t count,
                bool pair, uint32_t nframes),
               (left, right, members, count, pair, nframes))
