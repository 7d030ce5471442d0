// Notes of streamed sounds: their samples, and what they do while a page is late.
#include "page_cache_stage.h"

/// Plays a scene that depends only on the seed, from memory or streamed.
static player_t play_scene(uint64_t seed, sound_t set[sounds], bool streamed, uint32_t period) {
    struct random random = random_seeded(seed);
    stage_t stage = stage_with_pages(usual_pages, usual_ahead, 50000);
    rcore_zone_t zones[zone_count];
    for (unsigned i = 0; streamed && i < sounds; i++) {
        sound_stream(&set[i], &stage);
    }
    for (unsigned i = 0; i < zone_count; i++) {
        sound_t *sound = &set[random_below(&random, sounds)];
        zones[i] = random_zone(&random, sound);
        zones[i].buffer = streamed ? sound->streamed : sound->memory;
    }
    player_t player = player_on(stage, NULL, zones, zone_count);
    send_random(&player, &random);
    render_served(&player, scene_frames, period);
    return player;
}

TEST(streamed_notes_have_the_samples_of_notes_in_memory) {
    const uint64_t seed = random_seed(20261127);
    printf("SEED=%llu\n", (unsigned long long)seed);
    for (uint64_t i = 0; i < 12; i++) {
        sound_t set[sounds];
        for (uint32_t s = 0; s < sounds; s++) {
            struct random random = random_seeded(seed + i * sounds + s);
            set[s] = sound_create(1 + s, head + 1 + random_below(&random, 60000), head, seed + s);
        }
        const uint32_t period = (uint32_t[]){1 + (uint32_t)(seed % 64), 64, 480, 1000}[i % 4];
        player_t memory = play_scene(seed + i, set, false, 256);
        player_t streamed = play_scene(seed + i, set, true, period);
        EXPECT(first_other(memory.stage.out[0], INSTRUMENT_READY, scene_frames, 0.0f) >= 0);
        expect_same(&streamed, &memory, scene_frames);
        EXPECT_EQUAL(rcore_read_counters(streamed.stage.core).underrun_frames, 0);
        EXPECT(rcore_page_count(streamed.stage.core) > 0);
        EXPECT_EQUAL(rcore_page_count(memory.stage.core), 0);
        player_close(&memory);
        player_close(&streamed);
        for (unsigned s = 0; s < sounds; s++) {
            sound_destroy(&set[s]);
        }
    }
}

// ---- Late pages ---------------------------------------------------------------------------------

TEST(a_note_whose_page_is_late_fades_out_and_waits_and_continues) {
    scene_t scene = scene_open(usual_pages, usual_ahead, 50000, NULL);
    player_send(&scene.player, 0x90, 60, 127, start);
    player_render_to(&scene.player, start + head + 10000, 128);
    // The fade-out ends before the head does; how early depends on where blocks begin.
    const float *out = scene.player.stage.out[0];
    int64_t end = start + head - 1;
    while (out[end] == 0.0f) {
        end--;
    }
    EXPECT(end >= start + head - 2 * (128 + ramp) && end < start + head);
    const uint64_t played = (uint64_t)(end + 1 - start) + 1; // the last frame of the ramp is 0
    for (uint64_t i = 0; i < played - ramp; i++) {
        EXPECT(out[start + i] == scene.sound->frames[i]);
    }
    for (uint64_t i = played - ramp; i < played; i++) {
        const float gain = (float)(played - 1 - i) / ramp;
        EXPECT(fabsf(out[start + i] - scene.sound->frames[i] * gain) < 1e-6f);
    }
    EXPECT_EQUAL(first_other(out, start + played, scene.player.stage.nframes, 0.0f), -1);
    EXPECT_EQUAL(underruns(&scene), scene.player.stage.nframes - start - played);
    EXPECT_EQUAL(rcore_instrument_voices(scene.player.instrument), 1);

    // Continues at the next frame of the sound.
    serve(scene.player.stage.core, all);
    const uint64_t resumed = scene.player.stage.nframes;
    render_served(&scene.player, 20000, 128);
    out = scene.player.stage.out[0];
    for (uint64_t i = 0; i < 20000; i++) {
        const float gain = i + 1 < ramp ? (float)(i + 1) / ramp : 1.0f;
        EXPECT(fabsf(out[resumed + i] - scene.sound->frames[played + i] * gain) < 1e-6f);
    }
    EXPECT_EQUAL(underruns(&scene), resumed - start - played);
    scene_close(&scene);
}

static void fade_at_once(rcore_zone_t *zone) { zone->release_frames = 30000; }
static void decay_to_silence(rcore_zone_t *zone) {
    zone->decay_frames = 30000;
    zone->sustain = 0.0f;
}

TEST(a_note_that_waits_ends_when_it_is_released) {
    scene_t scene = scene_open(usual_pages, usual_ahead, 50000, fade_at_once);
    player_send(&scene.player, 0x90, 60, 127, start);
    player_render_to(&scene.player, head + 1000, 128);
    EXPECT_EQUAL(rcore_instrument_voices(scene.player.instrument), 1);
    player_send(&scene.player, 0x80, 60, 0, RCORE_NOW);
    stage_render(&scene.player.stage, 256, 128);
    EXPECT_EQUAL(rcore_instrument_voices(scene.player.instrument), 0);
    EXPECT_EQUAL(rcore_read_counters(scene.player.stage.core).playing_voices, 0);
    scene_close(&scene);
}

TEST(the_envelope_of_a_note_waits_with_it) {
    scene_t scene = scene_open(usual_pages, usual_ahead, 50000, decay_to_silence);
    player_send(&scene.player, 0x90, 60, 127, start);
    player_render_to(&scene.player, 60000, 128); // the decay would be over
    EXPECT_EQUAL(rcore_instrument_voices(scene.player.instrument), 1);
    const uint64_t waited = underruns(&scene);
    EXPECT(waited > 45000);
    serve(scene.player.stage.core, all);
    render_served(&scene.player, 10000, 128);
    EXPECT_EQUAL(rcore_instrument_voices(scene.player.instrument), 1);
    render_served(&scene.player, 20000, 128);
    EXPECT_EQUAL(rcore_instrument_voices(scene.player.instrument), 0);
    const float *out = scene.player.stage.out[0];
    EXPECT(first_other(out, 65000, 70000, 0.0f) >= 0);
    EXPECT_EQUAL(first_other(out, start + 30000 + waited + 256, scene.player.stage.nframes, 0.0f), -1);
    scene_close(&scene);
}

TEST(a_note_shorter_than_its_head_needs_no_page) {
    scene_t scene = scene_open(usual_pages, usual_ahead, 50000, NULL);
    player_send(&scene.player, 0x90, 60, 127, start);
    player_send(&scene.player, 0x80, 60, 127, 1000);
    player_render_to(&scene.player, 30000, 128);
    EXPECT_EQUAL(underruns(&scene), 0);
    EXPECT_EQUAL(rcore_instrument_voices(scene.player.instrument), 0);
    scene_close(&scene);
}

TEST(a_note_whose_page_cannot_be_read_fades_out_and_ends) {
    scene_t scene = scene_open(16, usual_ahead, 1000000, NULL);
    rcore_t *core = scene.player.stage.core;
    for (unsigned turn = 0; turn < 2; turn++) { // the second note tries again
        const uint64_t begin = scene.player.stage.nframes;
        player_send(&scene.player, 0x90, 60, 127, begin);
        unsigned failed = 0;
        while (scene.player.stage.nframes < begin + head + 5000) {
            rcore_page_request_t request;
            stage_render(&scene.player.stage, 128, 128);
            for (; rcore_next_page_request(core, &request); failed++) {
                rcore_complete_page_request(core, &request, NULL);
            }
        }
        EXPECT(failed > 0);
        EXPECT_EQUAL(rcore_instrument_voices(scene.player.instrument), 0);
        const float *out = scene.player.stage.out[0];
        EXPECT(first_other(out, begin + head - 1000, begin + head, 0.0f) >= 0);
        EXPECT_EQUAL(first_other(out, begin + head, scene.player.stage.nframes, 0.0f), -1);
        player_send(&scene.player, 0x80, 60, 127, RCORE_NOW);
        render_served(&scene.player, 2000, 128);
    }
    scene_close(&scene);
}

// ---- Clicks -------------------------------------------------------------------------------------

TEST(late_pages_do_not_click) {
    const uint64_t seed = random_seed(20261127);
    uint64_t missing = 0;
    for (uint64_t i = 0; i < 10; i++) {
        struct random random = random_seeded(seed + i);
        sound_t sound = {.frames = malloc(sizeof(float) * 192000), .nframes = 192000, .channels = 1};
        fill_sine(sound.frames, 192000, 20, 0, 0.5);
        sound.head = rcore_buffer_create_interleaved(1, head, sound.frames, NULL);
        stage_t stage = stage_with_pages(16, usual_ahead, 5000);
        sound_stream(&sound, &stage);
        rcore_zone_t zone = player_zone(sound.streamed);
        zone.attack_frames = 500;
        zone.loops = random_once_in(&random, 2);
        zone.loop_start = 24000; // loops of whole periods of the sine
        zone.loop_end = zone.loop_start + 2400 * (2 + random_below(&random, 50));
        rcore_instrument_config_t config = player_config();
        config.bend_range = 12.0f;
        player_t player = player_on(stage, &config, &zone, 1);
        player_send(&player, 0x90, 60, 127, start);
        for (unsigned turn = 0; turn < 1500; turn++) {
            stage_render(&player.stage, 1 + random_below(&random, 300), STAGE_CHANGING_PERIODS);
            serve(player.stage.core, random_once_in(&random, 60));
            if (random_once_in(&random, 10)) {
                player_send(&player, 0xE0, 0, (uint8_t)random_below(&random, 128), RCORE_NOW);
            }
        }
        const double step = 0.5 * 2 * 3.14159265 * 20 / STAGE_RATE * 2; // at the greatest speed
        // The speed rises by a factor of 4 at most, so a fade-out lasts for a quarter of its
        // frames.
        EXPECT(largest_step(player.stage.out[0], 0, player.stage.nframes) <
               (float)step * 1.1f + 0.5f / (ramp / 4 - 10));
        missing += rcore_read_counters(player.stage.core).underrun_frames;
        player_close(&player);
        sound_destroy(&sound);
    }
    EXPECT(missing > 10000);
}

/// Plays a sine whose pages come after a certain frame, and changes how it is played.
static void expect_no_click(void (*change)(rcore_zone_t *zone), uint8_t status, uint8_t value, uint64_t when,
                            double greatest_speed) {
    sound_t sound = {.frames = malloc(sizeof(float) * 192000), .nframes = 192000, .channels = 1};
    fill_sine(sound.frames, 192000, 100, 0, 0.5);
    sound.head = rcore_buffer_create_interleaved(1, head, sound.frames, NULL);
    stage_t stage = stage_with_pages(16, usual_ahead, 5000);
    sound_stream(&sound, &stage);
    rcore_zone_t zone = player_zone(sound.streamed);
    zone.release_frames = 50000;
    change(&zone);
    rcore_instrument_config_t config = player_config();
    config.bend_range = 24.0f;
    player_t player = player_on(stage, &config, &zone, 1);
    player_send(&player, 0x90, 60, 127, start);
    player_send(&player, status, 60, value, when);
    player_render_to(&player, start + head + 10000, 64);
    render_served(&player, 20000, 64);
    const double step = 0.5 * 2 * 3.14159265 * 100 / STAGE_RATE * greatest_speed;
    EXPECT(largest_step(player.stage.out[0], 0, player.stage.nframes) < (float)step * 1.05f + 0.5f / 60);
    player_close(&player);
    sound_destroy(&sound);
}

static void leave_keep(rcore_zone_t *zone) { (void)zone; }
static void leave_loop(rcore_zone_t *zone) {
    zone->loops = zone->leaves_loop = true;
    // Whole periods. Most of the tail is not in the head.
    zone->loop_start = head - 4800 - 120, zone->loop_end = head - 120;
}

TEST(a_faster_note_and_one_that_leaves_its_loop_do_not_click) {
    for (uint64_t early = 60; early < 500; early += 20) {
        expect_no_click(leave_keep, 0xE0, 127, start + head - early, 4.0);
        expect_no_click(leave_loop, 0x80, 127, start + head - early, 1.0);
    }
}

int main(void) {
    RUN(streamed_notes_have_the_samples_of_notes_in_memory);
    RUN(a_note_whose_page_is_late_fades_out_and_waits_and_continues);
    RUN(a_note_that_waits_ends_when_it_is_released);
    RUN(the_envelope_of_a_note_waits_with_it);
    RUN(a_note_shorter_than_its_head_needs_no_page);
    RUN(a_note_whose_page_cannot_be_read_fades_out_and_ends);
    RUN(late_pages_do_not_click);
    RUN(a_faster_note_and_one_that_leaves_its_loop_do_not_click);
    return test_result();
}
