/// Records the audio that arrives: the process callback writes it to a ring, and a thread writes it
/// to a file.
#ifndef VIRTUAL_DEVICE_RECORDING_H
#define VIRTUAL_DEVICE_RECORDING_H

#include <rcore_base.h>

typedef struct recording recording_t;

/// Creates the file and starts the recording. [control] Returns NULL on failure, with a sentence in
/// `error`. The caller owns it.
recording_t *recording_start(const char *path, uint32_t channels, uint32_t sample_rate, char *error,
                             unsigned long error_size);

/// Records a period, or counts it as lost if the ring has no room. [render] If `may_wait`, waits
/// for room instead, unless the period is longer than the whole ring.
void recording_write(recording_t *recording, const float *const *planes, uint32_t nframes, bool may_wait) RCORE_RT;

/// Writes the rest, closes the file and frees the recording; NULL does nothing. [control] Call it
/// once no cycle writes any longer. Returns false if frames are missing: `error` then says how
/// many, or why.
bool recording_finish(recording_t *recording, char *error, unsigned long error_size);

#endif
