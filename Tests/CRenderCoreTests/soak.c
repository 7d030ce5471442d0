// A soak: commands, plans, verdicts and periods at random, for as long as it is told to.
//
//     soak [--seconds N] [--seed S]
//
// First half: one thread, seeded. The same seed gives the same bits, whatever is played has no click, no sample that is no number, and at the
// end every voice, plan and frame has come back. Second half: three threads that trigger, one that controls and one that renders, for the sanitizers.
#define _GNU_SOURCE
#include "expect.h"
#include "random.h"
#include "stage.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { own_voices = 6, period_limit = 2048, soft = 1000, cycle_length = 2400, ntriggers = 3, buses = 5 };

static double seconds_since(const struct timespec *begun) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begun->tv_sec) + (double)(now.tv_nsec - begun->tv_nsec) / 1e9;
}

// ---- What is played: sines of 20 Hz that begin and end at a crossing, so that any step is somebody's fault ----------------------------

static const float level = 0.05f;

static float sine_at(uint64_t frame) {
    return level * (float)sin(6.283185307179586 * (double)(frame % cycle_length) / cycle_length);
}

/// A stream of the same sine, filled by whoever owns it.
struct tap {
    rcore_fifo_t *fifo;
    uint64_t written;
};

static void tap_fill(struct tap *tap) {
    float frames[256];
    while (rcore_fifo_writable(tap->fifo) >= 256) {
        for (uint32_t i = 0; i < 256; i++) {
            frames[i] = sine_at(tap->written + i);
        }
        tap->written += 256;
        (void)rcore_fifo_write_interleaved(tap->fifo, frames, 256);
    }
}

/// A callback's sine, three cycles long.
struct tone {
    uint64_t frame;
};

static uint32_t render_tone(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT {
    struct tone *tone = context;
    const uint64_t left = 3 * cycle_length - tone->frame;
    const uint32_t count = left < nframes ? (uint32_t)left : nframes;
    for (uint32_t i = 0; i < count; i++) {
        // Triangle: no call of the mathematics library on the audio thread, and as smooth as need be.
        const float phase = (float)((tone->frame + i) % cycle_length) / cycle_length;
        const float value = phase < 0.25f ? phase * 4.0f : phase < 0.75f ? 2.0f - phase * 4.0f : phase * 4.0f - 4.0f;
        for (uint32_t channel = 0; channel < channels; channel++) {
            planes[channel][i] = level * value;
        }
    }
    tone->frame += count;
    return count;
}

// ---- One that triggers ------------------------------------------------------------------------------------------------------------------

struct trigger {
    struct random random;
    rcore_t *core;
    rcore_port_t *port;
    const rcore_buffer_t *const *sounds;
    const rcore_matrix_t *const *maps;
    _Atomic(rcore_voice_t) *shared; // voices of all triggers, which anybody may command
    rcore_voice_t voices[own_voices];
    struct tap taps[own_voices];
    struct tone tones[own_voices];
    uint32_t number;
    uint64_t started;
};

static uint64_t any_time(struct trigger *trigger) {
    return random_once_in(&trigger->random, 2) ? RCORE_NOW
                                               : rcore_time(trigger->core) + random_below(&trigger->random, 3000);
}

static rcore_voice_params_t any_sound(struct trigger *trigger, uint32_t index) {
    struct random *random = &trigger->random;
    rcore_voice_params_t params = rcore_voice_params_default();
    params.bus = random_below(random, buses + 1);
    params.gain = random_float(random, -1.0f, 1.0f);
    params.pan_law = (rcore_pan_law_t)random_below(random, 3);
    params.pan = random_float(random, -1.0f, 1.0f);
    params.priority = random_below(random, 4);
    params.fade_in_frames = soft + random_below(random, 1000);
    params.paused = random_once_in(random, 10);
    const uint32_t kind = random_below(random, 8);
    if (kind == 0) {
        tap_fill(&trigger->taps[index]);
        params.fifo = trigger->taps[index].fifo;
        params.speed = random_float(random, 0.5f, 1.5f);
    } else if (kind == 1) {
        trigger->tones[index].frame = 0;
        params.render = render_tone;
        params.render_context = &trigger->tones[index];
        params.render_channels = 1 + random_below(random, 2);
    } else if (kind == 2) {
        params.input_channels = 1;
        params.input = random_below(random, 2);
    } else {
        params.buffer = trigger->sounds[random_below(random, 2)];
        params.speed = random_once_in(random, 2) ? 1.0f : random_float(random, 0.5f, 2.0f);
        params.start_frame = random_below(random, 4 * cycle_length);
        params.loop_count = random_below(random, 5);
        params.loop_start = soft + random_below(random, cycle_length);
        params.loop_end = params.loop_start + soft + random_below(random, cycle_length);
        params.loop_fade_frames = soft;
        params.matrix = params.buffer == trigger->sounds[0] ? trigger->maps[random_below(random, 2)] : NULL;
    }
    return params;
}

static void start_one(struct trigger *trigger, uint32_t index) {
    const rcore_voice_params_t params = any_sound(trigger, index);
    rcore_voice_t voice = rcore_voice_acquire(trigger->core);
    if (voice == 0) {
        return;
    }
    if (rcore_post_start(trigger->port, voice, &params, any_time(trigger)) == RCORE_OK) {
        trigger->voices[index] = voice;
        trigger->started += 1;
        atomic_store(&trigger->shared[trigger->number * own_voices + index], voice);
    } else {
        EXPECT_EQUAL(rcore_voice_release(trigger->core, voice), RCORE_OK);
    }
}

// To any voice of anybody's, ended or not.
static void command_one(struct trigger *trigger) {
    struct random *random = &trigger->random;
    const rcore_voice_t voice = atomic_load(&trigger->shared[random_below(random, ntriggers * own_voices)]);
    const uint32_t ramp = soft + random_below(random, 3000);
    const uint64_t when = any_time(trigger);
    rcore_port_t *port = trigger->port;
    rcore_status_t status = RCORE_OK;
    switch (random_below(random, 10)) {
    case 0:
        status = rcore_post_stop(port, voice, ramp, when);
        break;
    case 1:
        status = rcore_post_pause(port, voice, ramp, when);
        break;
    case 2:
    case 3:
        status = rcore_post_resume(port, voice, ramp, when);
        break;
    case 4:
        status = rcore_post_gain(port, voice, random_float(random, -1.0f, 1.0f), ramp, when);
        break;
    case 5:
        status = rcore_post_pan(port, voice, random_float(random, -1.0f, 1.0f), ramp, when);
        break;
    case 6:
        status = rcore_post_speed(port, voice, random_float(random, 0.5f, 2.0f), ramp, when);
        break;
    case 7:
        status = rcore_post_leave_loop(port, voice, when);
        break;
    case 8:
        status = rcore_post_bus_gain(port, random_below(random, buses), random_float(random, 0.0f, 1.0f), ramp, when);
        break;
    default:
        status = rcore_post_input_gain(port, random_below(random, 2), random_float(random, 0.0f, 1.0f), ramp, when);
        break;
    }
    EXPECT(status != RCORE_NO_MEMORY && status != RCORE_NO_SLOT);
}

static void tidy_up(struct trigger *trigger, uint32_t index) {
    const rcore_voice_t voice = trigger->voices[index];
    if (voice != 0 && rcore_voice_state(trigger->core, voice) == RCORE_VOICE_ENDED) {
        EXPECT(rcore_voice_end_reason(trigger->core, voice) != RCORE_END_NONE);
        EXPECT_EQUAL(rcore_voice_release(trigger->core, voice), RCORE_OK);
        EXPECT_EQUAL(rcore_voice_release(trigger->core, voice), RCORE_STALE);
        trigger->voices[index] = 0;
    }
}

static void trigger_turn(struct trigger *trigger) {
    struct random *random = &trigger->random;
    const bool group = random_once_in(random, 6);
    rcore_voice_t before[own_voices];
    memcpy(before, trigger->voices, sizeof before);
    if (group) {
        EXPECT_EQUAL(rcore_group_begin(trigger->port), RCORE_OK);
    }
    for (uint32_t index = 0; index < own_voices; index++) {
        tap_fill(&trigger->taps[index]);
        if (!group) {
            tidy_up(trigger, index);
            before[index] = trigger->voices[index];
        }
        if (trigger->voices[index] == 0 && random_once_in(random, 4)) {
            start_one(trigger, index);
        }
        if (random_once_in(random, 3)) {
            command_one(trigger);
        }
    }
    if (!group) {
        return;
    }
    if (random_once_in(random, 3) || rcore_group_commit(trigger->port) != RCORE_OK) {
        rcore_group_cancel(trigger->port);
        for (uint32_t index = 0; index < own_voices; index++) {
            if (trigger->voices[index] != before[index]) { // none of the group's came to be
                EXPECT_EQUAL(rcore_voice_release(trigger->core, trigger->voices[index]), RCORE_OK);
                trigger->voices[index] = before[index];
            }
        }
    }
}

// ---- The one that controls ----------------------------------------------------------------------------------------------------------------

struct soak {
    stage_t stage;
    struct random random;
    rcore_buffer_t *sounds[2];
    rcore_matrix_t *maps[2];   // mono to the pair
    rcore_matrix_t *routes[2]; // the pair to the pair
    rcore_capture_t *capture;
    _Atomic(rcore_voice_t) shared[ntriggers * own_voices];
    struct trigger triggers[ntriggers];
    uint64_t captured;
    atomic_bool over;
};

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
    EXPECT_EQUAL(status, RCORE_OK);
    return plan;
}

static void control_turn(struct soak *soak) {
    struct random *random = &soak->random;
    if (random_once_in(random, 20)) {
        rcore_plan_t *plan = any_plan(soak);
        const uint64_t when =
            random_once_in(random, 2) ? RCORE_NOW : rcore_time(soak->stage.core) + random_below(random, 3000);
        if (rcore_post_plan(soak->stage.port, plan, when) != RCORE_OK) {
            rcore_plan_destroy(plan);
        }
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
        EXPECT(time + count <= rcore_time(soak->stage.core) + RCORE_MAX_PERIOD);
        soak->captured += count;
    }
    EXPECT(rcore_collect_plans(soak->stage.core) > 0);
    rcore_event_t event;
    while (rcore_next_event(soak->stage.core, &event)) {
        EXPECT(event.kind != RCORE_EVENT_VOICE_ENDED || event.reason != RCORE_END_NONE);
    }
}

static struct soak *soak_open(uint64_t seed) {
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
static void soak_close(struct soak *soak) {
    rcore_t *core = soak->stage.core;
    stage_verdict(&soak->stage, (sgate_verdict_t){.paused = false});
    for (unsigned turn = 0; turn < 20; turn++) {
        for (uint32_t i = 0; i < ntriggers; i++) {
            for (uint32_t v = 0; v < own_voices; v++) {
                tap_fill(&soak->triggers[i].taps[v]);
                (void)rcore_post_stop(soak->stage.port, soak->triggers[i].voices[v], 0, RCORE_NOW);
            }
        }
        rcore_process(core, NULL, 0, NULL, 0, RCORE_MAX_PERIOD);
        for (uint32_t i = 0; i < ntriggers; i++) {
            for (uint32_t v = 0; v < own_voices; v++) {
                tidy_up(&soak->triggers[i], v);
            }
        }
    }
    EXPECT_EQUAL(rcore_read_counters(core).playing_voices, 0);
    EXPECT_EQUAL(rcore_read_counters(core).nonfinite_samples, 0);
    EXPECT_EQUAL(rcore_collect_plans(core), 1);
    for (uint32_t i = 0; i < ntriggers * own_voices; i++) {
        EXPECT(rcore_voice_acquire(core) != 0);
    }
    EXPECT(rcore_voice_acquire(core) == 0);
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

// ---- One thread ---------------------------------------------------------------------------------------------------------------------------

struct listener {
    float last[2][2]; // the two samples before
    float largest_bend;
    float peak;
    uint64_t bad;
    uint64_t hash;
};

static void listen(struct listener *listener, const float *const *planes, uint32_t nframes) {
    for (uint32_t channel = 0; channel < 2; channel++) {
        for (uint32_t i = 0; i < nframes; i++) {
            const float sample = planes[channel][i];
            uint32_t bits;
            memcpy(&bits, &sample, sizeof bits);
            listener->hash = (listener->hash ^ bits) * UINT64_C(0x100000001B3);
            listener->bad += !(fabsf(sample) < 16.0f);
            const float bend = sample - 2.0f * listener->last[channel][0] + listener->last[channel][1];
            listener->largest_bend = fmaxf(listener->largest_bend, fabsf(bend));
            listener->peak = fmaxf(listener->peak, fabsf(sample));
            listener->last[channel][1] = listener->last[channel][0];
            listener->last[channel][0] = sample;
        }
    }
}

static void period(struct soak *soak, struct random *random, uint64_t *time, struct listener *listener) {
    static float input[RCORE_MAX_PERIOD], out[2][RCORE_MAX_PERIOD];
    const uint32_t nframes =
        random_once_in(random, 20) ? 1 + random_below(random, period_limit) : 1u << random_below(random, 10);
    for (uint32_t i = 0; i < nframes; i++) {
        input[i] = sine_at(*time + i);
    }
    const float *inputs[] = {input, input};
    float *outputs[] = {out[0], out[1]};
    rcore_process(soak->stage.core, inputs, 2, outputs, 2, nframes);
    *time += nframes;
    if (listener != NULL) {
        listen(listener, (const float *const *)outputs, nframes);
    }
}

static struct listener play_seed(uint64_t seed, unsigned periods, uint64_t *started) {
    struct soak *soak = soak_open(seed);
    struct random random = random_seeded(~seed);
    struct listener listener = {.hash = UINT64_C(0xCBF29CE484222325)};
    uint64_t time = 0;
    for (unsigned i = 0; i < periods; i++) {
        control_turn(soak);
        for (uint32_t t = 0; t < ntriggers; t++) {
            trigger_turn(&soak->triggers[t]);
        }
        period(soak, &random, &time, &listener);
    }
    for (uint32_t t = 0; t < ntriggers; t++) {
        *started += soak->triggers[t].started;
    }
    soak_close(soak);
    return listener;
}

static void soak_alone(uint64_t seed, double seconds) {
    struct timespec begun;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    uint64_t started = 0, seeds = 0;
    float largest = 0.0f, peak = 0.0f;
    do {
        const struct listener first = play_seed(seed + seeds, 400, &started);
        const struct listener again = play_seed(seed + seeds, 400, &started);
        // Where ramps begin and end the slope changes by a thousandth of the level each; a click of one voice is a hundred times that.
        const float smooth = 20.0f * level / soft;
        if (first.bad > 0 || first.hash != again.hash || first.largest_bend > smooth) {
            printf("seed %" PRIu64 ": %" PRIu64 " bad samples, sharpest bend %g of %g\n", seed + seeds, first.bad,
                   (double)first.largest_bend, (double)smooth);
        }
        EXPECT_EQUAL(first.bad, 0);
        EXPECT(first.hash == again.hash);
        EXPECT(first.largest_bend <= smooth);
        largest = fmaxf(largest, first.largest_bend);
        peak = fmaxf(peak, first.peak);
        seeds += 1;
    } while (seconds_since(&begun) < seconds && expect_failures == 0);
    EXPECT(peak > level / 4.0f);
    printf("one thread: %" PRIu64 " seeds from %" PRIu64 ", %" PRIu64 " voices started, peak %g, sharpest bend %g\n",
           seeds, seed, started, (double)peak, (double)largest);
}

// ---- Five threads ---------------------------------------------------------------------------------------------------------------------------

static void *run_trigger(void *argument) {
    struct trigger *trigger = argument;
    struct soak *soak = (struct soak *)((char *)(trigger - trigger->number) - offsetof(struct soak, triggers));
    while (!atomic_load(&soak->over)) {
        trigger_turn(trigger);
        sched_yield();
    }
    return NULL;
}

static void *run_renderer(void *argument) {
    struct soak *soak = argument;
    struct random random = random_seeded(7);
    uint64_t time = 0;
    while (!atomic_load(&soak->over)) {
        period(soak, &random, &time, NULL);
        sched_yield();
    }
    return NULL;
}

static void soak_together(uint64_t seed, double seconds) {
    struct timespec begun;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    struct soak *soak = soak_open(seed);
    pthread_t renderer, threads[ntriggers];
    EXPECT_EQUAL(pthread_create(&renderer, NULL, run_renderer, soak), 0);
    for (uint32_t i = 0; i < ntriggers; i++) {
        EXPECT_EQUAL(pthread_create(&threads[i], NULL, run_trigger, &soak->triggers[i]), 0);
    }
    while (seconds_since(&begun) < seconds) {
        control_turn(soak);
        sched_yield();
    }
    atomic_store(&soak->over, true);
    pthread_join(renderer, NULL);
    uint64_t started = 0;
    for (uint32_t i = 0; i < ntriggers; i++) {
        pthread_join(threads[i], NULL);
        started += soak->triggers[i].started;
    }
    const rcore_counters_t counters = rcore_read_counters(soak->stage.core);
    printf("five threads: %" PRIu64 " voices started, %" PRIu64 " stolen, %" PRIu64 " refused, %" PRIu64
           " cycles, %" PRIu64 " frames captured\n",
           started, counters.stolen_voices, counters.refused_voices, counters.cycles, soak->captured);
    EXPECT(started > 0 && counters.stolen_voices > 0 && counters.refused_voices > 0);
    soak_close(soak);
}

int main(int argc, char **argv) {
    double seconds = 5.0;
    uint64_t seed = 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--seconds") == 0) {
            seconds = strtod(argv[i + 1], NULL);
        } else if (strcmp(argv[i], "--seed") == 0) {
            seed = strtoull(argv[i + 1], NULL, 0);
        } else {
            fprintf(stderr, "usage: soak [--seconds N] [--seed S]\n");
            return 64;
        }
    }
    printf("seed %" PRIu64 "\n", seed);
    expect_tests = 2;
    soak_alone(seed, seconds / 2);
    soak_together(seed, seconds / 2);
    return test_result();
}
