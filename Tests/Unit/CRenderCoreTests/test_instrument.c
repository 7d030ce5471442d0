// Notes of an instrument: their frames, pitch, gain and zones, and what happens while the session
// is suspended.
#include "expect.h"
#include "instrument_stage.h"

static const uint32_t periods[] = {1, 7, 64, 256, 1000, 8192, STAGE_CHANGING_PERIODS};
enum { nperiods = sizeof periods / sizeof periods[0], ready = INSTRUMENT_READY };

/// Expects the samples of a ramp buffer from its frame `source` on, times `gain`.
#define EXPECT_RAMP(player, from, to, source, gain)                                                                    \
    do {                                                                                                               \
        uint64_t expect_wrong = 0;                                                                                     \
        for (uint64_t expect_i = (from); expect_i < (to); expect_i++) {                                                \
            expect_wrong += player_at(player, expect_i) != (gain)*ramp_sample((source) + expect_i - (from));           \
        }                                                                                                              \
        EXPECT_EQUAL(expect_wrong, 0);                                                                                 \
    } while (0)

/// Begins with the first sample of its buffer on the frame of the note-on, and ends before that of
/// the note-off.
TEST(notes_are_exact_to_the_frame) {
    const uint64_t starts[] = {16, 17, 63, 64, 65, 255, 256, 257, 4095, 8191, 8192, 9001};
    rcore_buffer_t *buffer = ramp_buffer(20000);
    const rcore_zone_t zone = player_zone(buffer);
    for (unsigned p = 0; p < nperiods; p++) {
        for (unsigned s = 0; s < sizeof starts / sizeof starts[0]; s++) {
            player_t player = player_open(NULL, NULL, &zone, 1);
            player_send(&player, 0x90, 60, 100, starts[s]);
            // The second note-off form.
            player_send(&player, s % 2 == 0 ? 0x80 : 0x90, 60, 0, starts[s] + 777);
            player_render_to(&player, 11000, periods[p]);
            EXPECT_EQUAL(first_other(player.stage.out[0], 0, starts[s], 0.0f), -1);
            EXPECT_RAMP(&player, starts[s], starts[s] + 777, 0, 1.0f);
            EXPECT_EQUAL(first_other(player.stage.out[0], starts[s] + 777, 11000, 0.0f), -1);
            EXPECT_EQUAL(rcore_instrument_voices(player.instrument), 0);
            EXPECT_EQUAL(rcore_buffer_users(buffer), 0);
            player_close(&player);
        }
    }
    rcore_buffer_release(buffer);
}

/// The same for the bytes of a port, with running status, at offsets of a period.
TEST(two_notes_of_one_period_keep_their_distance) {
    rcore_buffer_t *buffer = impulse_buffer(2);
    const rcore_zone_t zone = player_zone(buffer);
    for (uint32_t period = 600; period <= 4800; period += 700) {
        for (uint32_t distance = 1; distance < 600; distance += 83) {
            player_t player = player_open(NULL, NULL, &zone, 1);
            const uint32_t offset = (distance * 7) % (period - distance);
            const uint8_t first[] = {0x93, 60, 100}, second[] = {62, 100};
            rcore_midi_receive(player.stage.core, 0, offset, first, sizeof first);
            rcore_midi_receive(player.stage.core, 0, offset + distance, second, sizeof second);
            player_render_to(&player, ready + period, period);
            const float *out = player.stage.out[0];
            EXPECT_EQUAL(first_other(out, 0, player.stage.nframes, 0.0f), ready + offset);
            EXPECT_EQUAL(first_other(out, ready + offset + 1, player.stage.nframes, 0.0f), ready + offset + distance);
            EXPECT_EQUAL(first_other(out, ready + offset + distance + 1, player.stage.nframes, 0.0f), -1);
            player_close(&player);
        }
    }
    rcore_buffer_release(buffer);
}

/// Starts a note, and a voice at the speed that the note must have: their samples are the same.
static void expect_speed(const rcore_zone_t *zone, uint8_t key, float speed) {
    player_t player = player_open(NULL, NULL, zone, 1), other = player_open(NULL, NULL, zone, 1);
    player_send(&player, 0x90, key, 100, 100);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = zone->buffer;
    params.speed = speed;
    stage_start(&other.stage, &params, 100);
    player_render_to(&player, 1100, 64);
    player_render_to(&other, 1100, 64);
    double largest = 0.0;
    for (uint64_t i = 0; i < 1100; i++) {
        largest = fmax(largest, fabs((double)player_at(&player, i) - (double)player_at(&other, i)));
    }
    EXPECT_NEAR(largest, 0, 2e-7);
    player_close(&player);
    player_close(&other);
}

TEST(pitch_follows_key_tuning_and_sample_rate) {
    rcore_buffer_t *buffer = sine_buffer(40000, 440, 0.5f);
    rcore_zone_t zone = player_zone(buffer);
    zone.key_tracking = 100.0f;
    expect_speed(&zone, 60, 1.0f);
    expect_speed(&zone, 72, 2.0f);
    expect_speed(&zone, 48, 0.5f);
    expect_speed(&zone, 67, exp2f(7.0f / 12.0f));
    expect_speed(&zone, 127, 16.0f);
    expect_speed(&zone, 0, 1.0f / 16.0f < exp2f(-5.0f) ? exp2f(-5.0f) : 1.0f / 16.0f);
    zone.tuning = -50.0f;
    zone.root_key = 62;
    expect_speed(&zone, 60, exp2f(-250.0f / 1200.0f));
    zone.key_tracking = 0.0f;
    zone.tuning = 0.0f;
    zone.sample_rate = 96000;
    expect_speed(&zone, 10, 2.0f);
    zone.sample_rate = 44100;
    expect_speed(&zone, 90, 44100.0f / 48000.0f);
    rcore_buffer_release(buffer);
}

TEST(notes_follow_the_sample_rate_of_the_core) {
    rcore_buffer_t *buffer = ramp_buffer(40000);
    const rcore_zone_t zone = player_zone(buffer);
    player_t player = player_open(NULL, NULL, &zone, 1);
    player_send(&player, 0x90, 60, 100, 100);
    player_render_to(&player, 1100, 100);
    EXPECT_EQUAL(rcore_set_sample_rate(player.stage.core, 24000), RCORE_OK);
    player_render_to(&player, 2100, 100);
    EXPECT_RAMP(&player, 100, 1100, 0, 1.0f);
    EXPECT_NEAR(player_at(&player, 2000), ramp_sample(1000 + 2 * 900), 1e-6);
    player_close(&player);
    rcore_buffer_release(buffer);
}

TEST(gain_follows_velocity_and_zone) {
    rcore_buffer_t *buffer = constant_buffer(20000, 1.0f);
    for (unsigned i = 0; i < 5; i++) {
        const uint8_t velocities[] = {1, 40, 64, 100, 127};
        const float trackings[] = {0.0f, 0.25f, 1.0f};
        for (unsigned t = 0; t < 3; t++) {
            rcore_zone_t zone = player_zone(buffer);
            zone.velocity_tracking = trackings[t];
            zone.gain = 0.5f;
            player_t player = player_open(NULL, NULL, &zone, 1);
            player_send(&player, 0x90, 60, velocities[i], 100);
            player_render_to(&player, 200, 64);
            const double square = velocities[i] * velocities[i] / (127.0 * 127.0);
            EXPECT_NEAR(player_at(&player, 100), 0.5 * (1.0 + (square - 1.0) * (double)trackings[t]), 1e-6);
            player_close(&player);
        }
    }
    rcore_buffer_release(buffer);
}

/// Each zone plays exactly its keys, velocities and programs: constant buffers of distinct powers
/// of two show which zones play.
TEST(zones_play_their_ranges) {
    rcore_buffer_t *one = constant_buffer(1000, 0.25f), *two = constant_buffer(1000, 0.5f);
    rcore_zone_t zones[] = {player_zone(one), player_zone(two)};
    zones[0].low_key = 50, zones[0].high_key = 60;
    zones[1].low_key = 60, zones[1].high_key = 70;
    zones[0].low_velocity = 10, zones[0].high_velocity = 100;
    zones[1].low_program = 3, zones[1].high_program = 5;
    for (uint8_t program = 2; program <= 6; program++) {
        for (uint8_t key = 49; key <= 71; key++) {
            const uint8_t velocities[] = {9, 10, 100, 101};
            for (unsigned v = 0; v < 4; v++) {
                player_t player = player_open(NULL, NULL, zones, 2);
                player_send(&player, 0xC0, program, 0, 50);
                player_send(&player, 0x90, key, velocities[v], 100);
                player_send(&player, 0x80, key, 0, 108);
                player_render_to(&player, 107, 64);
                const bool first = key >= 50 && key <= 60 && velocities[v] >= 10 && velocities[v] <= 100;
                const bool second = key >= 60 && key <= 70 && program >= 3 && program <= 5;
                EXPECT_NEAR(player_at(&player, 105), (first ? 0.25 : 0) + (second ? 0.5 : 0), 0);
                EXPECT_EQUAL(rcore_instrument_voices(player.instrument), first + second);
                player_render_to(&player, 120, 64);
                EXPECT_EQUAL(first_other(player.stage.out[0], 108, 120, 0.0f), -1);
                player_close(&player);
            }
        }
    }
    rcore_buffer_release(one);
    rcore_buffer_release(two);
}

TEST(malformed_messages_are_ignored) {
    rcore_buffer_t *buffer = constant_buffer(20000, 0.5f);
    const rcore_zone_t zone = player_zone(buffer);
    player_t player = player_open(NULL, NULL, &zone, 1);
    const uint8_t messages[][RCORE_MIDI_BYTES] = {{0x90, 60},      {0x90, 60, 100, 0}, {0x90, 128, 100},
                                                  {0x90, 60, 128}, {60, 100, 100},     {0xF0, 0x90, 60, 100, 0xF7}};
    const uint32_t sizes[] = {2, 4, 3, 3, 3, 5};
    for (unsigned i = 0; i < 6; i++) {
        EXPECT_EQUAL(rcore_post_midi(player.stage.queue, INSTRUMENT_TARGET, messages[i], sizes[i], 100), RCORE_OK);
    }
    player_send(&player, 0x90, 60, 100, 500);
    const uint8_t off[] = {0x80, 60};
    EXPECT_EQUAL(rcore_post_midi(player.stage.queue, INSTRUMENT_TARGET, off, 2, 600), RCORE_OK);
    player_render_to(&player, 1000, 64);
    EXPECT_EQUAL(first_other(player.stage.out[0], 0, 500, 0.0f), -1);
    EXPECT_EQUAL(first_other(player.stage.out[0], 500, 1000, 0.5f), -1);
    player_close(&player);
    rcore_buffer_release(buffer);
}

/// A held note continues with the very next frame after a suspension; one whose key was released
/// meanwhile is over, without its release zone, and note-ons are ignored.
TEST(a_suspended_session_keeps_held_notes) {
    rcore_buffer_t *buffer = ramp_buffer(60000), *other = constant_buffer(60000, 0.5f);
    rcore_zone_t zones[] = {player_zone(buffer), player_zone(other), player_zone(other)};
    zones[0].high_key = 60;
    zones[1].low_key = 61;
    zones[1].release_frames = 1000;
    zones[2].trigger = RCORE_ZONE_RELEASE;
    for (unsigned p = 0; p < nperiods; p++) {
        player_t player = player_open(NULL, NULL, zones, 3);
        player_send(&player, 0x90, 60, 100, 100);
        player_send(&player, 0x90, 61, 100, 100);
        player_render_to(&player, 1000, periods[p]);
        stage_grant(&player.stage, (sgate_grant_t){.paused = true});
        player_send(&player, 0x80, 61, 0, 2000);
        player_send(&player, 0x90, 62, 100, 2100);
        player_render_to(&player, 3000, periods[p]);
        stage_grant(&player.stage, (sgate_grant_t){.paused = false});
        player_send(&player, 0x80, 62, 0, 3500); // was not down
        player_render_to(&player, 5000, periods[p]);
        EXPECT_EQUAL(first_other(player.stage.out[0], 1000, 3000, 0.0f), -1);
        EXPECT_RAMP(&player, 3000, 5000, 900, 1.0f);
        EXPECT_EQUAL(rcore_instrument_voices(player.instrument), 1);
        EXPECT_EQUAL(rcore_instrument_missed_notes(player.instrument), 0);
        player_close(&player);
    }
    rcore_buffer_release(buffer);
    rcore_buffer_release(other);
}

/// A routing without the instrument ends its notes within the core's `steal_frames`. When it is
/// added again, its controllers are as they were at first.
TEST(a_removed_instrument_falls_silent) {
    rcore_buffer_t *buffer = constant_buffer(60000, 0.5f);
    const rcore_zone_t zone = player_zone(buffer);
    player_t player = player_open(NULL, NULL, &zone, 1);
    player_send(&player, 0xB0, 64, 127, 90);
    player_send(&player, 0xB0, 7, 10, 90);
    player_send(&player, 0x90, 60, 100, 100);
    player_render_to(&player, 1000, 64);
    EXPECT_EQUAL(rcore_post_midi_routing(player.stage.core, rcore_midi_routing_create()), RCORE_OK);
    player_render_to(&player, 2000, 64);
    EXPECT_EQUAL(first_other(player.stage.out[0], 1000 + 240, 2000, 0.0f), -1);
    EXPECT_EQUAL(rcore_instrument_voices(player.instrument), 0);
    EXPECT_EQUAL(rcore_buffer_users(buffer), 0);
    EXPECT_EQUAL(rcore_collect_midi_routings(player.stage.core), 1);
    rcore_midi_routing_t *routing = rcore_midi_routing_create();
    EXPECT_EQUAL(rcore_midi_routing_add_instrument(routing, INSTRUMENT_TARGET, player.instrument), RCORE_OK);
    EXPECT_EQUAL(rcore_post_midi_routing(player.stage.core, routing), RCORE_OK);
    player_send(&player, 0x90, 60, 100, 2100);
    player_send(&player, 0x80, 60, 0, 2200);
    player_render_to(&player, 3000, 64);
    EXPECT_EQUAL(first_other(player.stage.out[0], 2100, 2200, 0.5f), -1);
    EXPECT_EQUAL(first_other(player.stage.out[0], 2200, 3000, 0.0f), -1);
    player_close(&player);
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(notes_are_exact_to_the_frame);
    RUN(two_notes_of_one_period_keep_their_distance);
    RUN(pitch_follows_key_tuning_and_sample_rate);
    RUN(notes_follow_the_sample_rate_of_the_core);
    RUN(gain_follows_velocity_and_zone);
    RUN(zones_play_their_ranges);
    RUN(malformed_messages_are_ignored);
    RUN(a_suspended_session_keeps_held_notes);
    RUN(a_removed_instrument_falls_silent);
    return test_result();
}
