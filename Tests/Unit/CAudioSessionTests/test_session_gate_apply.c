// The gate of a C session, without a render core: what it leaves alone, when sources stop, and how
// its page is replaced. test_session_gate_and_core.c compares its samples with those of the core.
#include "expect.h"
#include "gate_object.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum { channels = 2, capacity = 4096, ramp_ms = 10, ramp = 480 };
static const sgate_grant_t passes = {.ramp_ms = ramp_ms, .input_granted = true};
static const sgate_grant_t paused = {.ramp_ms = ramp_ms, .paused = true};
static const sgate_grant_t muted = {.ramp_ms = ramp_ms, .muted = true};

struct scene {
    asession_gate_t gate;
    sgate_page_t *page;
    sgate_keys_t *keys;
    struct gate_page gate_page;
    float samples[channels][capacity];
    float *planes[channels];
};

/// Returns a scene whose gate has read `grant`.
static struct scene *open_scene(sgate_grant_t grant) {
    struct scene *scene = calloc(1, sizeof *scene);
    if (scene == NULL) {
        abort();
    }
    gate_initialise(&scene->gate);
    scene->page = sgate_page_create();
    scene->keys = sgate_keys_create();
    sgate_page_set_grant(scene->page, grant);
    scene->gate_page = (struct gate_page){.page = scene->page, .keys = scene->keys};
    for (unsigned channel = 0; channel < channels; channel++) {
        scene->planes[channel] = scene->samples[channel];
    }
    gate_set_page(&scene->gate, &scene->gate_page);
    (void)asession_gate_apply(&scene->gate, NULL, 0, 0);
    return scene;
}

static void close_scene(struct scene *scene) {
    sgate_page_destroy(scene->page);
    sgate_keys_destroy(scene->keys);
    free(scene);
}

static void fill(struct scene *scene, float value) {
    for (unsigned i = 0; i < channels * capacity; i++) {
        scene->samples[i / capacity][i % capacity] = value;
    }
}

/// Applies the gate to frames of `value`.
static uint32_t apply_to(struct scene *scene, float value, uint32_t nframes) {
    fill(scene, value);
    return asession_gate_apply(&scene->gate, scene->planes, channels, nframes);
}

/// Returns the number of frames in from…to that are not exactly +0, in any channel.
static unsigned sounding(const struct scene *scene, uint32_t from, uint32_t to) {
    static const float zero = 0.0f;
    unsigned count = 0;
    for (unsigned channel = 0; channel < channels; channel++) {
        for (uint32_t i = from; i < to; i++) {
            count += memcmp(&scene->samples[channel][i], &zero, sizeof zero) != 0;
        }
    }
    return count;
}

// ---- Open gates ---------------------------------------------------------------------------------

/// Returns the number of samples that the gate changes, of any bits: NaN with payload, infinity,
/// denormals, -0.
static unsigned changed(asession_gate_t *gate) {
    static uint32_t bits[1024], before[1024];
    static const uint32_t special[] = {0x7F800001, 0xFFC12345, 0x7F800000, 0xFF800000,
                                       0x00000001, 0x807FFFFF, 0x80000000};
    for (uint32_t i = 0; i < 1024; i++) {
        bits[i] = i < 7 ? special[i] : i * 4194301u;
    }
    memcpy(before, bits, sizeof bits);
    float *const planes[] = {(float *)(void *)bits};
    EXPECT_EQUAL(asession_gate_apply(gate, planes, 1, 1024), 1024);
    unsigned count = 0;
    for (unsigned i = 0; i < 1024; i++) {
        count += bits[i] != before[i];
    }
    return count;
}

TEST(an_open_gate_does_not_change_a_bit) {
    struct scene *scene = open_scene(passes);
    EXPECT_EQUAL(changed(&scene->gate), 0);
    sgate_page_set_grant(scene->page, muted);
    EXPECT_EQUAL(apply_to(scene, 1.0f, capacity), capacity);
    sgate_page_set_grant(scene->page, passes);
    const float denormal = 1e-40f;
    EXPECT_EQUAL(apply_to(scene, denormal, 1024), 1024);
    // A block after the fade-in.
    EXPECT(memcmp(&scene->samples[0][1023], &denormal, sizeof denormal) == 0);
    EXPECT_EQUAL(changed(&scene->gate), 0);
    close_scene(scene);
}

TEST(a_gate_that_is_NULL_or_has_no_page_is_open) {
    asession_gate_t gate;
    gate_initialise(&gate);
    asession_gate_t *const gates[] = {NULL, &gate};
    for (unsigned i = 0; i < 2; i++) {
        asession_gate_set_sample_rate(gates[i], 44100);
        EXPECT_EQUAL(asession_gate_begin(gates[i], 64), 64);
        EXPECT_EQUAL(changed(gates[i]), 0);
        const asession_gate_state_t state = asession_gate_read(gates[i]);
        EXPECT(!state.is_paused && !state.is_muted && state.is_input_granted);
        EXPECT(state.attenuation == 0.0f && state.volume == 1.0f);
        EXPECT_EQUAL(state.fade_ms + state.duck_attack_ms + state.duck_release_ms + state.volume_ramp_ms, 0);
    }
    EXPECT(gate_uses_last_page(&gate));
}

// ---- Fades --------------------------------------------------------------------------------------

/// INT-1, INT-8: the sources stop at the end of the fade-out, in one block or several, and resume
/// with the grant's ramp at the first frame of a block.
TEST(a_paused_session_stops_its_sources_at_the_end_of_the_fade) {
    static const uint32_t blocks[] = {1, 64, 256, 479, 480, 481, 4096};
    for (unsigned b = 0; b < sizeof blocks / sizeof blocks[0]; b++) {
        struct scene *scene = open_scene(passes);
        sgate_page_set_grant(scene->page, paused);
        uint32_t position = 0;
        for (uint32_t frame = 0; frame < capacity; frame += blocks[b]) {
            const uint32_t begun = asession_gate_begin(&scene->gate, blocks[b]);
            EXPECT_EQUAL(apply_to(scene, NAN, blocks[b]), begun);
            EXPECT_EQUAL(sounding(scene, 0, begun), channels * begun);
            EXPECT_EQUAL(sounding(scene, begun, blocks[b]), 0);
            position += begun;
        }
        EXPECT_EQUAL(position, ramp);
        sgate_page_set_grant(scene->page, passes);
        EXPECT_EQUAL(apply_to(scene, 1.0f, blocks[b]), blocks[b]);
        EXPECT_NEAR(scene->samples[1][0], 1.0 / ramp, 1e-6);
        close_scene(scene);
    }
}

TEST(a_muted_session_is_silent_and_continues) {
    struct scene *scene = open_scene(passes);
    sgate_page_set_grant(scene->page, muted);
    EXPECT_EQUAL(asession_gate_begin(&scene->gate, 1000), 1000);
    EXPECT_EQUAL(apply_to(scene, -1.0f, 1000), 1000);
    EXPECT_NEAR(scene->samples[0][ramp / 2 - 1], -0.5, 1e-6);
    EXPECT_EQUAL(sounding(scene, ramp - 1, 1000), 0);
    EXPECT_EQUAL(apply_to(scene, INFINITY, 1000), 1000);
    EXPECT_EQUAL(sounding(scene, 0, 1000), 0);
    close_scene(scene);
}

TEST(the_first_grant_and_volume_take_no_ramp) {
    struct scene *scene = open_scene(paused);
    EXPECT_EQUAL(apply_to(scene, 1.0f, 64), 0);
    EXPECT_EQUAL(sounding(scene, 0, 64), 0);
    close_scene(scene);

    scene = open_scene(passes);
    sgate_page_set_volume(scene->page, (sgate_volume_t){.gain = 0.5f, .ramp_ms = 1000});
    gate_initialise(&scene->gate);
    gate_set_page(&scene->gate, &scene->gate_page);
    EXPECT_EQUAL(apply_to(scene, 1.0f, 64), 64);
    EXPECT(scene->samples[0][0] == 0.5f && scene->samples[1][63] == 0.5f);
    close_scene(scene);
}

TEST(ramps_have_the_length_of_the_sample_rate) {
    struct scene *scene = open_scene(passes);
    asession_gate_set_sample_rate(&scene->gate, 8000);
    sgate_page_set_grant(scene->page, paused);
    EXPECT_EQUAL(asession_gate_begin(&scene->gate, 1000), 80);
    asession_gate_set_sample_rate(&scene->gate, 96000); // does not change the ramp that runs
    EXPECT_EQUAL(apply_to(scene, 1.0f, 1000), 80);
    close_scene(scene);
}

/// What changes after `asession_gate_begin` takes effect in the next cycle. `asession_gate_apply`
/// decides how many frames there are.
TEST(a_cycle_uses_what_its_beginning_read) {
    struct scene *scene = open_scene(passes);
    sgate_page_set_grant(scene->page, paused);
    EXPECT_EQUAL(asession_gate_begin(&scene->gate, 64), 64);
    sgate_page_set_grant(scene->page, passes);
    EXPECT_EQUAL(apply_to(scene, 1.0f, 1000), ramp);
    EXPECT_EQUAL(sounding(scene, ramp, 1000), 0);
    EXPECT_EQUAL(apply_to(scene, 1.0f, ramp), ramp);
    EXPECT(scene->samples[0][ramp - 1] == 1.0f);

    sgate_page_set_grant(scene->page, paused);
    EXPECT_EQUAL(asession_gate_begin(&scene->gate, 1000), ramp);
    EXPECT_EQUAL(apply_to(scene, 1.0f, 100), 100);
    EXPECT_EQUAL(asession_gate_begin(&scene->gate, 1000), ramp - 100);
    EXPECT_EQUAL(apply_to(scene, 1.0f, 0), 0);
    EXPECT_EQUAL(apply_to(scene, 1.0f, 1000), ramp - 100);
    close_scene(scene);
}

// ---- State --------------------------------------------------------------------------------------

TEST(the_state_is_what_the_page_says) {
    struct scene *scene = open_scene((sgate_grant_t){.attenuation = 512, .ramp_ms = 7, .muted = true});
    sgate_page_set_volume(scene->page, (sgate_volume_t){.gain = 0.25f, .ramp_ms = 20});
    EXPECT_EQUAL(asession_gate_read(&scene->gate).duck_attack_ms, 7);
    EXPECT_EQUAL(asession_gate_read(&scene->gate).duck_release_ms, 7);
    sgate_page_set_keyed_duck(scene->page,
                              (sgate_keyed_duck_t){.keys = 2, .attenuation = 3584, .attack_ms = 50, .release_ms = 500});
    asession_gate_state_t state = asession_gate_read(&scene->gate);
    EXPECT(!state.is_paused && state.is_muted && !state.is_input_granted);
    EXPECT(state.attenuation == 2.0f && state.volume == 0.25f);
    EXPECT_EQUAL(state.fade_ms, 7);
    EXPECT_EQUAL(state.volume_ramp_ms, 20);
    sgate_keys_set(scene->keys, 1, true);
    state = asession_gate_read(&scene->gate);
    EXPECT(state.attenuation == 14.0f);
    EXPECT_EQUAL(state.duck_attack_ms, 50);
    EXPECT_EQUAL(state.duck_release_ms, 500);
    scene->gate_page.keys = NULL;
    EXPECT(asession_gate_read(&scene->gate).attenuation == 2.0f);
    close_scene(scene);
}

// ---- Pages --------------------------------------------------------------------------------------

/// SRV-3: the gate continues from its state with the page of the next arbiter.
TEST(a_second_page_continues_in_its_ramps) {
    struct scene *scene = open_scene(passes);
    struct scene *next = open_scene(paused);
    gate_set_page(&scene->gate, NULL);
    EXPECT_EQUAL(apply_to(scene, 1.0f, 64), 64);
    EXPECT(scene->samples[0][63] == 1.0f);
    gate_set_page(&scene->gate, &next->gate_page);
    EXPECT_EQUAL(apply_to(scene, 1.0f, 1000), ramp);
    EXPECT_NEAR(scene->samples[0][0], 1.0 - 1.0 / ramp, 1e-6);
    EXPECT(gate_uses_last_page(&scene->gate));
    close_scene(next);
    close_scene(scene);
}

/// A page counts as used while the audio thread reads it, until the owner sets it again.
TEST(a_page_that_is_read_is_in_use) {
    struct scene *scene = open_scene(passes);
    struct gate_page next = scene->gate_page;
    atomic_store(&scene->gate.held, &scene->gate_page); // as the audio thread does
    EXPECT(gate_uses_last_page(&scene->gate));
    gate_set_page(&scene->gate, &next);
    EXPECT(!gate_uses_last_page(&scene->gate));
    atomic_store(&scene->gate.held, NULL);
    EXPECT(gate_uses_last_page(&scene->gate));
    close_scene(scene);
}

struct audio {
    asession_gate_t *gate;
    _Atomic(bool) ends;
    _Atomic(uint32_t) cycles;
};

static void *run_audio(void *context) {
    struct audio *const audio = context;
    float left[64], right[64];
    float *const planes[] = {left, right};
    for (uint32_t i = 0; !atomic_load(&audio->ends); i++) {
        for (unsigned frame = 0; frame < 64; frame++) {
            left[frame] = right[frame] = 1.0f;
        }
        const uint32_t begun = i % 2 == 0 ? asession_gate_begin(audio->gate, 64) : 64;
        const uint32_t rendered = asession_gate_apply(audio->gate, planes, 2, 64);
        const asession_gate_state_t state = asession_gate_read(audio->gate);
        if ((i % 2 == 0 && rendered != begun) || !(left[63] >= 0.0f && left[63] <= 1.0f) || !(state.volume == 0.5f)) {
            abort();
        }
        atomic_fetch_add(&audio->cycles, 1);
    }
    return NULL;
}

static void free_page(struct gate_page *page) {
    if (page != NULL) {
        sgate_page_destroy((sgate_page_t *)page->page);
        sgate_keys_destroy(page->keys);
        free(page);
    }
}

/// Frees each page as soon as it may, while the audio thread reads it: for the sanitizers.
TEST(pages_are_replaced_while_the_gate_is_used) {
    struct scene *scene = open_scene(passes);
    sgate_page_set_volume(scene->page, (sgate_volume_t){.gain = 0.5f});
    struct audio audio = {.gate = &scene->gate};
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_audio, &audio) != 0) {
        abort();
    }
    struct gate_page *last = NULL;
    for (uint32_t i = 0; i < 3000 || atomic_load(&audio.cycles) < 3000; i++) {
        struct gate_page *const next = malloc(sizeof *next);
        if (next == NULL) {
            abort();
        }
        sgate_page_t *const page = sgate_page_create();
        sgate_page_set_grant(page, i % 3 == 0 ? paused : passes);
        sgate_page_set_volume(page, (sgate_volume_t){.gain = 0.5f});
        sgate_page_set_detection(page, (sgate_detection_t){.enabled = i % 5 != 0, .threshold = 50, .hold_ms = 1});
        *next = (struct gate_page){.number = i + 1, .page = page, .keys = i % 2 == 0 ? sgate_keys_create() : NULL};
        gate_set_page(&scene->gate, next);
        asession_gate_set_sample_rate(&scene->gate, 44100 + i);
        while (!gate_uses_last_page(&scene->gate)) {
            (void)sched_yield();
        }
        free_page(last);
        last = next;
    }
    atomic_store(&audio.ends, true);
    (void)pthread_join(thread, NULL);
    free_page(last);
    close_scene(scene);
}

// Both bits that the gate writes are its own: it sets again what the arbiter has cleared.
TEST(a_key_is_audible_while_its_samples_exceed_the_threshold) {
    struct scene *scene = open_scene(passes);
    sgate_page_set_detection(scene->page,
                             (sgate_detection_t){.enabled = true, .key = 3, .threshold = 20, .hold_ms = 10});
    (void)apply_to(scene, 0.09f, 480);
    EXPECT(sgate_keys_audible(scene->keys) == 0 && !gate_is_audible(&scene->gate));
    (void)apply_to(scene, -0.11f, 480);
    EXPECT(sgate_keys_audible(scene->keys) == 1u << 3 && gate_is_audible(&scene->gate));
    EXPECT(scene->samples[0][479] == -0.11f); // an open gate does not change it
    sgate_keys_set(scene->keys, 3, false);
    (void)apply_to(scene, 0.11f, 480);
    EXPECT(sgate_keys_audible(scene->keys) == 1u << 3);
    (void)apply_to(scene, 0.0f, 479);
    EXPECT(gate_is_audible(&scene->gate));
    (void)apply_to(scene, 0.0f, 1);
    EXPECT(sgate_keys_audible(scene->keys) == 0 && !gate_is_audible(&scene->gate));
    // A gate that has no keys page still finds out, for the arbiter.
    scene->gate_page.keys = NULL;
    (void)apply_to(scene, 0.11f, 480);
    EXPECT(sgate_keys_audible(scene->keys) == 0 && gate_is_audible(&scene->gate));
    close_scene(scene);
}

int main(void) {
    RUN(an_open_gate_does_not_change_a_bit);
    RUN(a_gate_that_is_NULL_or_has_no_page_is_open);
    RUN(a_paused_session_stops_its_sources_at_the_end_of_the_fade);
    RUN(a_muted_session_is_silent_and_continues);
    RUN(the_first_grant_and_volume_take_no_ramp);
    RUN(ramps_have_the_length_of_the_sample_rate);
    RUN(a_cycle_uses_what_its_beginning_read);
    RUN(the_state_is_what_the_page_says);
    RUN(a_second_page_continues_in_its_ramps);
    RUN(a_page_that_is_read_is_in_use);
    RUN(pages_are_replaced_while_the_gate_is_used);
    RUN(a_key_is_audible_while_its_samples_exceed_the_threshold);
    return test_result();
}
