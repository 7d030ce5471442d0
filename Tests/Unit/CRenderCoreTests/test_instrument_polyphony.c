// Which zones and notes play, and which end: round robin, chokes, stealing and missed notes.
#include "expect.h"
#include "instrument_stage.h"

TEST(round_robin_takes_turns) {
    rcore_buffer_t *buffers[] = {constant_buffer(10, 0.25f), constant_buffer(10, 0.5f), constant_buffer(10, 1.0f)};
    rcore_zone_t zones[3];
    for (uint8_t i = 0; i < 3; i++) {
        zones[i] = player_zone(buffers[i]);
        zones[i].sequence_length = 3;
        zones[i].sequence_position = i + 1;
    }
    zones[2].high_key = 60; // counts only the notes in its range
    player_t player = player_open(NULL, NULL, zones, 3);
    const uint8_t keys[] = {60, 60, 60, 60, 61, 61, 60, 60};
    const float expected[] = {0.25f, 0.5f, 1.0f, 0.25f, 0.5f, 0.0f, 0.25f, 0.5f + 1.0f};
    for (unsigned i = 0; i < 8; i++) {
        player_send(&player, 0x90, keys[i], 100, 100 + 50 * i);
        player_send(&player, 0x80, keys[i], 0, 130 + 50 * i);
    }
    player_render_to(&player, 600, 64);
    for (unsigned i = 0; i < 8; i++) {
        EXPECT_NEAR(player_at(&player, 105 + 50 * i), expected[i], 0);
    }
    player_close(&player);
    for (unsigned i = 0; i < 3; i++) {
        rcore_buffer_release(buffers[i]);
    }
}

/// A closed hi-hat (group 1) ends an open one within its choke frames; notes of one message do not
/// choke each other, and a choked note has no release.
TEST(a_group_chokes_another) {
    rcore_buffer_t *open = constant_buffer(20000, 0.5f), *closed = constant_buffer(100, 0.25f);
    rcore_buffer_t *click = constant_buffer(20000, 0.125f);
    rcore_zone_t zones[] = {player_zone(open), player_zone(open), player_zone(closed), player_zone(click)};
    zones[0].low_key = zones[0].high_key = 46;
    zones[0].choked_by = 7, zones[0].choke_frames = 40;
    zones[1].low_key = zones[1].high_key = 42; // starts with the closed one, and survives it
    zones[1].choked_by = 7;
    zones[2].low_key = zones[2].high_key = 42;
    zones[2].group = 7, zones[2].choked_by = 7;
    zones[3].low_key = zones[3].high_key = 46;
    zones[3].trigger = RCORE_ZONE_RELEASE;
    player_t player = player_open(NULL, NULL, zones, 4);
    player_send(&player, 0x90, 46, 100, 100);
    player_send(&player, 0x95, 42, 100, 500); // groups belong to the instrument, not to a channel
    player_send(&player, 0x80, 46, 0, 1000);  // nothing is left to release
    player_render_to(&player, 2000, 64);
    EXPECT_EQUAL(first_other(player.stage.out[0], 100, 500, 0.5f), -1);
    for (unsigned i = 0; i < 40; i++) {
        EXPECT_NEAR(player_at(&player, 500 + i), 0.75 + 0.5 * (1.0 - (i + 1.0) / 40), 1e-5);
    }
    EXPECT_EQUAL(first_other(player.stage.out[0], 540, 600, 0.75f), -1);
    EXPECT_EQUAL(first_other(player.stage.out[0], 600, 2000, 0.5f), -1);
    player_close(&player);
    rcore_buffer_release(open);
    rcore_buffer_release(closed);
    rcore_buffer_release(click);
}

// Of four notes, the released one is stolen first although it is not the oldest, then the oldest. A
// one-shot counts as released, although it plays on.
static void expect_thefts(bool one_shot) {
    rcore_buffer_t *buffers[6];
    rcore_zone_t zones[6];
    for (uint8_t i = 0; i < 6; i++) {
        buffers[i] = constant_buffer(20000, 1.0f / (float)(1u << (i + 1)));
        zones[i] = player_zone(buffers[i]);
        zones[i].low_key = zones[i].high_key = 60 + i;
        zones[i].release_frames = 100000;
        zones[i].one_shot = one_shot && i == 2;
    }
    rcore_config_t core = player_stage_config();
    core.steal_frames = 10;
    rcore_instrument_config_t config = player_config();
    config.max_notes = 4;
    player_t player = player_open(&core, &config, zones, 6);
    for (uint8_t i = 0; i < 4; i++) {
        player_send(&player, 0x90, 60 + i, 100, 100 + i);
    }
    player_send(&player, 0x80, 62, 0, 200);
    player_send(&player, 0x90, 64, 100, 1000);
    player_send(&player, 0x90, 65, 100, 2000);
    player_render_to(&player, 3000, 64);
    EXPECT_NEAR(player_at(&player, 150), 0.5 + 0.25 + 0.125 + 0.0625, 0);
    EXPECT_NEAR(player_at(&player, 1004), 0.5 + 0.25 + 0.0625 + 0.03125 + 0.125 / 2, 0.001);
    EXPECT_NEAR(player_at(&player, 1009), 0.5 + 0.25 + 0.0625 + 0.03125, 1e-6);
    EXPECT_EQUAL(first_other(player.stage.out[0], 1010, 2000, 0.5f + 0.25f + 0.0625f + 0.03125f), -1);
    EXPECT_EQUAL(first_other(player.stage.out[0], 2010, 3000, 0.25f + 0.0625f + 0.03125f + 0.015625f), -1);
    EXPECT_EQUAL(rcore_instrument_voices(player.instrument), 4);
    EXPECT_EQUAL(rcore_instrument_missed_notes(player.instrument), 0);
    player_close(&player);
    for (unsigned i = 0; i < 6; i++) {
        rcore_buffer_release(buffers[i]);
    }
}

TEST(notes_are_stolen_in_order) {
    expect_thefts(false);
    expect_thefts(true);
}

/// A note that ended by itself leaves its place to another, in the same cycle.
TEST(ended_notes_are_not_stolen) {
    rcore_buffer_t *brief = constant_buffer(100, 0.25f), *lasting = constant_buffer(20000, 0.5f);
    rcore_zone_t zones[] = {player_zone(lasting), player_zone(brief)};
    zones[0].high_key = 60;
    zones[1].low_key = 61;
    rcore_instrument_config_t config = player_config();
    config.max_notes = 2;
    player_t player = player_open(NULL, &config, zones, 2);
    player_send(&player, 0x90, 60, 100, 100);
    player_send(&player, 0x90, 61, 100, 110);
    player_send(&player, 0x90, 62, 100, 500);
    player_render_to(&player, 8192, 8176);
    EXPECT_EQUAL(first_other(player.stage.out[0], 210, 500, 0.5f), -1);
    EXPECT_EQUAL(first_other(player.stage.out[0], 500, 600, 0.75f), -1);
    EXPECT_EQUAL(first_other(player.stage.out[0], 600, 8192, 0.5f), -1);
    stage_render(&player.stage, 1, 1);
    EXPECT_EQUAL(rcore_instrument_voices(player.instrument), 1);
    player_close(&player);
    rcore_buffer_release(brief);
    rcore_buffer_release(lasting);
}

TEST(an_empty_pool_misses_notes) {
    rcore_buffer_t *buffer = constant_buffer(20000, 0.5f);
    const rcore_zone_t zones[] = {player_zone(buffer), player_zone(buffer)};
    player_t player = player_open(NULL, NULL, zones, 2);
    for (unsigned i = 0; i < 31; i++) {
        EXPECT(rcore_voice_acquire(player.stage.core) != 0);
    }
    player_send(&player, 0x90, 60, 100, 100);
    player_send(&player, 0x90, 61, 100, 200);
    player_render_to(&player, 1000, 64);
    EXPECT_EQUAL(first_other(player.stage.out[0], 100, 1000, 0.5f), -1);
    EXPECT_EQUAL(rcore_instrument_missed_notes(player.instrument), 2);
    EXPECT_EQUAL(rcore_instrument_voices(player.instrument), 1);
    player_close(&player);
    rcore_buffer_release(buffer);
}

/// The zones of one note do not steal each other's voices. A missed one leaves no voice acquired.
TEST(a_note_does_not_steal_from_itself) {
    rcore_buffer_t *first = constant_buffer(20000, 0.5f), *second = constant_buffer(20000, 0.25f);
    const rcore_zone_t zones[] = {player_zone(first), player_zone(second)};
    rcore_instrument_config_t config = player_config();
    config.max_notes = 1;
    player_t player = player_open(NULL, &config, zones, 2);
    for (unsigned i = 0; i < 100; i++) {
        player_send(&player, 0x90, 60, 100, 100 + 1000 * i);
        player_render_to(&player, 1000 + 1000 * i, 64);
        EXPECT_EQUAL(first_other(player.stage.out[0], 500 + 1000 * i, 1000 + 1000 * i, 0.5f), -1);
    }
    EXPECT_EQUAL(rcore_instrument_missed_notes(player.instrument), 100);
    EXPECT_EQUAL(rcore_buffer_users(first), 1);
    for (unsigned i = 0; i < 31; i++) {
        EXPECT(rcore_voice_acquire(player.stage.core) != 0);
    }
    player_close(&player);
    rcore_buffer_release(first);
    rcore_buffer_release(second);
}

/// A voice that the core refuses, because voices of higher priority play, is a missed note.
TEST(a_refused_note_is_missed) {
    rcore_buffer_t *buffer = constant_buffer(20000, 0.5f);
    const rcore_zone_t zone = player_zone(buffer);
    rcore_config_t core = player_stage_config();
    core.max_playing = 1;
    player_t player = player_open(&core, NULL, &zone, 1);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.priority = 9;
    stage_start(&player.stage, &params, 50);
    player_send(&player, 0x90, 60, 100, 100);
    player_render_to(&player, 1000, 64);
    EXPECT_EQUAL(first_other(player.stage.out[0], 50, 1000, 0.5f), -1);
    EXPECT_EQUAL(rcore_instrument_missed_notes(player.instrument), 1);
    EXPECT_EQUAL(rcore_instrument_voices(player.instrument), 0);
    EXPECT_EQUAL(rcore_buffer_users(buffer), 1);
    player_close(&player);
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(round_robin_takes_turns);
    RUN(a_group_chokes_another);
    RUN(notes_are_stolen_in_order);
    RUN(ended_notes_are_not_stolen);
    RUN(an_empty_pool_misses_notes);
    RUN(a_note_does_not_steal_from_itself);
    RUN(a_refused_note_is_missed);
    return test_result();
}
