/// Records what arrives: the cycle puts it into a ring, a thread writes it to a file.
#ifndef STAND_IN_RECORDING_H
#define STAND_IN_RECORDING_H

#include <rcore_base.h>

typedef struct recording recording_t;

/// Makes the file. [control] NULL with a sentence in `error` when that cannot be. The caller owns it.
recording_t *recording_start(const char *path, uint32_t channels, uint32_t sample_rate, char *error,
                             unsigned long error_size);

/// Takes a period, or counts it as lost where the ring is full. [render] While `may_wait`, it waits for room instead.
void recording_write(recording_t *recording, const float *const *planes, uint32_t nframes, bool may_wait) RCORE_RT;

/// Writes what is left, closes the file and frees it; NULL does nothing. [control] The cycle no longer writes. False when frames are
/// missing: `error` then says how many or why.
bool recording_finish(recording_t *recording, char *error, unsigned long error_size);

#endif
