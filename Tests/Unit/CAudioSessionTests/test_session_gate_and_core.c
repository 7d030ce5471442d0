// The gate of a C session computes exactly the samples that the render core computes for a session
// bus, and finds out the same about a key: both read one page, and their whole outputs are compared
// as bits.
#include "expect.h"
#include "gate_object.h"
#include "random.h"
#include "render_core.h"
#include "session/gate_gains.h"

#include <string.h>

enum { max_channels = 8, max_block = 4096, nblocks = 500, source_frames = 600000 };
#define DEEPEST 65535

struct scene {
    struct random random;
    uint32_t channels;
    sgate_page_t *page;
    /// One for each of both: they set the bit of the same key.
    sgate_keys_t *core_keys;
    sgate_keys_t *keys;
    uint32_t serial;
    rcore_t *core;
    rcore_queue_t *queue;
    rcore_buffer_t *buffer;
    rcore_voice_t voice;
    asession_gate_t gate;
    struct gate_page gate_page;
    /// What both play.
    float *source[max_channels];
    /// The next frame of the C session's source.
    uint64_t position;
    float core_output[max_channels][max_block];
    float output[max_channels][max_block];
    /// What a gate would compute that multiplied by the volume last.
    float other_order[max_channels][max_block];
};

/// Of all runs.
static uint64_t audible_blocks, inaudible_blocks;
static uint64_t compared_blocks, suspended_blocks, partial_blocks, other_order_samples, other_order_differences;

// ---- What the arbiter does ----------------------------------------------------------------------

static uint16_t random_ramp(struct random *random) {
    static const uint16_t usual[] = {0, 1, 5, 20, 50, 500};
    return random_once_in(random, 3) ? (uint16_t)random_below(random, 300) : usual[random_below(random, 6)];
}

static uint16_t random_attenuation(struct random *random) {
    return random_once_in(random, 3)    ? 0
           : random_once_in(random, 20) ? DEEPEST
                                        : (uint16_t)random_below(random, 40 * SGATE_ATTENUATION_PER_DECIBEL);
}

static void set_random_volume(struct scene *scene) {
    struct random *const random = &scene->random;
    const float gain = random_once_in(random, 2)    ? 1.0f
                       : random_once_in(random, 10) ? 0.0f
                                                    : random_float(random, 0.0f, 1.0f);
    sgate_page_set_volume(scene->page, (sgate_volume_t){.gain = gain, .ramp_ms = random_ramp(random)});
}

static void set_random_grant(struct scene *scene, bool may_close) {
    struct random *const random = &scene->random;
    sgate_page_set_grant(scene->page, (sgate_grant_t){.paused = may_close && random_once_in(random, 3),
                                                      .muted = may_close && random_once_in(random, 6),
                                                      .attenuation = random_attenuation(random),
                                                      .ramp_ms = random_ramp(random),
                                                      .serial = ++scene->serial});
}

// The keys that others may be, in `change_at_random`, and those that the session may be.
enum { other_keys = 5, own_keys = 2 };

static void set_random_detection(struct scene *scene) {
    struct random *const random = &scene->random;
    sgate_page_set_detection(scene->page,
                             (sgate_detection_t){.enabled = !random_once_in(random, 4),
                                                 .key = (uint8_t)(other_keys + random_below(random, own_keys)),
                                                 .threshold = (uint8_t)random_below(random, 70),
                                                 .hold_ms = (uint16_t)random_below(random, 60)});
}

static void change_at_random(struct scene *scene) {
    struct random *const random = &scene->random;
    if (random_once_in(random, 5)) {
        set_random_grant(scene, true);
    }
    if (random_once_in(random, 8)) {
        set_random_volume(scene);
    }
    if (random_once_in(random, 12)) {
        sgate_page_set_keyed_duck(
            scene->page, (sgate_keyed_duck_t){.keys = (uint16_t)random_below(random, 1u << (other_keys + own_keys)),
                                              .attenuation = random_attenuation(random),
                                              .attack_ms = random_ramp(random),
                                              .release_ms = random_ramp(random)});
    }
    if (random_once_in(random, 6)) {
        const uint32_t key = random_below(random, other_keys);
        const bool is_audible = random_once_in(random, 2);
        sgate_keys_set(scene->keys, key, is_audible);
        sgate_keys_set(scene->core_keys, key, is_audible);
    }
    if (random_once_in(random, 10)) {
        set_random_detection(scene);
    }
}

static uint32_t random_block(struct random *random) {
    static const uint32_t usual[] = {1, 64, 128, 256, 257, 512, 1024, max_block};
    return random_once_in(random, 3)   ? 1 + random_below(random, max_block)
           : random_once_in(random, 2) ? 1 + random_below(random, 256)
                                       : usual[random_below(random, 8)];
}

// ---- Scene --------------------------------------------------------------------------------------

static void expect_ok(rcore_status_t status) {
    if (status != RCORE_OK) {
        abort();
    }
}

static void open_core(struct scene *scene, uint32_t sample_rate) {
    rcore_config_t config = rcore_config_default();
    config.sample_rate = sample_rate;
    scene->core = rcore_create(&config, NULL);
    scene->queue = rcore_queue_open(scene->core, NULL);
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_bus_description_t bus = {
        .channels = scene->channels, .parent = RCORE_NONE, .gate = scene->page, .keys = scene->core_keys};
    const rcore_route_description_t route = {.channels = scene->channels};
    expect_ok(rcore_plan_add_bus(plan, &bus));
    expect_ok(rcore_plan_add_route(plan, &route));
    expect_ok(rcore_plan_connect(plan, 0, 0, NULL));
    expect_ok(rcore_post_plan(scene->queue, plan, RCORE_NOW));
    rcore_process(scene->core, NULL, 0, NULL, 0, 0);
    rcore_process(scene->core, NULL, 0, NULL, 0, 0); // reads the first grant at the latest

    scene->buffer = rcore_buffer_create(scene->channels, source_frames, (const float *const *)scene->source, NULL);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = scene->buffer;
    scene->voice = rcore_voice_acquire(scene->core);
    expect_ok(rcore_post_start(scene->queue, scene->voice, &params, RCORE_NOW));
}

static struct scene *open_scene(uint64_t seed, uint32_t channels, uint32_t sample_rate) {
    struct scene *scene = calloc(1, sizeof *scene);
    if (scene == NULL) {
        abort();
    }
    scene->random = random_seeded(seed);
    scene->channels = channels;
    scene->page = sgate_page_create();
    scene->keys = sgate_keys_create();
    scene->core_keys = sgate_keys_create();
    for (uint32_t channel = 0; channel < channels; channel++) {
        scene->source[channel] = malloc(source_frames * sizeof(float));
        for (uint32_t i = 0; scene->source[channel] != NULL && i < source_frames; i++) {
            // Attenuated, every tenth one is a denormal, which the core flushes to zero.
            const float tiny = i % 20 == 0 ? 1.5e-38f : -1.5e-38f;
            // Parts of some milliseconds are as loud as the thresholds of keys.
            static const float levels[] = {1.0f, 0.03f, 0.0f, 0.3f, 0.001f};
            const float level = levels[i / 3000 % 5];
            scene->source[channel][i] = i % 10 == 0 ? tiny : random_float(&scene->random, -level, level);
        }
    }
    set_random_grant(scene, false);
    set_random_volume(scene);
    open_core(scene, sample_rate);
    gate_initialise(&scene->gate);
    scene->gate_page = (struct gate_page){.page = scene->page, .keys = scene->keys};
    gate_set_page(&scene->gate, &scene->gate_page);
    asession_gate_set_sample_rate(&scene->gate, sample_rate);
    (void)asession_gate_apply(&scene->gate, NULL, 0, 0); // reads the first grant, as the core did
    return scene;
}

static void close_scene(struct scene *scene) {
    rcore_destroy(scene->core);
    rcore_buffer_release(scene->buffer);
    sgate_page_destroy(scene->page);
    sgate_keys_destroy(scene->keys);
    sgate_keys_destroy(scene->core_keys);
    for (uint32_t channel = 0; channel < scene->channels; channel++) {
        free(scene->source[channel]);
    }
    free(scene);
}

// ---- Comparison ---------------------------------------------------------------------------------

static void render_core(struct scene *scene, uint32_t nframes) {
    float *planes[max_channels];
    for (uint32_t channel = 0; channel < scene->channels; channel++) {
        planes[channel] = scene->core_output[channel];
        memset(planes[channel], 0x7F, nframes * sizeof(float));
    }
    rcore_process(scene->core, NULL, 0, planes, scene->channels, nframes);
}

// Fills the planes with `rendered` frames of the source, then with NaN.
static void render_source(const struct scene *scene, float (*planes)[max_block], uint32_t rendered, uint32_t nframes) {
    for (uint32_t channel = 0; channel < scene->channels; channel++) {
        memcpy(planes[channel], scene->source[channel] + scene->position, rendered * sizeof(float));
        memset(planes[channel] + rendered, 0xFF, (nframes - rendered) * sizeof(float));
    }
}

// Injects a fault: as the gate, but with the volume as the last factor instead of the second one.
// Only for blocks that the gate does not divide.
static void render_other_order(struct scene *scene, uint32_t nframes) {
    float envelope[256];
    struct gate_state state = scene->gate.state;
    const struct ramp volume = state.volume;
    if (nframes > 256 || gate_is_open(&state) || state.paused) {
        return;
    }
    ramp_set(&state.volume, 1.0f);
    envelope_fill(envelope, nframes);
    gate_multiply(&state, envelope, nframes);
    ramp_multiply(&volume, envelope, nframes);
    for (uint32_t i = 0; i < nframes; i++) {
        const float sample = scene->source[0][scene->position + i];
        if (fabsf(sample) > 1e-6f) { // the core flushes denormals
            other_order_samples++;
            other_order_differences += sample * envelope[i] != scene->core_output[0][i];
        }
    }
}

static uint64_t differences(const struct scene *scene, uint32_t nframes) {
    uint64_t count = 0;
    for (uint32_t channel = 0; channel < scene->channels; channel++) {
        for (uint32_t i = 0; i < nframes; i++) {
            count += memcmp(&scene->output[channel][i], &scene->core_output[channel][i], sizeof(float)) != 0;
        }
    }
    return count;
}

// Returns whether only one of both finds that the key is audible, or only one states it.
static bool compare_audibility(const struct scene *scene) {
    const bool is_audible = gate_is_audible(&scene->gate);
    audible_blocks += is_audible;
    inaudible_blocks += !is_audible;
    return is_audible != rcore_bus_is_audible(scene->core, 0) ||
           sgate_keys_audible(scene->keys) != sgate_keys_audible(scene->core_keys);
}

// Renders a block with both; returns how many samples differ. What changes after the beginning of a
// cycle takes effect in the next one.
static uint64_t compare_block(struct scene *scene, uint32_t nframes) {
    float *planes[max_channels];
    for (uint32_t channel = 0; channel < scene->channels; channel++) {
        planes[channel] = scene->output[channel];
    }
    render_core(scene, nframes);
    const bool begins = random_once_in(&scene->random, 2);
    const uint32_t begun = begins ? asession_gate_begin(&scene->gate, nframes) : nframes;
    if (begins) {
        render_other_order(scene, nframes);
        change_at_random(scene);
    }
    render_source(scene, scene->output, begun, nframes);
    const uint32_t rendered = asession_gate_apply(&scene->gate, planes, scene->channels, nframes);
    EXPECT(!begins || rendered == begun);
    scene->position += rendered;
    compared_blocks++;
    suspended_blocks += rendered == 0;
    partial_blocks += rendered > 0 && rendered < nframes;
    return differences(scene, nframes) + compare_audibility(scene);
}

static uint64_t compare_run(uint64_t seed, uint32_t channels, uint32_t sample_rate) {
    struct scene *const scene = open_scene(seed, channels, sample_rate);
    uint64_t wrong = 0;
    uint32_t block = 0;
    for (; block < nblocks && scene->position + max_block <= source_frames && wrong == 0; block++) {
        change_at_random(scene);
        wrong += compare_block(scene, random_block(&scene->random));
        // The sources stop, and resume, at the same frame.
        EXPECT_EQUAL(scene->position, rcore_voice_frames(scene->core, scene->voice));
    }
    if (wrong > 0) {
        fprintf(stderr, "seed %" PRIu64 ", %u channels, %u Hz: block %u has %" PRIu64 " other samples\n", seed,
                channels, sample_rate, block - 1, wrong);
    }
    close_scene(scene);
    return wrong;
}

TEST(both_compute_the_same_samples) {
    static const uint32_t channels[] = {1, 2, 8};
    static const uint32_t rates[] = {8000, 44100, 48000, 192000};
    const uint64_t seed = random_seed(1);
    printf("seed %" PRIu64 "\n", seed);
    for (unsigned c = 0; c < 3; c++) {
        for (unsigned r = 0; r < 4; r++) {
            EXPECT_EQUAL(compare_run(seed * 100 + c * 10 + r, channels[c], rates[r]), 0);
        }
    }
    printf("%" PRIu64 " blocks, %" PRIu64 " of them suspended and %" PRIu64 " partly; in another order, %" PRIu64
           " of %" PRIu64 " samples differ\n",
           compared_blocks, suspended_blocks, partial_blocks, other_order_differences, other_order_samples);
    EXPECT(suspended_blocks > 100 && partial_blocks > 30);
    printf("%" PRIu64 " blocks audible as a key, %" PRIu64 " not\n", audible_blocks, inaudible_blocks);
    EXPECT(audible_blocks > 1000 && inaudible_blocks > 1000);
    // The comparison would find a factor in the wrong place.
    EXPECT(other_order_differences > other_order_samples / 100);
}

int main(void) {
    RUN(both_compute_the_same_samples);
    return test_result();
}
