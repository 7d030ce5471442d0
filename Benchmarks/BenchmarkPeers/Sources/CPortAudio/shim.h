#include <pa_jack.h>
#include <portaudio.h>
