// MPE: zones of member channels under a manager channel, set at creation or by RPN 6.
#include "expect.h"
#include "instrument_stage.h"

enum { ramp = 100 };

static double speed_between(const player_t *player, uint64_t from, uint64_t to) {
    return ((double)player_at(player, to) - (double)player_at(player, from)) * 1048576.0 / (double)(to - from);
}

static player_t open_with(uint8_t lower, uint8_t upper, const rcore_zone_t *zone) {
    rcore_instrument_config_t config = player_config();
    config.lower_members = lower;
    config.upper_members = upper;
    return player_open(NULL, &config, zone, 1);
}

static void send_parameter(player_t *player, uint8_t channel, uint8_t lsb, uint8_t value, uint64_t when) {
    player_send(player, 0xB0 | channel, 101, 0, when);
    player_send(player, 0xB0 | channel, 100, lsb, when);
    player_send(player, 0xB0 | channel, 6, value, when);
}

/// A member's bend moves only its own note, in the members' range; the manager's is added to it.
TEST(bends_are_per_note) {
    rcore_buffer_t *buffer = ramp_buffer(200000);
    const rcore_zone_t zone = player_zone(buffer);
    for (unsigned upper = 0; upper < 2; upper++) {
        const uint8_t manager = upper != 0 ? 15 : 0, member = upper != 0 ? 14 : 1, other = upper != 0 ? 13 : 2;
        player_t player = open_with(upper != 0 ? 0 : 15, upper != 0 ? 15 : 0, &zone);
        player_send(&player, 0x90 | member, 60, 100, 100);
        player_send(&player, 0xE0 | other, 0, 0, 1000); // not this note
        player_send(&player, 0xE0 | member, 0, 72, 2000);
        player_send(&player, 0xE0 | manager, 0, 96, 3000);
        send_parameter(&player, other, 0, 12, 4000); // the range of all members
        send_parameter(&player, manager, 0, 4, 5000);
        player_render_to(&player, 6000, 64);
        EXPECT_NEAR(speed_between(&player, 200, 2000), 1.0, 0);
        EXPECT_NEAR(speed_between(&player, 2000 + ramp, 3000), exp2(6.0 / 12), 1e-4);
        EXPECT_NEAR(speed_between(&player, 3000 + ramp, 4000), exp2(7.0 / 12), 1e-4);
        EXPECT_NEAR(speed_between(&player, 4000 + ramp, 5000), exp2(2.5 / 12), 1e-4);
        EXPECT_NEAR(speed_between(&player, 5000 + ramp, 5900), exp2(3.5 / 12), 1e-4);
        player_close(&player);
    }
    rcore_buffer_release(buffer);
}

/// The manager's volume, pedals, mode messages and program apply to its members only.
TEST(a_manager_controls_its_members) {
    rcore_buffer_t *buffer = constant_buffer(60000, 0.5f);
    const rcore_zone_t zone = player_zone(buffer);
    player_t player = open_with(3, 0, &zone);
    const double low = 64.0 / 127 * (64.0 / 127);
    player_send(&player, 0x91, 60, 100, 100);
    player_send(&player, 0x94, 60, 100, 100); // not a member
    player_send(&player, 0xB0, 7, 64, 1000);
    player_send(&player, 0xB1, 11, 64, 2000);
    player_send(&player, 0xB0, 64, 127, 3000);
    player_send(&player, 0x81, 60, 0, 3100);
    player_send(&player, 0x84, 60, 0, 3200);
    player_send(&player, 0xB0, 64, 0, 4000);
    player_send(&player, 0x93, 60, 100, 4100);
    player_send(&player, 0xB0, 66, 127, 4200);
    player_send(&player, 0x83, 60, 0, 4300);
    player_send(&player, 0xB0, 66, 0, 4500);
    player_send(&player, 0x92, 60, 100, 5000);
    player_send(&player, 0xB0, 123, 0, 5500);
    player_send(&player, 0x92, 60, 100, 6000);
    player_send(&player, 0xB0, 120, 0, 6500);
    player_render_to(&player, 7000, 64);
    EXPECT_NEAR(player_at(&player, 999), 1.0, 0);
    EXPECT_NEAR(player_at(&player, 1999), 0.5 + 0.5 * low, 1e-6);
    EXPECT_NEAR(player_at(&player, 2999), 0.5 + 0.5 * low * low, 1e-6);
    EXPECT_NEAR(player_at(&player, 3999), 0.5 * low * low, 1e-6);
    EXPECT_EQUAL(first_other(player.stage.out[0], 4000, 4100, 0.0f), -1);
    EXPECT_NEAR(player_at(&player, 4499), 0.5 * low, 1e-6);
    EXPECT_EQUAL(first_other(player.stage.out[0], 4500, 5000, 0.0f), -1);
    EXPECT_NEAR(player_at(&player, 5499), 0.5 * low, 1e-6);
    EXPECT_EQUAL(first_other(player.stage.out[0], 5500, 6000, 0.0f), -1);
    EXPECT_NEAR(player_at(&player, 6499), 0.5 * low, 1e-6);
    EXPECT_EQUAL(first_other(player.stage.out[0], 6740, 7000, 0.0f), -1);
    player_close(&player);
    rcore_buffer_release(buffer);
}

/// A note is held by the pedals of its own channel and of the manager: until the last is lifted, or
/// the zone ends.
TEST(pedals_of_member_and_manager_add_up) {
    rcore_buffer_t *buffer = constant_buffer(60000, 0.5f);
    const rcore_zone_t zone = player_zone(buffer);
    const uint8_t pedals[] = {64, 66};
    for (unsigned i = 0; i < 2; i++) {
        player_t player = open_with(3, 0, &zone);
        player_send(&player, 0x92, 60, 100, 100);
        player_send(&player, 0xB2, pedals[i], 127, 200);
        player_send(&player, 0xB0, pedals[i], 127, 200);
        player_send(&player, 0x82, 60, 0, 300);
        player_send(&player, 0xB0, pedals[i], 0, 400);
        player_send(&player, 0xB0, pedals[i], 127, 500);
        player_send(&player, 0xB2, 121, 0, 550); // does not lift the manager's pedal
        player_send(&player, 0xB2, pedals[i], 0, 600);
        if (i == 0) {
            send_parameter(&player, 0, 6, 1, 800);
        } else {
            player_send(&player, 0xB0, pedals[i], 0, 600);
        }
        player_render_to(&player, 1000, 64);
        const uint64_t end = i == 0 ? 800 : 600;
        EXPECT_EQUAL(first_other(player.stage.out[0], 100, end, 0.5f), -1);
        EXPECT_EQUAL(first_other(player.stage.out[0], end, 1000, 0.0f), -1);
        player_close(&player);
    }
    rcore_buffer_release(buffer);
}

TEST(programs_and_pressure_of_a_manager) {
    rcore_buffer_t *buffer = constant_buffer(60000, 0.25f);
    rcore_zone_t zone = player_zone(buffer);
    zone.low_program = zone.high_program = 9;
    rcore_instrument_config_t config = player_config();
    config.upper_members = 2;
    config.pressure_gain = 2.0f;
    player_t player = player_open(NULL, &config, &zone, 1);
    player_send(&player, 0xCF, 9, 0, 50);
    player_send(&player, 0x9E, 60, 100, 100);
    player_send(&player, 0x9D, 60, 100, 100);
    player_send(&player, 0x9C, 60, 100, 100); // not a member
    player_send(&player, 0xDF, 127, 0, 1000);
    player_render_to(&player, 2000, 64);
    EXPECT_NEAR(player_at(&player, 999), 0.5, 0);
    EXPECT_NEAR(player_at(&player, 1999), 1.0, 1e-6);
    player_close(&player);
    rcore_buffer_release(buffer);
}

/// Returns which channels the volume of channel 0 (or 15) silences, after the zones were
/// configured.
static uint32_t members_of(uint8_t manager, const uint8_t messages[][2], unsigned count, const rcore_zone_t *zone) {
    uint32_t members = 0;
    for (uint8_t channel = 0; channel < 16; channel++) {
        player_t player = open_with(0, 0, zone);
        for (unsigned i = 0; i < count; i++) {
            send_parameter(&player, messages[i][0], 6, messages[i][1], 50);
        }
        player_send(&player, 0xB0 | manager, 7, 0, 60);
        player_send(&player, 0x90 | channel, 60, 100, 100);
        player_render_to(&player, 110, 64);
        members |= (player_at(&player, 105) == 0.0f ? 1u : 0u) << channel;
        player_close(&player);
    }
    return members & ~(1u << manager);
}

TEST(messages_configure_zones) {
    rcore_buffer_t *buffer = constant_buffer(1000, 0.5f);
    const rcore_zone_t zone = player_zone(buffer);
    const uint8_t five[][2] = {{0, 5}};
    EXPECT_EQUAL(members_of(0, five, 1, &zone), 0x003E);
    EXPECT_EQUAL(members_of(15, five, 1, &zone), 0);
    const uint8_t both[][2] = {{0, 5}, {15, 9}};
    EXPECT_EQUAL(members_of(0, both, 2, &zone), 0x003E);
    EXPECT_EQUAL(members_of(15, both, 2, &zone), 0x7FC0);
    const uint8_t overlap[][2] = {{0, 10}, {15, 7}};
    EXPECT_EQUAL(members_of(0, overlap, 2, &zone), 0x00FE);
    EXPECT_EQUAL(members_of(15, overlap, 2, &zone), 0x7F00);
    const uint8_t all[][2] = {{0, 10}, {15, 15}};
    EXPECT_EQUAL(members_of(0, all, 2, &zone), 0);
    EXPECT_EQUAL(members_of(15, all, 2, &zone), 0x7FFF);
    const uint8_t off[][2] = {{15, 7}, {0, 3}, {15, 0}, {1, 4}, {0, 16}};
    EXPECT_EQUAL(members_of(0, off, 5, &zone), 0x000E);
    EXPECT_EQUAL(members_of(15, off, 5, &zone), 0);
    rcore_buffer_release(buffer);
}

/// A configuration message sets the ranges of 2 and 48 semitones, and ends the notes of channels
/// that it adds, even if a pedal holds them.
TEST(a_new_zone_ends_notes) {
    rcore_buffer_t *buffer = ramp_buffer(200000);
    const rcore_zone_t zone = player_zone(buffer);
    player_t player = open_with(0, 0, &zone);
    player_send(&player, 0xB3, 64, 127, 50);
    player_send(&player, 0x93, 60, 100, 100);
    player_send(&player, 0x83, 60, 0, 200);
    send_parameter(&player, 0, 6, 4, 1000);
    player_send(&player, 0xE3, 0, 72, 1500);
    player_send(&player, 0xE0, 0, 96, 1500);
    player_send(&player, 0x93, 60, 100, 2000);
    player_render_to(&player, 4000, 64);
    EXPECT_NEAR(player_at(&player, 999), (double)ramp_sample(899), 0);
    EXPECT_EQUAL(first_other(player.stage.out[0], 1000, 2000, 0.0f), -1);
    EXPECT_NEAR(speed_between(&player, 2000, 3900), exp2(7.0 / 12), 1e-4);
    player_close(&player);
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(bends_are_per_note);
    RUN(a_manager_controls_its_members);
    RUN(pedals_of_member_and_manager_add_up);
    RUN(programs_and_pressure_of_a_manager);
    RUN(messages_configure_zones);
    RUN(a_new_zone_ends_notes);
    return test_result();
}
