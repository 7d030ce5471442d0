// Faults of an app that the test must find. The linker puts these functions in the place of the
// real ones (--wrap); one of the faults is defined for each program.
#include "openal_loopback.h"

#include <AL/alc.h>
#include <AL/alext.h>
#include <stdatomic.h>
#include <stdbool.h>

ALCboolean __real_alcMakeContextCurrent(ALCcontext *context);
void __real_alcRenderSamplesSOFT(ALCdevice *device, ALCvoid *buffer, ALCsizei nframes);
openal_status_t __real_openal_loopback_pause(openal_loopback_t *loopback);

ALCboolean __wrap_alcMakeContextCurrent(ALCcontext *context);
void __wrap_alcRenderSamplesSOFT(ALCdevice *device, ALCvoid *buffer, ALCsizei nframes);
openal_status_t __wrap_openal_loopback_pause(openal_loopback_t *loopback);

/// Whether a pause began after the last frame was rendered.
static atomic_bool paused;

ALCboolean __wrap_alcMakeContextCurrent(ALCcontext *context) {
#if defined FAULT_NOT_CLEARED
    if (context == NULL) {
        return ALC_TRUE;
    }
#elif defined FAULT_NOT_RESTORED
    if (context != NULL && paused) {
        return ALC_TRUE;
    }
#endif
    return __real_alcMakeContextCurrent(context);
}

void __wrap_alcRenderSamplesSOFT(ALCdevice *device, ALCvoid *buffer, ALCsizei nframes) {
#if defined FAULT_LOSES_A_FRAME
    if (atomic_exchange(&paused, false)) {
        __real_alcRenderSamplesSOFT(device, buffer, 1);
    }
#endif
    __real_alcRenderSamplesSOFT(device, buffer, nframes);
}

openal_status_t __wrap_openal_loopback_pause(openal_loopback_t *loopback) {
    paused = true;
#if defined FAULT_RENDERS_ON
    // Sets the context to NULL and does nothing else.
    (void)loopback;
    return __real_alcMakeContextCurrent(NULL) ? OPENAL_OK : OPENAL_CONTEXT_FAILED;
#else
    return __real_openal_loopback_pause(loopback);
#endif
}
