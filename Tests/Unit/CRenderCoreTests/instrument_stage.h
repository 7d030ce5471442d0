/// A stage with an instrument on bus 0: target 1 of a routing, connected to the input of port 0.
#ifndef INSTRUMENT_STAGE_H
#define INSTRUMENT_STAGE_H

#include "stage.h"

/// Frames of the first period, in which the routing takes effect; notes come after it.
#define INSTRUMENT_READY 16u
/// Target of the instrument.
#define INSTRUMENT_TARGET 1u

typedef struct player {
    stage_t stage;
    rcore_instrument_t *instrument;
    rcore_midi_input_t *input;
} player_t;

/// Returns a stage's configuration with room for 4096 commands.
rcore_config_t player_stage_config(void);
/// Returns the default instrument without pan and with ramps of 100 frames.
rcore_instrument_config_t player_config(void);
/// Returns the default zone with this buffer, without velocity tracking, at its own pitch for every
/// key, and with a release of 0 frames.
rcore_zone_t player_zone(const rcore_buffer_t *buffer);
/// Opens a stage with an instrument. Each argument but the zones may be NULL: the configurations
/// above.
player_t player_open(const rcore_config_t *core, const rcore_instrument_config_t *config, const rcore_zone_t *zones,
                     uint32_t count);
/// Adds an instrument to a stage, which then belongs to the player.
player_t player_on(stage_t stage, const rcore_instrument_config_t *config, const rcore_zone_t *zones, uint32_t count);
void player_close(player_t *player);

/// Posts a message of three bytes (of two, for a program change or channel pressure).
void player_send(player_t *player, uint8_t status, uint8_t first, uint8_t second, uint64_t when);
/// Renders up to frame `end`.
void player_render_to(player_t *player, uint64_t end, uint32_t period);
/// Returns a sample of the left channel.
float player_at(const player_t *player, uint64_t frame);

#endif
