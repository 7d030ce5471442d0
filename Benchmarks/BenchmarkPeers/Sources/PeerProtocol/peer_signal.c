#include "peer_signal.h"
#include "peer_protocol.h"

#include <stdatomic.h>

static atomic_bool triggered;
static bool counts;
/// Used by the audio thread: the remaining frames of the sound, and the position of the count.
static uint32_t left, position;

void peer_signal_begin(bool count) { counts = count; }

void peer_trigger(void) { atomic_store(&triggered, true); }

float peer_count_sample(uint32_t n) { return (float)(n % PEER_COUNT_LENGTH + 1) / PEER_COUNT_LENGTH; }

void peer_fill(float *samples, uint32_t nframes, uint32_t nchannels) {
    if (atomic_exchange(&triggered, false)) {
        left = PEER_SOUND_FRAMES;
    }
    for (uint32_t i = 0; i < nframes; i++) {
        float sample = 0;
        if (counts) {
            sample = peer_count_sample(position);
            position = (position + 1) % PEER_COUNT_LENGTH;
        } else if (left > 0) {
            sample = PEER_SOUND_LEVEL;
            left--;
        }
        for (uint32_t c = 0; c < nchannels; c++) {
            *samples++ = sample;
        }
    }
}
