/// An OpenAL context whose sound the app renders itself, with OpenAL Soft's loopback device
/// (ALC_SOFT_loopback), so that it can be played through an audio session.
///
/// All functions may be called on any thread except the render thread: OpenAL takes locks when it
/// renders.
#ifndef OPENAL_LOOPBACK_H
#define OPENAL_LOOPBACK_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct openal_loopback openal_loopback_t;

typedef enum openal_status {
    OPENAL_OK,
    /// This OpenAL has no ALC_SOFT_loopback.
    OPENAL_NO_LOOPBACK,
    /// The loopback device cannot be opened.
    OPENAL_NO_DEVICE,
    /// The device cannot render float samples in this channel count and sample rate.
    OPENAL_UNSUPPORTED_FORMAT,
    /// The context cannot be created, made current or set to NULL.
    OPENAL_CONTEXT_FAILED,
    /// OpenAL refused to render, or to close the device.
    OPENAL_DEVICE_FAILED,
    /// The context is NULL: it is paused, or another one is current.
    OPENAL_NOT_CURRENT,
    /// The context has been closed.
    OPENAL_CLOSED,
    /// OpenAL refused a buffer or a source.
    OPENAL_SOURCE_FAILED,
    OPENAL_OUT_OF_MEMORY,
} openal_status_t;

/// Returns a sentence about a status, without a full stop.
const char *openal_status_text(openal_status_t status);

/// Opens a loopback device that renders `channels` (1, 2, 4, 6 or 8) at `sample_rate` Hz (8,000 or
/// more), and makes its context current. `hrtf` asks for a binaural mix, which needs stereo; the
/// user's own configuration takes precedence. Returns NULL, and the reason in `status`, if that
/// fails.
openal_loopback_t *openal_loopback_open(uint32_t channels, uint32_t sample_rate, bool hrtf, openal_status_t *status);
/// Closes the context and its device, whether paused or not. Afterwards nothing is rendered.
/// Closing twice is the same as once.
openal_status_t openal_loopback_close(openal_loopback_t *loopback);
/// Closes the context and frees the memory; NULL does nothing. No other thread uses it any longer.
void openal_loopback_destroy(openal_loopback_t *loopback);

/// Renders up to `nframes` interleaved frames into `frames` and returns their number in `rendered`:
/// all, or 0 while the context is paused and once it is closed. Nothing else advances the context's
/// time.
openal_status_t openal_loopback_render(openal_loopback_t *loopback, float *frames, uint32_t nframes,
                                       uint32_t *rendered);
/// Pauses the context: sets the current context to NULL if it is this one, and renders nothing
/// until the context is resumed. Returns when no other thread renders any longer. Pausing twice is
/// the same as once.
openal_status_t openal_loopback_pause(openal_loopback_t *loopback);
/// Resumes the context at the frame at which it was paused. Makes it current if the pause had set
/// it to NULL and no other context is current now. If that fails, the context remains paused.
openal_status_t openal_loopback_resume(openal_loopback_t *loopback);
/// Whether the context is paused.
bool openal_loopback_is_paused(openal_loopback_t *loopback);
/// Whether OpenAL calls of this process apply to this context.
bool openal_loopback_is_current(openal_loopback_t *loopback);
/// The number of frames rendered.
uint64_t openal_loopback_frames(openal_loopback_t *loopback);

#ifdef __cplusplus
}
#endif

#endif
