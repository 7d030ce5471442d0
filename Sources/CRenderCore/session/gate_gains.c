#include "session/gate_gains.h"

#include <math.h>

static uint32_t milliseconds_to_frames(uint32_t sample_rate, uint16_t milliseconds) RCORE_RT {
    return (uint32_t)((uint64_t)sample_rate * milliseconds / 1000);
}

// Converts an attenuation in 1/256 dB to a linear gain. 0 gives exactly 1.
static double duck_gain(double attenuation) RCORE_RT {
    return attenuation <= 0.0 ? 1.0 : pow(10.0, -attenuation / (20.0 * SGATE_ATTENUATION_PER_DECIBEL));
}

// ---- New words ----------------------------------------------------------------------------------

// Starts a ramp of the duck to `target`, an attenuation in 1/256 dB.
static void duck_to(struct gate_state *gate, double target, uint32_t nframes) RCORE_RT {
    if (gate->duck_target == target && gate->duck_remaining <= nframes) {
        return; // already ramps there, and arrives in time
    }
    gate->duck_target = target;
    gate->duck_remaining = nframes;
    if (nframes == 0) {
        gate->duck = target;
    } else {
        gate->duck_step = (target - gate->duck) / nframes;
    }
}

// During a resume delay, the gate opens at its end (`gate_advance`).
static void apply_grant(struct gate_state *gate, sgate_grant_t grant, uint32_t sample_rate, bool at_once) RCORE_RT {
    const float open = grant.paused || grant.muted ? 0.0f : 1.0f;
    const uint32_t ramp_frames = milliseconds_to_frames(sample_rate, grant.ramp_ms);
    gate->resume_ramp = ramp_frames;
    if (at_once) {
        ramp_set(&gate->open, open);
    }
    if (gate->resume_delay == 0 && (gate->open.target != open || gate->open.remaining > ramp_frames)) {
        ramp_to(&gate->open, open, ramp_frames);
    }
    gate->paused = grant.paused;
}

static void apply_volume(struct gate_state *gate, sgate_volume_t volume, uint32_t sample_rate) RCORE_RT {
    ramp_to(&gate->volume, volume.gain, gate->attached ? milliseconds_to_frames(sample_rate, volume.ramp_ms) : 0);
}

// Applies the deeper of the grant's duck and the keyed one, which counts while one of its keys is
// audible. A new attenuation in the grant brings its own ramp. `at_once`: without a ramp.
static void apply_duck(struct gate_state *gate, const struct gate_words *words, uint32_t sample_rate,
                       bool at_once) RCORE_RT {
    const sgate_grant_t grant = sgate_word_to_grant(words->grant);
    // A new page without keys has no release.
    const uint64_t keyed_word = words->keyed_duck != 0 ? words->keyed_duck : gate->words.keyed_duck;
    const sgate_keyed_duck_t keyed = sgate_word_to_keyed_duck(keyed_word);
    const double target = gate_words_attenuation(words);
    const bool new_grant = grant.attenuation != sgate_word_to_grant(gate->words.grant).attenuation;
    if (!at_once && !new_grant && target == gate->duck_target) {
        return;
    }
    const uint16_t ramp_ms = new_grant                    ? grant.ramp_ms
                             : target > gate->duck_target ? keyed.attack_ms
                                                          : keyed.release_ms;
    duck_to(gate, target, at_once ? 0 : milliseconds_to_frames(sample_rate, ramp_ms));
}

// The first grant, volume and duck take no ramp, and neither does an inaudible duck: a session that
// returns from silence during a duck starts ducked (keeps DUCK-7).
void gate_apply(struct gate_state *gate, const struct gate_words *words, uint32_t sample_rate, bool at_once) RCORE_RT {
    const bool is_first = !gate->attached;
    const bool ducks_at_once = is_first || gate_is_silent(gate);
    gate->steady = false;
    if (is_first || words->volume != gate->words.volume) {
        apply_volume(gate, sgate_word_to_volume(words->volume), sample_rate);
    }
    if (is_first || words->grant != gate->words.grant) {
        apply_grant(gate, sgate_word_to_grant(words->grant), sample_rate, is_first || at_once);
    }
    apply_duck(gate, words, sample_rate, ducks_at_once);
    gate->attached = true;
    gate->words = *words;
}

// ---- Gains --------------------------------------------------------------------------------------

// Multiplies `envelope` by the duck for the next frames: its ramp, then its constant gain.
static void duck_multiply(const struct gate_state *gate, float *envelope, uint32_t nframes) RCORE_RT {
    const uint32_t moving = gate->duck_remaining < nframes ? gate->duck_remaining : nframes;
    if (moving > 0) {
        const double ratio = pow(10.0, -gate->duck_step / (20.0 * SGATE_ATTENUATION_PER_DECIBEL));
        double gain = duck_gain(gate->duck);
        for (uint32_t i = 0; i < moving; i++) {
            gain *= ratio;
            envelope[i] *= (float)gain;
        }
    }
    if (moving < nframes && gate->duck_target > 0.0) {
        const float gain = (float)duck_gain(gate->duck_target);
        for (uint32_t i = moving; i < nframes; i++) {
            envelope[i] *= gain;
        }
    }
}

bool gate_is_open(const struct gate_state *gate) RCORE_RT {
    return ramp_is_at(&gate->open, 1.0f) && ramp_is_at(&gate->volume, 1.0f) && gate->duck_remaining == 0 &&
           gate->duck_target <= 0.0;
}

void gate_multiply(const struct gate_state *gate, float *envelope, uint32_t nframes) RCORE_RT {
    ramp_multiply(&gate->open, envelope, nframes);
    ramp_multiply(&gate->volume, envelope, nframes);
    duck_multiply(gate, envelope, nframes);
}

void gate_advance(struct gate_state *gate, uint32_t nframes) RCORE_RT {
    ramp_advance(&gate->open, nframes);
    ramp_advance(&gate->volume, nframes);
    if (gate->resume_delay > 0) {
        gate->resume_delay = gate->resume_delay > nframes ? gate->resume_delay - nframes : 0;
        if (gate->resume_delay == 0) {
            ramp_to(&gate->open, 1.0f, gate->resume_ramp);
        }
    }
    const uint32_t moving = gate->duck_remaining < nframes ? gate->duck_remaining : nframes;
    gate->duck_remaining -= moving;
    gate->duck = gate->duck_remaining == 0 ? gate->duck_target : gate->duck + gate->duck_step * moving;
    gate->steady = gate->open.remaining == 0 && gate->volume.remaining == 0 && gate->duck_remaining == 0 &&
                   gate->resume_delay == 0;
}

float gate_gain(const struct gate_state *gate) RCORE_RT {
    return ramp_value(&gate->open) * ramp_value(&gate->volume) * (float)duck_gain(gate->duck);
}
