// Filters of voices: state-variable filters whose integrators follow the trapezoidal rule. They
// have the response of the analog filter, bent to the sample rate by the bilinear transform, like
// biquads; but their memory is that of the analog filter, so they stay stable and free of clicks
// while the cutoff frequency moves.
//
// While it moves, the frequency is computed at the ends of short segments, and the coefficient g
// runs on a straight line between them. A segment goes on over the ends of blocks, so the bits do
// not depend on how periods are divided; a change within it ends it.
//
// The memory holds frequencies near half the sample rate at about g times their level. So that they
// are not heard when g falls, g is limited, and falls by an octave in 8 frames at most.
#include "voices/filter.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>

enum { max_segment = 16, octave_frames = 8 };

static const float pi = 3.14159265358979f;

// The output of a stage, as the sum of its input, its band-pass (for one pole: its low-pass) and
// its low-pass.
struct mix {
    float input;
    float band;
    float low;
};

static bool has_one_pole(const struct filter *filter) RCORE_RT {
    return filter->type == RCORE_FILTER_LOW_PASS_6 || filter->type == RCORE_FILTER_HIGH_PASS_6;
}

static uint32_t stage_count(const struct filter *filter) RCORE_RT {
    return filter->type == RCORE_FILTER_LOW_PASS_24 || filter->type == RCORE_FILTER_HIGH_PASS_24 ? 2 : 1;
}

static struct mix mix_of(const struct filter *filter, float damping) RCORE_RT {
    switch (filter->type) {
    case RCORE_FILTER_LOW_PASS_6:
        return (struct mix){0.0f, 1.0f, 0.0f};
    case RCORE_FILTER_HIGH_PASS_6:
        return (struct mix){1.0f, -1.0f, 0.0f};
    case RCORE_FILTER_HIGH_PASS_12:
    case RCORE_FILTER_HIGH_PASS_24:
        return (struct mix){1.0f, -damping, -1.0f};
    case RCORE_FILTER_BAND_PASS:
        return (struct mix){0.0f, damping, 0.0f};
    case RCORE_FILTER_BAND_REJECT:
        return (struct mix){1.0f, -damping, 0.0f};
    default:
        return (struct mix){0.0f, 0.0f, 1.0f};
    }
}

// ---- Frequency ----------------------------------------------------------------------------------

// Returns the value of a ramp after the next `nframes` frames.
static float value_after(struct ramp ramp, uint32_t nframes) RCORE_RT {
    ramp_advance(&ramp, nframes);
    return ramp_value(&ramp);
}

// Returns g after the next `nframes` frames, which lie in one stage of the envelope.
static float coefficient_after(const struct filter *filter, uint32_t nframes) RCORE_RT {
    const float octaves =
        value_after(filter->pitch, nframes) + filter->range * value_after(filter->envelope.level, nframes);
    const float rate = (float)filter->sample_rate, highest = 0.45f * rate;
    const float cutoff = exp2f(octaves);
    return tanf(pi * (cutoff < 1.0f ? 1.0f : cutoff > highest ? highest : cutoff) / rate);
}

void filter_start(struct filter *filter, const struct filter_settings *settings, uint32_t sample_rate) RCORE_RT {
    // Q of 1 / √2, or of the two pairs of poles of a Butterworth filter of fourth order.
    const float resonance = powf(10.0f, -settings->resonance / 20.0f);
    *filter = (struct filter){
        .envelope = settings->envelope, .range = settings->range, .type = settings->type, .sample_rate = sample_rate};
    filter->damping[0] = stage_count(filter) == 2 ? 0.76536686f * resonance : 1.41421356f * resonance;
    filter->damping[1] = 1.84775907f;
    ramp_set(&filter->pitch, settings->pitch);
    envelope_start(&filter->envelope);
    ramp_set(&filter->g, coefficient_after(filter, 0));
}

// Ends the current segment here, because something else moves from here on.
static void end_segment(struct filter *filter) RCORE_RT {
    ramp_set(&filter->g, ramp_value(&filter->g));
    filter->is_settled = false;
}

void filter_move(struct filter *filter, float pitch, uint32_t ramp_frames) RCORE_RT {
    ramp_to(&filter->pitch, pitch, ramp_frames);
    end_segment(filter);
}

void filter_release(struct filter *filter) RCORE_RT {
    envelope_release(&filter->envelope, filter->envelope.lengths[ENVELOPE_RELEASE]);
    end_segment(filter);
}

// Begins the next segment if anything moves.
static void begin_segment(struct filter *filter) RCORE_RT {
    uint32_t length = envelope_line(&filter->envelope);
    if (filter->pitch.remaining > 0 && filter->pitch.remaining < length) {
        length = filter->pitch.remaining;
    }
    const bool is_moving = length != UINT32_MAX;
    if (!is_moving && filter->is_settled) {
        return;
    }
    length = length < max_segment ? length : max_segment;
    const float from = filter->g.target, to = coefficient_after(filter, length);
    const float lowest = from * exp2f(-(float)length / octave_frames);
    filter->is_settled = !is_moving && to >= lowest;
    ramp_line(&filter->g, from, to >= lowest ? to : lowest, length);
}

// ---- Samples ------------------------------------------------------------------------------------

// Rounds a product whose sums are other statements. There, GCC would contract them where the
// processor has such an instruction (ARM64), and Clang would not.
static inline __attribute__((always_inline)) channel_pair rounded(channel_pair product) RCORE_RT {
#if defined(__GNUC__) && !defined(__clang__) && defined(__aarch64__)
    __asm__("" : "+w"(product));
#endif
    return product;
}

// Filters a pair of channels by one stage with one or two poles. `g` is constant or moves
// throughout.
static inline __attribute__((always_inline)) void run_stage(struct filter_state *memory, const float *const sources[2],
                                                            float *const targets[2], const struct ramp *line,
                                                            float damping, struct mix mix, bool is_moving,
                                                            bool one_pole, uint32_t nframes) RCORE_RT {
    channel_pair first = memory->first, second = memory->second;
    const float last = (float)line->remaining - 1.0f;
    for (uint32_t i = 0; i < nframes; i++) {
        const float g = is_moving ? line->target - line->step * (last - (float)i) : line->target;
        const channel_pair input = {sources[0][i], sources[1][i]};
        channel_pair output;
        if (one_pole) {
            const channel_pair change = rounded((input - first) * (g / (1.0f + g)));
            const channel_pair low = first + change;
            first = low + change;
            output = mix.input * input + mix.band * low;
        } else {
            const float a = 1.0f / (1.0f + g * (g + damping)), b = g * a, c = g * b;
            const channel_pair error = input - second;
            const channel_pair band = a * first + b * error;
            const channel_pair low = second + b * first + c * error;
            first = 2.0f * band - first;
            second = 2.0f * low - second;
            output = mix.input * input + mix.band * band + mix.low * low;
        }
        targets[0][i] = output[0];
        targets[1][i] = output[1];
    }
    *memory = (struct filter_state){first, second};
}

// The variants of `run_stage`, of which each has the branches that it needs.
static void filter_pair(struct filter *filter, uint32_t number, const float *const sources[2], float *const targets[2],
                        uint32_t nframes) RCORE_RT {
    const float *inputs[2] = {sources[0], sources[1]};
    const bool is_moving = filter->g.remaining > 0;
    for (uint32_t stage = 0; stage < stage_count(filter); stage++) {
        struct filter_state *memory = &filter->states[number][stage];
        const float damping = filter->damping[stage];
        const struct mix mix = mix_of(filter, damping);
        if (has_one_pole(filter)) {
            run_stage(memory, inputs, targets, &filter->g, damping, mix, is_moving, true, nframes);
        } else if (is_moving) {
            run_stage(memory, inputs, targets, &filter->g, damping, mix, true, false, nframes);
        } else {
            run_stage(memory, inputs, targets, &filter->g, damping, mix, false, false, nframes);
        }
        inputs[0] = targets[0];
        inputs[1] = targets[1];
    }
}

// Returns whether the memory of a pair of channels has not overflowed.
static bool is_finite(const struct filter_state states[FILTER_STAGES]) RCORE_RT {
    const channel_pair sum = states[0].first + states[0].second + states[1].first + states[1].second;
    return sample_is_finite(sum[0] + sum[1]);
}

void filter_process(struct filter *filter, uint32_t sample_rate, const float *const *sources, float *const *targets,
                    uint32_t channels, uint32_t nframes) RCORE_RT {
    if (sample_rate != filter->sample_rate) {
        filter->sample_rate = sample_rate;
        ramp_set(&filter->g, coefficient_after(filter, 0));
    }
    for (uint32_t done = 0; done < nframes;) {
        if (filter->g.remaining == 0) {
            begin_segment(filter);
        }
        const uint32_t left = nframes - done, segment = filter->g.remaining;
        const uint32_t count = segment > 0 && segment < left ? segment : left;
        for (uint32_t channel = 0; channel < channels; channel += 2) {
            // The last of an odd number is its own neighbour.
            const uint32_t next = channel + 1 < channels ? channel + 1 : channel;
            const float *const inputs[2] = {sources[channel] + done, sources[next] + done};
            float *const outputs[2] = {targets[channel] + done, targets[next] + done};
            filter_pair(filter, channel / 2, inputs, outputs, count);
            if (!is_finite(filter->states[channel / 2])) {
                memset(filter->states[channel / 2], 0, sizeof filter->states[channel / 2]);
                memset(outputs[0], 0, sizeof(float) * count);
                memset(outputs[1], 0, sizeof(float) * count);
            }
        }
        ramp_advance(&filter->g, count);
        ramp_advance(&filter->pitch, count);
        envelope_advance(&filter->envelope, count);
        done += count;
    }
}
