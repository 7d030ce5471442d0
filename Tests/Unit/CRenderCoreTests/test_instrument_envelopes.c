// Envelopes of notes, their releases, and release zones.
#include "expect.h"
#include "instrument_stage.h"

#include <string.h>

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
        EXPECT_EQUAL(rcore_instrument_missed_notes(player.instrument), 0);
        player_close(&player);
    }
    rcore_buffer_release(buffer);
}

/// A suspension in the attack, the hold or the decay: the envelope goes on where it was.
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
            for (uint64_t i = 0; i < 700; i++) {
                EXPECT_NEAR(player_at(&player, 5000 + i), level_at(before + i, 1), 1e-5);
            }
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

/// Plays a note with an exponential envelope, released after `held` frames.
static player_t play_curve(const rcore_buffer_t *buffer, float sustain, uint64_t held, uint32_t period) {
    rcore_zone_t zone = player_zone(buffer);
    zone.attack_frames = 100;
    zone.decay_frames = 20000;
    zone.release_frames = 9000;
    zone.sustain = sustain;
    zone.curve = RCORE_ENVELOPE_EXPONENTIAL;
    player_t player = player_open(NULL, NULL, &zone, 1);
    player_send(&player, 0x90, 60, 100, 100);
    player_send(&player, 0x80, 60, 0, 100 + held);
    player_render_to(&player, 40000, period);
    return player;
}

/// In an exponential decay or release, the distance to the end level falls by 90 dB, equally fast
/// all the time, whatever the level it begins at. The last line ends exactly at the end level. A
/// release ends at -90 dB.
TEST(exponential_envelopes_fall_by_decibels) {
    rcore_buffer_t *buffer = constant_buffer(60000, 1.0f);
    for (unsigned p = 0; p < nperiods; p++) {
        player_t player = play_curve(buffer, 0.1f, 25000, periods[p]);
        for (unsigned i = 0; i < 20000; i++) {
            const double level = 0.1 + 0.9 * pow(10, -4.5 * (i + 1) / 20000);
            EXPECT_NEAR(player_at(&player, 200 + i), level, 5e-4 * level);
        }
        EXPECT_EQUAL(first_other(player.stage.out[0], 20199, 25100, 0.1f), -1);
        for (unsigned i = 0; i < 6965; i++) {
            const double level = 0.1 * pow(10, -4.5 * (i + 1) / 9000);
            EXPECT_NEAR(player_at(&player, 25100 + i), level, 5e-4 * level);
        }
        // 70 dB later, at -90 dB, it ends.
        EXPECT_EQUAL(first_other(player.stage.out[0], 25100 + 7035, 40000, 0.0f), -1);
        player_close(&player);
        player = play_curve(buffer, 0.0f, 39000, periods[p]); // ends by itself
        EXPECT_NEAR(decibels((double)player_at(&player, 200 + 15555)), -70, 0.02);
        EXPECT_EQUAL(first_other(player.stage.out[0], 20199, 40000, 0.0f), -1);
        EXPECT_EQUAL(rcore_instrument_voices(player.instrument), 0);
        player_close(&player);
        player = play_curve(buffer, 0.1f, 50, periods[p]); // within the attack, at 0.5
        EXPECT_NEAR(decibels((double)player_at(&player, 150 + 4999)), -50 - 6.02, 0.02);
        player_close(&player);
    }
    rcore_buffer_release(buffer);
}

/// A stop shortens a release, exponential or not.
TEST(a_stop_shortens_a_release) {
    rcore_buffer_t *buffer = constant_buffer(60000, 1.0f);
    for (unsigned curve = 0; curve < 2; curve++) {
        rcore_zone_t zone = player_zone(buffer);
        zone.release_frames = 9000;
        zone.curve = curve;
        player_t player = player_open(NULL, NULL, &zone, 1);
        player_send(&player, 0x90, 60, 100, 100);
        player_send(&player, 0x80, 60, 0, 1000);
        player_send(&player, 0xB0, 120, 0, 4000);
        player_render_to(&player, 9000, 64);
        const double level = (double)player_at(&player, 3999), steal = player_stage_config().steal_frames;
        EXPECT(level > 0.01);
        EXPECT_NEAR(player_at(&player, 4099), level * (curve == 0 ? 1 - 100 / steal : pow(10, -4.5 * 100 / steal)),
                    1e-3 * level);
        EXPECT_EQUAL(first_other(player.stage.out[0], 4000 + (uint64_t)steal, 9000, 0.0f), -1);
        player_close(&player);
    }
    rcore_buffer_release(buffer);
}

/// During the delay of an envelope, the sound plays on inaudibly; a note that is released then is
/// over at once.
TEST(a_delay_is_silent) {
    rcore_buffer_t *buffer = ramp_buffer(60000);
    rcore_zone_t zone = player_zone(buffer);
    zone.delay_frames = 500;
    zone.release_frames = 1000;
    for (unsigned p = 0; p < nperiods; p++) {
        player_t player = player_open(NULL, NULL, &zone, 1);
        player_send(&player, 0x90, 60, 100, 100);
        player_send(&player, 0x90, 61, 100, 2000);
        player_send(&player, 0x80, 60, 0, 2000);
        player_send(&player, 0x80, 61, 0, 2100);
        player_render_to(&player, 2200, periods[p]);
        player_render_to(&player, 2201, 1);
        EXPECT_EQUAL(rcore_instrument_voices(player.instrument), 1);
        player_render_to(&player, 4000, periods[p]);
        player_render_to(&player, 4001, 1);
        EXPECT_EQUAL(first_other(player.stage.out[0], 0, 600, 0.0f), -1);
        for (unsigned i = 600; i < 2000; i++) {
            EXPECT_NEAR(player_at(&player, i), (double)ramp_sample(i - 100), 0);
        }
        EXPECT_EQUAL(first_other(player.stage.out[0], 3000, 4000, 0.0f), -1);
        EXPECT_EQUAL(rcore_instrument_voices(player.instrument), 0);
        player_close(&player);
    }
    rcore_buffer_release(buffer);
}

/// A choke is a release of its own length, by the curve of the envelope.
TEST(a_choke_follows_the_curve) {
    rcore_buffer_t *buffer = constant_buffer(60000, 1.0f), *silence = constant_buffer(10, 0.0f);
    for (unsigned curve = 0; curve < 2; curve++) {
        rcore_zone_t zones[2] = {player_zone(buffer), player_zone(silence)};
        zones[0].high_key = 60, zones[1].low_key = 61;
        zones[0].sustain = 0.5f;
        zones[0].release_frames = 100;
        zones[0].curve = curve;
        zones[0].choked_by = zones[1].group = 1;
        zones[0].choke_frames = 10000;
        player_t player = player_open(NULL, NULL, zones, 2);
        player_send(&player, 0x90, 60, 100, 100);
        player_send(&player, 0x90, 61, 100, 1000);
        player_render_to(&player, 12000, 64);
        for (unsigned i = 0; i < 9000; i++) {
            const double part = (i + 1) / 10000.0;
            EXPECT_NEAR(player_at(&player, 1000 + i), 0.5 * (curve == 0 ? 1 - part : pow(10, -4.5 * part)), 3e-4);
        }
        EXPECT_EQUAL(first_other(player.stage.out[0], 11000, 12000, 0.0f), -1);
        player_close(&player);
    }
    rcore_buffer_release(buffer);
    rcore_buffer_release(silence);
}

/// A choke never makes a release louder, whatever their lengths and curves.
TEST(a_choke_lengthens_no_release) {
    rcore_buffer_t *buffer = constant_buffer(100000, 1.0f), *silence = constant_buffer(10, 0.0f);
    for (uint32_t frames = 10; frames < 60000; frames = frames * 3 + 1) {
        float before[2][60000];
        for (unsigned choked = 0; choked < 2; choked++) {
            rcore_zone_t zones[2] = {player_zone(buffer), player_zone(silence)};
            zones[0].high_key = 60, zones[1].low_key = 61;
            zones[0].release_frames = 48000;
            zones[0].curve = RCORE_ENVELOPE_EXPONENTIAL;
            zones[0].choked_by = zones[1].group = 1;
            zones[0].choke_frames = frames;
            player_t player = player_open(NULL, NULL, zones, 2);
            player_send(&player, 0x90, 60, 100, 100);
            player_send(&player, 0x80, 60, 0, 1000);
            player_send(&player, 0x90, (uint8_t)(60 + choked), 0, 1500); // velocity 0 is a note-off
            player_send(&player, 0x90, choked != 0 ? 61 : 127, choked != 0 ? 100 : 0, 1500);
            player_render_to(&player, 60000, 256);
            for (unsigned i = 0; i < 60000; i++) {
                before[choked][i] = player_at(&player, i);
            }
            player_close(&player);
        }
        uint64_t louder = 0;
        for (unsigned i = 0; i < 60000; i++) {
            louder += before[1][i] > before[0][i] * 1.001f + 1e-6f;
        }
        EXPECT_EQUAL(louder, 0);
        EXPECT(frames > 40000 || before[1][1500 + frames / 2] < before[0][1500 + frames / 2]);
    }
    rcore_buffer_release(buffer);
    rcore_buffer_release(silence);
}

/// Stages of the greatest lengths move, at the rate that their length requires.
TEST(very_long_stages_move) {
    rcore_buffer_t *buffer = constant_buffer(1000, 1.0f);
    const uint32_t lengths[] = {1u << 23, (1u << 23) + 1, 1u << 26, UINT32_MAX - 1, UINT32_MAX};
    for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        for (unsigned curve = 0; curve < 2; curve++) {
            rcore_zone_t zone = player_zone(buffer);
            zone.loops = true;
            zone.release_frames = lengths[i];
            zone.curve = curve;
            player_t player = player_open(NULL, NULL, &zone, 1);
            player_send(&player, 0x90, 60, 100, 100);
            player_send(&player, 0x80, 60, 0, 1000);
            player_render_to(&player, 400000, 8192);
            const double part = 399000.0 / lengths[i];
            EXPECT_NEAR(player_at(&player, 399999), curve == 0 ? 1 - part : pow(10, -4.5 * part), 5e-5);
            EXPECT_EQUAL(rcore_instrument_voices(player.instrument), 1);
            player_close(&player);
        }
    }
    rcore_buffer_release(buffer);
}

/// The greatest stages have the same bits in all periods, although floats do not count their frames
/// exactly.
TEST(periods_do_not_change_long_stages) {
    rcore_buffer_t *buffer = constant_buffer(1000, 1.0f);
    rcore_zone_t zone = player_zone(buffer);
    zone.loops = true;
    zone.attack_frames = 1u << 26;
    player_t player[2];
    for (unsigned i = 0; i < 2; i++) {
        player[i] = player_open(NULL, NULL, &zone, 1);
        player_send(&player[i], 0x90, 60, 100, 100);
        player_render_to(&player[i], 100000, i == 0 ? 64 : STAGE_CHANGING_PERIODS);
    }
    EXPECT(memcmp(player[0].stage.out[0], player[1].stage.out[0], 100000 * sizeof(float)) == 0);
    EXPECT(player_at(&player[0], 99999) > 0);
    player_close(&player[0]);
    player_close(&player[1]);
    rcore_buffer_release(buffer);
}

/// A voice that a note has left plays any other sound as if it had never had an envelope. A note
/// whose envelope is empty takes no voice.
TEST(a_voice_forgets_its_envelope) {
    rcore_buffer_t *buffer = constant_buffer(1000, 1.0f);
    rcore_config_t core = player_stage_config();
    core.max_voices = core.max_playing = 1;
    rcore_zone_t zones[2] = {envelope_zone(buffer), envelope_zone(buffer)};
    zones[0].high_key = 60, zones[1].low_key = 61;
    zones[1].attack_frames = zones[1].hold_frames = zones[1].decay_frames = 0;
    zones[1].sustain = 0.0f;
    player_t player = player_open(&core, NULL, zones, 2);
    player_send(&player, 0x90, 60, 100, 100);
    player_render_to(&player, 2000, 64);
    const uint64_t begin = player.stage.nframes;
    stage_play(&player.stage, buffer, RCORE_NOW);
    player_send(&player, 0x90, 61, 100, begin + 100);
    player_render_to(&player, begin + 2000, 64);
    EXPECT_EQUAL(first_other(player.stage.out[0], begin, begin + 1000, 1.0f), -1);
    EXPECT_EQUAL(rcore_read_counters(player.stage.core).stolen_voices, 0);
    EXPECT_EQUAL(rcore_instrument_missed_notes(player.instrument), 0);
    player_close(&player);
    rcore_buffer_release(buffer);
}

/// Notes that are being released do not count towards `max_playing`: new ones steal none of them.
TEST(released_notes_leave_the_polyphony) {
    rcore_buffer_t *buffer = constant_buffer(60000, 0.01f);
    rcore_zone_t zone = player_zone(buffer);
    zone.release_frames = 20000;
    rcore_config_t core = player_stage_config();
    core.max_playing = 4;
    for (unsigned curve = 0; curve < 2; curve++) {
        zone.curve = curve;
        player_t player = player_open(&core, NULL, &zone, 1);
        for (uint8_t key = 60; key < 64; key++) {
            player_send(&player, 0x90, key, 100, 100);
            player_send(&player, 0x80, key, 0, 1000);
            player_send(&player, 0x90, key + 10, 100, 2000);
        }
        player_render_to(&player, 3000, 64);
        EXPECT_EQUAL(rcore_read_counters(player.stage.core).stolen_voices, 0);
        EXPECT_EQUAL(rcore_instrument_voices(player.instrument), 8);
        player_send(&player, 0x90, 80, 100, 3000);
        player_render_to(&player, 3100, 64);
        EXPECT_EQUAL(rcore_read_counters(player.stage.core).stolen_voices, 1);
        player_close(&player);
    }
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
    RUN(a_delay_is_silent);
    RUN(exponential_envelopes_fall_by_decibels);
    RUN(a_stop_shortens_a_release);
    RUN(a_choke_follows_the_curve);
    RUN(a_choke_lengthens_no_release);
    RUN(very_long_stages_move);
    RUN(periods_do_not_change_long_stages);
    RUN(a_voice_forgets_its_envelope);
    RUN(released_notes_leave_the_polyphony);
    return test_result();
}
