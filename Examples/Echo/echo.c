#include "echo.h"

#include <stdlib.h>

struct echo {
    uint32_t channels, length, place; // of the lines, which turn: what is at `place` was put there `length` frames ago
    float feedback;
    float samples[]; // a line for each channel, and behind them the last dulled sample of each
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
    uint32_t place = echo->place;
    for (uint32_t channel = 0; channel < channels && channel < echo->channels; channel++) {
        float *line = echo->samples + (size_t)channel * echo->length;
        float *dull = echo->samples + (size_t)echo->channels * echo->length + channel;
        place = echo->place; // each line turns alike
        for (uint32_t frame = 0; frame < nframes; frame++) {
            const float late = line[place];
            *dull += 0.4f * (late - *dull); // a low-pass of one pole: the highs go first, as in a canyon
            line[place] = planes[channel][frame] + echo->feedback * *dull;
            planes[channel][frame] = late;
            place = place + 1 == echo->length ? 0 : place + 1;
        }
    }
    echo->place = place;
}
