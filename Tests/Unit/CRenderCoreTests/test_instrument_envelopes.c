// Envelopes of notes, their releases, and release zones.
#include "expect.h"
#include "instrument_stage.h"

static const uint32_t periods[] = {1, 64, 1000, 8192, STAGE_CHANGING_PERIODS};
enum { nperiods = sizeof periods / sizeof periods[0] };

static rcore_zone_t envelope_zone(const rcore_buffer_t *buffer) {
    rcore_zone_t zone = player_zone(buffer);
    zone.attack_frames = 100;
    zone.hold_frames = 300;
    zone.decay_frames = 200;
    zone.sustain = 0.25f;
    zone.release_frames = 50;
    return zone;
}

/// Returns the level of `envelope_zone` at a frame of the note, each part `scale` times as long.
static double level_at(uint64_t frame, double scale) {
    const double at = (double)frame + 1;
    if (at < 100 * scale) {
        return at / (100 * scale);
    }
    return at <= 400 * scale ? 1.0 : at <= 600 * scale ? 1.0 - 0.75 * (at - 400 * scale) / (200 * scale) : 0.25;
}

TEST(an_envelope_is_exact_to_the_frame) {
    rcore_buffer_t *buffer = constant_buffer(60000, 1.0f);
    for (unsigned p = 0; p < nperiods; p++) {
        for (unsigned rate = 0; rate < 3; rate++) {
            const uint32_t rates[] = {48000, 24000, 96000};
            const double scale = 48000.0 / rates[rate];
            rcore_zone_t zone = envelope_zone(buffer);
            zone.sample_rate = rates[rate];
            player_t player = player_open(NULL, NULL, &zone, 1);
            player_send(&player, 0x90, 60, 100, 123);
            player_send(&player, 0x80, 60, 0, 3001);
            player_render_to(&player, 4000, periods[p]);
            // At another rate, the first frames are interpolated with the silence before them.
            for (uint64_t i = rate == 0 ? 0 : 4; i < 3001 - 123; i++) {
                EXPECT_NEAR(player_at(&player, 123 + i), level_at(i, scale), 1e-5);
            }
            for (unsigned i = 0; i < 50 * scale; i++) {
                EXPECT_NEAR(player_at(&player, 3001 + i), 0.25 * (1 - (i + 1) / (50 * scale)), 1e-5);
            }
            EXPECT_EQUAL(first_other(player.stage.out[0], 3001 + (uint64_t)(50 * scale), 4000, 0.0f), -1);
            player_close(&player);
        }
    }
    rcore_buffer_release(buffer);
}

/// Released in each part of the envelope: from the current level to 0, and no decay follows.
TEST(a_release_begins_at_the_current_level) {
    rcore_buffer_t *buffer = constant_buffer(60000, 1.0f);
    const rcore_zone_t zone = envelope_zone(buffer);
    for (uint64_t held = 1; held < 700; held += 37) {
        player_t player = player_open(NULL, NULL, &zone, 1);
        player_send(&player, 0x90, 60, 100, 100);
        player_send(&player, 0x80, 60, 0, 100 + held);
        player_render_to(&player, 1500, 64);
        const double level = level_at(held - 1, 1);
        for (unsigned i = 0; i < 50; i++) {
            EXPECT_NEAR(player_at(&player, 100 + held + i), level * (1 - (i + 1) / 50.0), 1e-5);
        }
        EXPECT_EQUAL(first_other(player.stage.out[0], 150 + held, 1500, 0.0f), -1);
        EXPECT_EQUAL(rcore_instrument_voices(player.instrument), 0);
        player_close(&player);
    }
    rcore_buffer_release(buffer);
}

/// Without attack and hold, a decay begins with the note; without a decay, the note begins at its
/// sustain level. A sustain of 0 ends the note.
TEST(parts_of_an_envelope_may_be_empty) {
    rcore_buffer_t *buffer = constant_buffer(60000, 1.0f);
    rcore_zone_t zone = envelope_zone(buffer);
    zone.attack_frames = zone.hold_frames = 0;
    for (unsigned i = 0; i < 4; i++) {
        zone.decay_frames = i % 2 == 0 ? 0 : 200;
        zone.sustain = i < 2 ? 0.25f : 0.0f;
        player_t player = player_open(NULL, NULL, &zone, 1);
        player_send(&player, 0x90, 60, 100, 100);
        player_render_to(&player, 1000, 64);
        for (unsigned frame = 0; frame < zone.decay_frames; frame++) {
            EXPECT_NEAR(player_at(&player, 100 + frame), 1 - (1 - (double)zone.sustain) * (frame + 1) / 200, 1e-5);
        }
        EXPECT_EQUAL(first_other(player.stage.out[0], 100 + zone.decay_frames, 1000, zone.sustain), -1);
        EXPECT_EQUAL(rcore_instrument_voices(player.instrument), zone.sustain > 0.0f ? 1 : 0);
        player_close(&player);
    }
    rcore_buffer_release(buffer);
}

/// A suspension in the attack, the hold or the decay: the envelope goes on from its level.
TEST(a_suspension_halts_the_envelope) {
    rcore_buffer_t *buffer = constant_buffer(60000, 1.0f);
    const rcore_zone_t zone = envelope_zone(buffer);
    for (uint64_t before = 10; before < 700; before += 60) {
        for (unsigned p = 0; p < nperiods; p++) {
            player_t player = player_open(NULL, NULL, &zone, 1);
            player_send(&player, 0x90, 60, 100, 100);
            player_render_to(&player, 100 + before, periods[p]);
            stage_grant(&player.stage, (sgate_grant_t){.paused = true});
            player_render_to(&player, 5000, periods[p]);
            stage_grant(&player.stage, (sgate_grant_t){.paused = false});
            player_render_to(&player, 7000, periods[p]);
            EXPECT_EQUAL(first_other(player.stage.out[0], 100 + before, 5000, 0.0f), -1);
            // Only the hold may be shorter, and longer by a block at most.
            EXPECT_NEAR(player_at(&player, 5000), level_at(before, 1), before < 400 ? 0.01 : 0.005);
            EXPECT(find_click(player.stage.out[0], 5001, 7000, 0.0101f) == -1);
            EXPECT_EQUAL(first_other(player.stage.out[0], 5000 + 600 + 256, 7000, 0.25f), -1);
            player_close(&player);
        }
    }
    rcore_buffer_release(buffer);
}

/// Frames that are skipped in an attack do not make it jump.
TEST(skipped_frames_do_not_cut_an_attack) {
    rcore_buffer_t *buffer = constant_buffer(60000, 1.0f);
    rcore_zone_t zone = envelope_zone(buffer);
    zone.hold_frames = 0;
    player_t player = player_open(NULL, NULL, &zone, 1);
    player_send(&player, 0x90, 60, 100, 100);
    player_render_to(&player, 150, 50);
    rcore_skip(player.stage.core, 1000);
    player_render_to(&player, 1000, 50);
    for (unsigned i = 0; i < 100; i++) {
        EXPECT_NEAR(player_at(&player, 100 + i), (i + 1) / 100.0, 1e-5);
    }
    EXPECT_NEAR(player_at(&player, 200), 1 - 0.75 / 200, 1e-5);
    EXPECT_EQUAL(first_other(player.stage.out[0], 400, 1000, 0.25f), -1);
    player_close(&player);
    rcore_buffer_release(buffer);
}

/// A one-shot plays to its end. A loop repeats until the release; then it either goes on as the
/// note fades out, or ends.
TEST(loops_and_one_shots_follow_the_release) {
    rcore_buffer_t *buffer = ramp_buffer(1000);
    rcore_zone_t zone = player_zone(buffer);
    zone.one_shot = true;
    player_t player = player_open(NULL, NULL, &zone, 1);
    player_send(&player, 0x90, 60, 100, 100);
    player_send(&player, 0x80, 60, 0, 200);
    player_render_to(&player, 2000, 64);
    EXPECT_NEAR(player_at(&player, 1099), (double)ramp_sample(999), 0);
    EXPECT_EQUAL(first_other(player.stage.out[0], 1100, 2000, 0.0f), -1);
    player_close(&player);
    for (unsigned leaves = 0; leaves < 2; leaves++) {
        zone.one_shot = false;
        zone.loops = true;
        zone.leaves_loop = leaves != 0;
        zone.loop_start = 100, zone.loop_end = 200;
        zone.release_frames = 1u << 30;
        player = player_open(NULL, NULL, &zone, 1);
        player_send(&player, 0x90, 60, 100, 100);
        player_send(&player, 0x80, 60, 0, 1050);
        player_render_to(&player, 4000, 64);
        EXPECT_NEAR(player_at(&player, 1049), (double)ramp_sample(149), 0);
        EXPECT_NEAR(player_at(&player, 1105), (double)ramp_sample(leaves != 0 ? 205 : 105), 1e-7);
        EXPECT_EQUAL(rcore_instrument_voices(player.instrument), leaves != 0 ? 0 : 1);
        player_close(&player);
    }
    rcore_buffer_release(buffer);
}

/// A release zone plays with the velocity of the note-on: at the note-off, or when the pedal is
/// lifted, also after the sound has ended; not after "all sound off".
TEST(release_zones_follow_the_release) {
    rcore_buffer_t *buffer = constant_buffer(300, 0.5f), *click = constant_buffer(100, 1.0f);
    rcore_zone_t zones[] = {player_zone(buffer), player_zone(click)};
    zones[1].trigger = RCORE_ZONE_RELEASE;
    zones[1].velocity_tracking = 1.0f;
    player_t player = player_open(NULL, NULL, zones, 2);
    const float level = 64.0f / 127.0f * (64.0f / 127.0f);
    player_send(&player, 0x90, 60, 64, 100);
    player_send(&player, 0x80, 60, 10, 1000);
    player_send(&player, 0x90, 60, 64, 1500);
    player_send(&player, 0xB0, 64, 127, 1510);
    player_send(&player, 0x80, 60, 10, 1520);
    player_send(&player, 0xB0, 64, 0, 1550);
    player_send(&player, 0x90, 60, 64, 1600);
    player_send(&player, 0x80, 60, 64, 1620); // a release is not released
    player_send(&player, 0x90, 60, 64, 2000);
    player_send(&player, 0xB0, 120, 0, 2100);
    player_send(&player, 0x80, 60, 0, 2500);
    player_render_to(&player, 3000, 64);
    EXPECT_EQUAL(first_other(player.stage.out[0], 400, 1000, 0.0f), -1);
    EXPECT_NEAR(player_at(&player, 1000), (double)level, 1e-6);
    EXPECT_NEAR(player_at(&player, 1099), (double)level, 1e-6);
    EXPECT_EQUAL(first_other(player.stage.out[0], 1500, 1550, 0.5f), -1);
    EXPECT_NEAR(player_at(&player, 1550), (double)level, 1e-6);
    EXPECT_NEAR(player_at(&player, 1610), 0.5 + (double)level, 1e-6);
    EXPECT_NEAR(player_at(&player, 1649), 2 * (double)level, 1e-6);
    EXPECT_NEAR(player_at(&player, 1719), (double)level, 1e-6);
    EXPECT_EQUAL(first_other(player.stage.out[0], 1720, 2000, 0.0f), -1);
    EXPECT_EQUAL(first_other(player.stage.out[0], 2340, 3000, 0.0f), -1);
    player_close(&player);
    rcore_buffer_release(buffer);
    rcore_buffer_release(click);
}

/// The decays of two notes, of which the first holds longer, in whatever periods.
TEST(a_long_hold_is_exact) {
    rcore_buffer_t *first = constant_buffer(60000, 0.5f), *second = constant_buffer(60000, 1.0f);
    rcore_zone_t zones[] = {envelope_zone(first), envelope_zone(second)};
    zones[0].high_key = 60, zones[0].hold_frames = 30000;
    zones[1].low_key = 61, zones[1].hold_frames = 9000;
    zones[0].sustain = 0.0f;
    for (unsigned p = 0; p < nperiods; p++) {
        player_t player = player_open(NULL, NULL, zones, 2);
        player_send(&player, 0x90, 60, 100, 100);
        player_send(&player, 0x90, 61, 100, 5000);
        player_render_to(&player, 40000, periods[p]);
        EXPECT_EQUAL(first_other(player.stage.out[0], 5100, 14100, 1.5f), -1);
        EXPECT_NEAR(player_at(&player, 14100), 1.5 - 0.75 / 200, 1e-6);
        EXPECT_EQUAL(first_other(player.stage.out[0], 14300, 30200, 0.75f), -1);
        EXPECT_NEAR(player_at(&player, 30200), 0.75 - 0.5 / 200, 1e-6);
        EXPECT_EQUAL(first_other(player.stage.out[0], 30400, 40000, 0.25f), -1);
        player_close(&player);
    }
    rcore_buffer_release(first);
    rcore_buffer_release(second);
}

/// When the core has no room for the command, the decay comes with the next cycle that has.
TEST(a_decay_waits_for_room) {
    rcore_buffer_t *buffer = constant_buffer(60000, 1.0f);
    rcore_zone_t zone = envelope_zone(buffer);
    zone.hold_frames = 0;
    player_t player = player_open(NULL, NULL, &zone, 1);
    // One place is free again while the note-on is followed.
    const uint8_t on[] = {0x90, 60, 100}, tick[] = {0xF8};
    for (uint32_t i = 0; i < RCORE_MAX_MIDI_EVENTS + 32; i++) {
        rcore_midi_receive(player.stage.core, 0, 5000, tick, sizeof tick);
    }
    const uint64_t now = rcore_time(player.stage.core);
    player_send(&player, 0x90, on[1], on[2], RCORE_NOW);
    player_render_to(&player, 7000, 64);
    EXPECT_NEAR(player_at(&player, now + 4000), 1.0, 0);
    EXPECT_EQUAL(first_other(player.stage.out[0], now + 5000 + 64 + 200, 7000, 0.25f), -1);
    EXPECT_EQUAL(rcore_read_counters(player.stage.core).dropped_midi, 0);
    player_close(&player);
    rcore_buffer_release(buffer);
}

/// Notes that end long before their decay leave room for messages.
TEST(ended_notes_leave_room) {
    rcore_buffer_t *buffer = constant_buffer(10, 1.0f);
    rcore_zone_t zone = envelope_zone(buffer);
    zone.hold_frames = 10000000;
    zone.release_frames = 0;
    player_t player = player_open(NULL, NULL, &zone, 1);
    for (unsigned i = 0; i < 1000; i++) {
        for (uint8_t key = 0; key < 10; key++) {
            const uint8_t bytes[] = {0x90, key, 100, key, 0};
            rcore_midi_receive(player.stage.core, 0, key, bytes, sizeof bytes);
        }
        stage_render(&player.stage, 64, 64);
    }
    EXPECT_EQUAL(rcore_read_counters(player.stage.core).dropped_midi, 0);
    EXPECT_EQUAL(rcore_instrument_missed_notes(player.instrument), 0);
    player_close(&player);
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(an_envelope_is_exact_to_the_frame);
    RUN(a_release_begins_at_the_current_level);
    RUN(parts_of_an_envelope_may_be_empty);
    RUN(a_suspension_halts_the_envelope);
    RUN(skipped_frames_do_not_cut_an_attack);
    RUN(loops_and_one_shots_follow_the_release);
    RUN(release_zones_follow_the_release);
    RUN(a_long_hold_is_exact);
    RUN(a_decay_waits_for_room);
    RUN(ended_notes_leave_room);
    return test_result();
}
