// More notes than the cache has room for, and pages that come at any time.
#include "page_cache_stage.h"

#include <pthread.h>

TEST(notes_that_wait_for_the_pages_of_each_other_end_one_by_one) {
    enum { notes = 24 };
    sound_t set[notes];
    rcore_zone_t zones[notes];
    stage_t stage = stage_with_pages(16, usual_ahead, 1000);
    for (uint32_t i = 0; i < notes; i++) {
        set[i] = sound_create(1, 60000, head, i);
        sound_stream(&set[i], &stage);
        zones[i] = player_zone(set[i].streamed);
        zones[i].low_key = zones[i].high_key = (uint8_t)(40 + i);
        zones[i].one_shot = true;
    }
    player_t player = player_on(stage, NULL, zones, notes);
    for (uint32_t i = 0; i < notes; i++) {
        player_send(&player, 0x90, (uint8_t)(40 + i), 127, start);
    }
    render_served(&player, 400000, 480);
    const rcore_counters_t counters = rcore_read_counters(player.stage.core);
    EXPECT_EQUAL(rcore_instrument_voices(player.instrument), 0);
    // The others played to their ends.
    EXPECT(counters.stolen_voices > 0 && counters.stolen_voices < notes - 3);
    EXPECT_EQUAL(rcore_page_count(player.stage.core), 0);
    player_close(&player);
    for (uint32_t i = 0; i < notes; i++) {
        sound_destroy(&set[i]);
    }
}

TEST(notes_read_less_far_ahead_before_others_wait) {
    enum { notes = 6 };
    sound_t set[notes];
    rcore_zone_t zones[notes];
    stage_t stage = stage_with_pages(16, usual_ahead, 1000);
    for (uint32_t i = 0; i < notes; i++) {
        set[i] = sound_create(2, 300000, head, i);
        sound_stream(&set[i], &stage);
        zones[i] = player_zone(set[i].streamed);
        zones[i].low_key = zones[i].high_key = (uint8_t)(40 + i);
    }
    player_t player = player_on(stage, NULL, zones, notes);
    for (uint32_t i = 0; i < notes; i++) {
        player_send(&player, 0x90, (uint8_t)(40 + i), 127, start + 30000 * i);
    }
    render_served(&player, 500000, 480);
    EXPECT_EQUAL(rcore_read_counters(player.stage.core).underrun_frames, 0);
    EXPECT_EQUAL(rcore_read_counters(player.stage.core).stolen_voices, 0);
    player_close(&player);
    for (uint32_t i = 0; i < notes; i++) {
        sound_destroy(&set[i]);
    }
}

TEST(a_note_that_needs_more_than_the_cache_fades_out_and_ends) {
    sound_t sound = {.frames = calloc(8 * 2000000, sizeof(float)), .nframes = 2000000, .channels = 8};
    for (uint64_t i = 0; i < sound.nframes; i++) {
        sound.frames[8 * i] = 0.5f;
    }
    sound.head = rcore_buffer_create_interleaved(8, 140000, sound.frames, NULL);
    rcore_config_t core = player_stage_config();
    core.block_frames = 4096;
    stage_t stage = stage_open(&core);
    const rcore_page_cache_config_t cache = {.pages = 64, .ahead_frames = 4096, .idle_frames = 1000};
    EXPECT_EQUAL(rcore_open_page_cache(stage.core, &cache), RCORE_OK);
    sound_stream(&sound, &stage);
    rcore_zone_t zone = player_zone(sound.streamed);
    zone.tuning = 4800.0f; // blocks of 65,536 frames: 32 pages, and the fade-out
    zone.attack_frames = 1000;
    player_t player = player_on(stage, NULL, &zone, 1);
    player_send(&player, 0x90, 60, 127, start);
    render_served(&player, 40960, 4096);
    EXPECT_EQUAL(rcore_instrument_voices(player.instrument), 0);
    EXPECT_EQUAL(rcore_read_counters(player.stage.core).stolen_voices, 1);
    EXPECT(largest_step(player.stage.out[0], 0, player.stage.nframes) < 0.5f / 200);
    player_close(&player);
    sound_destroy(&sound);
}

TEST(a_crossfade_may_be_larger_than_the_cache) {
    enum { sound_frames = 1000000, fade_frames = 400000, nframes = 1500000 };
    sound_t sound = sound_create(1, sound_frames, head, 9);
    player_t players[2];
    for (unsigned streamed = 0; streamed < 2; streamed++) {
        stage_t stage = stage_with_pages(16, usual_ahead, 1000);
        if (streamed) {
            sound_stream(&sound, &stage);
        }
        rcore_zone_t zone = player_zone(streamed ? sound.streamed : sound.memory);
        zone.loops = true;
        zone.loop_start = 450000, zone.loop_end = 950000;
        zone.loop_fade_frames = fade_frames;
        players[streamed] = player_on(stage, NULL, &zone, 1);
        player_send(&players[streamed], 0x90, 60, 127, start);
        render_served(&players[streamed], nframes, 480);
    }
    expect_same(&players[1], &players[0], nframes);
    EXPECT_EQUAL(rcore_read_counters(players[1].stage.core).underrun_frames, 0);
    player_close(&players[0]);
    player_close(&players[1]);
    sound_destroy(&sound);
}

TEST(long_blocks_and_high_speeds_have_their_pages) {
    enum { nframes = 200000 };
    sound_t sound = sound_create(8, 2000000, 140000, 11);
    player_t players[2];
    for (unsigned streamed = 0; streamed < 2; streamed++) {
        rcore_config_t core = player_stage_config();
        core.block_frames = 4096;
        stage_t stage = stage_open(&core);
        const rcore_page_cache_config_t cache = {.pages = 256, .ahead_frames = 4096, .idle_frames = 1000};
        EXPECT_EQUAL(rcore_open_page_cache(stage.core, &cache), RCORE_OK);
        if (streamed) {
            sound_stream(&sound, &stage);
        }
        rcore_zone_t zone = player_zone(streamed ? sound.streamed : sound.memory);
        zone.tuning = 4800.0f; // 16
        zone.loops = true;
        zone.loop_start = 100000, zone.loop_end = 1900000;
        players[streamed] = player_on(stage, NULL, &zone, 1);
        player_send(&players[streamed], 0x90, 60, 127, start);
        render_served(&players[streamed], nframes, 4096);
    }
    expect_same(&players[1], &players[0], nframes);
    EXPECT_EQUAL(rcore_read_counters(players[1].stage.core).underrun_frames, 0);
    player_close(&players[0]);
    player_close(&players[1]);
    sound_destroy(&sound);
}

// ---- Random delays ------------------------------------------------------------------------------

enum { to_serve = 60 };

struct reader {
    rcore_t *core;
    _Atomic(unsigned) served;
};

static void *read_pages(void *argument) {
    struct reader *reader = argument;
    while (reader->served < to_serve) {
        rcore_wait(reader->core);
        reader->served += serve(reader->core, all);
    }
    return NULL;
}

TEST(another_thread_reads_the_pages) {
    sound_t sound = sound_create(2, 1000000, head, 3);
    stage_t stage = stage_with_pages(16, usual_ahead, 1000);
    sound_stream(&sound, &stage);
    rcore_zone_t zone = player_zone(sound.streamed);
    zone.loops = true;
    player_t player = player_on(stage, NULL, &zone, 1);
    struct reader reader = {.core = player.stage.core};
    pthread_t thread;
    EXPECT_EQUAL(pthread_create(&thread, NULL, read_pages, &reader), 0);
    player_send(&player, 0x90, 60, 127, RCORE_NOW);
    while (reader.served < to_serve) {
        stage_render(&player.stage, 480, 480);
        player.stage.nframes = 0; // the output is not compared
    }
    EXPECT_EQUAL(pthread_join(thread, NULL), 0);
    EXPECT(rcore_page_count(player.stage.core) <= 16);
    player_close(&player);
    sound_destroy(&sound);
}

static void play_with_delays(uint64_t seed) {
    struct random random = random_seeded(seed);
    sound_t set[sounds];
    rcore_zone_t zones[zone_count];
    stage_t stage = stage_with_pages(16 + random_below(&random, 20), usual_ahead, random_below(&random, 5000));
    for (uint32_t i = 0; i < sounds; i++) {
        set[i] = sound_create(1 + i, head + 1 + random_below(&random, 60000), head, seed + i);
        sound_stream(&set[i], &stage);
    }
    for (unsigned i = 0; i < zone_count; i++) {
        sound_t *sound = &set[random_below(&random, sounds)];
        zones[i] = random_zone(&random, sound);
        zones[i].buffer = sound->streamed;
    }
    player_t player = player_on(stage, NULL, zones, zone_count);
    for (unsigned round = 0; round < 4; round++) {
        send_random(&player, &random);
        const uint64_t end = player.stage.nframes + scene_frames / 4;
        while (player.stage.nframes < end) {
            stage_render(&player.stage, 1 + random_below(&random, 1000), 1 + random_below(&random, 700));
            serve(player.stage.core, random_below(&random, 3));
            if (random_once_in(&random, 20)) {
                stage_grant(&player.stage, (sgate_grant_t){.paused = random_once_in(&random, 3), .ramp_ms = 2});
            }
        }
    }
    stage_grant(&player.stage, (sgate_grant_t){.paused = false});
    player_send(&player, 0xB0, 64, 0, RCORE_NOW);
    for (uint8_t key = 0; key < 128; key++) {
        player_send(&player, 0x80, key, 0, RCORE_NOW);
    }
    render_served(&player, 2000000, 1000);
    EXPECT_EQUAL(rcore_instrument_voices(player.instrument), 0);
    EXPECT_EQUAL(rcore_page_count(player.stage.core), 0);
    uint64_t loud = 0;
    for (uint64_t i = 0; i < player.stage.nframes; i++) {
        loud += !(fabsf(player.stage.out[0][i]) < 40.0f);
    }
    EXPECT_EQUAL(loud, 0);
    for (uint32_t i = 0; i < sounds; i++) {
        EXPECT_EQUAL(rcore_buffer_users(set[i].streamed), 0);
    }
    player_close(&player);
    for (uint32_t i = 0; i < sounds; i++) {
        sound_destroy(&set[i]);
    }
}

TEST(random_delays_do_no_harm) {
    const uint64_t seed = random_seed(20261127);
    for (uint64_t i = 0; i < 8; i++) {
        play_with_delays(seed + i);
    }
}

int main(void) {
    RUN(notes_that_wait_for_the_pages_of_each_other_end_one_by_one);
    RUN(notes_read_less_far_ahead_before_others_wait);
    RUN(a_note_that_needs_more_than_the_cache_fades_out_and_ends);
    RUN(a_crossfade_may_be_larger_than_the_cache);
    RUN(long_blocks_and_high_speeds_have_their_pages);
    RUN(another_thread_reads_the_pages);
    RUN(random_delays_do_no_harm);
    return test_result();
}
