#include <RtAudio.h>
