// Filters of notes: their responses, what moves them, and that they do so without clicks.
#include "expect.h"
#include "instrument_stage.h"
#include "random.h"

#include <complex.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const uint32_t periods[] = {1, 64, 1000, 8192, STAGE_CHANGING_PERIODS};
enum { nperiods = sizeof periods / sizeof periods[0], start = 100 };

static rcore_zone_t filter_zone(const rcore_buffer_t *buffer, rcore_filter_type_t type, float cutoff) {
    rcore_zone_t zone = player_zone(buffer);
    zone.filter.type = type;
    zone.filter.cutoff = cutoff;
    return zone;
}

/// Closes a player, in whose output no sample was replaced because it was not finite.
static void close_finite(player_t *player) {
    EXPECT_EQUAL(rcore_read_counters(player->stage.core).nonfinite_samples, 0);
    player_close(player);
}

/// Plays one note of a zone at velocity 127 from frame `start` on, and renders `nframes` more.
static player_t play(const rcore_zone_t *zone, uint64_t nframes, uint32_t period) {
    player_t player = player_open(NULL, NULL, zone, 1);
    player_send(&player, 0x90, 60, 127, start);
    player_render_to(&player, start + nframes, period);
    return player;
}

// ---- Responses ----------------------------------------------------------------------------------

/// Returns what the analog filter of this type does with a frequency of `s` = j·ω / ω0.
static double complex analog(rcore_filter_type_t type, double resonance, double complex s) {
    const double k = sqrt(2) / resonance, k1 = 2 * sin(pi / 8) / resonance, k2 = 2 * sin(3 * pi / 8);
    const double complex two = s * s + k * s + 1, four = (s * s + k1 * s + 1) * (s * s + k2 * s + 1);
    switch (type) {
    case RCORE_FILTER_LOW_PASS_6:
        return 1 / (s + 1);
    case RCORE_FILTER_LOW_PASS_12:
        return 1 / two;
    case RCORE_FILTER_LOW_PASS_24:
        return 1 / four;
    case RCORE_FILTER_HIGH_PASS_6:
        return s / (s + 1);
    case RCORE_FILTER_HIGH_PASS_12:
        return s * s / two;
    case RCORE_FILTER_HIGH_PASS_24:
        return s * s * s * s / four;
    case RCORE_FILTER_BAND_PASS:
        return k * s / two;
    case RCORE_FILTER_BAND_REJECT:
        return (s * s + 1) / two;
    default:
        return 1;
    }
}

/// Returns the response of the output to an impulse at frame `start`.
static double complex measured(const float *samples, uint64_t nframes, double hertz) {
    double complex sum = 0;
    for (uint64_t i = 0; i < nframes; i++) {
        sum += samples[start + i] * cexp(-2 * pi * I * hertz / STAGE_RATE * (double)i);
    }
    return sum;
}

static void expect_response(const rcore_buffer_t *impulse, rcore_filter_type_t type, float cutoff, float resonance) {
    enum { length = 20000 };
    rcore_zone_t zone = filter_zone(impulse, type, cutoff);
    zone.filter.resonance = resonance;
    player_t player = play(&zone, length, 256);
    const double tan0 = tan(pi * cutoff / STAGE_RATE), ratio = pow(10, resonance / 20.0);
    for (double hertz = 31; hertz < 23000; hertz *= 1.31) {
        // The bilinear transform maps this frequency to that of the analog filter.
        const double complex expected = analog(type, ratio, I * tan(pi * hertz / STAGE_RATE) / tan0);
        const double complex actual = measured(player.stage.out[0], length, hertz);
        EXPECT_NEAR(cabs(actual - expected), 0, 2e-3 * (1 + cabs(expected)));
    }
    EXPECT_EQUAL(first_other(player.stage.out[1], 0, start + length, 0.0f), -1);
    close_finite(&player);
}

/// An impulse shows each type as the analog filter by the bilinear transform, in magnitude and
/// phase, at low and high frequencies, with and without resonance.
TEST(responses_are_those_of_the_analog_filters) {
    float *samples = calloc(40000, sizeof *samples);
    samples[0] = 1.0f;
    const float *const channels[2] = {samples, samples + 20000};
    rcore_status_t status;
    rcore_buffer_t *impulse = rcore_buffer_create(2, 20000, channels, &status);
    for (uint32_t type = RCORE_FILTER_NONE; type <= RCORE_FILTER_BAND_REJECT; type++) {
        expect_response(impulse, (rcore_filter_type_t)type, 100.0f, 0.0f);
        expect_response(impulse, (rcore_filter_type_t)type, 1000.0f, 12.0f);
        expect_response(impulse, (rcore_filter_type_t)type, 15000.0f, 6.0f);
    }
    rcore_buffer_release(impulse);
    free(samples);
}

/// Up to eight channels are filtered each by itself: each one is the same samples as a mono sound
/// with the same filter.
TEST(channels_are_filtered_separately) {
    enum { length = 4000, channels = 8 };
    float *samples = calloc(channels * length, sizeof *samples);
    const float *planes[channels];
    for (unsigned channel = 0; channel < channels; channel++) {
        planes[channel] = samples + (size_t)channel * length;
        fill_sine(samples + (size_t)channel * length, length, 200.0 + 100 * channel, 0, 0.5);
    }
    for (unsigned count = 2; count <= channels; count++) {
        rcore_buffer_t *all = rcore_buffer_create(count, length, planes, NULL);
        for (unsigned channel = 0; channel < count; channel++) {
            rcore_buffer_t *one = rcore_buffer_create(1, length, &planes[channel], NULL);
            float gains[2 * channels] = {0};
            gains[channel] = 1;
            rcore_matrix_t *matrix = rcore_matrix_create(count, 2, gains, NULL);
            rcore_zone_t zone = filter_zone(all, RCORE_FILTER_LOW_PASS_24, 700.0f);
            zone.matrix = matrix;
            const rcore_zone_t mono = filter_zone(one, RCORE_FILTER_LOW_PASS_24, 700.0f);
            player_t player = play(&zone, length, 64), expected = play(&mono, length, 64);
            EXPECT(memcmp(player.stage.out[0], expected.stage.out[0], sizeof(float) * (start + length)) == 0);
            close_finite(&player);
            close_finite(&expected);
            rcore_buffer_release(one);
            rcore_matrix_destroy(matrix);
        }
        rcore_buffer_release(all);
    }
    free(samples);
}

// ---- What moves a filter ------------------------------------------------------------------------

enum { tone = 1000 };

/// Returns the cutoff frequency of a low-pass filter of 6 dB per octave that the level of a tone of
/// 1000 Hz shows in from…to, a whole number of its periods.
static double cutoff_in(const player_t *player, uint64_t from, uint64_t to) {
    double complex sum = 0;
    for (uint64_t i = from; i < to; i++) {
        sum += player_at(player, i) * cexp(-2 * pi * I * tone / STAGE_RATE * (double)i);
    }
    const double gain = 2 * cabs(sum) / (double)(to - from);
    return atan(tan(pi * tone / STAGE_RATE) / sqrt(1 / (gain * gain) - 1)) * STAGE_RATE / pi;
}

/// Expects a cutoff frequency that differs from 1000 Hz by a number of cents, after frame `from`.
#define EXPECT_CENTS(player, from, cents)                                                                              \
    EXPECT_NEAR(1200 * log2(cutoff_in(&(player), (from) + 960, (from) + 1920) / 1000), cents, 3)

TEST(key_velocity_and_pressure_move_the_cutoff) {
    rcore_buffer_t *buffer = sine_buffer(60000, tone, 1.0f);
    rcore_zone_t zone = filter_zone(buffer, RCORE_FILTER_LOW_PASS_6, 1000.0f);
    zone.filter.center_key = 64;
    zone.filter.key_tracking = 50.0f;
    zone.filter.velocity_range = 1270.0f;
    zone.filter.pressure_range = -635.0f;
    player_t player = player_open(NULL, NULL, &zone, 1);
    player_send(&player, 0x90, 74, 1, 100);   // 500 + 10
    player_send(&player, 0xA0, 74, 40, 4000); // -200
    player_send(&player, 0xD0, 60, 0, 8000);  // -300: the greater one
    player_send(&player, 0x80, 74, 0, 12000);
    player_send(&player, 0xD0, 0, 0, 12000);
    player_send(&player, 0x90, 60, 100, 12100); // -200 + 1000
    player_render_to(&player, 16000, 256);
    EXPECT_CENTS(player, 200, 510);
    EXPECT_CENTS(player, 4100, 310);
    EXPECT_CENTS(player, 8100, 210);
    EXPECT_CENTS(player, 12200, 800);
    close_finite(&player);
    rcore_buffer_release(buffer);
}

/// A controller counts from the zone's own rest value on, which also applies until a message sets
/// it. It ramps. "Reset all controllers" sets it back, except sound controllers (70…79).
TEST(a_controller_moves_the_cutoff) {
    rcore_buffer_t *buffer = sine_buffer(60000, tone, 1.0f);
    for (unsigned i = 0; i < 2; i++) {
        const uint8_t controller = i == 0 ? 1 : 74;
        rcore_zone_t zone = filter_zone(buffer, RCORE_FILTER_LOW_PASS_6, 1000.0f);
        zone.filter.controller = controller;
        zone.filter.controller_rest = 64;
        zone.filter.controller_range = 1270.0f;
        player_t player = player_open(NULL, NULL, &zone, 1);
        player_send(&player, 0x90, 60, 100, 100);
        player_send(&player, 0xB0, controller, 104, 3000);
        player_send(&player, 0xB0, controller, 0, 6000);
        player_send(&player, 0xB0, 2, 127, 9000);          // another one
        player_send(&player, 0xB1, controller, 127, 9000); // on another channel
        player_send(&player, 0xB0, 121, 0, 12000);
        player_render_to(&player, 16000, 256);
        EXPECT_CENTS(player, 100, 0);
        EXPECT_CENTS(player, 3100, 400);
        EXPECT_CENTS(player, 6100, -640);
        EXPECT_CENTS(player, 9100, -640);
        EXPECT_CENTS(player, 12100, i == 0 ? 0 : -640);
        close_finite(&player);
    }
    rcore_buffer_release(buffer);
}

/// "Reset all controllers" sets controllers back, except bank, volume, pan, sound controllers and
/// effects (RP-015).
TEST(a_reset_leaves_some_controllers) {
    rcore_buffer_t *buffer = sine_buffer(60000, tone, 1.0f);
    for (uint8_t controller = 0; controller < 120; controller++) {
        if (controller == 7 || controller == 10 || controller == 11 || controller == 64 || controller == 66 ||
            (controller >= 98 && controller <= 101)) {
            continue; // they have another effect as well
        }
        rcore_zone_t zone = filter_zone(buffer, RCORE_FILTER_LOW_PASS_6, 1000.0f);
        zone.filter.controller = controller;
        zone.filter.controller_range = 1270.0f;
        player_t player = player_open(NULL, NULL, &zone, 1);
        player_send(&player, 0x90, 60, 100, 100);
        player_send(&player, 0xB0, controller, 40, 200);
        player_send(&player, 0xB0, 121, 0, 3000);
        player_render_to(&player, 6000, 256);
        const bool stays = controller == 0 || controller == 32 || controller == 39 || controller == 42 ||
                           (controller >= 70 && controller <= 79) || (controller >= 91 && controller <= 95);
        EXPECT_CENTS(player, 200, 400);
        EXPECT_CENTS(player, 3100, stays ? 400 : 0);
        close_finite(&player);
    }
    rcore_buffer_release(buffer);
}

/// A channel that an MPE configuration message adds to a zone forgets its controllers. A note that
/// is being released still follows them.
TEST(a_new_member_forgets_its_controllers) {
    rcore_buffer_t *buffer = sine_buffer(60000, tone, 1.0f);
    rcore_zone_t zone = filter_zone(buffer, RCORE_FILTER_LOW_PASS_6, 1000.0f);
    zone.filter.controller = 74;
    zone.filter.controller_range = 1270.0f;
    zone.release_frames = 1u << 30;
    player_t player = player_open(NULL, NULL, &zone, 1);
    player_send(&player, 0xB1, 74, 100, 100);
    player_send(&player, 0xB0, 101, 0, 100);
    player_send(&player, 0xB0, 100, 6, 100);
    player_send(&player, 0xB0, 6, 5, 100);
    player_send(&player, 0x91, 60, 100, 200);
    player_send(&player, 0x81, 60, 0, 3000);
    player_send(&player, 0xB1, 74, 40, 4000);
    player_render_to(&player, 7000, 256);
    EXPECT_CENTS(player, 200, 0);
    EXPECT_CENTS(player, 4100, 400);
    close_finite(&player);
    rcore_buffer_release(buffer);
}

/// The controller of a member channel moves its own note; that of the manager adds to it.
TEST(mpe_notes_have_their_own_cutoff) {
    rcore_buffer_t *buffer = sine_buffer(60000, tone, 1.0f);
    rcore_zone_t zone = filter_zone(buffer, RCORE_FILTER_LOW_PASS_6, 1000.0f);
    zone.filter.controller = 74;
    zone.filter.controller_rest = 64;
    zone.filter.controller_range = 1270.0f;
    rcore_instrument_config_t config = player_config();
    config.lower_members = 3;
    player_t player = player_open(NULL, &config, &zone, 1);
    player_send(&player, 0x91, 60, 100, 100);
    player_send(&player, 0xB1, 74, 94, 3000);
    player_send(&player, 0xB2, 74, 0, 6000); // not this note
    player_send(&player, 0xB0, 74, 44, 9000);
    player_render_to(&player, 12000, 256);
    EXPECT_CENTS(player, 3100, 300);
    EXPECT_CENTS(player, 6100, 300);
    EXPECT_CENTS(player, 9100, 100);
    close_finite(&player);
    rcore_buffer_release(buffer);
}

/// The filter keeps its frequency in Hz when the core's rate changes: the tone and the cutoff then
/// move up by an octave in frames.
TEST(a_filter_follows_the_sample_rate_of_the_core) {
    rcore_buffer_t *buffer = sine_buffer(60000, tone, 1.0f);
    rcore_zone_t zone = filter_zone(buffer, RCORE_FILTER_LOW_PASS_6, 2000.0f);
    zone.sample_rate = 0; // 1000 Hz at 48,000, 500 Hz at 24,000
    player_t player = play(&zone, 4000, 256);
    EXPECT_CENTS(player, 1000, 1200);
    EXPECT_EQUAL(rcore_set_sample_rate(player.stage.core, 24000), RCORE_OK);
    player_render_to(&player, 9000, 256);
    // As frames of 48,000: 4000 Hz.
    EXPECT_CENTS(player, 6000, 2400);
    close_finite(&player);
    // While it moves: by an octave in 12,000 frames of 24,000.
    zone.filter.cutoff = 1000.0f;
    zone.filter.envelope_range = 2400.0f;
    zone.filter.attack_frames = 40000;
    player = play(&zone, 1000, 256);
    EXPECT_EQUAL(rcore_set_sample_rate(player.stage.core, 24000), RCORE_OK);
    player_render_to(&player, 19000, 256);
    EXPECT_CENTS(player, 10000, 1200 + 2400 * (11440.0 - start) / 40000);
    close_finite(&player);
    rcore_buffer_release(buffer);
}

// ---- Movements ----------------------------------------------------------------------------------

/// A low-pass filter of 12 dB per octave in double precision, whose frequency may differ in every
/// frame.
typedef struct reference {
    double first;
    double second;
} reference_t;

static double reference_next(reference_t *memory, double input, double octaves, double resonance) {
    const double g = tan(pi * exp2(octaves) / STAGE_RATE), k = sqrt(2) / resonance;
    const double band = (memory->first + g * (input - memory->second)) / (1 + g * (g + k));
    const double low = memory->second + g * band;
    memory->first = 2 * band - memory->first;
    memory->second = 2 * low - memory->second;
    return low;
}

static rcore_zone_t envelope_zone(const rcore_buffer_t *buffer) {
    rcore_zone_t zone = filter_zone(buffer, RCORE_FILTER_LOW_PASS_12, 300.0f);
    zone.release_frames = 3000;
    zone.filter.resonance = 9.0f;
    zone.filter.envelope_range = 3600.0f;
    zone.filter.delay_frames = 500;
    zone.filter.attack_frames = 700;
    zone.filter.hold_frames = 302;
    zone.filter.decay_frames = 998;
    zone.filter.sustain = 0.25f;
    zone.filter.release_frames = 1500;
    return zone;
}

/// Returns the level of the envelope of `envelope_zone` after `at` frames, without a release.
static double held_level(double at, double scale) {
    const double ends[] = {500 * scale, 1200 * scale, 1502 * scale, 2500 * scale};
    return at <= ends[0]   ? 0
           : at <= ends[1] ? (at - ends[0]) / (ends[1] - ends[0])
           : at <= ends[2] ? 1
           : at <= ends[3] ? 1 - 0.75 * (at - ends[2]) / (ends[3] - ends[2])
                           : 0.25;
}

static double level_at(double at, double released, double scale) {
    const double left = 1 - (at - released) / (1500 * scale);
    return at <= released ? held_level(at, scale) : left > 0 ? held_level(released, scale) * left : 0;
}

/// Plays `envelope_zone`, released after `held` frames, and returns the greatest difference from
/// the filter of double precision.
static double difference_of_envelope(const rcore_buffer_t *buffer, uint32_t rate, uint64_t held, uint32_t period) {
    rcore_zone_t zone = envelope_zone(buffer);
    zone.sample_rate = rate;
    zone.key_tracking = 0;
    player_t player = player_open(NULL, NULL, &zone, 1);
    player_send(&player, 0x90, 60, 127, start);
    player_send(&player, 0x80, 60, 0, start + held);
    player_render_to(&player, start + 6000, period);
    const double scale = (double)STAGE_RATE / rate;
    // The same sound unfiltered, which varispeed has interpolated.
    zone.filter.type = RCORE_FILTER_NONE;
    player_t plain = player_open(NULL, NULL, &zone, 1);
    player_send(&plain, 0x90, 60, 127, start);
    player_render_to(&plain, start + 6000, 64);
    reference_t memory = {0};
    double largest = 0;
    const double release = 3000 * scale;
    for (uint64_t i = 0; i < 6000; i++) {
        const double octaves = log2(300) + 3 * level_at((double)i + 1, (double)held, scale);
        const double faded = i < held ? 1 : fmax(1 - (double)(i + 1 - held) / release, 0);
        const double expected = reference_next(&memory, player_at(&plain, start + i), octaves, pow(10, 9.0 / 20));
        largest = fmax(largest, fabs(player_at(&player, start + i) - expected * faded));
    }
    close_finite(&player);
    close_finite(&plain);
    return largest;
}

/// Every part of the envelope is where it should be, however periods are divided and whatever the
/// rates: the output is that of a filter whose frequency is computed for every frame. What is left
/// are the straight lines between frequencies.
TEST(an_envelope_moves_the_cutoff) {
    rcore_buffer_t *buffer = sine_buffer(60000, 700, 0.25f);
    for (unsigned p = 0; p < nperiods; p++) {
        EXPECT_NEAR(difference_of_envelope(buffer, 48000, 4000, periods[p]), 0, 3e-3);
        EXPECT_NEAR(difference_of_envelope(buffer, 96000, 3000, periods[p]), 0, 3e-3);
        EXPECT_NEAR(difference_of_envelope(buffer, 24000, 5900, periods[p]), 0, 3e-3);
    }
    for (uint64_t held = 1; held < 2600; held += 97) {
        EXPECT_NEAR(difference_of_envelope(buffer, 48000, held, 64), 0, 3e-3);
    }
    rcore_buffer_release(buffer);
}

/// A one-shot ignores the release, with its filter. A filter without stages is at its sustain level
/// from the first frame on.
TEST(parts_of_an_envelope_may_be_empty) {
    rcore_buffer_t *buffer = sine_buffer(60000, tone, 1.0f);
    rcore_zone_t zone = filter_zone(buffer, RCORE_FILTER_LOW_PASS_6, 500.0f);
    zone.one_shot = true;
    zone.filter.envelope_range = 2400.0f;
    zone.filter.sustain = 0.5f;
    player_t player = player_open(NULL, NULL, &zone, 1);
    player_send(&player, 0x90, 60, 127, start);
    player_send(&player, 0x80, 60, 0, 3000);
    player_render_to(&player, 6000, 256);
    EXPECT_CENTS(player, 200, 0);
    EXPECT_CENTS(player, 3200, 0);
    close_finite(&player);
    zone.one_shot = false;
    zone.release_frames = 40000;
    zone.filter.attack_frames = 1; // no hold, no decay, no release
    player = player_open(NULL, NULL, &zone, 1);
    player_send(&player, 0x90, 60, 127, start);
    player_send(&player, 0x80, 60, 0, 3000);
    player_render_to(&player, 6000, 256);
    EXPECT_CENTS(player, 200, 0);
    // The release also fades the note out, linearly in gain.
    const double gain = 1 / sqrt(1 + pow(tan(pi * 1000 / STAGE_RATE) / tan(pi * 500 / STAGE_RATE), 2));
    float largest = 0;
    for (uint64_t i = 4000; i < 4048; i++) {
        largest = fmaxf(largest, fabsf(player_at(&player, i)));
    }
    EXPECT_NEAR(largest, gain * (1 - 1024.0 / 40000), 0.01);
    close_finite(&player);
    rcore_buffer_release(buffer);
}

/// Returns the sharpest bend of a tone under a resonant filter that a controller moves up and down
/// by all of its range every 10 ms.
static double bend_under_controllers(const rcore_buffer_t *buffer, rcore_filter_type_t type, uint32_t ramp_frames,
                                     uint32_t period) {
    rcore_zone_t zone = filter_zone(buffer, type, 500.0f);
    zone.filter.resonance = 6.0f;
    zone.filter.controller = 74;
    zone.filter.controller_range = 4800.0f;
    rcore_instrument_config_t config = player_config();
    config.ramp_frames = ramp_frames;
    player_t player = player_open(NULL, &config, &zone, 1);
    player_send(&player, 0x90, 60, 127, start);
    for (unsigned i = 0; i < 40; i++) {
        player_send(&player, 0xB0, 74, i % 2 == 0 ? 127 : 0, 4000 + 480 * i);
    }
    player_render_to(&player, 24000, period);
    uint64_t at;
    const double bend = sharpest_bend(player.stage.out[0], 2000, 24000, &at);
    close_finite(&player);
    return bend;
}

/// No zipper noise: the output bends no more sharply than a tone of that level does, plus what the
/// resonance adds. Without a ramp, the same controllers are heard as clicks.
TEST(controllers_make_no_clicks) {
    rcore_buffer_t *buffer = sine_buffer(60000, 200, 0.5f);
    const double tone_bend = 0.5 * pow(2 * pi * 200 / STAGE_RATE, 2);
    for (uint32_t type = RCORE_FILTER_LOW_PASS_6; type <= RCORE_FILTER_BAND_REJECT; type++) {
        const double smooth = bend_under_controllers(buffer, (rcore_filter_type_t)type, 240, 64);
        const double abrupt = bend_under_controllers(buffer, (rcore_filter_type_t)type, 1, 64);
        EXPECT(smooth < 10 * tone_bend);
        EXPECT(abrupt > 3 * smooth);
        for (unsigned p = 0; p < nperiods; p++) {
            EXPECT_NEAR(bend_under_controllers(buffer, (rcore_filter_type_t)type, 240, periods[p]), smooth, 1e-6);
        }
    }
    rcore_buffer_release(buffer);
}

// ---- The end of a sound -------------------------------------------------------------------------

/// When a sound ends, the filter's resonance fades out within `steal_frames`, and the voice ends
/// then. Without, it ends with the sound. A note that is being released does not last longer.
TEST(a_filter_fades_out_after_its_sound) {
    enum { length = 5003 };
    rcore_buffer_t *buffer = sine_buffer(length, 440, 0.5f);
    rcore_zone_t zone = filter_zone(buffer, RCORE_FILTER_LOW_PASS_24, 440.0f);
    zone.filter.resonance = 30.0f;
    for (unsigned p = 0; p < nperiods; p++) {
        // Held, without a fade, in a short release, in a long one.
        for (unsigned i = 0; i < 4; i++) {
            rcore_config_t core = player_stage_config();
            core.steal_frames = i == 1 ? 0 : 240;
            zone.release_frames = i == 2 ? 100 : 5000;
            player_t player = player_open(&core, NULL, &zone, 1);
            player_send(&player, 0x90, 60, 127, start);
            if (i != 0) {
                player_send(&player, 0x80, 60, 0, start + length - 50);
            }
            player_render_to(&player, 7000, periods[p]);
            player_render_to(&player, 7001, 1); // the count is as of the beginning of a cycle
            const uint64_t end = start + length + (i == 1 ? 0 : i == 2 ? 50 : 240);
            EXPECT(player_at(&player, end - 2) != 0);
            EXPECT(fabsf(player_at(&player, start + length - 2)) > 0.1f);
            EXPECT_EQUAL(first_other(player.stage.out[0], end, 7000, 0.0f), -1);
            EXPECT_EQUAL(rcore_instrument_voices(player.instrument), 0);
            EXPECT_EQUAL(rcore_buffer_users(buffer), 0);
            EXPECT_EQUAL(rcore_read_counters(player.stage.core).underrun_frames, 0);
            if (i == 0) { // 30 dB of resonance, and at most 1/240 of it per frame
                uint64_t at;
                const double limit = 16.0 * (pow(2 * pi * 440 / STAGE_RATE, 2) + 4.0 / 240 * 2 * pi * 440 / STAGE_RATE);
                EXPECT(sharpest_bend(player.stage.out[0], 2000, 7000, &at) < limit);
            }
            close_finite(&player);
        }
    }
    rcore_buffer_release(buffer);
}

/// The next note on the same voice begins with an empty filter, or without one.
TEST(a_voice_forgets_its_filter) {
    enum { length = 2000 };
    rcore_buffer_t *buffer = constant_buffer(length, 0.5f);
    rcore_zone_t zones[2] = {filter_zone(buffer, RCORE_FILTER_LOW_PASS_24, 200.0f), player_zone(buffer)};
    zones[0].high_key = 59;
    zones[1].low_key = 60;
    rcore_config_t core = player_stage_config();
    core.max_voices = core.max_playing = 1;
    player_t player = player_open(&core, NULL, zones, 2);
    player_send(&player, 0x90, 50, 127, 1000);
    player_send(&player, 0x90, 60, 127, 5000);
    player_send(&player, 0x90, 50, 127, 9000);
    player_render_to(&player, 12000, 64);
    EXPECT(player_at(&player, 5000) == 0.5f);
    EXPECT_EQUAL(first_other(player.stage.out[0], 5000, 5000 + length, 0.5f), -1);
    for (unsigned i = 0; i < length; i++) {
        EXPECT(player_at(&player, 9000 + i) == player_at(&player, 1000 + i));
    }
    close_finite(&player);
    rcore_buffer_release(buffer);
}

// ---- Arguments ----------------------------------------------------------------------------------

#define EXPECT_FILTER(field, value, expected)                                                                          \
    do {                                                                                                               \
        rcore_zone_t expect_zone = good;                                                                               \
        expect_zone.filter.field = (value);                                                                            \
        rcore_status_t expect_status;                                                                                  \
        rcore_instrument_destroy(rcore_instrument_create(stage.core, &config, &expect_zone, 1, &expect_status));       \
        EXPECT_EQUAL(expect_status, expected);                                                                         \
    } while (0)
#define EXPECT_RANGE(field, least, most)                                                                               \
    do {                                                                                                               \
        EXPECT_FILTER(field, least, RCORE_OK);                                                                         \
        EXPECT_FILTER(field, most, RCORE_OK);                                                                          \
        EXPECT_FILTER(field, (least)-0.5f, RCORE_BAD_ARGUMENT);                                                        \
        EXPECT_FILTER(field, (most) + 0.5f, RCORE_BAD_ARGUMENT);                                                       \
        EXPECT_FILTER(field, NAN, RCORE_BAD_ARGUMENT);                                                                 \
    } while (0)

TEST(bad_filters_are_refused) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(1000, 1.0f);
    const rcore_instrument_config_t config = rcore_instrument_config_default();
    rcore_zone_t good = filter_zone(buffer, RCORE_FILTER_LOW_PASS_12, 1000.0f);
    EXPECT_RANGE(cutoff, 1.0f, 96000.0f);
    EXPECT_RANGE(resonance, 0.0f, 40.0f);
    EXPECT_RANGE(key_tracking, -1200.0f, 1200.0f);
    EXPECT_RANGE(velocity_range, -12000.0f, 12000.0f);
    EXPECT_RANGE(pressure_range, -12000.0f, 12000.0f);
    EXPECT_RANGE(controller_range, -12000.0f, 12000.0f);
    EXPECT_RANGE(envelope_range, -12000.0f, 12000.0f);
    EXPECT_RANGE(sustain, 0.0f, 1.0f);
    EXPECT_FILTER(type, RCORE_FILTER_BAND_REJECT, RCORE_OK);
    EXPECT_FILTER(type, RCORE_FILTER_BAND_REJECT + 1, RCORE_BAD_ARGUMENT);
    EXPECT_FILTER(center_key, 128, RCORE_BAD_ARGUMENT);
    EXPECT_FILTER(controller, 119, RCORE_OK);
    EXPECT_FILTER(controller, 120, RCORE_BAD_ARGUMENT);
    EXPECT_FILTER(controller_rest, 128, RCORE_BAD_ARGUMENT);
    rcore_buffer_release(buffer);
    const float sample = 1.0f;
    const float *planes[RCORE_MAX_FILTER_CHANNELS + 1];
    for (unsigned channel = 0; channel <= RCORE_MAX_FILTER_CHANNELS; channel++) {
        planes[channel] = &sample;
    }
    buffer = rcore_buffer_create(RCORE_MAX_FILTER_CHANNELS + 1, 1, planes, NULL);
    good.buffer = buffer;
    EXPECT_FILTER(type, RCORE_FILTER_LOW_PASS_12, RCORE_BAD_ARGUMENT);
    EXPECT_FILTER(type, RCORE_FILTER_NONE, RCORE_OK);
    rcore_buffer_release(buffer);
    stage_close(&stage);
}

/// A sound whose filter overflows is silent for a while, and no other note with it.
TEST(an_overflow_is_not_heard) {
    float *samples = calloc(1000, sizeof *samples);
    for (unsigned i = 500; i < 510; i++) {
        samples[i] = 3e38f;
    }
    rcore_buffer_t *loud = rcore_buffer_create(1, 1000, (const float *const[]){samples}, NULL);
    rcore_buffer_t *buffer = constant_buffer(60000, 0.5f);
    rcore_zone_t zones[2] = {filter_zone(loud, RCORE_FILTER_HIGH_PASS_12, 1000.0f), player_zone(buffer)};
    zones[0].filter.resonance = 20.0f;
    zones[0].high_key = 60, zones[1].low_key = 61;
    zones[0].loops = true;
    player_t player = player_open(NULL, NULL, zones, 2);
    player_send(&player, 0x90, 61, 127, start);
    player_send(&player, 0x90, 60, 127, start);
    player_render_to(&player, 20000, 64);
    uint64_t replaced = 0;
    for (uint64_t i = start; i < 20000; i++) {
        replaced += player_at(&player, i) == 0.0f;
    }
    EXPECT(replaced < 20 * 20); // some frames of each pass
    EXPECT(first_other(player.stage.out[0], 900, 20000, 0.5f) >= 0);
    player_close(&player);
    rcore_buffer_release(loud);
    rcore_buffer_release(buffer);
    free(samples);
}

/// What a filter has stored near half the sample rate does not burst out when it closes: noise
/// stays about as loud as it was, however abruptly the cutoff frequency falls.
TEST(a_closing_filter_does_not_burst) {
    enum { length = 20000 };
    struct random random = random_seeded(7);
    float *samples = calloc(length, sizeof *samples);
    for (unsigned i = 0; i < length; i++) {
        samples[i] = random_float(&random, -1, 1);
    }
    rcore_buffer_t *noise = rcore_buffer_create(1, length, (const float *const[]){samples}, NULL);
    for (uint32_t type = RCORE_FILTER_LOW_PASS_6; type <= RCORE_FILTER_BAND_REJECT; type++) {
        for (uint32_t ramp_frames = 1; ramp_frames < 300; ramp_frames *= 4) {
            rcore_zone_t zone = filter_zone(noise, (rcore_filter_type_t)type, 500.0f);
            zone.filter.controller = 74;
            zone.filter.controller_range = 12000.0f;
            rcore_instrument_config_t config = player_config();
            config.ramp_frames = ramp_frames;
            player_t player = player_open(NULL, &config, &zone, 1);
            for (unsigned i = 0; i < 18; i++) {
                player_send(&player, 0xB0, 74, i % 2 == 0 ? 127 : 0, 50 + 1000 * i);
            }
            player_send(&player, 0x90, 60, 127, start);
            player_render_to(&player, length, 64);
            float peak = 0;
            for (uint64_t i = 0; i < length; i++) {
                peak = fmaxf(peak, fabsf(player_at(&player, i)));
            }
            EXPECT(peak < 2.0f);
            close_finite(&player);
        }
    }
    rcore_buffer_release(noise);
    free(samples);
}

/// However far the cutoff frequency falls without a ramp, it is reached.
TEST(a_closing_filter_arrives) {
    rcore_buffer_t *buffer = sine_buffer(60000, tone, 1.0f);
    rcore_zone_t zone = filter_zone(buffer, RCORE_FILTER_LOW_PASS_6, 500.0f);
    zone.filter.controller = 74;
    zone.filter.controller_range = 12000.0f;
    zone.filter.envelope_range = 1200.0f; // a constant level, to be released at once
    zone.release_frames = 1u << 30;
    rcore_instrument_config_t config = player_config();
    config.ramp_frames = 1;
    player_t player = player_open(NULL, &config, &zone, 1);
    player_send(&player, 0xB0, 74, 127, 50);
    player_send(&player, 0x90, 60, 127, start);
    player_send(&player, 0xB0, 74, 0, 1000);
    player_send(&player, 0x80, 60, 0, 5000);
    player_render_to(&player, 10000, 64);
    EXPECT_CENTS(player, 1100, 0);
    EXPECT_CENTS(player, 5100, -1200);
    close_finite(&player);
    rcore_buffer_release(buffer);
}

/// Every extreme of a filter stays finite and bounded, also when everything moves at once.
TEST(extreme_filters_stay_finite) {
    rcore_buffer_t *buffer = sine_buffer(60000, 5000, 1.0f);
    for (uint32_t type = RCORE_FILTER_LOW_PASS_6; type <= RCORE_FILTER_BAND_REJECT; type++) {
        for (unsigned i = 0; i < 8; i++) {
            rcore_zone_t zone = filter_zone(buffer, (rcore_filter_type_t)type, (i & 1) != 0 ? 96000.0f : 1.0f);
            zone.filter.resonance = (i & 2) != 0 ? 40.0f : 0.0f;
            zone.filter.envelope_range = (i & 4) != 0 ? 12000.0f : -12000.0f;
            zone.filter.attack_frames = zone.filter.decay_frames = 20;
            zone.filter.controller_range = 12000.0f;
            player_t player = player_open(NULL, NULL, &zone, 1);
            player_send(&player, 0x90, 60, 127, start);
            for (unsigned k = 0; k < 60; k++) {
                player_send(&player, 0xB0, 0, k % 2 == 0 ? 127 : 0, 200 + 130 * k);
            }
            player_render_to(&player, 10000, 64);
            uint64_t beyond = 0;
            for (uint64_t frame = 0; frame < 10000; frame++) {
                beyond += !(fabsf(player_at(&player, frame)) < 200.0f); // 40 dB, twice
            }
            EXPECT_EQUAL(beyond, 0);
            close_finite(&player);
        }
    }
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(responses_are_those_of_the_analog_filters);
    RUN(channels_are_filtered_separately);
    RUN(key_velocity_and_pressure_move_the_cutoff);
    RUN(a_controller_moves_the_cutoff);
    RUN(a_reset_leaves_some_controllers);
    RUN(a_new_member_forgets_its_controllers);
    RUN(mpe_notes_have_their_own_cutoff);
    RUN(a_filter_follows_the_sample_rate_of_the_core);
    RUN(an_envelope_moves_the_cutoff);
    RUN(parts_of_an_envelope_may_be_empty);
    RUN(controllers_make_no_clicks);
    RUN(a_filter_fades_out_after_its_sound);
    RUN(a_voice_forgets_its_filter);
    RUN(bad_filters_are_refused);
    RUN(an_overflow_is_not_heard);
    RUN(a_closing_filter_does_not_burst);
    RUN(a_closing_filter_arrives);
    RUN(extreme_filters_stay_finite);
    return test_result();
}
