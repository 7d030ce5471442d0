// The setup of the soak test and its control thread. soak_plans.c builds the plans.
#include "soak.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

atomic_uint soak_failures;

void control_turn(struct soak *soak) {
    struct random *random = &soak->random;
    if (random_once_in(random, 20)) {
        uint32_t inserted = 0;
        rcore_plan_t *plan = soak_plan(soak, &inserted);
        const uint64_t when =
            random_once_in(random, 2) ? RCORE_NOW : rcore_time(soak->stage.core) + random_below(random, 3000);
        const rcore_status_t status = rcore_post_plan(soak->stage.queue, plan, when);
        // Plans move buses between sessions here. The core refuses that while a signal of the other
        // session is still routed to them.
        SOAK_EXPECT(status == RCORE_OK || status == RCORE_FULL || status == RCORE_CONFLICT);
        *(status == RCORE_OK ? &soak->plans_posted : &soak->plans_refused) += 1;
        if (status == RCORE_OK) {
            soak->inserted = inserted;
        } else {
            rcore_plan_destroy(plan);
        }
    }
    const rcore_meter_t *meter = soak->meters[random_below(random, buses + 1)];
    const rcore_meter_level_t measured = rcore_meter_read(meter, random_below(random, 2));
    // Another thread writes the levels: each value is consistent and belongs to one cycle.
    SOAK_EXPECT(measured.peak >= 0.0f && measured.peak < 4.0f && measured.greatest_peak < 4.0f);
    SOAK_EXPECT(measured.true_peak >= 0.0f && measured.true_peak < 4.0f);
    SOAK_EXPECT(measured.rms >= 0.0f && measured.rms < 4.0f && measured.clipped == 0);
    SOAK_EXPECT(fabsf(rcore_meter_correlation(meter)) <= 1.0f);
    if (random_once_in(random, 100)) {
        (void)rcore_post_stop_all(soak->stage.queue, random_below(random, buses), soft, RCORE_NOW);
    }
    if (random_once_in(random, 15)) {
        stage_grant(&soak->stage, (sgate_grant_t){.attenuation = (uint16_t)random_below(random, 20 * 256),
                                                  .ramp_ms = (uint16_t)(20 + random_below(random, 50)),
                                                  .paused = random_once_in(random, 4),
                                                  .muted = random_once_in(random, 4),
                                                  .input_granted = !random_once_in(random, 3)});
        sgate_page_set_volume(soak->stage.gate,
                              (sgate_volume_t){.gain = random_float(random, 0.0f, 1.0f), .ramp_ms = 25});
    }
    float frames[256];
    uint64_t time;
    uint32_t count;
    while ((count = rcore_capture_read_interleaved(soak->capture, frames, 256, &time)) > 0) {
        SOAK_EXPECT(time + count <= rcore_time(soak->stage.core) + RCORE_MAX_PERIOD);
        soak->captured += count;
    }
    SOAK_EXPECT(rcore_collect_plans(soak->stage.core) > 0);
    rcore_event_t event;
    while (rcore_next_event(soak->stage.core, &event)) {
        SOAK_EXPECT(event.kind != RCORE_EVENT_VOICE_ENDED || event.reason != RCORE_END_NONE);
    }
}

struct soak *soak_open(uint64_t seed) {
    struct soak *soak = calloc(1, sizeof *soak);
    rcore_config_t config = stage_config();
    config.max_voices = ntriggers * own_voices;
    config.max_playing = 8;
    config.max_curves = max_curves;
    config.steal_frames = config.crossfade_frames = soft;
    config.block_frames = 128;
    config.max_sends = sends;
    soak->stage = stage_open(&config);
    soak->random = random_seeded(seed);
    float *samples = malloc(sizeof *samples * 6 * cycle_length);
    for (uint32_t i = 0; i < 6 * cycle_length; i++) {
        samples[i] = sine_at(i);
    }
    const float *planes[] = {samples, samples};
    const float pair[] = {0.7f, 0.4f}, straight[] = {0.9f, 0.1f, 0.0f, 0.8f}, crossed[] = {0.0f, 1.0f, 1.0f, 0.0f};
    const float soft_pair[] = {0.3f, 0.1f, 0.1f, 0.3f};
    soak->sounds[0] = rcore_buffer_create(1, 6 * cycle_length, planes, NULL);
    soak->sounds[1] = rcore_buffer_create(2, 6 * cycle_length, planes, NULL);
    soak->maps[0] = rcore_matrix_create(1, 2, pair, NULL);
    soak->maps[1] = NULL;
    soak->routes[0] = rcore_matrix_create(2, 2, straight, NULL);
    soak->routes[1] = rcore_matrix_create(2, 2, crossed, NULL);
    soak->send = rcore_matrix_create(2, 2, soft_pair, NULL);
    soak->capture = rcore_capture_create(1, 4096, NULL);
    for (uint32_t i = 0; i <= buses; i++) {
        const rcore_meter_description_t meter = {.channels = 2,
                                                 .sample_rate = STAGE_RATE,
                                                 .hold_seconds = 0.05f,
                                                 .true_peak = i % 2 == 0,
                                                 // Unread taps fill up.
                                                 .tap_frames = i % 3 == 0 ? 4096 : 0};
        soak->meters[i] = rcore_meter_create(&meter, NULL);
    }
    for (uint32_t i = 0; i < buses; i++) {
        mixer_effect_open(&soak->effects[i], 2, i * 70, i % 2 == 0 ? 0.8f : -0.8f);
    }
    const rcore_limiter_description_t limiter = {
        .channels = 2, .sample_rate = STAGE_RATE, .ceiling = 0.03f, .lookahead_seconds = 0.02f};
    soak->limiter = rcore_limiter_create(&limiter, NULL);
    free(samples);
    for (uint32_t i = 0; i < ntriggers; i++) {
        struct trigger *trigger = &soak->triggers[i];
        *trigger = (struct trigger){.random = random_seeded(seed * 31 + i + 1),
                                    .core = soak->stage.core,
                                    .queue = rcore_queue_open(soak->stage.core, NULL),
                                    .sounds = (const rcore_buffer_t *const *)soak->sounds,
                                    .maps = (const rcore_matrix_t *const *)soak->maps,
                                    .shared = soak->shared,
                                    .number = i};
        for (uint32_t v = 0; v < own_voices; v++) {
            trigger->taps[v].fifo = rcore_fifo_create(1, 8192, NULL);
        }
    }
    return soak;
}

// Expects that every curve slot is free again.
static void expect_no_curves(struct soak *soak) {
    SOAK_EXPECT(rcore_transaction_begin(soak->stage.queue) == RCORE_OK);
    for (uint32_t i = 0; i <= max_curves; i++) {
        const rcore_status_t status =
            rcore_post_curve(soak->stage.queue, RCORE_PARAMETER_BUS_GAIN, 0, 0.5f, RCORE_CURVE_S, soft, RCORE_NOW);
        SOAK_EXPECT(status == (i < max_curves ? RCORE_OK : RCORE_FULL));
    }
    rcore_transaction_cancel(soak->stage.queue);
}

// Stops all voices and lets them end. Afterwards every voice is free.
void soak_close(struct soak *soak) {
    rcore_t *core = soak->stage.core;
    stage_grant(&soak->stage, (sgate_grant_t){.paused = false});
    for (unsigned turn = 0; turn < 20; turn++) {
        for (uint32_t i = 0; i < ntriggers; i++) {
            for (uint32_t v = 0; v < own_voices; v++) {
                tap_fill(&soak->triggers[i].taps[v]);
                (void)rcore_post_stop(soak->stage.queue, soak->triggers[i].voices[v], 0, RCORE_NOW);
            }
        }
        // Also the one-shots.
        (void)rcore_post_stop_all(soak->stage.queue, RCORE_NONE, 0, RCORE_NOW);
        rcore_process(core, NULL, 0, NULL, 0, RCORE_MAX_PERIOD);
        for (uint32_t i = 0; i < ntriggers; i++) {
            for (uint32_t v = 0; v < own_voices; v++) {
                trigger_tidy_up(&soak->triggers[i], v);
            }
        }
    }
    SOAK_EXPECT(rcore_read_counters(core).playing_voices == 0);
    SOAK_EXPECT(rcore_read_counters(core).nonfinite_samples == 0);
    SOAK_EXPECT(rcore_collect_plans(core) == 1);
    expect_no_curves(soak);
    SOAK_EXPECT(rcore_buffer_users(soak->sounds[0]) == 0 && rcore_buffer_users(soak->sounds[1]) == 0);
    for (uint32_t i = 0; i < ntriggers * own_voices; i++) {
        SOAK_EXPECT(rcore_voice_acquire(core) != 0);
    }
    SOAK_EXPECT(rcore_voice_acquire(core) == 0);
    stage_close(&soak->stage);
    for (unsigned i = 0; i < 2; i++) {
        rcore_buffer_release(soak->sounds[i]);
        rcore_matrix_destroy(soak->maps[i]);
        rcore_matrix_destroy(soak->routes[i]);
    }
    rcore_matrix_destroy(soak->send);
    for (uint32_t i = 0; i < ntriggers; i++) {
        for (uint32_t v = 0; v < own_voices; v++) {
            rcore_fifo_destroy(soak->triggers[i].taps[v].fifo);
        }
    }
    uint64_t calls = 0;
    for (uint32_t i = 0; i < buses; i++) {
        SOAK_EXPECT(soak->effects[i].bad_calls == 0);
        calls += soak->effects[i].calls;
        mixer_effect_close(&soak->effects[i]);
    }
    SOAK_EXPECT(calls > 0);
    rcore_limiter_destroy(soak->limiter);
    rcore_capture_destroy(soak->capture);
    for (uint32_t i = 0; i <= buses; i++) {
        rcore_meter_destroy(soak->meters[i]);
    }
    free(soak);
}
