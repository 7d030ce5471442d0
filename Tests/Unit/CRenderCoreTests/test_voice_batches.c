// Batches of voices in the mix (not of commands): bit-identical to voices mixed one by one,
// whichever voices are adjacent.
#include "expect.h"
#include "random.h"
#include "stage.h"

#include <string.h>

enum { voices = 42, pattern = 16, length = 2400 };

// The same signal in two forms: the pattern repeated in memory, or a loop of it. The core cannot
// take more than `pattern` frames at a time from the loop's voice.
static rcore_buffer_t *patterned(uint32_t channels, uint64_t seed, bool looped) {
    struct random random = random_seeded(seed);
    static float samples[2][length * 2];
    const float *planes[] = {samples[0], samples[1]};
    for (uint32_t channel = 0; channel < channels; channel++) {
        for (unsigned i = 0; i < length * 2; i++) {
            samples[channel][i] = i < pattern ? random_float(&random, -0.25f, 0.25f) : samples[channel][i - pattern];
        }
    }
    return rcore_buffer_create(channels, looped ? pattern : length * 2, planes, NULL);
}

// Seven kinds in turn: constant gain, gain ramp, pan ramp, both, matrix, stereo, balanced stereo;
// in runs of eight for each of three buses.
static void start_voice(stage_t *stage, const rcore_buffer_t *const buffers[2], const rcore_matrix_t *map, unsigned i) {
    const unsigned kind = i % 7;
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffers[kind >= 5 ? 1 : 0];
    params.loop_count = UINT64_MAX;
    params.gain = 0.3f + 0.01f * (float)i;
    params.bus = i / 8 % 3;
    params.pan_law = kind == 4 || kind == 5 ? RCORE_PAN_NONE : i % 2 == 0 ? RCORE_PAN_EQUAL_POWER : RCORE_PAN_LINEAR;
    params.pan = params.pan_law == RCORE_PAN_NONE ? 0.0f : (float)i / voices - 0.5f;
    params.matrix = kind == 4 ? map : NULL;
    const rcore_voice_t voice = stage_start(stage, &params, RCORE_NOW);
    if (kind == 1 || kind >= 3) {
        EXPECT_EQUAL(rcore_post_gain(stage->queue, voice, -0.7f, 1024, 128), RCORE_OK);
    }
    if (kind == 2 || kind == 3 || kind == 6) {
        EXPECT_EQUAL(rcore_post_pan(stage->queue, voice, 0.9f, 1280, 192), RCORE_OK);
    }
}

static stage_t play(bool looped, uint32_t period) {
    rcore_config_t config = stage_config();
    config.max_voices = config.max_playing = voices;
    config.command_capacity = 256;
    stage_t stage = stage_open(&config);
    rcore_buffer_t *buffers[] = {patterned(1, 1, looped), patterned(2, 2, looped)};
    const float gains[] = {0.8f, -0.3f};
    rcore_matrix_t *map = rcore_matrix_create(1, 2, gains, NULL);
    for (unsigned i = 0; i < voices; i++) {
        start_voice(&stage, (const rcore_buffer_t *const *)buffers, map, i);
    }
    stage_render(&stage, length, period);
    rcore_buffer_release(buffers[0]);
    rcore_buffer_release(buffers[1]);
    rcore_matrix_destroy(map);
    return stage;
}

/// With vectors of 4, 8 and 16 frames: periods of several vectors at a time, of one and a part, and
/// shorter than a vector. Gain ramps end at period ends, because a ramp that ends within a period
/// has an envelope.
TEST(the_same_bits_as_one_by_one) {
    const uint32_t periods[] = {64, 192, 72, 24, 18, 12, 8, 6, 3};
    for (unsigned i = 0; i < sizeof periods / sizeof *periods; i++) {
        stage_t together = play(false, periods[i]), apart = play(true, periods[i]);
        for (unsigned channel = 0; channel < STAGE_CHANNELS; channel++) {
            EXPECT(memcmp(together.out[channel], apart.out[channel], length * sizeof(float)) == 0);
            EXPECT(largest_step(together.out[channel], 1, length) > 0.0f);
        }
        stage_close(&together);
        stage_close(&apart);
    }
}

static rcore_voice_t start_constant(stage_t *stage, const rcore_buffer_t *buffer) {
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.pan_law = RCORE_PAN_LINEAR;
    return stage_start(stage, &params, RCORE_NOW);
}

/// Each voice of a batch ends with its last sample, also at the end of a block.
TEST(each_ends_at_its_end) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffers[8];
    for (unsigned i = 0; i < 8; i++) {
        buffers[i] = constant_buffer(256 + 32 * i, 0.125f);
        start_constant(&stage, buffers[i]);
    }
    for (unsigned end = 64; end <= 640; end += 64) {
        stage_render(&stage, 64, 64);
        const unsigned left = end < 256 ? 8 : end >= 480 ? 0 : 7 - (end - 256) / 32;
        EXPECT_EQUAL(rcore_read_counters(stage.core).playing_voices, left);
    }
    for (unsigned frame = 0; frame < 640; frame++) {
        const unsigned left = frame < 256 ? 8 : frame >= 480 ? 0 : 7 - (frame - 256) / 32;
        // Stereo at the center: the samples are unchanged.
        EXPECT(stage.out[0][frame] == 0.125f * (float)left);
    }
    stage_close(&stage);
    for (unsigned i = 0; i < 8; i++) {
        rcore_buffer_release(buffers[i]);
    }
}

/// Each command to one voice of a batch takes effect at its frame, and on that voice only.
TEST(one_is_notified) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(4000, 0.125f);
    rcore_voice_t started[8];
    for (unsigned i = 0; i < 8; i++) {
        started[i] = start_constant(&stage, buffer);
    }
    rcore_post_pause(stage.queue, started[3], 0, 200);
    rcore_post_stop(stage.queue, started[0], 0, 300);
    rcore_post_gain(stage.queue, started[5], 0.0f, 0, 400);
    // Ends 100 frames later.
    rcore_post_seek(stage.queue, started[7], 3900, 0, 500);
    // Removes it from the left channel.
    rcore_post_pan(stage.queue, started[1], 1.0f, 0, 700);
    rcore_post_resume(stage.queue, started[3], 0, 800);
    rcore_post_stop_all(stage.queue, RCORE_NONE, 0, 900);
    stage_render(&stage, 1000, 64);
    const struct {
        unsigned from, to, left;
    } expected[] = {{0, 200, 8},   {200, 300, 7}, {300, 400, 6}, {400, 600, 5},
                    {600, 700, 4}, {700, 800, 3}, {800, 900, 4}, {900, 1000, 0}};
    for (unsigned i = 0; i < 8; i++) {
        EXPECT_EQUAL(first_other(stage.out[0], expected[i].from, expected[i].to, 0.125f * (float)expected[i].left), -1);
    }
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(the_same_bits_as_one_by_one);
    RUN(each_ends_at_its_end);
    RUN(one_is_notified);
    return test_result();
}
