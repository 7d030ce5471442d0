// Meters: peaks that a slow reader sees, RMS and correlation that do not depend on periods, taps,
// and the signals that a plan measures. True peak: test_true_peak.c.
#include "expect.h"
#include "random.h"
#include "stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static rcore_meter_t *make(uint32_t channels, float hold, float integration, bool true_peak) {
    const rcore_meter_description_t description = {channels, STAGE_RATE, hold, integration, true_peak, 0};
    return rcore_meter_create(&description, NULL);
}

static void write_mono(rcore_meter_t *meter, const float *samples, uint32_t nframes) {
    const float *planes[] = {samples};
    rcore_meter_write(meter, planes, nframes);
}

static void write_silence(rcore_meter_t *meter, uint32_t nframes) {
    const float *planes[RCORE_MAX_CHANNELS] = {NULL};
    rcore_meter_write(meter, planes, nframes);
}

TEST(descriptions_are_checked) {
    rcore_status_t status = RCORE_OK;
    const rcore_meter_description_t good = {2, STAGE_RATE, 0.0f, 0.0f, true, 0};
    rcore_meter_description_t bad[] = {good, good, good, good, good, good, good, good};
    bad[0].channels = 0;
    bad[1].channels = RCORE_MAX_CHANNELS + 1;
    bad[2].sample_rate = RCORE_MIN_SAMPLE_RATE - 1;
    bad[3].sample_rate = RCORE_MAX_SAMPLE_RATE + 1;
    bad[4].hold_seconds = -1.0f;
    bad[5].integration_seconds = 61.0f;
    bad[6].hold_seconds = NAN;
    bad[7].tap_frames = (1u << 28) + 1;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        EXPECT(rcore_meter_create(&bad[i], &status) == NULL);
        EXPECT_EQUAL(status, RCORE_BAD_ARGUMENT);
    }
    EXPECT(rcore_meter_create(NULL, NULL) == NULL);
    rcore_meter_t *meter = rcore_meter_create(&good, &status);
    EXPECT_EQUAL(status, RCORE_OK);
    EXPECT_EQUAL(rcore_meter_channels(meter), 2);
    EXPECT(rcore_meter_read(meter, 2).peak == 0.0f);
    rcore_meter_destroy(meter);
    rcore_meter_destroy(NULL);
}

/// A single sample at full scale is visible for at least the hold time and at most twice that,
/// wherever in a hold interval it occurs.
TEST(a_peak_is_held) {
    const uint32_t hold = STAGE_RATE / 100;
    for (uint32_t at = 0; at < 2 * hold; at += 97) {
        rcore_meter_t *meter = make(1, 0.01f, 0.0f, false);
        const float impulse = -0.5f;
        write_silence(meter, at);
        write_mono(meter, &impulse, 1);
        write_silence(meter, hold - 1);
        EXPECT(rcore_meter_read(meter, 0).peak == 0.5f);
        write_silence(meter, hold + 1);
        EXPECT(rcore_meter_read(meter, 0).peak == 0.0f);
        EXPECT(rcore_meter_read(meter, 0).greatest_peak == 0.5f);
        EXPECT_EQUAL(rcore_meter_frames(meter), at + 2 * hold + 1);
        rcore_meter_destroy(meter);
    }
}

TEST(clipped_samples_are_counted_until_a_reset) {
    rcore_meter_t *meter = make(1, 0.0f, 0.0f, true);
    const float samples[] = {0.999f, 1.0f, -1.5f, 0.2f};
    write_mono(meter, samples, 4);
    EXPECT_EQUAL(rcore_meter_read(meter, 0).clipped, 2);
    EXPECT(rcore_meter_read(meter, 0).greatest_peak == 1.5f);
    write_silence(meter, 2 * 64);
    rcore_meter_reset(meter);
    // The reset takes effect in the next cycle.
    EXPECT_EQUAL(rcore_meter_read(meter, 0).clipped, 2);
    write_silence(meter, 1);
    EXPECT_EQUAL(rcore_meter_read(meter, 0).clipped, 0);
    EXPECT(rcore_meter_read(meter, 0).greatest_peak == 0.0f);
    EXPECT(rcore_meter_read(meter, 0).greatest_true_peak == 0.0f);
    EXPECT(rcore_meter_read(meter, 0).peak == 1.5f); // still held
    rcore_meter_destroy(meter);
}

TEST(what_is_no_number_is_silence) {
    rcore_meter_t *meter = make(2, 0.0f, 0.0f, true);
    const float left[] = {NAN, 0.25f, INFINITY, -INFINITY};
    const float *planes[] = {left, left};
    rcore_meter_write(meter, planes, 4);
    write_silence(meter, 100);
    const rcore_meter_level_t level = rcore_meter_read(meter, 0);
    EXPECT(level.peak == 0.25f);
    EXPECT(level.clipped == 0);
    EXPECT(level.true_peak >= 0.25f && level.true_peak < 0.5f);
    EXPECT(level.rms > 0.0f && level.rms < 0.25f);
    EXPECT(isfinite(rcore_meter_correlation(meter)));
    rcore_meter_destroy(meter);
}

TEST(rms_is_that_of_the_time_constant_and_knows_no_periods) {
    enum { nframes = STAGE_RATE };
    float *samples = malloc(sizeof *samples * nframes);
    fill_sine(samples, nframes, 997.0, 0.0, 0.5);
    const uint32_t periods[] = {1, 7, 64, 256, 1000, nframes};
    float first = 0.0f;
    for (size_t p = 0; p < sizeof periods / sizeof *periods; p++) {
        rcore_meter_t *meter = make(1, 0.0f, 0.1f, false);
        for (uint32_t done = 0; done < nframes; done += periods[p]) {
            write_mono(meter, samples + done, nframes - done < periods[p] ? nframes - done : periods[p]);
        }
        const float rms = rcore_meter_read(meter, 0).rms;
        first = p == 0 ? rms : first;
        EXPECT_NEAR(rms, 0.5 / sqrt(2.0), 0.002);
        EXPECT_NEAR(rms, first, 1e-5);
        // After one time constant of silence, 1/e of the power remains.
        write_silence(meter, STAGE_RATE / 10);
        EXPECT_NEAR(rcore_meter_read(meter, 0).rms, rms * exp(-0.5), 1e-3);
        rcore_meter_destroy(meter);
    }
    free(samples);
}

TEST(correlation_notifies_same_opposite_and_independent) {
    enum { nframes = STAGE_RATE };
    float *left = malloc(sizeof *left * nframes);
    float *right = malloc(sizeof *right * nframes);
    struct random random = random_seeded(7);
    const struct {
        float same;
        float own;
        double wanted;
    } cases[] = {{1.0f, 0.0f, 1.0}, {-1.0f, 0.0f, -1.0}, {0.0f, 1.0f, 0.0}, {1.0f, 1.0f, 0.7071}, {0.0f, 0.0f, 0.0}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        rcore_meter_t *meter = make(2, 0.0f, 0.3f, false);
        for (uint32_t i = 0; i < nframes; i++) {
            left[i] = random_float(&random, -0.5f, 0.5f);
            right[i] = cases[c].same * left[i] + cases[c].own * random_float(&random, -0.5f, 0.5f);
        }
        const float *planes[] = {left, right};
        rcore_meter_write(meter, planes, nframes);
        EXPECT_NEAR(rcore_meter_correlation(meter), cases[c].wanted, cases[c].own == 0.0f ? 1e-5 : 0.05);
        write_silence(meter, 20 * STAGE_RATE);
        EXPECT(rcore_meter_correlation(meter) == 0.0f);
        rcore_meter_destroy(meter);
    }
    rcore_meter_t *mono = make(1, 0.0f, 0.0f, false);
    write_mono(mono, left, 64);
    EXPECT(rcore_meter_correlation(mono) == 0.0f);
    rcore_meter_destroy(mono);
    free(left);
    free(right);
}

// ---- Tap ----------------------------------------------------------------------------------------

static rcore_meter_t *make_tapped(uint32_t channels, uint32_t tap_frames) {
    const rcore_meter_description_t description = {
        .channels = channels, .sample_rate = STAGE_RATE, .tap_frames = tap_frames};
    return rcore_meter_create(&description, NULL);
}

/// A tap receives every measured frame, with zeros for silence and for non-finite samples.
TEST(a_tap_takes_what_is_measured) {
    rcore_meter_t *meter = make_tapped(2, 1024);
    rcore_fifo_t *tap = rcore_meter_tap(meter);
    EXPECT_EQUAL(rcore_fifo_channels(tap), 2);
    const float left[] = {0.25f, NAN, 0.75f};
    const float *planes[] = {left, NULL};
    rcore_meter_write(meter, planes, 3);
    write_silence(meter, 2);
    const float wanted[] = {0.25f, 0.0f, 0.0f, 0.0f, 0.75f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    float heard[10];
    EXPECT_EQUAL(rcore_fifo_readable(tap), 5);
    EXPECT(rcore_fifo_read_interleaved(tap, heard, 5));
    EXPECT(memcmp(heard, wanted, sizeof wanted) == 0);
    rcore_meter_destroy(meter);
    rcore_meter_t *untapped = make(2, 0.0f, 0.0f, false);
    EXPECT(rcore_meter_tap(untapped) == NULL);
    EXPECT_EQUAL(rcore_meter_dropped_frames(untapped), 0);
    rcore_meter_destroy(untapped);
}

/// Frames that do not fit into the tap are still measured, and counted as dropped. Reading makes
/// room.
TEST(a_full_tap_drops_and_counts) {
    rcore_meter_t *meter = make_tapped(1, 64);
    rcore_fifo_t *tap = rcore_meter_tap(meter);
    float samples[48];
    for (uint32_t i = 0; i < 48; i++) {
        samples[i] = 0.5f;
    }
    write_mono(meter, samples, 48);
    samples[0] = 0.75f;
    write_mono(meter, samples, 48);
    EXPECT_EQUAL(rcore_meter_dropped_frames(meter), 48);
    EXPECT_EQUAL(rcore_fifo_readable(tap), 48);
    EXPECT_EQUAL(rcore_meter_frames(meter), 96);
    EXPECT(rcore_meter_read(meter, 0).peak == 0.75f);
    rcore_fifo_consume(tap, 48);
    write_mono(meter, samples, 48);
    EXPECT_EQUAL(rcore_meter_dropped_frames(meter), 48);
    EXPECT_EQUAL(rcore_fifo_readable(tap), 48);
    rcore_meter_destroy(meter);
}

// ---- Plans --------------------------------------------------------------------------------------

static rcore_plan_t *metered_plan(const sgate_page_t *gate, rcore_meter_t *bus_meter, rcore_meter_t *child_meter,
                                  rcore_meter_t *route_meter) {
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_bus_description_t bus = {
        .slot = 0, .channels = 2, .parent = RCORE_NONE, .gate = gate, .meter = bus_meter};
    const rcore_bus_description_t child = {.slot = 1, .channels = 2, .parent = 0, .meter = child_meter};
    const rcore_route_description_t route = {.slot = 0, .channels = 2, .meter = route_meter};
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &child), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, NULL), RCORE_OK);
    return plan;
}

TEST(a_meter_fits_its_place_and_is_used_once) {
    rcore_plan_t *plan = rcore_plan_create();
    rcore_meter_t *stereo = make(2, 0.0f, 0.0f, false);
    rcore_meter_t *mono = make(1, 0.0f, 0.0f, false);
    const rcore_bus_description_t wrong = {.slot = 0, .channels = 2, .parent = RCORE_NONE, .meter = mono};
    const rcore_bus_description_t right = {.slot = 0, .channels = 2, .parent = RCORE_NONE, .meter = stereo};
    const rcore_bus_description_t again = {.slot = 1, .channels = 2, .parent = RCORE_NONE, .meter = stereo};
    const rcore_route_description_t route = {.slot = 0, .channels = 2, .meter = stereo};
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &wrong), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &right), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &again), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_BAD_ARGUMENT);
    rcore_plan_destroy(plan);
    rcore_meter_destroy(stereo);
    rcore_meter_destroy(mono);
}

/// A bus is measured after its gain and its gate. Every frame is measured once, also during a
/// crossfade.
TEST(a_bus_is_measured_as_it_leaves) {
    const rcore_config_t config = stage_config();
    stage_t stage = stage_open(&config);
    rcore_meter_t *bus = make(2, 0.01f, 0.01f, false);
    rcore_meter_t *child = make(2, 0.01f, 0.01f, false);
    rcore_meter_t *route = make(2, 0.01f, 0.01f, false);
    rcore_buffer_t *buffer = constant_buffer(48000, 0.5f);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, metered_plan(stage.gate, bus, child, route), RCORE_NOW), RCORE_OK);
    stage_play_on(&stage, buffer, 1, RCORE_NOW);
    EXPECT_EQUAL(rcore_post_bus_gain(stage.queue, 1, 0.5f, 0, RCORE_NOW), RCORE_OK);
    const uint64_t before = stage.nframes;
    stage_render(&stage, 4800, STAGE_CHANGING_PERIODS);
    EXPECT_EQUAL(rcore_meter_frames(bus), stage.nframes - before);
    EXPECT_EQUAL(rcore_meter_frames(child), stage.nframes - before);
    EXPECT_EQUAL(rcore_meter_frames(route), stage.nframes - before);
    EXPECT_NEAR(rcore_meter_read(child, 0).peak, 0.25, 1e-6);
    EXPECT_NEAR(rcore_meter_read(bus, 1).rms, 0.25, 1e-3);
    EXPECT_NEAR(rcore_meter_read(route, 0).peak, 0.25, 1e-6);
    EXPECT_NEAR(rcore_meter_correlation(bus), 1.0, 1e-5);

    // Another plan with the same meters: no frame is measured twice or missed, and no level rises
    // during the crossfade.
    rcore_meter_reset(bus);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, metered_plan(stage.gate, bus, child, route), RCORE_NOW), RCORE_OK);
    stage_render(&stage, 4800, 64);
    EXPECT_EQUAL(rcore_meter_frames(bus), stage.nframes - before);
    EXPECT_NEAR(rcore_meter_read(bus, 0).greatest_peak, 0.25, 1e-6);
    EXPECT_NEAR(rcore_meter_read(bus, 0).peak, 0.25, 1e-6);

    // During a pause, the session's buses are suspended and their meters fall.
    stage_grant(&stage, (sgate_grant_t){.paused = true});
    stage_render(&stage, 9600, 64);
    EXPECT_EQUAL(rcore_meter_frames(bus), stage.nframes - before);
    EXPECT(rcore_meter_read(bus, 0).peak == 0.0f);
    EXPECT(rcore_meter_read(route, 0).peak == 0.0f);
    rcore_buffer_release(buffer);
    stage_close(&stage);
    rcore_meter_destroy(bus);
    rcore_meter_destroy(child);
    rcore_meter_destroy(route);
}

// Opens a stage whose plan has taps on bus and route. A buffer of 0.5 plays once there.
static stage_t tapped_stage(rcore_meter_t *bus, rcore_meter_t *route, rcore_buffer_t *buffer) {
    const rcore_config_t config = stage_config();
    stage_t stage = stage_open(&config);
    rcore_meter_t *child = NULL;
    EXPECT_EQUAL(rcore_post_plan(stage.queue, metered_plan(stage.gate, bus, child, route), RCORE_NOW), RCORE_OK);
    stage_play_on(&stage, buffer, 1, RCORE_NOW);
    return stage;
}

// Reads all available frames. Returns their number, and the sum of the first channel in `sum`.
static uint32_t drain(rcore_fifo_t *tap, double *sum) {
    const uint32_t waiting = rcore_fifo_readable(tap);
    *sum = 0.0;
    for (uint32_t i = 0; i < waiting; i++) {
        float frame[2];
        EXPECT(rcore_fifo_read_interleaved(tap, frame, 1));
        *sum += (double)frame[0];
    }
    return waiting;
}

/// Time continues in the taps of a plan during silence and while the session is suspended: each
/// frame of the cycle is a frame of the tap.
TEST(taps_of_a_plan_hear_silence_too) {
    rcore_meter_t *bus = make_tapped(2, 65536);
    rcore_meter_t *route = make_tapped(2, 65536);
    rcore_buffer_t *buffer = constant_buffer(1000, 0.5f);
    stage_t stage = tapped_stage(bus, route, buffer);
    const uint64_t before = stage.nframes;
    stage_render(&stage, 4800, STAGE_CHANGING_PERIODS);
    double sum;
    EXPECT_EQUAL(drain(rcore_meter_tap(bus), &sum), stage.nframes - before);
    EXPECT_NEAR(sum, 500.0, 1e-3);
    EXPECT_EQUAL(drain(rcore_meter_tap(route), &sum), stage.nframes - before);
    EXPECT_NEAR(sum, 500.0, 1e-3);
    stage_grant(&stage, (sgate_grant_t){.paused = true});
    const uint64_t paused = stage.nframes;
    stage_render(&stage, 4800, 64);
    EXPECT_EQUAL(drain(rcore_meter_tap(bus), &sum), stage.nframes - paused);
    EXPECT(sum == 0.0);
    EXPECT_EQUAL(drain(rcore_meter_tap(route), &sum), stage.nframes - paused);
    EXPECT(sum == 0.0);
    rcore_buffer_release(buffer);
    stage_close(&stage);
    rcore_meter_destroy(bus);
    rcore_meter_destroy(route);
}

int main(void) {
    RUN(descriptions_are_checked);
    RUN(a_peak_is_held);
    RUN(clipped_samples_are_counted_until_a_reset);
    RUN(what_is_no_number_is_silence);
    RUN(rms_is_that_of_the_time_constant_and_knows_no_periods);
    RUN(correlation_notifies_same_opposite_and_independent);
    RUN(a_tap_takes_what_is_measured);
    RUN(a_full_tap_drops_and_counts);
    RUN(a_meter_fits_its_place_and_is_used_once);
    RUN(a_bus_is_measured_as_it_leaves);
    RUN(taps_of_a_plan_hear_silence_too);
    return test_result();
}
