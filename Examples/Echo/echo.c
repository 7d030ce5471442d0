#include "echo.h"

#include <stdlib.h>

struct echo {
    /// Number of delay lines, their length in frames, and the next frame in each.
    uint32_t channels, length, position;
    float feedback;
    /// A delay line for each channel, followed by the filter state of each channel.
    float samples[];
};

echo_t *echo_create(uint32_t channels, uint32_t delay_frames, float feedback) {
    const size_t count = (size_t)channels * ((size_t)delay_frames + 1);
    echo_t *echo = calloc(1, sizeof *echo + count * sizeof(float));
    if (echo != NULL) {
        echo->channels = channels;
        echo->length = delay_frames;
        echo->feedback = feedback;
    }
    return echo;
}

void echo_destroy(echo_t *echo) { free(echo); }

void echo_render(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT {
    echo_t *echo = context;
    uint32_t position = echo->position;
    for (uint32_t channel = 0; channel < channels && channel < echo->channels; channel++) {
        float *line = echo->samples + (size_t)channel * echo->length;
        float *filtered = echo->samples + (size_t)echo->channels * echo->length + channel;
        position = echo->position; // the same in each line
        for (uint32_t frame = 0; frame < nframes; frame++) {
            const float delayed = line[position];
            // A one-pole low-pass: each echo has less treble.
            *filtered += 0.4f * (delayed - *filtered);
            line[position] = planes[channel][frame] + echo->feedback * *filtered;
            planes[channel][frame] = delayed;
            position = position + 1 == echo->length ? 0 : position + 1;
        }
    }
    echo->position = position;
}
