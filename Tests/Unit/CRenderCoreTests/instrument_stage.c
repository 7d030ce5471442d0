#include "instrument_stage.h"

#include <stdlib.h>

rcore_config_t player_stage_config(void) {
    rcore_config_t config = stage_config();
    config.command_capacity = 4096;
    return config;
}

rcore_instrument_config_t player_config(void) {
    rcore_instrument_config_t config = rcore_instrument_config_default();
    config.pan_law = RCORE_PAN_NONE;
    config.ramp_frames = 100;
    return config;
}

rcore_zone_t player_zone(const rcore_buffer_t *buffer) {
    rcore_zone_t zone = rcore_zone_default();
    zone.buffer = buffer;
    zone.velocity_tracking = 0.0f;
    zone.key_tracking = 0.0f;
    zone.release_frames = 0;
    return zone;
}

static void expect_ok(rcore_status_t status) {
    if (status != RCORE_OK) {
        abort();
    }
}

player_t player_open(const rcore_config_t *core, const rcore_instrument_config_t *config, const rcore_zone_t *zones,
                     uint32_t count) {
    const rcore_config_t usual = player_stage_config();
    return player_on(stage_open(core != NULL ? core : &usual), config, zones, count);
}

player_t player_on(stage_t stage, const rcore_instrument_config_t *config, const rcore_zone_t *zones, uint32_t count) {
    const rcore_instrument_config_t usual_config = player_config();
    player_t player = {.stage = stage};
    rcore_status_t status = RCORE_BAD_ARGUMENT;
    player.instrument =
        rcore_instrument_create(player.stage.core, config != NULL ? config : &usual_config, zones, count, &status);
    expect_ok(status);
    player.input = rcore_midi_input_create(0, &status);
    expect_ok(status);
    rcore_midi_routing_t *routing = rcore_midi_routing_create();
    expect_ok(rcore_midi_routing_add_input(routing, 0, player.input));
    expect_ok(rcore_midi_routing_add_instrument(routing, INSTRUMENT_TARGET, player.instrument));
    expect_ok(rcore_midi_routing_connect(routing, 0, INSTRUMENT_TARGET, RCORE_MIDI_ALL_CHANNELS));
    expect_ok(rcore_post_midi_routing(player.stage.core, routing));
    stage_render(&player.stage, INSTRUMENT_READY, INSTRUMENT_READY);
    return player;
}

void player_close(player_t *player) {
    stage_close(&player->stage);
    rcore_instrument_destroy(player->instrument);
    rcore_midi_input_destroy(player->input);
}

void player_send(player_t *player, uint8_t status, uint8_t first, uint8_t second, uint64_t when) {
    const uint8_t bytes[] = {status, first, second};
    const uint32_t size = (status & 0xF0) == 0xC0 || (status & 0xF0) == 0xD0 ? 2 : 3;
    expect_ok(rcore_post_midi(player->stage.queue, INSTRUMENT_TARGET, bytes, size, when));
}

void player_render_to(player_t *player, uint64_t end, uint32_t period) {
    stage_render(&player->stage, end - player->stage.nframes, period);
}

float player_at(const player_t *player, uint64_t frame) { return player->stage.out[0][frame]; }
