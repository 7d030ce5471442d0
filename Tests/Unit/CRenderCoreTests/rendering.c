// Writes what the core renders to the standard output, as 32-bit floats of this machine.
//
//     rendering voices|notes|limiter
//
// Scripts/arm64 compares the output of builds for several processors. Nothing here rounds, apart
// from the core: all values are exact in any order of operations, and no argument of a call depends
// on the order in which they are computed.
#include "instrument_stage.h"
#include "random.h"
#include "rcore_limiter.h"
#include "rcore_matrix.h"

#include <stdio.h>
#include <string.h>

enum { nvoices = 28, length = 24000, sound_length = 9000, limited_length = 48000 };

static void require(bool condition, const char *what) {
    if (!condition) {
        fprintf(stderr, "rendering: %s failed\n", what);
        exit(EXIT_FAILURE);
    }
}

static void write_samples(const float *samples, uint64_t count) {
    require(fwrite(samples, sizeof *samples, count, stdout) == count, "fwrite");
}

/// Fills a signal with noise: multiples of 2^-15 times `level`, a power of two.
static void fill_noise(float *samples, uint64_t count, struct random *random, float level) {
    for (uint64_t i = 0; i < count; i++) {
        samples[i] = (float)((int32_t)random_below(random, 65536) - 32768) / 32768.0f * level;
    }
}

static rcore_buffer_t *noise_buffer(uint32_t channels, struct random *random) {
    static float samples[2][sound_length];
    const float *planes[] = {samples[0], samples[1]};
    for (uint32_t channel = 0; channel < channels; channel++) {
        fill_noise(samples[channel], sound_length, random, 0.125f);
    }
    rcore_buffer_t *buffer = rcore_buffer_create(channels, sound_length, planes, NULL);
    require(buffer != NULL, "rcore_buffer_create");
    return buffer;
}

// ---- Voices -------------------------------------------------------------------------------------

// Constant gain, gain ramps, pan ramps, curves, a matrix, stereo; at several speeds, on three
// buses.
static void start_voice(stage_t *stage, rcore_buffer_t *const buffers[2], const rcore_matrix_t *matrix, unsigned i) {
    static const float speeds[] = {1.0f, 0.75f, 1.0f, 1.498307f, 1.0f, 3.7f};
    const unsigned kind = i % 7;
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffers[kind >= 5 ? 1 : 0];
    params.loop_count = UINT64_MAX;
    params.gain = 0.25f + 0.03125f * (float)i;
    params.bus = i % 3;
    params.pan_law = kind == 4 ? RCORE_PAN_NONE : i % 2 == 0 ? RCORE_PAN_EQUAL_POWER : RCORE_PAN_LINEAR;
    params.pan = kind == 4 ? 0.0f : (float)i / 32 - 0.5f;
    params.speed = speeds[i / 7 % 2 == 0 ? 0 : i % 6];
    params.matrix = kind == 4 ? matrix : NULL;
    const rcore_voice_t voice = stage_start(stage, &params, RCORE_NOW);
    if (kind == 1 || kind >= 3) {
        require(rcore_post_gain(stage->queue, voice, -0.7f, 1024, 128) == RCORE_OK, "rcore_post_gain");
    }
    if (kind == 2 || kind == 3 || kind == 6) {
        require(rcore_post_pan(stage->queue, voice, 0.9f, 12800, 192) == RCORE_OK, "rcore_post_pan");
    }
    if (kind == 5) {
        const rcore_status_t status = rcore_post_curve(stage->queue, RCORE_PARAMETER_VOICE_SPEED, voice, 1.3f,
                                                       RCORE_CURVE_EXPONENTIAL, 9000, 4000);
        require(status == RCORE_OK, "rcore_post_curve");
    }
}

static void render_voices(void) {
    struct random random = random_seeded(1);
    rcore_config_t config = stage_config();
    config.command_capacity = 256;
    stage_t stage = stage_open(&config);
    rcore_buffer_t *mono = noise_buffer(1, &random), *stereo = noise_buffer(2, &random);
    rcore_buffer_t *const buffers[] = {mono, stereo};
    const float gains[] = {0.8f, -0.3f};
    rcore_matrix_t *matrix = rcore_matrix_create(1, 2, gains, NULL);
    for (unsigned i = 0; i < nvoices; i++) {
        start_voice(&stage, buffers, matrix, i);
    }
    require(rcore_post_curve(stage.queue, RCORE_PARAMETER_BUS_GAIN, 1, 0.1f, RCORE_CURVE_S, 5000, 3000) == RCORE_OK,
            "rcore_post_curve");
    stage_render(&stage, length / 2, 64);
    // 14 dB.
    stage_grant(&stage, (sgate_grant_t){.attenuation = 14 * 256, .ramp_ms = 20});
    stage_render(&stage, length / 2, STAGE_CHANGING_PERIODS);
    write_samples(stage.out[0], stage.nframes);
    write_samples(stage.out[1], stage.nframes);
    stage_close(&stage);
    rcore_buffer_release(mono);
    rcore_buffer_release(stereo);
    rcore_matrix_destroy(matrix);
}

// ---- Notes --------------------------------------------------------------------------------------

// A note for each type of filter, with an envelope on its cutoff frequency, and pitch bends.
static void render_notes(void) {
    struct random random = random_seeded(2);
    rcore_buffer_t *buffer = noise_buffer(1, &random);
    for (unsigned type = RCORE_FILTER_LOW_PASS_6; type <= RCORE_FILTER_BAND_REJECT; type++) {
        rcore_zone_t zone = player_zone(buffer);
        zone.filter.type = (rcore_filter_type_t)type;
        zone.filter.cutoff = 700.0f;
        zone.filter.resonance = 6.0f;
        player_t player = player_open(NULL, NULL, &zone, 1);
        player_send(&player, 0x90, 60, 127, 100);
        player_send(&player, 0xE0, 0, 80, 2000);
        player_send(&player, 0x80, 60, 0, 6000);
        player_render_to(&player, 8000, STAGE_CHANGING_PERIODS);
        write_samples(player.stage.out[0], player.stage.nframes);
        player_close(&player);
    }
    rcore_buffer_release(buffer);
}

// ---- Limiter ------------------------------------------------------------------------------------

// Noise above the ceiling, below it, and as denormal numbers.
static void render_limited(void) {
    struct random random = random_seeded(3);
    static float samples[2][limited_length];
    for (unsigned channel = 0; channel < 2; channel++) {
        fill_noise(samples[channel], limited_length / 2, &random, 2.0f);
        fill_noise(samples[channel] + limited_length / 2, limited_length / 4, &random, 0.0625f);
        fill_noise(samples[channel] + limited_length / 4 * 3, limited_length / 4, &random, 0x1p-125f);
    }
    const rcore_limiter_description_t description = {.channels = 2, .sample_rate = STAGE_RATE};
    rcore_limiter_t *limiter = rcore_limiter_create(&description, NULL);
    require(limiter != NULL, "rcore_limiter_create");
    rcore_flush_denormals();
    for (uint32_t i = 0; i < limited_length; i += 480) {
        float *planes[] = {samples[0] + i, samples[1] + i};
        rcore_limiter_process(limiter, planes, 480);
    }
    rcore_limiter_destroy(limiter);
    write_samples(samples[0], limited_length);
    write_samples(samples[1], limited_length);
}

int main(int argc, char **argv) {
    const char *scene = argc == 2 ? argv[1] : "";
    if (strcmp(scene, "voices") == 0) {
        render_voices();
    } else if (strcmp(scene, "notes") == 0) {
        render_notes();
    } else if (strcmp(scene, "limiter") == 0) {
        render_limited();
    } else {
        fprintf(stderr, "usage: rendering voices|notes|limiter\n");
        return 64;
    }
    require(fflush(stdout) == 0, "fflush");
    return EXIT_SUCCESS;
}
