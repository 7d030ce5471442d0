/// From the capture callback to the playback callback, which SDL runs on two threads: a ring between one writer and one reader.
#ifndef THROUGH_H
#define THROUGH_H

#include <stdint.h>

/// What finds no place is lost.
void through_write(const float *samples, uint32_t count);
/// All that is there, silence after it.
void through_read(float *samples, uint32_t count);

#endif
