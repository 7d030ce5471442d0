/// Changes the tempo of a signal and keeps its pitch: SoundTouch, for Swift. For one thread at a
/// time, and never the render thread.
#ifndef TIME_STRETCH_H
#define TIME_STRETCH_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The greatest number of channels.
#define TSTRETCH_MAX_CHANNELS 16

typedef struct tstretch tstretch_t;

/// Creates a stretcher for interleaved frames of 1…TSTRETCH_MAX_CHANNELS channels. A `tempo` of 2
/// halves the duration; 0.1…10. Returns NULL when an argument is out of range or memory cannot be
/// allocated. The caller owns the stretcher.
tstretch_t *tstretch_create(uint32_t channels, uint32_t sample_rate, double tempo);
/// Frees a stretcher; NULL does nothing.
void tstretch_destroy(tstretch_t *stretch);

/// Adds `nframes` frames. Returns false if memory cannot be allocated.
bool tstretch_put(tstretch_t *stretch, const float *frames, uint32_t nframes);
/// Ends the signal: the frames that the stretcher holds back can be taken, and after them silence.
/// Returns false if memory cannot be allocated.
bool tstretch_end(tstretch_t *stretch);
/// Takes up to `nframes` frames. Returns the number taken; 0 if none is ready.
uint32_t tstretch_take(tstretch_t *stretch, float *frames, uint32_t nframes);

#ifdef __cplusplus
}
#endif

#endif
