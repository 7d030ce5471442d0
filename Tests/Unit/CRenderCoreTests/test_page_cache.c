// The page cache: what stays in it and what leaves it, and what it refuses.
#include "page_cache_stage.h"

TEST(pages_stay_for_the_next_note_and_leave_when_idle) {
    enum { idle = 30000 };
    scene_t scene = scene_open(usual_pages, usual_ahead, idle, NULL);
    player_t *player = &scene.player;
    rcore_t *core = player->stage.core;
    player_send(player, 0x90, 60, 127, RCORE_NOW);
    render_served(player, 40000, 480);
    player_send(player, 0x80, 60, 127, RCORE_NOW);
    render_served(player, 480, 480);
    const uint32_t pages = rcore_page_count(core);
    EXPECT(pages >= 3 && pages <= 5);
    EXPECT_EQUAL(rcore_buffer_users(scene.sound->streamed), 1);
    player_send(player, 0x90, 60, 127, RCORE_NOW); // its first page is there
    stage_render(&player->stage, 480, 480);
    EXPECT_EQUAL(serve(core, all), 0);
    player_send(player, 0x80, 60, 127, RCORE_NOW);
    render_served(player, idle, 480);
    EXPECT_EQUAL(rcore_buffer_users(scene.sound->streamed), 1);
    while (rcore_try_wait(core)) {
    }
    render_served(player, 480 * (usual_pages / 8 + 4), 480);
    EXPECT_EQUAL(rcore_page_count(core), 0);
    EXPECT_EQUAL(rcore_buffer_users(scene.sound->streamed), 0);
    EXPECT(rcore_try_wait(core)); // its owner is woken to release it
    scene_close(&scene);
}

TEST(requests_wake_control) {
    scene_t scene = scene_open(usual_pages, usual_ahead, 50000, NULL);
    while (rcore_try_wait(scene.player.stage.core)) {
    }
    player_render_to(&scene.player, 1000, 480);
    EXPECT(!rcore_try_wait(scene.player.stage.core));
    player_send(&scene.player, 0x90, 60, 127, RCORE_NOW);
    stage_render(&scene.player.stage, 480, 480);
    EXPECT(rcore_try_wait(scene.player.stage.core));
    scene_close(&scene);
}

enum { crowd = 12 };

/// Plays notes of different sounds, in a cache of 16 pages, and compares what is heard
/// of each with its sound. Returns the number of frames that were missing.
static uint64_t play_crowd(uint32_t channels, uint32_t notes_at_once) {
    const uint64_t nframes = 120000 / channels;
    sound_t set[crowd];
    rcore_zone_t zones[crowd];
    stage_t stage = stage_with_pages(16, usual_ahead, 1000000);
    for (uint32_t i = 0; i < crowd; i++) {
        set[i] = sound_create(channels, nframes, head, 100 + i);
        sound_stream(&set[i], &stage);
        zones[i] = player_zone(set[i].streamed);
        zones[i].low_key = zones[i].high_key = (uint8_t)(40 + i);
        zones[i].sample_rate = 0;
    }
    player_t player = player_on(stage, NULL, zones, crowd);
    for (uint32_t first = 0; first < crowd; first += notes_at_once) {
        const uint64_t begin = player.stage.nframes;
        for (uint32_t i = first; i < first + notes_at_once; i++) {
            player_send(&player, 0x90, (uint8_t)(40 + i), 127, begin);
        }
        render_served(&player, nframes, 480);
        for (uint64_t frame = 0; frame < nframes && rcore_read_counters(player.stage.core).underrun_frames == 0;
             frame++) {
            float sum = 0.0f;
            for (uint32_t i = first; i < first + notes_at_once; i++) {
                sum += set[i].frames[frame * channels];
            }
            EXPECT(fabsf(player.stage.out[0][begin + frame] - sum) < 1e-5f);
        }
        EXPECT(rcore_page_count(player.stage.core) <= 16);
    }
    const uint64_t missing = rcore_read_counters(player.stage.core).underrun_frames;
    render_served(&player, 2000000, 480); // those that waited play to their end
    EXPECT_EQUAL(rcore_instrument_voices(player.instrument), 0);
    player_close(&player);
    for (uint32_t i = 0; i < crowd; i++) {
        sound_destroy(&set[i]);
    }
    return missing;
}

TEST(pages_that_no_note_needs_make_room) {
    EXPECT_EQUAL(play_crowd(1, 1), 0);
    EXPECT_EQUAL(play_crowd(1, 4), 0); // each needs up to 3 pages
    EXPECT_EQUAL(play_crowd(2, 3), 0); // up to 4
    EXPECT(play_crowd(1, 12) > 0);
}

/// Plays a note that is slow at the border of two pages, one that is slow at the end of its loop,
/// and one that leaves its loop shortly before. Pages that no note needs leave the cache at once.
static player_t play_slowly(sound_t *sound, bool streamed) {
    rcore_config_t core = player_stage_config();
    core.steal_frames = 100;
    stage_t stage = stage_open(&core);
    const rcore_page_cache_config_t cache = {.pages = 16, .ahead_frames = 1, .idle_frames = 0};
    EXPECT_EQUAL(rcore_open_page_cache(stage.core, &cache), RCORE_OK);
    if (streamed) {
        sound_stream(sound, &stage);
    }
    rcore_zone_t zones[3];
    for (unsigned i = 0; i < 3; i++) {
        zones[i] = player_zone(streamed ? sound->streamed : sound->memory);
        zones[i].sample_rate = 0;
        zones[i].low_key = zones[i].high_key = (uint8_t)(60 + i);
    }
    zones[1].loops = true;
    zones[1].loop_start = 20000, zones[1].loop_end = second_page;
    zones[2] = zones[1];
    zones[2].loop_fade_frames = 100;
    zones[2].low_key = zones[2].high_key = 62;
    zones[2].leaves_loop = true;
    zones[2].release_frames = 10000;
    rcore_instrument_config_t config = player_config();
    config.bend_range = 48.0f; // down to a speed of 1/16, within 100 frames
    player_t player = player_on(stage, &config, zones, 3);
    player_send(&player, 0x90, 60, 127, 20);
    player_send(&player, 0xE0, 0, 0, 20 + first_page - 60);
    player_send(&player, 0x91, 61, 127, 20);
    player_send(&player, 0xE1, 0, 0, 20 + second_page - 150);
    player_send(&player, 0x92, 62, 127, 20);
    player_send(&player, 0x82, 62, 0, 20 + second_page - 110);
    render_served(&player, slow_frames, 4);
    return player;
}

TEST(slow_notes_keep_what_lies_behind_them) {
    sound_t sound = sound_create(1, 60000, head, 5);
    player_t memory = play_slowly(&sound, false);
    player_t streamed = play_slowly(&sound, true);
    expect_same(&streamed, &memory, slow_frames);
    EXPECT_EQUAL(rcore_read_counters(streamed.stage.core).underrun_frames, 0);
    player_close(&memory);
    player_close(&streamed);
    sound_destroy(&sound);
}

static void loop_whole(rcore_zone_t *zone) {
    zone->loops = true;
    zone->loop_start = 20000, zone->loop_end = second_page;
    zone->loop_fade_frames = 1000;
}

TEST(the_frames_of_a_crossfade_can_be_late) {
    scene_t scene = scene_open(16, 5000, 0, loop_whole);
    player_send(&scene.player, 0x90, 60, 127, start);
    render_served(&scene.player, 19000, 480);
    // Their page has left the cache, and is not read.
    while (scene.player.stage.nframes < start + 30000) {
        rcore_page_request_t request;
        stage_render(&scene.player.stage, 480, 480);
        while (rcore_next_page_request(scene.player.stage.core, &request)) {
            if (request.first_frame != head) {
                const float *frames = scene.sound->frames + request.first_frame;
                rcore_complete_page_request(scene.player.stage.core, &request, frames);
            }
        }
    }
    stage_render(&scene.player.stage, 30000, 480);
    const float *out = scene.player.stage.out[0];
    EXPECT_EQUAL(first_other(out, start + second_page - 1000, scene.player.stage.nframes, 0.0f), -1);
    EXPECT(out[start + second_page - 1000 - 2 * (256 + ramp)] ==
           scene.sound->frames[second_page - 1000 - 2 * (256 + ramp)]);
    EXPECT(underruns(&scene) > 0);
    scene_close(&scene);
}

TEST(a_page_that_is_being_read_keeps_its_slot) {
    sound_t set[2] = {sound_create(1, 40000, head, 1), sound_create(1, 400000, head, 2)};
    stage_t stage = stage_with_pages(16, usual_ahead, 1000000);
    rcore_zone_t zones[2];
    for (unsigned i = 0; i < 2; i++) {
        sound_stream(&set[i], &stage);
        zones[i] = player_zone(set[i].streamed);
        zones[i].low_key = zones[i].high_key = (uint8_t)(60 + i);
        zones[i].loops = true;
    }
    player_t player = player_on(stage, NULL, zones, 2);
    player_send(&player, 0x90, 60, 127, RCORE_NOW);
    stage_render(&player.stage, 480, 480);
    rcore_page_request_t first;
    EXPECT(rcore_next_page_request(stage.core, &first));
    player_send(&player, 0x80, 60, 127, RCORE_NOW);
    player_send(&player, 0x90, 61, 127, RCORE_NOW);
    for (unsigned turn = 0; turn < 4000; turn++) { // reads 24 pages several times
        rcore_page_request_t other;
        stage_render(&player.stage, 480, 480);
        while (rcore_next_page_request(stage.core, &other)) {
            const sound_t *sound = other.context;
            EXPECT(other.slot != first.slot);
            rcore_complete_page_request(stage.core, &other, sound->frames + other.first_frame);
        }
    }
    EXPECT_EQUAL(rcore_read_counters(stage.core).underrun_frames, 0);
    EXPECT_EQUAL(rcore_page_count(stage.core), 16);
    EXPECT_EQUAL(rcore_buffer_users(set[0].streamed), 1);
    player_close(&player);
    sound_destroy(&set[0]);
    sound_destroy(&set[1]);
}

TEST(a_suspended_note_keeps_its_pages) {
    scene_t scene = scene_open(16, usual_ahead, 1000, NULL);
    player_t *player = &scene.player;
    player_send(player, 0x90, 60, 127, start);
    render_served(player, 50000 - player->stage.nframes, 480);
    stage_grant(&player->stage, (sgate_grant_t){.paused = true});
    render_served(player, 60000, 480);
    EXPECT(rcore_page_count(player->stage.core) >= 2);
    stage_grant(&player->stage, (sgate_grant_t){.paused = false});
    stage_render(&player->stage, 20000, 480); // no page comes
    const int64_t resumed = first_other(player->stage.out[0], 51000, player->stage.nframes, 0.0f);
    EXPECT(resumed >= 110000 - 480 && resumed <= 110480);
    EXPECT_EQUAL(underruns(&scene), 0);
    scene_close(&scene);
}

// ---- Cycles without frames, and requests that no note needs -------------------------------------

TEST(cycles_without_frames_and_skipped_time_remove_no_page) {
    scene_t scene = scene_open(usual_pages, usual_ahead, 0, NULL);
    player_t *player = &scene.player;
    player_send(player, 0x90, 60, 127, start);
    render_served(player, 30000 - player->stage.nframes, 480);
    const uint32_t pages = rcore_page_count(player->stage.core);
    EXPECT(pages > 0);
    rcore_skip(player->stage.core, 200000);
    for (unsigned turn = 0; turn < 100; turn++) {
        rcore_process(player->stage.core, NULL, 0, NULL, 0, 0);
    }
    EXPECT_EQUAL(rcore_page_count(player->stage.core), pages);
    stage_render(&player->stage, 10000, 480);
    for (uint64_t frame = 29000; frame < 40000; frame++) {
        EXPECT(player->stage.out[0][frame] == scene.sound->frames[frame - start]);
    }
    EXPECT_EQUAL(underruns(&scene), 0);
    scene_close(&scene);
}

TEST(a_request_that_no_note_needs_any_longer_is_left_out) {
    scene_t scene = scene_open(usual_pages, usual_ahead, 50000, NULL);
    player_t *player = &scene.player;
    rcore_page_request_t request;
    player_send(player, 0x90, 60, 127, RCORE_NOW);
    stage_render(&player->stage, 480, 480);
    player_send(player, 0x80, 60, 127, RCORE_NOW);
    stage_render(&player->stage, 480 * 60, 480);
    EXPECT(rcore_page_count(player->stage.core) > 0);
    EXPECT(!rcore_next_page_request(player->stage.core, &request));
    stage_render(&player->stage, 480, 480);
    EXPECT_EQUAL(rcore_page_count(player->stage.core), 0);
    EXPECT_EQUAL(rcore_buffer_users(scene.sound->streamed), 0);
    player_send(player, 0x90, 60, 127, RCORE_NOW);
    stage_render(&player->stage, 480, 480);
    EXPECT(rcore_next_page_request(player->stage.core, &request));
    scene_close(&scene);
}

// ---- Arguments ----------------------------------------------------------------------------------

TEST(bad_arguments_are_refused) {
    stage_t stage = stage_open(NULL);
    sound_t sound = sound_create(1, 20000, head, 1);
    rcore_status_t status = RCORE_OK;
    EXPECT(rcore_buffer_create_streamed(stage.core, sound.head, 20000, NULL, &status) == NULL);
    EXPECT_EQUAL(status, RCORE_BAD_ARGUMENT); // no cache
    rcore_page_cache_config_t config = rcore_page_cache_config_default();
    EXPECT_EQUAL(rcore_open_page_cache(stage.core, NULL), RCORE_BAD_ARGUMENT);
    config.pages = 15;
    EXPECT_EQUAL(rcore_open_page_cache(stage.core, &config), RCORE_BAD_ARGUMENT);
    config.pages = (1u << 20) + 1;
    EXPECT_EQUAL(rcore_open_page_cache(stage.core, &config), RCORE_BAD_ARGUMENT);
    config.pages = 16, config.ahead_frames = 0;
    EXPECT_EQUAL(rcore_open_page_cache(stage.core, &config), RCORE_BAD_ARGUMENT);
    config.ahead_frames = (1u << 24) + 1;
    EXPECT_EQUAL(rcore_open_page_cache(stage.core, &config), RCORE_BAD_ARGUMENT);
    config.ahead_frames = 1;
    EXPECT_EQUAL(rcore_open_page_cache(stage.core, &config), RCORE_OK);
    EXPECT_EQUAL(rcore_open_page_cache(stage.core, &config), RCORE_FULL);
    EXPECT(!rcore_next_page_request(stage.core, &(rcore_page_request_t){0}));

    EXPECT(rcore_buffer_create_streamed(stage.core, NULL, 20000, NULL, NULL) == NULL);
    EXPECT(rcore_buffer_create_streamed(stage.core, sound.head, head, NULL, NULL) == NULL);
    EXPECT(rcore_buffer_create_streamed(stage.core, sound.head, (UINT64_C(1) << 32) + 1, NULL, NULL) == NULL);
    sound_stream(&sound, &stage);
    EXPECT(rcore_buffer_create_streamed(stage.core, sound.streamed, 30000, NULL, NULL) == NULL);
    const float silence[9] = {0};
    rcore_buffer_t *wide = rcore_buffer_create_interleaved(9, 1, silence, NULL);
    EXPECT(rcore_buffer_create_streamed(stage.core, wide, 1000, NULL, NULL) == NULL);
    rcore_buffer_release(wide);

    // Only zones play it, of instruments of its own core, from the head on.
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = sound.streamed;
    EXPECT_EQUAL(rcore_post_start(stage.queue, rcore_voice_acquire(stage.core), &params, RCORE_NOW),
                 RCORE_BAD_ARGUMENT);
    rcore_zone_t zone = player_zone(sound.streamed);
    const rcore_instrument_config_t usual = player_config();
    stage_t other = stage_with_pages(16, usual_ahead, 1000);
    EXPECT(rcore_instrument_create(other.core, &usual, &zone, 1, NULL) == NULL);
    zone.start_frame = head;
    EXPECT(rcore_instrument_create(stage.core, &usual, &zone, 1, NULL) == NULL);
    zone.start_frame = head - 1;
    rcore_instrument_t *instrument = rcore_instrument_create(stage.core, &usual, &zone, 1, NULL);
    EXPECT(instrument != NULL);
    rcore_instrument_destroy(instrument);
    stage_close(&other);
    stage_close(&stage);
    sound_destroy(&sound);
}

TEST(invalid_samples_are_silence) {
    scene_t scene = scene_open(16, usual_ahead, 1000, NULL);
    rcore_t *core = scene.player.stage.core;
    player_send(&scene.player, 0x90, 60, 127, start);
    stage_render(&scene.player.stage, 480, 480);
    rcore_page_request_t request;
    EXPECT(rcore_next_page_request(core, &request));
    EXPECT_EQUAL(request.first_frame, head);
    EXPECT_EQUAL(request.nframes, RCORE_PAGE_SAMPLES);
    float *frames = calloc(request.nframes, sizeof(float));
    frames[0] = 0.5f, frames[1] = NAN, frames[2] = INFINITY, frames[3] = 0.25f;
    rcore_complete_page_request(core, &request, frames);
    free(frames);
    player_render_to(&scene.player, start + head + 5000, 480);
    const float *out = scene.player.stage.out[0] + start + head;
    EXPECT(out[0] == 0.5f && out[1] == 0.0f && out[2] == 0.0f && out[3] == 0.25f);
    EXPECT_EQUAL(first_other(out, 4, 4000, 0.0f), -1);
    EXPECT_EQUAL(rcore_read_counters(core).nonfinite_samples, 0);
    EXPECT_EQUAL(underruns(&scene), 0);
    scene_close(&scene);
}

int main(void) {
    RUN(pages_stay_for_the_next_note_and_leave_when_idle);
    RUN(requests_wake_control);
    RUN(pages_that_no_note_needs_make_room);
    RUN(slow_notes_keep_what_lies_behind_them);
    RUN(the_frames_of_a_crossfade_can_be_late);
    RUN(a_page_that_is_being_read_keeps_its_slot);
    RUN(a_suspended_note_keeps_its_pages);
    RUN(cycles_without_frames_and_skipped_time_remove_no_page);
    RUN(a_request_that_no_note_needs_any_longer_is_left_out);
    RUN(bad_arguments_are_refused);
    RUN(invalid_samples_are_silence);
    return test_result();
}
