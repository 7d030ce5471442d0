// The gate of a session: applies the arbiter's grant to the buffers of a program. It computes the
// samples that the render core computes for a session bus, from the same gains (gate_gains.h).
#include "gate_key.h"
#include "gate_object.h"

#include "core/denormals.h"
#include "mix/ramp.h"
#include "session/gate_gains.h"
#include "session_gate_page.h"

#include <string.h>

// The default of the core's `block_frames`. A block begins its duck at the exact attenuation, so
// the last bit of a gain may depend on where blocks begin.
enum { BLOCK_FRAMES = 256 };

// ---- Page ---------------------------------------------------------------------------------------

void gate_initialise(asession_gate_t *gate) {
    atomic_init(&gate->page, NULL);
    atomic_init(&gate->held, NULL);
    atomic_init(&gate->sample_rate, 48000);
    gate->has_begun = false;
    gate->page_number = 0;
    gate_reset(&gate->state);
    gate->key = (struct gate_key){.end = 0};
}

void gate_set_page(asession_gate_t *gate, const struct gate_page *page) { atomic_store(&gate->page, page); }

// `hold` states what it holds before it looks at `page` again, and the owner sets `page` before it
// looks at `held`. In the one order of these four, the later one of both sees what the other wrote.
bool gate_uses_last_page(const asession_gate_t *gate) {
    const struct gate_page *held = atomic_load(&gate->held);
    return held == NULL || held == atomic_load_explicit(&gate->page, memory_order_relaxed);
}

bool gate_is_audible(const asession_gate_t *gate) {
    return atomic_load_explicit(&gate->key.is_audible, memory_order_relaxed);
}

uint64_t gate_key_frames(const asession_gate_t *gate) {
    return atomic_load_explicit(&gate->key.now, memory_order_relaxed);
}

// Returns what to read until `release`; may be NULL. Repeats only if the owner has set a page
// meanwhile.
static const struct gate_page *hold(asession_gate_t *gate) RCORE_RT {
    const struct gate_page *page = atomic_load_explicit(&gate->page, memory_order_relaxed);
    for (;;) {
        atomic_store(&gate->held, page);
        const struct gate_page *const last = atomic_load(&gate->page);
        if (last == page) {
            return page;
        }
        page = last;
    }
}

static void release(asession_gate_t *gate) RCORE_RT { atomic_store_explicit(&gate->held, NULL, memory_order_release); }

// Copies what the page says now. Returns false, and copies nothing, without a page.
static bool read_words(asession_gate_t *gate, struct gate_words *words) RCORE_RT {
    const struct gate_page *const page = hold(gate);
    const bool has_page = page != NULL;
    if (has_page) {
        *words = gate_words_read(page->page, page->keys);
    }
    release(gate);
    return has_page;
}

// ---- Samples ------------------------------------------------------------------------------------

// Makes +0 of -0, as the core does by mixing into cleared channels. A comparison instead of an
// addition of 0: the compiler might contract the latter with the product, and keep -0.
static void scale(float *restrict samples, const float *restrict envelope, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        const float product = samples[i] * envelope[i];
        samples[i] = product == 0.0f ? 0.0f : product;
    }
}

// A closed gate must stop NaN and infinity, too.
static void silence(float *const *planes, uint32_t nchannels, uint32_t offset, uint32_t nframes) RCORE_RT {
    for (uint32_t channel = 0; channel < nchannels; channel++) {
        memset(planes[channel] + offset, 0, sizeof(float) * nframes);
    }
}

// Applies the gains to one block.
static void apply_block(const struct gate_state *state, float *const *planes, uint32_t nchannels, uint32_t offset,
                        uint32_t nframes) RCORE_RT {
    if (gate_is_open(state)) {
        return;
    }
    if (gate_is_silent(state)) {
        silence(planes, nchannels, offset, nframes);
        return;
    }
    float envelope[BLOCK_FRAMES];
    envelope_fill(envelope, nframes);
    gate_multiply(state, envelope, nframes);
    for (uint32_t channel = 0; channel < nchannels; channel++) {
        scale(planes[channel] + offset, envelope, nframes);
    }
}

// Returns how many of the next `nframes` frames precede the end of a pause's fade-out; all of them
// unless the session is paused.
static uint32_t frames_to_render(const struct gate_state *state, uint32_t nframes) RCORE_RT {
    return state->paused && state->open.remaining < nframes ? state->open.remaining : nframes;
}

// Returns the length of the next block. It ends where the sources of a paused session stop.
static uint32_t block_length(const struct gate_state *state, uint32_t nframes) RCORE_RT {
    const uint32_t block = nframes < BLOCK_FRAMES ? nframes : BLOCK_FRAMES;
    const uint32_t rendered = frames_to_render(state, block);
    return rendered > 0 ? rendered : block;
}

// ---- Cycle --------------------------------------------------------------------------------------

static uint32_t sample_rate_of(const asession_gate_t *gate) RCORE_RT {
    return atomic_load_explicit(&gate->sample_rate, memory_order_relaxed);
}

// Applies what is new in the page, at the start of a cycle.
static void begin(asession_gate_t *gate) RCORE_RT {
    struct gate_state *const state = &gate->state;
    const struct gate_page *const page = hold(gate);
    if (page != NULL) {
        const struct gate_words words = gate_words_read(page->page, page->keys);
        const bool is_other_page = page->number != gate->page_number;
        if (!state->attached || is_other_page || gate_words_difference(&words, &state->words) != 0) {
            const flush_mode mode = denormals_flush_begin();
            gate_apply(state, &words, sample_rate_of(gate), false);
            denormals_flush_end(mode);
            gate_key_update(&gate->key, state, words.detection, page->keys, is_other_page);
            gate->page_number = page->number;
        }
    }
    release(gate);
}

// Looks at the samples of a key, and applies the gate to them, block by block. The page is held
// while the key may set its bit there.
static void apply_blocks(asession_gate_t *gate, float *const *planes, uint32_t nchannels, uint32_t nframes) RCORE_RT {
    struct gate_state *const state = &gate->state;
    const struct gate_page *const page = state->is_key ? hold(gate) : NULL;
    // In a page that is newer than the key's number, the bit would be another session's.
    sgate_keys_t *const keys = page != NULL && page->number == gate->page_number ? page->keys : NULL;
    for (uint32_t offset = 0; offset < nframes;) {
        const uint32_t length = block_length(state, nframes - offset);
        if (state->is_key) {
            gate_key_scan(&gate->key, state, keys, sample_rate_of(gate), planes, nchannels, offset, length);
        }
        apply_block(state, planes, nchannels, offset, length);
        gate_advance(state, length);
        gate_key_advance(&gate->key, length);
        offset += length;
    }
    if (state->is_key) {
        gate_key_expire(&gate->key, state, keys);
        release(gate);
    }
}

void asession_gate_set_sample_rate(asession_gate_t *gate, uint32_t sample_rate) ASESSION_AUDIO {
    if (gate != NULL) {
        const uint32_t rate = sample_rate < RCORE_MAX_SAMPLE_RATE ? sample_rate : RCORE_MAX_SAMPLE_RATE;
        atomic_store_explicit(&gate->sample_rate, rate, memory_order_relaxed);
    }
}

uint32_t asession_gate_begin(asession_gate_t *gate, uint32_t nframes) ASESSION_AUDIO {
    if (gate == NULL) {
        return nframes;
    }
    begin(gate);
    gate->has_begun = true;
    return frames_to_render(&gate->state, nframes);
}

uint32_t asession_gate_apply(asession_gate_t *gate, float *const *planes, uint32_t nchannels,
                             uint32_t nframes) ASESSION_AUDIO {
    if (gate == NULL) {
        return nframes;
    }
    struct gate_state *const state = &gate->state;
    if (!gate->has_begun) {
        begin(gate);
    }
    gate->has_begun = false;
    if (gate_is_open(state) && !state->is_key) {
        return nframes;
    }
    const uint32_t rendered = frames_to_render(state, nframes);
    const flush_mode mode = denormals_flush_begin();
    apply_blocks(gate, planes, nchannels, nframes);
    denormals_flush_end(mode);
    return rendered;
}

asession_gate_state_t asession_gate_read(asession_gate_t *gate) ASESSION_AUDIO {
    struct gate_words words;
    if (gate == NULL || !read_words(gate, &words)) {
        return (asession_gate_state_t){.is_input_granted = true, .volume = 1.0f};
    }
    const sgate_grant_t grant = sgate_word_to_grant(words.grant);
    const sgate_volume_t volume = sgate_word_to_volume(words.volume);
    const sgate_keyed_duck_t keyed = sgate_word_to_keyed_duck(words.keyed_duck);
    return (asession_gate_state_t){
        .is_paused = grant.paused,
        .is_muted = grant.muted,
        .is_input_granted = grant.input_granted,
        .attenuation = (float)gate_words_attenuation(&words) / SGATE_ATTENUATION_PER_DECIBEL,
        .volume = volume.gain,
        .fade_ms = grant.ramp_ms,
        // Keys raise and lower the attenuation without another grant.
        .duck_attack_ms = keyed.keys != 0 ? keyed.attack_ms : grant.ramp_ms,
        .duck_release_ms = keyed.keys != 0 ? keyed.release_ms : grant.ramp_ms,
        .volume_ramp_ms = volume.ramp_ms,
    };
}
