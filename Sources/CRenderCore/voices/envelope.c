#include "voices/envelope.h"

#include <math.h>

// Of a curve: its lines have 1/256 of its length, but at least 16 and at most 512 frames; short
// curves have 16 lines. Lines of linear stages are only limited, to 2^23 frames, because ramps
// count them in floats.
enum { lines = 256, min_line = 16, max_line = 512, least_lines = 16, longest_line = 1 << 23 };

// In the length of an exponential stage, the distance to its end level falls by 90 dB.
static const float range = 10.3616329f; // ln(10^(90 / 20))
static const float floor_level = 3.16227766e-5f;

// Returns the level at the end of a stage.
static float end_level(const struct envelope *envelope) RCORE_RT {
    switch (envelope->stage) {
    case ENVELOPE_ATTACK:
    case ENVELOPE_HOLD:
        return 1.0f;
    case ENVELOPE_DECAY:
    case ENVELOPE_SUSTAIN:
        return envelope->sustain;
    default:
        return 0.0f;
    }
}

static bool is_curved(const struct envelope *envelope) RCORE_RT {
    return envelope->is_exponential && (envelope->stage == ENVELOPE_DECAY || envelope->stage == ENVELOPE_RELEASE);
}

// Returns the length of the lines of the current stage.
static uint32_t line_length(const struct envelope *envelope) RCORE_RT {
    if (!is_curved(envelope)) {
        return longest_line;
    }
    const uint32_t length = envelope->lengths[envelope->stage], full = length / lines;
    const uint32_t least = length / least_lines < min_line ? length / least_lines + 1 : min_line;
    return full < least ? least : full > max_line ? max_line : full;
}

// Begins the next line of a stage. The last one ends at the end level. A release that has become
// softer than -90 dB ends with it.
static void begin_line(struct envelope *envelope) RCORE_RT {
    const uint32_t line = line_length(envelope);
    const uint32_t nframes = line < envelope->left ? line : envelope->left;
    const float from = ramp_value(&envelope->level), end = end_level(envelope);
    const uint32_t left = envelope->left - nframes;
    float distance = (from - end) * ((float)left / (float)envelope->left);
    if (left > 0 && is_curved(envelope)) {
        distance = (from - end) * expf(-range * (float)nframes / (float)envelope->lengths[envelope->stage]);
    }
    const bool is_over =
        left == 0 || (envelope->stage == ENVELOPE_RELEASE && is_curved(envelope) && distance < floor_level);
    envelope->left = is_over ? 0 : left;
    ramp_line(&envelope->level, from, is_over ? end : end + distance, nframes);
}

// Begins a stage, or the next one that has a length or is constant. An empty stage sets its level.
// There is nothing to release at level 0.
static void begin_stage(struct envelope *envelope, uint32_t stage) RCORE_RT {
    for (;; stage++) {
        const bool is_silent = stage == ENVELOPE_RELEASE && ramp_value(&envelope->level) == 0.0f;
        const bool is_constant = stage == ENVELOPE_SUSTAIN || stage == ENVELOPE_ENDED;
        envelope->stage = (uint8_t)stage;
        envelope->left = is_constant || is_silent ? 0 : envelope->lengths[stage];
        if (envelope->left > 0) {
            begin_line(envelope);
            return;
        }
        ramp_set(&envelope->level, end_level(envelope));
        if (is_constant) {
            return;
        }
    }
}

void envelope_start(struct envelope *envelope) RCORE_RT {
    ramp_set(&envelope->level, 0.0f);
    begin_stage(envelope, ENVELOPE_DELAY);
}

void envelope_release(struct envelope *envelope, uint32_t nframes) RCORE_RT {
    if (envelope->stage < ENVELOPE_RELEASE) {
        envelope->lengths[ENVELOPE_RELEASE] = nframes;
        begin_stage(envelope, ENVELOPE_RELEASE);
    }
}

void envelope_shorten(struct envelope *envelope, uint32_t nframes) RCORE_RT {
    if (nframes < (uint64_t)envelope->level.remaining + envelope->left) {
        envelope->lengths[ENVELOPE_RELEASE] = nframes;
        begin_stage(envelope, ENVELOPE_RELEASE);
    }
}

void envelope_advance(struct envelope *envelope, uint32_t nframes) RCORE_RT {
    if (envelope_line(envelope) == UINT32_MAX) {
        return;
    }
    ramp_advance(&envelope->level, nframes);
    if (envelope->level.remaining > 0) {
        return;
    }
    if (envelope->left > 0) {
        begin_line(envelope);
    } else {
        begin_stage(envelope, envelope->stage + 1u);
    }
}
