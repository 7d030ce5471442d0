/// Passes samples from the capture callback to the playback callback, which SDL runs on two
/// threads: a ring between one writer and one reader.
#ifndef THROUGH_H
#define THROUGH_H

#include <stdint.h>

/// Writes samples. Samples without room are lost.
void through_write(const float *samples, uint32_t count);
/// Reads all waiting samples, followed by silence.
void through_read(float *samples, uint32_t count);

#endif
