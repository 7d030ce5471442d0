// The soak's scene, and the one that controls it.
#include "soak.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

atomic_uint soak_failures;

static rcore_plan_t *any_plan(struct soak *soak) {
    struct random *random = &soak->random;
    rcore_plan_t *plan = rcore_plan_create();
    rcore_status_t status = RCORE_OK;
    for (uint32_t slot = 0; slot < buses && status == RCORE_OK; slot++) {
        if (slot > 0 && random_once_in(random, 6)) {
            continue;
        }
        const uint32_t parent = slot == 0 || random_once_in(random, 3) ? RCORE_NONE : 0;
        const rcore_bus_description_t bus = {.slot = slot,
                                             .channels = 2,
                                             .parent = parent,
                                             .gate = slot % 2 == 0 ? soak->stage.gate : NULL,
                                             .matrix = parent == 0 && slot % 3 == 0 ? soak->routes[0] : NULL};
        status = rcore_plan_add_bus(plan, &bus);
    }
    const rcore_route_description_t route = {.slot = 0, .channels = 2};
    status = status == RCORE_OK ? rcore_plan_add_route(plan, &route) : status;
    for (uint32_t slot = 0; slot < buses && status == RCORE_OK; slot++) {
        (void)rcore_plan_connect(plan, slot, 0, random_once_in(random, 2) ? soak->routes[1] : NULL);
    }
    for (uint32_t i = 0; i < 2 && status == RCORE_OK; i++) {
        if (!random_once_in(random, 4)) {
            const rcore_input_description_t input = {.slot = i,
                                                     .channels = 1,
                                                     .first_input = i,
                                                     .gate = soak->stage.gate,
                                                     .capture = i == 0 ? soak->capture : NULL};
            status = rcore_plan_add_input(plan, &input);
        }
    }
    SOAK_EXPECT(status == RCORE_OK);
    return plan;
}

void control_turn(struct soak *soak) {
    struct random *random = &soak->random;
    if (random_once_in(random, 20)) {
        rcore_plan_t *plan = any_plan(soak);
        const uint64_t when =
            random_once_in(random, 2) ? RCORE_NOW : rcore_time(soak->stage.core) + random_below(random, 3000);
        if (rcore_post_plan(soak->stage.port, plan, when) != RCORE_OK) {
            rcore_plan_destroy(plan);
        }
    }
    if (random_once_in(random, 100)) {
        (void)rcore_post_stop_all(soak->stage.port, random_below(random, buses), soft, RCORE_NOW);
    }
    if (random_once_in(random, 15)) {
        stage_verdict(&soak->stage, (sgate_verdict_t){.attenuation = (uint16_t)random_below(random, 20 * 256),
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
    config.steal_frames = config.swap_frames = soft;
    config.slice_frames = 128;
    soak->stage = stage_open(&config);
    soak->random = random_seeded(seed);
    float *samples = malloc(sizeof *samples * 6 * cycle_length);
    for (uint32_t i = 0; i < 6 * cycle_length; i++) {
        samples[i] = sine_at(i);
    }
    const float *planes[] = {samples, samples};
    const float pair[] = {0.7f, 0.4f}, straight[] = {0.9f, 0.1f, 0.0f, 0.8f}, crossed[] = {0.0f, 1.0f, 1.0f, 0.0f};
    soak->sounds[0] = rcore_buffer_create(1, 6 * cycle_length, planes, NULL);
    soak->sounds[1] = rcore_buffer_create(2, 6 * cycle_length, planes, NULL);
    soak->maps[0] = rcore_matrix_create(1, 2, pair, NULL);
    soak->maps[1] = NULL;
    soak->routes[0] = rcore_matrix_create(2, 2, straight, NULL);
    soak->routes[1] = rcore_matrix_create(2, 2, crossed, NULL);
    soak->capture = rcore_capture_create(1, 4096, NULL);
    free(samples);
    for (uint32_t i = 0; i < ntriggers; i++) {
        struct trigger *trigger = &soak->triggers[i];
        *trigger = (struct trigger){.random = random_seeded(seed * 31 + i + 1),
                                    .core = soak->stage.core,
                                    .port = rcore_port_open(soak->stage.core, NULL),
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

// Stops all that plays and lets it end: then every voice is free.
void soak_close(struct soak *soak) {
    rcore_t *core = soak->stage.core;
    stage_verdict(&soak->stage, (sgate_verdict_t){.paused = false});
    for (unsigned turn = 0; turn < 20; turn++) {
        for (uint32_t i = 0; i < ntriggers; i++) {
            for (uint32_t v = 0; v < own_voices; v++) {
                tap_fill(&soak->triggers[i].taps[v]);
                (void)rcore_post_stop(soak->stage.port, soak->triggers[i].voices[v], 0, RCORE_NOW);
            }
        }
        (void)rcore_post_stop_all(soak->stage.port, RCORE_NONE, 0, RCORE_NOW); // the one-shots too
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
    for (uint32_t i = 0; i < ntriggers; i++) {
        for (uint32_t v = 0; v < own_voices; v++) {
            rcore_fifo_destroy(soak->triggers[i].taps[v].fifo);
        }
    }
    rcore_capture_destroy(soak->capture);
    free(soak);
}
