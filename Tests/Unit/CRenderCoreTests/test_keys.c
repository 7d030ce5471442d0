// Keys: sessions that lower others only while they are audible (DUCK-2).
#include "expect.h"
#include "session_keys.h"
#include "stage.h"

#include <math.h>
#include <stdlib.h>

#define DECIBELS(x) ((uint16_t)((x)*SGATE_ATTENUATION_PER_DECIBEL))

static const uint32_t periods[] = {1, 64, 333, 1024};
enum { nperiods = sizeof periods / sizeof periods[0], hold_ms = 100, hold = hold_ms * (int)STAGE_RATE / 1000 };
enum { attack = 2400, release = 24000, listener = 0, key_bus = 1, key_child = 2, key = 5 };
static const sgate_keyed_duck_t keyed_duck = {
    .keys = 1u << key, .attenuation = DECIBELS(14), .attack_ms = 50, .release_ms = 500};
static const sgate_detection_t detection = {.enabled = true, .key = key, .threshold = 50, .hold_ms = hold_ms};

/// A stage with two sessions: the listener on output 0, which the key lowers, and the key on
/// output 1, with a child bus.
typedef struct key_stage {
    stage_t stage;
    sgate_page_t *gate;
    sgate_keys_t *keys;
    rcore_buffer_t *music;
    rcore_buffer_t *speech;
} key_stage_t;

static void add_session(rcore_plan_t *plan, uint32_t slot, const sgate_page_t *gate, sgate_keys_t *keys) {
    const rcore_bus_description_t bus = {.slot = slot, .channels = 1, .parent = RCORE_NONE, .gate = gate, .keys = keys};
    const rcore_route_description_t route = {.slot = slot, .channels = 1, .first_output = slot};
    if (rcore_plan_add_bus(plan, &bus) != RCORE_OK || rcore_plan_add_route(plan, &route) != RCORE_OK ||
        rcore_plan_connect(plan, slot, slot, NULL) != RCORE_OK) {
        abort();
    }
}

static void post_plan(key_stage_t *scene, sgate_keys_t *keys, bool has_key_bus) {
    rcore_plan_t *plan = rcore_plan_create();
    add_session(plan, listener, scene->stage.gate, keys);
    if (has_key_bus) {
        add_session(plan, key_bus, scene->gate, keys);
        const rcore_bus_description_t child = {.slot = key_child, .channels = 1, .parent = key_bus};
        if (rcore_plan_add_bus(plan, &child) != RCORE_OK) {
            abort();
        }
    }
    if (rcore_post_plan(scene->stage.queue, plan, RCORE_NOW) != RCORE_OK) {
        abort();
    }
}

static key_stage_t open_scene(void) {
    key_stage_t scene = {.stage = stage_open(NULL), .gate = sgate_page_create(), .keys = sgate_keys_create()};
    if (scene.gate == NULL || scene.keys == NULL) {
        abort();
    }
    sgate_page_set_grant(scene.gate, (sgate_grant_t){.serial = 1});
    sgate_page_set_keyed_duck(scene.stage.gate, keyed_duck);
    sgate_page_set_detection(scene.gate, detection);
    post_plan(&scene, scene.keys, true);
    scene.music = constant_buffer(10 * (uint64_t)STAGE_RATE, 0.5f);
    scene.speech = constant_buffer(4000, 0.1f);
    stage_render(&scene.stage, 9600, 480); // until the plans have crossfaded
    (void)stage_play(&scene.stage, scene.music, RCORE_NOW);
    stage_render(&scene.stage, 2400, 480);
    return scene;
}

static void close_scene(key_stage_t *scene) {
    stage_close(&scene->stage);
    sgate_page_destroy(scene->gate);
    sgate_keys_destroy(scene->keys);
    rcore_buffer_release(scene->music);
    rcore_buffer_release(scene->speech);
}

static bool key_is_audible(const key_stage_t *scene) {
    const bool stated = (sgate_keys_audible(scene->keys) & 1u << key) != 0;
    EXPECT_EQUAL(stated, rcore_bus_is_audible(scene->stage.core, key_bus));
    return stated;
}

/// DUCK-2, DUCK-3, DUCK-5: the first lower frame comes at most one period after the first sample
/// above the threshold, in the ramp of the attack; the release begins after the hold, and ends at
/// exactly unity.
TEST(a_key_lowers_others_at_most_one_period_after_its_onset) {
    for (unsigned p = 0; p < nperiods; p++) {
        key_stage_t scene = open_scene();
        const uint64_t onset = scene.stage.nframes + 1000;
        (void)stage_play_on(&scene.stage, scene.speech, key_bus, onset);
        stage_render(&scene.stage, 60000, periods[p]);
        const float *music = scene.stage.out[0];
        const int64_t first = first_other(music, onset - 1000, scene.stage.nframes, 0.5f);
        EXPECT(first > (int64_t)onset && first <= (int64_t)onset + periods[p]);
        for (unsigned i = 0; i < attack; i++) {
            EXPECT_NEAR(decibels(music[first + i] / 0.5), -14.0 * (i + 1) / attack, 0.02);
        }
        const uint64_t end = onset + 4000 + hold;
        EXPECT_EQUAL(first_other(music, first + attack, end, music[first + attack]), -1);
        EXPECT_NEAR(decibels(music[end - 1] / 0.5), -14.0, 0.001);
        const uint64_t back = end + 3 * (uint64_t)periods[p] + release;
        EXPECT(music[end + 2 * periods[p] + release / 2] > music[end]);
        EXPECT_EQUAL(first_other(music, back, scene.stage.nframes, 0.5f), -1);
        EXPECT(!key_is_audible(&scene));
        close_scene(&scene);
    }
}

/// Renders 20 ms, and returns whether the key is audible then.
static bool is_audible_soon(key_stage_t *scene) {
    stage_render(&scene->stage, 960, 96);
    return key_is_audible(scene);
}

/// DUCK-2: silence, noise below the threshold, and a paused or muted session are not audible; a
/// voice on a child bus is. The session's own attenuation does not count.
TEST(a_key_is_audible_above_the_threshold_while_its_gate_is_open) {
    key_stage_t scene = open_scene();
    rcore_buffer_t *noise = constant_buffer(4800, 0.003f); // -50.5 dBFS
    rcore_buffer_t *whisper = constant_buffer(480, 0.0033f);
    EXPECT(!is_audible_soon(&scene));
    (void)stage_play_on(&scene.stage, noise, key_bus, RCORE_NOW);
    EXPECT(!is_audible_soon(&scene));
    stage_render(&scene.stage, 9600, 480);
    (void)stage_play_on(&scene.stage, whisper, key_child, RCORE_NOW);
    EXPECT(is_audible_soon(&scene));
    stage_render(&scene.stage, 2 * hold, 480);

    sgate_page_set_grant(scene.gate, (sgate_grant_t){.muted = true, .serial = 2});
    (void)stage_play_on(&scene.stage, scene.speech, key_bus, RCORE_NOW);
    EXPECT(!is_audible_soon(&scene));
    sgate_page_set_grant(scene.gate, (sgate_grant_t){.paused = true, .serial = 3});
    EXPECT(!is_audible_soon(&scene));
    sgate_page_set_grant(scene.gate, (sgate_grant_t){.attenuation = DECIBELS(60), .serial = 4});
    EXPECT(is_audible_soon(&scene));
    rcore_buffer_release(noise);
    rcore_buffer_release(whisper);
    close_scene(&scene);
}

/// Plays speech to the end of the release. If `confirms`, the arbiter's grant follows one period
/// after the onset, and is taken back when the key is silent.
static void play_speech(key_stage_t *scene, bool confirms, sgate_grant_t duck) {
    (void)stage_play_on(&scene->stage, scene->speech, key_bus, RCORE_NOW);
    stage_render(&scene->stage, 2 * 96, 96);
    if (confirms) {
        (void)stage_grant(&scene->stage, duck);
    }
    while (key_is_audible(scene)) {
        stage_render(&scene->stage, 96, 96);
    }
    if (confirms) {
        (void)stage_grant(&scene->stage, (sgate_grant_t){.ramp_ms = 500});
    }
    stage_render(&scene->stage, release + 4800, 96);
}

/// DUCK-2: the arbiter's grant, which repeats the duck, changes no sample.
TEST(the_grant_that_confirms_a_keyed_duck_is_inaudible) {
    key_stage_t keyed = open_scene();
    key_stage_t confirmed = open_scene();
    play_speech(&keyed, false, (sgate_grant_t){0});
    play_speech(&confirmed, true, (sgate_grant_t){.attenuation = DECIBELS(14), .ramp_ms = 50});
    EXPECT_EQUAL(keyed.stage.nframes, confirmed.stage.nframes);
    for (uint64_t i = 0; i < keyed.stage.nframes; i++) {
        if (keyed.stage.out[0][i] != confirmed.stage.out[0][i]) {
            EXPECT_EQUAL(i, keyed.stage.nframes);
            break;
        }
    }
    close_scene(&keyed);
    close_scene(&confirmed);
}

/// ACT-5: of the duck of the grant and the keyed one, the deeper applies.
TEST(the_deeper_duck_applies) {
    key_stage_t scene = open_scene();
    (void)stage_grant(&scene.stage, (sgate_grant_t){.attenuation = DECIBELS(35), .ramp_ms = 5});
    stage_render(&scene.stage, 4800, 480);
    (void)stage_play_on(&scene.stage, scene.speech, key_bus, RCORE_NOW);
    stage_render(&scene.stage, 2400, 96);
    EXPECT(key_is_audible(&scene));
    EXPECT_NEAR(decibels(scene.stage.out[0][scene.stage.nframes - 1] / 0.5), -35, 0.01);
    (void)stage_grant(&scene.stage, (sgate_grant_t){.ramp_ms = 5});
    stage_render(&scene.stage, 480, 96);
    EXPECT(key_is_audible(&scene));
    EXPECT_NEAR(decibels(scene.stage.out[0][scene.stage.nframes - 1] / 0.5), -14, 0.01);
    close_scene(&scene);
}

/// DUCK-2: other keys do not lower a session, and without keys nothing changes, bit for bit.
TEST(only_the_keys_of_a_gate_lower_its_session) {
    key_stage_t scene = open_scene();
    sgate_keyed_duck_t other = keyed_duck;
    other.keys = (uint16_t) ~(1u << key);
    sgate_page_set_keyed_duck(scene.stage.gate, other);
    const uint64_t start = scene.stage.nframes;
    (void)stage_play_on(&scene.stage, scene.speech, key_bus, RCORE_NOW);
    EXPECT(is_audible_soon(&scene));
    stage_render(&scene.stage, 4800, 480);
    EXPECT_EQUAL(first_other(scene.stage.out[0], start, scene.stage.nframes, 0.5f), -1);
    close_scene(&scene);
}

/// A key that is removed, that is no longer one, or whose arbiter is replaced leaves no bit behind.
TEST(a_key_that_ends_is_not_audible) {
    key_stage_t scene = open_scene();
    rcore_buffer_t *speech = constant_buffer(10 * (uint64_t)STAGE_RATE, 0.1f);
    (void)stage_play_on(&scene.stage, speech, key_bus, RCORE_NOW);
    EXPECT(is_audible_soon(&scene));

    sgate_page_set_detection(scene.gate, (sgate_detection_t){.enabled = false});
    EXPECT(!is_audible_soon(&scene));
    sgate_page_set_detection(scene.gate, detection);
    EXPECT(is_audible_soon(&scene));

    sgate_keys_t *next = sgate_keys_create();
    post_plan(&scene, next, true);
    stage_render(&scene.stage, 9600, 480);
    EXPECT_EQUAL(sgate_keys_audible(scene.keys), 0);
    EXPECT_EQUAL(sgate_keys_audible(next), 1u << key);

    post_plan(&scene, next, false);
    stage_render(&scene.stage, 9600, 480);
    EXPECT_EQUAL(sgate_keys_audible(next), 0);
    EXPECT(!rcore_bus_is_audible(scene.stage.core, key_bus));
    rcore_buffer_release(speech);
    close_scene(&scene);
    sgate_keys_destroy(next);
}

/// DUCK-2: a key in one core lowers a session in another one in the same period, if that renders
/// later, otherwise in the next one.
TEST(a_key_lowers_sessions_of_other_cores) {
    key_stage_t scene = open_scene();
    stage_t other = stage_open(NULL);
    rcore_plan_t *plan = rcore_plan_create();
    add_session(plan, listener, other.gate, scene.keys);
    EXPECT_EQUAL(rcore_post_plan(other.queue, plan, RCORE_NOW), RCORE_OK);
    sgate_page_set_keyed_duck(other.gate, keyed_duck);
    stage_render(&other, 9600, 480);
    (void)stage_play(&other, scene.music, RCORE_NOW);
    stage_render(&other, 960, 96);

    (void)stage_play_on(&scene.stage, scene.speech, key_bus, RCORE_NOW);
    const uint64_t start = other.nframes;
    stage_render(&scene.stage, 96, 96);
    stage_render(&other, 96, 96);
    EXPECT_EQUAL(first_other(other.out[0], start, other.nframes, 0.5f), (int64_t)start);
    stage_close(&other);
    close_scene(&scene);
}

/// The beginning and the end of audibility are work, once.
TEST(audibility_is_work) {
    key_stage_t scene = open_scene();
    rcore_buffer_t *speech = constant_buffer(960, 0.1f);
    (void)stage_play_on(&scene.stage, speech, key_bus, RCORE_NOW);
    stage_render(&scene.stage, 96, 96);
    EXPECT(rcore_try_wait(scene.stage.core));
    stage_render(&scene.stage, 480, 96);
    EXPECT(!rcore_try_wait(scene.stage.core));
    stage_render(&scene.stage, 480, 96); // the end of the voice
    (void)rcore_try_wait(scene.stage.core);
    stage_render(&scene.stage, hold - 480, 96);
    EXPECT(key_is_audible(&scene) && !rcore_try_wait(scene.stage.core));
    stage_render(&scene.stage, 960, 96);
    EXPECT(!key_is_audible(&scene) && rcore_try_wait(scene.stage.core));
    rcore_buffer_release(speech);
    close_scene(&scene);
}

/// DUCK-2: a bit that another bus of the session, or the arbiter, has cleared is set again while
/// the key is audible.
TEST(a_cleared_bit_returns) {
    key_stage_t scene = open_scene();
    (void)stage_play_on(&scene.stage, scene.speech, key_bus, RCORE_NOW);
    EXPECT(is_audible_soon(&scene));
    sgate_keys_set(scene.keys, key, false);
    EXPECT(is_audible_soon(&scene));
    close_scene(&scene);
}

/// DUCK-2: a muted bus and one with gain 0 are not audible, whatever plays on them.
TEST(a_silenced_bus_is_not_audible) {
    key_stage_t scene = open_scene();
    EXPECT_EQUAL(rcore_post_bus_mute(scene.stage.queue, key_bus, true, 0, RCORE_NOW), RCORE_OK);
    stage_render(&scene.stage, 960, 96);
    (void)stage_play_on(&scene.stage, scene.speech, key_bus, RCORE_NOW);
    EXPECT(!is_audible_soon(&scene));
    EXPECT_EQUAL(rcore_post_bus_mute(scene.stage.queue, key_bus, false, 0, RCORE_NOW), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_gain(scene.stage.queue, key_bus, 0.03f, 0, RCORE_NOW), RCORE_OK);
    EXPECT(!is_audible_soon(&scene));
    EXPECT_EQUAL(rcore_post_bus_gain(scene.stage.queue, key_bus, 0.033f, 0, RCORE_NOW), RCORE_OK);
    EXPECT(is_audible_soon(&scene));
    close_scene(&scene);
}

/// A key that is paused or muted is silent once its gate has closed, before its hold has passed;
/// so is a key whose engine has stopped.
TEST(a_closed_gate_and_a_stopped_engine_end_the_hold) {
    key_stage_t scene = open_scene();
    (void)stage_play_on(&scene.stage, scene.speech, key_bus, RCORE_NOW);
    EXPECT(is_audible_soon(&scene));
    sgate_page_set_grant(scene.gate, (sgate_grant_t){.muted = true, .ramp_ms = 5, .serial = 2});
    EXPECT(!is_audible_soon(&scene));
    sgate_page_set_grant(scene.gate, (sgate_grant_t){.serial = 3});
    EXPECT(is_audible_soon(&scene));
    rcore_end_keys(scene.stage.core);
    EXPECT(!key_is_audible(&scene));
    EXPECT(is_audible_soon(&scene));
    close_scene(&scene);
}

/// Returns the frames from the start to the first one that is at most `level` decibels loud.
static uint64_t frames_to(const key_stage_t *scene, uint64_t start, double level) {
    uint64_t frame = start;
    while (frame < scene->stage.nframes && decibels(scene->stage.out[listener][frame] / 0.5) > level) {
        frame++;
    }
    return frame - start;
}

/// DUCK-3: a grant with the same attenuation, such as one for input, leaves the attack as it is.
TEST(another_grant_keeps_the_ramp) {
    key_stage_t scene = open_scene();
    const uint64_t start = scene.stage.nframes;
    (void)stage_play_on(&scene.stage, scene.speech, key_bus, RCORE_NOW);
    stage_render(&scene.stage, 96, 96);
    (void)stage_grant(&scene.stage, (sgate_grant_t){.input_granted = true, .ramp_ms = 5});
    stage_render(&scene.stage, 4000, 96);
    EXPECT(frames_to(&scene, start, -13.9) > attack / 2);
    close_scene(&scene);
}

/// DUCK-3: if the gate is replaced by that of another arbiter, which knows no keys yet, the duck
/// ends with the release of the old one.
TEST(a_new_page_without_keys_releases_slowly) {
    key_stage_t scene = open_scene();
    (void)stage_play_on(&scene.stage, scene.speech, key_bus, RCORE_NOW);
    stage_render(&scene.stage, 2880, 96);
    sgate_page_t *old = scene.stage.gate;
    scene.stage.gate = sgate_page_create();
    sgate_page_set_grant(scene.stage.gate, sgate_page_grant(old));
    const uint64_t start = scene.stage.nframes;
    post_plan(&scene, scene.keys, true);
    stage_render(&scene.stage, 9600, 96);
    EXPECT_EQUAL(find_click(scene.stage.out[listener], start, scene.stage.nframes, 0.001f), -1);
    EXPECT_NEAR(decibels(scene.stage.out[listener][scene.stage.nframes - 1] / 0.5), -14.0 + 14.0 * 9600 / release, 0.2);
    sgate_page_destroy(old);
    close_scene(&scene);
}

int main(void) {
    RUN(a_key_lowers_others_at_most_one_period_after_its_onset);
    RUN(a_key_is_audible_above_the_threshold_while_its_gate_is_open);
    RUN(the_grant_that_confirms_a_keyed_duck_is_inaudible);
    RUN(the_deeper_duck_applies);
    RUN(only_the_keys_of_a_gate_lower_its_session);
    RUN(a_key_that_ends_is_not_audible);
    RUN(a_key_lowers_sessions_of_other_cores);
    RUN(audibility_is_work);
    RUN(a_cleared_bit_returns);
    RUN(a_silenced_bus_is_not_audible);
    RUN(a_closed_gate_and_a_stopped_engine_end_the_hold);
    RUN(another_grant_keeps_the_ramp);
    RUN(a_new_page_without_keys_releases_slowly);
    return test_result();
}
