// Instruments under random messages, and refused arguments.
#include "expect.h"
#include "instrument_stage.h"
#include "random.h"

#include <string.h>

// ---- Arguments ----------------------------------------------------------------------------------

static rcore_status_t create(const rcore_t *core, const rcore_instrument_config_t *config, const rcore_zone_t *zone) {
    rcore_status_t status = RCORE_OK;
    rcore_instrument_t *instrument = rcore_instrument_create(core, config, zone, zone != NULL, &status);
    EXPECT((instrument != NULL) == (status == RCORE_OK));
    rcore_instrument_destroy(instrument);
    return status;
}

#define EXPECT_REFUSED(field, bad)                                                                                     \
    do {                                                                                                               \
        rcore_zone_t expect_zone = good;                                                                               \
        expect_zone.field = (bad);                                                                                     \
        EXPECT_EQUAL(create(stage.core, &config, &expect_zone), RCORE_BAD_ARGUMENT);                                   \
    } while (0)
#define EXPECT_CONFIG_REFUSED(field, bad)                                                                              \
    do {                                                                                                               \
        rcore_instrument_config_t expect_config = config;                                                              \
        expect_config.field = (bad);                                                                                   \
        EXPECT_EQUAL(create(stage.core, &expect_config, &good), RCORE_BAD_ARGUMENT);                                   \
    } while (0)

TEST(bad_zones_are_refused) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(1000, 1.0f);
    rcore_matrix_t *mono = rcore_matrix_create_standard(1, 2, NULL);
    const rcore_instrument_config_t config = rcore_instrument_config_default();
    rcore_zone_t good = rcore_zone_default();
    good.buffer = buffer;
    good.loop_start = 100, good.loop_end = 900, good.loop_fade_frames = 50, good.loops = true;
    EXPECT_EQUAL(create(stage.core, &config, &good), RCORE_OK);
    EXPECT_REFUSED(buffer, NULL);
    EXPECT_REFUSED(matrix, mono);
    EXPECT_REFUSED(sample_rate, RCORE_MIN_SAMPLE_RATE - 1);
    EXPECT_REFUSED(sample_rate, RCORE_MAX_SAMPLE_RATE + 1);
    EXPECT_REFUSED(trigger, 2);
    EXPECT_REFUSED(trigger, RCORE_ZONE_RELEASE); // with a loop
    EXPECT_REFUSED(one_shot, true);
    EXPECT_REFUSED(high_key, 128);
    good.low_key = 50;
    EXPECT_REFUSED(high_key, 49);
    EXPECT_REFUSED(low_velocity, 0);
    EXPECT_REFUSED(high_velocity, 128);
    EXPECT_REFUSED(high_velocity, 0);
    EXPECT_REFUSED(low_program, 128);
    EXPECT_REFUSED(high_program, 128);
    EXPECT_REFUSED(sequence_length, 0);
    EXPECT_REFUSED(sequence_length, 128);
    EXPECT_REFUSED(sequence_position, 0);
    EXPECT_REFUSED(sequence_position, 2);
    EXPECT_REFUSED(root_key, 128);
    EXPECT_REFUSED(key_tracking, NAN);
    EXPECT_REFUSED(key_tracking, 1201.0f);
    EXPECT_REFUSED(tuning, -12001.0f);
    EXPECT_REFUSED(tuning, NAN);
    EXPECT_REFUSED(gain, INFINITY);
    EXPECT_REFUSED(velocity_tracking, 1.01f);
    EXPECT_REFUSED(velocity_tracking, -0.01f);
    EXPECT_REFUSED(pan, NAN);
    EXPECT_REFUSED(pan, 1.5f);
    EXPECT_REFUSED(sustain, -0.5f);
    EXPECT_REFUSED(sustain, NAN);
    EXPECT_REFUSED(curve, 2);
    EXPECT_REFUSED(start_frame, 1000);
    EXPECT_REFUSED(loop_start, 900);
    EXPECT_REFUSED(loop_end, 1001);
    EXPECT_REFUSED(loop_fade_frames, 101);
    EXPECT_REFUSED(loop_end, 149);
    stage_close(&stage);
    rcore_buffer_release(buffer);
    rcore_matrix_destroy(mono);
}

TEST(bad_configurations_are_refused) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(1000, 1.0f);
    rcore_instrument_config_t config = rcore_instrument_config_default();
    rcore_zone_t good = rcore_zone_default();
    good.buffer = buffer;
    EXPECT_EQUAL(create(stage.core, &config, NULL), RCORE_OK);
    EXPECT_CONFIG_REFUSED(bus, stage_config().max_buses);
    EXPECT_CONFIG_REFUSED(max_notes, 0);
    EXPECT_CONFIG_REFUSED(max_notes, 4097);
    EXPECT_CONFIG_REFUSED(priority, RCORE_MAX_PRIORITY + 1);
    EXPECT_CONFIG_REFUSED(pan_law, (rcore_pan_law_t)3);
    EXPECT_CONFIG_REFUSED(bend_range, 96.5f);
    EXPECT_CONFIG_REFUSED(bend_range, NAN);
    EXPECT_CONFIG_REFUSED(member_bend_range, -1.0f);
    EXPECT_CONFIG_REFUSED(pressure_gain, 17.0f);
    EXPECT_CONFIG_REFUSED(pressure_gain, NAN);
    EXPECT_CONFIG_REFUSED(ramp_frames, 0);
    EXPECT_CONFIG_REFUSED(ramp_frames, (1u << 20) + 1);
    EXPECT_CONFIG_REFUSED(lower_members, 16);
    EXPECT_CONFIG_REFUSED(upper_members, 16);
    config.lower_members = 7;
    EXPECT_CONFIG_REFUSED(upper_members, 8);
    EXPECT_EQUAL(create(stage.core, NULL, &good), RCORE_BAD_ARGUMENT);
    EXPECT(rcore_instrument_create(stage.core, &config, NULL, 1, NULL) == NULL);
    EXPECT(rcore_instrument_create(stage.core, &config, &good, 65537, NULL) == NULL);
    rcore_instrument_destroy(NULL);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

// ---- Random messages ----------------------------------------------------------------------------

enum { zone_count = 24, messages = 200000 };

static rcore_filter_t random_filter(struct random *random) {
    rcore_filter_t filter = rcore_filter_default();
    filter.type = random_below(random, RCORE_FILTER_BAND_REJECT + 1);
    filter.cutoff = random_float(random, 20, 20000);
    filter.resonance = random_float(random, 0, 6);
    filter.key_tracking = random_float(random, -100, 100);
    filter.velocity_range = random_float(random, -2400, 2400);
    filter.pressure_range = random_float(random, -2400, 2400);
    filter.controller = random_once_in(random, 2) ? 1 : 74;
    filter.controller_range = random_float(random, -4800, 4800);
    filter.controller_rest = (uint8_t)random_below(random, 128);
    filter.envelope_range = random_float(random, -4800, 4800);
    filter.delay_frames = random_once_in(random, 2) ? 0 : random_below(random, 500);
    filter.attack_frames = random_once_in(random, 2) ? 0 : random_below(random, 500);
    filter.hold_frames = random_once_in(random, 2) ? 0 : random_below(random, 500);
    filter.decay_frames = random_once_in(random, 2) ? 0 : random_below(random, 500);
    filter.release_frames = random_once_in(random, 2) ? 0 : random_below(random, 500);
    filter.sustain = random_float(random, 0, 1);
    return filter;
}

static rcore_zone_t random_zone(struct random *random, const rcore_buffer_t *buffer) {
    const uint32_t rates[] = {24000, 44100, 48000, 96000};
    rcore_zone_t zone = rcore_zone_default();
    zone.buffer = buffer;
    zone.sample_rate = rates[random_below(random, 4)];
    zone.trigger = random_once_in(random, 5) ? RCORE_ZONE_RELEASE : RCORE_ZONE_ATTACK;
    zone.low_key = (uint8_t)random_below(random, 100);
    zone.high_key = zone.low_key + (uint8_t)random_below(random, 28);
    zone.low_velocity = 1 + (uint8_t)random_below(random, 60);
    zone.high_velocity = zone.low_velocity + (uint8_t)random_below(random, 60);
    zone.high_program = (uint8_t)random_below(random, 128);
    zone.sequence_length = 1 + (uint8_t)random_below(random, 3);
    zone.sequence_position = 1 + (uint8_t)random_below(random, zone.sequence_length);
    zone.one_shot = random_once_in(random, 4);
    zone.loops = !zone.one_shot && zone.trigger == RCORE_ZONE_ATTACK && random_once_in(random, 2);
    zone.leaves_loop = random_once_in(random, 2);
    zone.loop_start = random_below(random, 300), zone.loop_end = 301 + random_below(random, 500);
    zone.tuning = random_float(random, -1200, 1200);
    zone.pan = random_float(random, -1, 1);
    zone.delay_frames = random_once_in(random, 4) ? random_below(random, 500) : 0;
    zone.attack_frames = random_once_in(random, 2) ? 0 : random_below(random, 500);
    zone.hold_frames = random_once_in(random, 2) ? 0 : random_below(random, 500);
    zone.decay_frames = random_once_in(random, 2) ? 0 : random_below(random, 500);
    zone.release_frames = random_below(random, 5000);
    zone.sustain = random_once_in(random, 3) ? 0 : random_float(random, 0, 1);
    zone.curve = random_below(random, 2);
    zone.group = random_below(random, 4);
    zone.choked_by = random_below(random, 4);
    zone.choke_frames = random_below(random, 500);
    zone.filter = random_filter(random);
    return zone;
}

/// Fills a message: usually a valid one, sometimes any bytes. Returns its size, 1…6.
static uint32_t random_message(struct random *random, uint8_t bytes[RCORE_MIDI_BYTES]) {
    const uint8_t statuses[] = {0x80, 0x90, 0x90, 0x90, 0xA0, 0xB0, 0xB0, 0xC0, 0xD0, 0xE0};
    const uint8_t controllers[] = {1, 6, 7, 10, 11, 38, 64, 66, 74, 98, 99, 100, 101, 120, 121, 123, 127};
    const bool valid = !random_once_in(random, 10);
    for (uint32_t i = 0; i < RCORE_MIDI_BYTES; i++) {
        bytes[i] = (uint8_t)random_below(random, valid ? 128 : 256);
    }
    if (!valid) {
        return 1 + random_below(random, RCORE_MIDI_BYTES);
    }
    const uint8_t status = statuses[random_below(random, 10)];
    bytes[0] = status | (uint8_t)random_below(random, 16);
    if (status == 0xB0) {
        bytes[1] = controllers[random_below(random, 17)];
        if (bytes[1] == 100 || bytes[1] == 101 || bytes[1] == 6) {
            bytes[2] = (uint8_t)(random_once_in(random, 2) ? 0 : 1 + random_below(random, 8));
        }
    }
    return status == 0xC0 || status == 0xD0 ? 2 : 3;
}

static uint64_t sound(const player_t *player, uint64_t from, float bound) {
    uint64_t wrong = 0;
    for (unsigned channel = 0; channel < STAGE_CHANNELS; channel++) {
        for (uint64_t i = from; i < player->stage.nframes; i++) {
            wrong += !(fabsf(player->stage.out[channel][i]) <= bound);
        }
    }
    return wrong;
}

/// Sends "all sound off" on all channels, and renders a second. Release zones that have just begun
/// end as well.
static void fall_silent(player_t *player) {
    for (uint8_t channel = 0; channel < 16; channel++) {
        player_send(player, 0xB0 | channel, 120, 0, RCORE_NOW);
    }
    stage_render(&player->stage, STAGE_RATE, 480);
}

static void play_random(uint64_t seed) {
    struct random random = random_seeded(seed);
    rcore_buffer_t *buffer = sine_buffer(3000, 300, 1.0f);
    rcore_zone_t zones[zone_count];
    for (unsigned i = 0; i < zone_count; i++) {
        zones[i] = random_zone(&random, buffer);
    }
    rcore_config_t core = player_stage_config();
    core.max_voices = 64;
    core.max_playing = 20 + random_below(&random, 44);
    core.steal_frames = random_once_in(&random, 3) ? 0 : random_below(&random, 500);
    rcore_instrument_config_t config = player_config();
    config.max_notes = 1 + random_below(&random, 64);
    config.pan_law = (rcore_pan_law_t)random_below(&random, 3);
    config.ramp_frames = 1 + random_below(&random, 1000);
    config.lower_members = (uint8_t)random_below(&random, 8);
    player_t player = player_open(&core, &config, zones, zone_count);
    for (unsigned sent = 0; sent < messages / 4;) {
        for (unsigned i = random_below(&random, 100); i > 0; i--, sent++) {
            uint8_t bytes[RCORE_MIDI_BYTES];
            const uint32_t size = random_message(&random, bytes);
            const uint64_t when = rcore_time(player.stage.core) + random_below(&random, 300);
            if (random_once_in(&random, 2)) {
                rcore_midi_receive(player.stage.core, 0, random_below(&random, 300), bytes, size);
            } else {
                (void)rcore_post_midi(player.stage.queue, INSTRUMENT_TARGET, bytes, size, when);
            }
        }
        if (random_once_in(&random, 20)) {
            stage_grant(&player.stage, (sgate_grant_t){.paused = random_once_in(&random, 3), .ramp_ms = 2});
        }
        stage_render(&player.stage, 1 + random_below(&random, 600), 1 + random_below(&random, 700));
        EXPECT(rcore_instrument_voices(player.instrument) <= config.max_notes);
    }
    stage_grant(&player.stage, (sgate_grant_t){.paused = false});
    stage_render(&player.stage, 600, 100); // the last messages become due
    fall_silent(&player);
    EXPECT_EQUAL(sound(&player, 0, 64.0f * 1.1f), 0);
    EXPECT(first_other(player.stage.out[0], INSTRUMENT_READY, player.stage.nframes - STAGE_RATE, 0.0f) >= 0);
    EXPECT_EQUAL(sound(&player, player.stage.nframes - STAGE_RATE / 4, 0.0f), 0);
    EXPECT_EQUAL(rcore_buffer_users(buffer), 0);
    EXPECT_EQUAL(rcore_instrument_voices(player.instrument), 0);
    EXPECT_EQUAL(rcore_read_counters(player.stage.core).playing_voices, 0);
    EXPECT_EQUAL(rcore_read_counters(player.stage.core).nonfinite_samples, 0);
    player_close(&player);
    rcore_buffer_release(buffer);
}

TEST(random_messages_do_no_harm) {
    const uint64_t seed = random_seed(20260801);
    printf("SEED=%llu\n", (unsigned long long)seed);
    for (uint64_t i = 0; i < 4; i++) {
        play_random(seed + i);
    }
}

/// Plays a scene of valid messages, which depends only on the seed.
static player_t play_scene(uint64_t seed, const rcore_buffer_t *buffer, uint32_t period) {
    struct random random = random_seeded(seed);
    rcore_zone_t zones[zone_count];
    for (unsigned i = 0; i < zone_count; i++) {
        zones[i] = random_zone(&random, buffer);
    }
    rcore_config_t core = player_stage_config();
    core.max_voices = core.max_playing = 1024;
    rcore_instrument_config_t config = player_config();
    config.max_notes = random_once_in(&random, 2) ? 1024 : 1 + random_below(&random, 30);
    config.pan_law = (rcore_pan_law_t)random_below(&random, 3);
    config.lower_members = (uint8_t)random_below(&random, 8);
    player_t player = player_open(&core, &config, zones, zone_count);
    for (unsigned i = 0; i < 400; i++) {
        uint8_t bytes[RCORE_MIDI_BYTES];
        const uint32_t size = random_message(&random, bytes);
        const uint64_t when = INSTRUMENT_READY + random_below(&random, 20000);
        (void)rcore_post_midi(player.stage.queue, INSTRUMENT_TARGET, bytes, size, when);
    }
    player_render_to(&player, 24000, period);
    return player;
}

TEST(periods_make_no_difference) {
    const uint32_t periods[] = {1, 64, 1000, STAGE_CHANGING_PERIODS};
    const uint64_t seed = random_seed(20260801);
    rcore_buffer_t *buffer = sine_buffer(3000, 300, 0.125f);
    for (uint64_t i = 0; i < 8; i++) {
        player_t reference = play_scene(seed + i, buffer, 256);
        EXPECT(first_other(reference.stage.out[0], 0, 24000, 0.0f) >= 0);
        for (unsigned p = 0; p < 4; p++) {
            player_t player = play_scene(seed + i, buffer, periods[p]);
            for (unsigned channel = 0; channel < STAGE_CHANNELS; channel++) {
                EXPECT(memcmp(player.stage.out[channel], reference.stage.out[channel], 24000 * sizeof(float)) == 0);
            }
            player_close(&player);
        }
        player_close(&reference);
    }
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(bad_zones_are_refused);
    RUN(bad_configurations_are_refused);
    RUN(random_messages_do_no_harm);
    RUN(periods_make_no_difference);
    return test_result();
}
