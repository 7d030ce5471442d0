// Controllers of an instrument: gain, pan, pitch bend, pedals and channel mode messages.
#include "expect.h"
#include "instrument_stage.h"

enum { ramp = 100 };

/// Returns the source frames per frame between two frames of a note that plays a ramp buffer.
static double speed_between(const player_t *player, uint64_t from, uint64_t to) {
    return ((double)player_at(player, to) - (double)player_at(player, from)) * 1048576.0 / (double)(to - from);
}

static double square(double value) { return value / 127.0 * (value / 127.0); }

/// Volume and expression multiply; each change is a straight line of `ramp` frames from the frame
/// of its message on.
TEST(volume_and_expression_ramp_the_gain) {
    rcore_buffer_t *buffer = constant_buffer(60000, 0.5f);
    const rcore_zone_t zone = player_zone(buffer);
    player_t player = player_open(NULL, NULL, &zone, 1);
    player_send(&player, 0x90, 60, 100, 100);
    player_send(&player, 0xB0, 7, 90, 1003);
    player_send(&player, 0xB0, 11, 50, 2005);
    player_send(&player, 0xB1, 7, 0, 2500); // another channel
    player_send(&player, 0x90, 64, 100, 3000);
    player_render_to(&player, 4000, 64);
    const double before = 0.5, after = 0.5 * square(90), last = after * square(50);
    EXPECT_EQUAL(first_other(player.stage.out[0], 100, 1003, 0.5f), -1);
    for (unsigned i = 0; i < ramp; i++) {
        EXPECT_NEAR(player_at(&player, 1003 + i), before + (after - before) * (i + 1.0) / ramp, 1e-6);
        EXPECT_NEAR(player_at(&player, 2005 + i), after + (last - after) * (i + 1.0) / ramp, 1e-6);
    }
    EXPECT_NEAR(player_at(&player, 2004), after, 1e-6);
    EXPECT_NEAR(player_at(&player, 2999), last, 1e-6);
    EXPECT_NEAR(player_at(&player, 3000), 2 * last, 1e-6); // a new note begins at the gain
    player_close(&player);
    rcore_buffer_release(buffer);
}

TEST(pressure_changes_the_gain) {
    rcore_buffer_t *buffer = constant_buffer(60000, 0.125f);
    const rcore_zone_t zone = player_zone(buffer);
    rcore_instrument_config_t config = player_config();
    config.pressure_gain = 3.0f;
    player_t player = player_open(NULL, &config, &zone, 1);
    player_send(&player, 0x90, 60, 100, 100);
    player_send(&player, 0x90, 62, 100, 100);
    player_send(&player, 0xA0, 62, 127, 1000); // one key
    player_send(&player, 0xD0, 64, 0, 2000);   // the greater one counts
    player_send(&player, 0xB0, 121, 0, 3000);
    player_render_to(&player, 4000, 64);
    EXPECT_NEAR(player_at(&player, 999), 0.25, 0);
    EXPECT_NEAR(player_at(&player, 1500), 0.125 + 0.375, 1e-6);
    EXPECT_NEAR(player_at(&player, 2500), 0.125 * (1 + 64.0 / 127 * 2) + 0.375, 1e-6);
    EXPECT_NEAR(player_at(&player, 3500), 0.25, 1e-6);
    player_close(&player);
    rcore_buffer_release(buffer);
}

TEST(pan_moves_from_side_to_side) {
    rcore_buffer_t *buffer = constant_buffer(60000, 1.0f);
    rcore_zone_t zone = player_zone(buffer);
    rcore_instrument_config_t config = player_config();
    config.pan_law = RCORE_PAN_LINEAR; // of a stereo source, the balance
    const uint8_t values[] = {0, 32, 64, 127};
    const double pans[] = {-1, -0.5, 0, 1};
    for (unsigned z = 0; z < 2; z++) {
        zone.pan = z == 0 ? 0.0f : 0.5f;
        for (unsigned i = 0; i < 4; i++) {
            const double pan = fmin(1, fmax(-1, pans[i] + (z == 0 ? 0.0 : 0.5)));
            player_t player = player_open(NULL, &config, &zone, 1);
            player_send(&player, 0x90, 60, 100, 100);
            player_send(&player, 0xB0, 10, values[i], 200);
            player_send(&player, 0x80, 60, 0, 500);
            player_send(&player, 0x90, 60, 100, 600);
            player_render_to(&player, 700, 64);
            for (uint64_t at = 200 + ramp; at < 700; at += at == 200 + ramp ? 300 : 100) {
                EXPECT_NEAR(player.stage.out[0][at], fmin(1, 1 - pan), 1e-6);
                EXPECT_NEAR(player.stage.out[1][at], fmin(1, 1 + pan), 1e-6);
            }
            player_close(&player);
        }
    }
    rcore_buffer_release(buffer);
}

/// Exactly the pitch of the bend after the ramp, and exactly the buffer again after it: no part of
/// a frame is lost.
TEST(a_bend_is_exact) {
    rcore_buffer_t *buffer = ramp_buffer(200000);
    const rcore_zone_t zone = player_zone(buffer);
    const uint8_t msb[] = {0, 32, 96, 127};
    for (unsigned i = 0; i < 4; i++) {
        player_t player = player_open(NULL, NULL, &zone, 1);
        const uint8_t lsb = i == 3 ? 127 : 0;
        const double bend = ((msb[i] << 7 | lsb) - 8192) / 8192.0;
        player_send(&player, 0xB0, 6, 96, 50); // no parameter is selected yet
        player_send(&player, 0x90, 60, 100, 100);
        player_send(&player, 0xE0, lsb, msb[i], 1000);
        player_send(&player, 0xE0, 0, 64, 5000);
        player_send(&player, 0xB0, 101, 0, 6000); // bend range: 12.5 semitones
        player_send(&player, 0xB0, 100, 0, 6000);
        player_send(&player, 0xB0, 6, 12, 6000);
        player_send(&player, 0xB0, 38, 50, 6000);
        player_send(&player, 0xB0, 101, 127, 6000);
        player_send(&player, 0xB0, 100, 127, 6000);
        player_send(&player, 0xB0, 6, 1, 6000); // no parameter is selected
        player_send(&player, 0xE0, lsb, msb[i], 6100);
        player_render_to(&player, 10000, 64);
        EXPECT_NEAR(speed_between(&player, 200, 900), 1.0, 0);
        EXPECT_NEAR(speed_between(&player, 1000 + ramp, 4900), exp2(bend * 2 / 12), 2e-5);
        EXPECT_NEAR(speed_between(&player, 5000 + ramp, 6000), 1.0, 2e-5);
        EXPECT_NEAR(speed_between(&player, 6100 + ramp, 9900), exp2(bend * 12.5 / 12), 3e-5);
        // Straight from one speed to the other.
        const double middle = (1.0 + exp2(bend * 2 / 12)) / 2;
        EXPECT_NEAR(speed_between(&player, 1000, 1000 + ramp), middle, 2e-3);
        player_close(&player);
    }
    rcore_buffer_release(buffer);
}

/// "Reset all controllers" centres the wheel and selects no parameter, but keeps the bend range.
TEST(a_reset_ends_a_bend) {
    rcore_buffer_t *buffer = ramp_buffer(200000);
    const rcore_zone_t zone = player_zone(buffer);
    player_t player = player_open(NULL, NULL, &zone, 1);
    player_send(&player, 0xB0, 101, 0, 50);
    player_send(&player, 0xB0, 100, 0, 50);
    player_send(&player, 0xB0, 6, 4, 50);
    player_send(&player, 0xE0, 0, 96, 50);
    player_send(&player, 0x90, 60, 100, 100);
    player_send(&player, 0xB0, 121, 0, 1000);
    player_send(&player, 0xB0, 6, 9, 1000);
    player_send(&player, 0xE0, 0, 96, 2000);
    player_render_to(&player, 4000, 64);
    EXPECT_NEAR(speed_between(&player, 100, 1000), exp2(2.0 / 12), 1e-4);
    EXPECT_NEAR(speed_between(&player, 1000 + ramp, 2000), 1.0, 1e-4);
    EXPECT_NEAR(speed_between(&player, 2000 + ramp, 3900), exp2(2.0 / 12), 1e-4);
    player_close(&player);
    rcore_buffer_release(buffer);
}

/// A note that begins while the wheel is bent has that pitch from its first frame on; a release
/// follows the wheel.
TEST(bends_reach_new_and_released_notes) {
    rcore_buffer_t *buffer = ramp_buffer(200000);
    rcore_zone_t zone = player_zone(buffer);
    zone.release_frames = 1u << 30; // does not change the level visibly
    player_t player = player_open(NULL, NULL, &zone, 1);
    player_send(&player, 0xE0, 0, 96, 50);
    player_send(&player, 0x90, 60, 100, 100);
    player_send(&player, 0x80, 60, 0, 1000);
    player_send(&player, 0xE0, 0, 64, 2000);
    player_render_to(&player, 4000, 64);
    EXPECT_NEAR(player_at(&player, 100), (double)ramp_sample(0), 0);
    EXPECT_NEAR(speed_between(&player, 100, 1000), exp2(1.0 / 12), 1e-4);
    EXPECT_NEAR(speed_between(&player, 2000 + ramp, 3900), 1.0, 1e-4);
    player_close(&player);
    rcore_buffer_release(buffer);
}

// ---- Pedals -------------------------------------------------------------------------------------

/// Three keys with levels 1/2, 1/4 and 1/8.
struct keyboard {
    player_t player;
    rcore_buffer_t *buffers[3];
};

static struct keyboard keyboard_open(uint32_t release_frames) {
    struct keyboard keyboard;
    rcore_zone_t zones[3];
    for (uint8_t i = 0; i < 3; i++) {
        keyboard.buffers[i] = constant_buffer(60000, 0.5f / (float)(1u << i));
        zones[i] = player_zone(keyboard.buffers[i]);
        zones[i].low_key = zones[i].high_key = 64 + i;
        zones[i].release_frames = release_frames;
    }
    keyboard.player = player_open(NULL, NULL, zones, 3);
    return keyboard;
}

static void keyboard_close(struct keyboard *keyboard) {
    player_close(&keyboard->player);
    for (unsigned i = 0; i < 3; i++) {
        rcore_buffer_release(keyboard->buffers[i]);
    }
}

#define EXPECT_LEVEL(keyboard, from, to, level)                                                                        \
    EXPECT_EQUAL(first_other((keyboard).player.stage.out[0], from, to, level), -1)

TEST(sustain_holds_until_it_is_lifted) {
    struct keyboard keyboard = keyboard_open(0);
    player_t *player = &keyboard.player;
    player_send(player, 0x90, 64, 100, 100);
    player_send(player, 0xB0, 64, 64, 200);
    player_send(player, 0x90, 65, 100, 300);
    player_send(player, 0x80, 64, 0, 400);
    player_send(player, 0x90, 65, 0, 500);
    player_send(player, 0x90, 66, 100, 600);
    player_send(player, 0xB0, 64, 127, 650);
    player_send(player, 0xB0, 64, 63, 700); // 66 is still down
    player_send(player, 0x80, 66, 0, 800);
    player_render_to(player, 1000, 64);
    EXPECT_LEVEL(keyboard, 300, 600, 0.75f);
    EXPECT_LEVEL(keyboard, 600, 700, 0.875f);
    EXPECT_LEVEL(keyboard, 700, 800, 0.125f);
    EXPECT_LEVEL(keyboard, 800, 1000, 0.0f);
    keyboard_close(&keyboard);
}

TEST(sostenuto_holds_the_keys_that_were_down) {
    struct keyboard keyboard = keyboard_open(0);
    player_t *player = &keyboard.player;
    player_send(player, 0x90, 64, 100, 100);
    player_send(player, 0x90, 65, 100, 100);
    player_send(player, 0xB0, 66, 127, 200);
    player_send(player, 0x90, 66, 100, 300);
    player_send(player, 0xB0, 66, 100, 350); // still down: holds no further keys
    player_send(player, 0x80, 64, 0, 400);
    player_send(player, 0x80, 66, 0, 500);
    player_send(player, 0xB0, 64, 127, 550); // sustain takes over
    player_send(player, 0xB0, 66, 0, 600);
    player_send(player, 0xB0, 64, 0, 700);
    player_send(player, 0x80, 65, 0, 800);
    player_render_to(player, 1000, 64);
    EXPECT_LEVEL(keyboard, 300, 500, 0.875f);
    EXPECT_LEVEL(keyboard, 500, 700, 0.75f);
    EXPECT_LEVEL(keyboard, 700, 800, 0.25f);
    EXPECT_LEVEL(keyboard, 800, 1000, 0.0f);
    keyboard_close(&keyboard);
}

/// A key that is struck again releases its earlier note, which overlaps as it fades out.
TEST(a_second_note_releases_the_first) {
    for (unsigned pedal = 0; pedal < 2; pedal++) {
        struct keyboard keyboard = keyboard_open(100);
        player_t *player = &keyboard.player;
        player_send(player, 0xB0, 64, pedal != 0 ? 127 : 0, 50);
        player_send(player, 0x90, 64, 100, 100);
        player_send(player, 0x91, 64, 100, 100); // another channel keeps its own
        if (pedal != 0) {
            player_send(player, 0x80, 64, 0, 500);
        }
        player_send(player, 0x90, 64, 100, 1000);
        player_render_to(player, 2000, 64);
        EXPECT_LEVEL(keyboard, 100, 1000, 1.0f);
        EXPECT_NEAR(player_at(player, 1049), 1.25, 1e-5);
        EXPECT_LEVEL(keyboard, 1100, 2000, 1.0f);
        EXPECT_EQUAL(rcore_instrument_voices(player->instrument), 2);
        keyboard_close(&keyboard);
    }
}

TEST(all_sound_off_and_all_notes_off) {
    struct keyboard keyboard = keyboard_open(100);
    player_t *player = &keyboard.player;
    player_send(player, 0xB0, 64, 127, 50);
    player_send(player, 0x90, 64, 100, 100);
    player_send(player, 0x91, 65, 100, 100);
    player_send(player, 0x90, 66, 100, 100);
    player_send(player, 0xB0, 123, 0, 1000); // the pedal holds 64 and 66
    player_send(player, 0xB0, 120, 0, 2000);
    player_send(player, 0xB1, 124, 0, 3000);
    player_send(player, 0xB0, 64, 0, 4000);
    player_render_to(player, 5000, 64);
    EXPECT_LEVEL(keyboard, 100, 2000, 0.875f);
    EXPECT_NEAR(player_at(player, 2119), 0.25 + 0.625 / 2, 1e-5); // the core's 240 frames
    EXPECT_LEVEL(keyboard, 2240, 3000, 0.25f);
    EXPECT_NEAR(player_at(player, 3049), 0.125, 1e-5);
    EXPECT_LEVEL(keyboard, 3100, 5000, 0.0f);
    EXPECT_EQUAL(rcore_instrument_voices(player->instrument), 0);
    keyboard_close(&keyboard);
}

TEST(reset_all_controllers_follows_rp_015) {
    struct keyboard keyboard = keyboard_open(0);
    player_t *player = &keyboard.player;
    player_send(player, 0xB0, 7, 64, 50);
    player_send(player, 0xB0, 11, 20, 50);
    player_send(player, 0xB0, 64, 127, 50);
    player_send(player, 0x90, 64, 100, 100);
    player_send(player, 0x90, 65, 100, 100);
    player_send(player, 0x80, 64, 0, 200);
    player_send(player, 0xB0, 101, 0, 300);
    player_send(player, 0xB0, 100, 0, 300);
    player_send(player, 0xB0, 121, 0, 1000);
    player_send(player, 0xB0, 6, 96, 1000); // no parameter is selected
    player_send(player, 0x80, 65, 0, 2000);
    player_render_to(player, 3000, 64);
    EXPECT_NEAR(player_at(player, 999), 0.75 * square(64) * square(20), 1e-6);
    EXPECT_NEAR(player_at(player, 1999), 0.25 * square(64), 1e-6);
    EXPECT_LEVEL(keyboard, 2000, 3000, 0.0f);
    keyboard_close(&keyboard);
}

int main(void) {
    RUN(volume_and_expression_ramp_the_gain);
    RUN(pressure_changes_the_gain);
    RUN(pan_moves_from_side_to_side);
    RUN(a_bend_is_exact);
    RUN(a_reset_ends_a_bend);
    RUN(bends_reach_new_and_released_notes);
    RUN(sustain_holds_until_it_is_lifted);
    RUN(sostenuto_holds_the_keys_that_were_down);
    RUN(a_second_note_releases_the_first);
    RUN(all_sound_off_and_all_notes_off);
    RUN(reset_all_controllers_follows_rp_015);
    return test_result();
}
