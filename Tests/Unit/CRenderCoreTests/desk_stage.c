#include "desk_stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rcore_config_t desk_config(void) {
    rcore_config_t config = rcore_config_default();
    config.max_voices = config.max_playing = 2 * desk_most_voices;
    config.max_buses = 16;
    config.max_sends = 24;
    config.max_routes = desk_most_routes;
    config.max_channels = desk_channels;
    config.max_ports = 2;
    config.slice_frames = 64;
    return config;
}

static void require(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "desk: %s\n", what);
        abort();
    }
}

struct desk_stage *desk_stage_open(const rcore_config_t *config, uint64_t capacity) {
    const rcore_config_t usual = desk_config();
    struct desk_stage *stage = calloc(1, sizeof *stage);
    require(stage != NULL, "no memory");
    stage->core = rcore_create(config != NULL ? config : &usual, NULL);
    stage->gate = sgate_page_create();
    require(stage->core != NULL && stage->gate != NULL, "no core");
    stage->port = rcore_port_open(stage->core, NULL);
    stage->capacity = capacity;
    sgate_page_set_verdict(stage->gate, (sgate_verdict_t){.serial = 1});
    for (uint32_t i = 0; i < desk_outputs; i++) {
        stage->out[i] = calloc(capacity, sizeof(float));
        require(stage->out[i] != NULL, "no memory");
    }
    return stage;
}

void desk_stage_close(struct desk_stage *stage) {
    rcore_destroy(stage->core);
    sgate_page_destroy(stage->gate);
    for (uint32_t i = 0; i < desk_contexts; i++) {
        desk_effect_close(&stage->effects[i]);
    }
    for (uint32_t i = 0; i < stage->matrix_count; i++) {
        rcore_matrix_destroy(stage->matrices[i]);
    }
    for (uint32_t i = 0; i < desk_most_voices; i++) {
        rcore_buffer_release(stage->buffers[i]);
    }
    for (uint32_t i = 0; i < desk_outputs; i++) {
        free(stage->out[i]);
    }
    free(stage->matrices);
    free(stage);
}

// ---- Inserts ----------------------------------------------------------------------------------------------------------------------

static rcore_insert_t insert_of(struct desk_stage *stage, const struct desk_bus *bus) {
    if (!bus->insert.given) {
        return (rcore_insert_t){.render = NULL};
    }
    struct desk_effect *effect = &stage->effects[bus->insert.context];
    if (!effect->given) {
        desk_effect_open(effect, bus->channels, bus->insert.latency, bus->insert.gain);
    } else if (effect->gone) { // nobody calls it: as new
        desk_effect_clear(effect);
    }
    effect->gone = false;
    return desk_effect_insert(effect);
}

void desk_retire(struct desk_stage *stage, const struct desk *desk) {
    for (uint32_t i = 0; i < desk_contexts; i++) {
        stage->effects[i].gone = stage->effects[i].given;
    }
    for (uint32_t i = 0; i < desk->bus_count; i++) {
        if (desk->buses[i].insert.given) {
            stage->effects[desk->buses[i].insert.context].gone = false;
        }
    }
}

uint64_t desk_bad_calls(const struct desk_stage *stage) {
    uint64_t bad = 0;
    for (uint32_t i = 0; i < desk_contexts; i++) {
        bad += stage->effects[i].bad_calls;
    }
    return bad;
}

// ---- Plans ------------------------------------------------------------------------------------------------------------------------

static const rcore_matrix_t *matrix_of(struct desk_stage *stage, const struct desk_map *map, uint32_t inputs,
                                       uint32_t outputs) {
    if (!map->given) {
        return NULL;
    }
    stage->matrices = realloc(stage->matrices, sizeof(*stage->matrices) * (stage->matrix_count + 1));
    require(stage->matrices != NULL, "no memory");
    rcore_matrix_t *matrix = rcore_matrix_create(inputs, outputs, map->gains, NULL);
    require(matrix != NULL, "a matrix was refused");
    stage->matrices[stage->matrix_count++] = matrix;
    return matrix;
}

static void plan_bus(struct desk_stage *stage, const struct desk *desk, uint32_t index, rcore_plan_t *plan) {
    const struct desk_bus *bus = &desk->buses[index];
    const struct desk_bus *parent = bus->parent != RCORE_NONE ? &desk->buses[bus->parent] : NULL;
    const rcore_bus_description_t description = {
        .slot = bus->slot,
        .channels = bus->channels,
        .parent = parent != NULL ? parent->slot : RCORE_NONE,
        .gate = bus->gated ? stage->gate : NULL,
        .matrix = parent != NULL ? matrix_of(stage, &bus->map, bus->channels, parent->channels) : NULL,
        .insert = insert_of(stage, bus),
        .pan_law = bus->law,
        .solo_safe = bus->safe,
        .live = bus->live,
    };
    require(rcore_plan_add_bus(plan, &description) == RCORE_OK, "a bus was refused");
}

rcore_plan_t *desk_plan(struct desk_stage *stage, const struct desk *desk) {
    rcore_plan_t *plan = rcore_plan_create();
    for (uint32_t i = 0; i < desk->bus_count; i++) {
        plan_bus(stage, desk, i, plan);
    }
    for (uint32_t i = 0; i < desk->send_count; i++) {
        const struct desk_send *send = &desk->sends[i];
        const struct desk_bus *source = &desk->buses[send->source], *target = &desk->buses[send->target];
        const rcore_send_description_t description = {
            .slot = send->slot,
            .source = source->slot,
            .target = target->slot,
            .pre_fader = send->pre_fader,
            .matrix = matrix_of(stage, &send->map, source->channels, target->channels),
        };
        require(rcore_plan_add_send(plan, &description) == RCORE_OK, "a send was refused");
    }
    for (uint32_t i = 0; i < desk->route_count; i++) {
        const struct desk_route *route = &desk->routes[i];
        const rcore_route_description_t description = {
            .slot = route->slot, .channels = route->channels, .first_output = i * desk_channels};
        require(rcore_plan_add_route(plan, &description) == RCORE_OK, "a route was refused");
    }
    for (uint32_t i = 0; i < desk->connection_count; i++) {
        const struct desk_connection *connection = &desk->connections[i];
        const struct desk_bus *bus = &desk->buses[connection->bus];
        const struct desk_route *route = &desk->routes[connection->route];
        const rcore_matrix_t *matrix = matrix_of(stage, &connection->map, bus->channels, route->channels);
        require(rcore_plan_connect(plan, bus->slot, route->slot, matrix) == RCORE_OK, "a connection was refused");
    }
    return plan;
}

void desk_settings(struct desk_stage *stage, const struct desk *desk) {
    rcore_port_t *port = stage->port;
    for (uint32_t i = 0; i < desk->bus_count; i++) {
        const struct desk_bus *bus = &desk->buses[i];
        require(rcore_post_bus_gain(port, bus->slot, bus->gain, 0, RCORE_NOW) == RCORE_OK, "a gain was refused");
        require(rcore_post_bus_pan(port, bus->slot, bus->pan, 0, RCORE_NOW) == RCORE_OK, "a pan was refused");
        require(rcore_post_bus_mute(port, bus->slot, bus->muted, 0, RCORE_NOW) == RCORE_OK, "a mute was refused");
        require(rcore_post_bus_solo(port, bus->slot, bus->soloed, 0, RCORE_NOW) == RCORE_OK, "a solo was refused");
    }
    for (uint32_t i = 0; i < desk->send_count; i++) {
        const struct desk_send *send = &desk->sends[i];
        require(rcore_post_send_level(port, send->slot, send->level, 0, RCORE_NOW) == RCORE_OK, "a level was refused");
    }
}

// ---- Sound ------------------------------------------------------------------------------------------------------------------------

void desk_voices(struct desk_stage *stage, const struct desk *desk) {
    for (uint32_t i = 0; i < desk->voice_count; i++) {
        const struct desk_voice *voice = &desk->voices[i];
        const struct desk_bus *bus = &desk->buses[voice->bus];
        stage->buffers[i] = rcore_buffer_create(voice->channels, voice->nframes, voice->planes, NULL);
        rcore_voice_params_t params = rcore_voice_params_default();
        params.buffer = stage->buffers[i];
        params.bus = bus->slot;
        params.matrix = matrix_of(stage, &voice->map, voice->channels, bus->channels);
        params.gain = voice->gain;
        params.pan_law = voice->law;
        params.pan = voice->pan;
        const rcore_voice_t handle = rcore_voice_acquire(stage->core);
        require(rcore_post_start(stage->port, handle, &params, voice->start) == RCORE_OK, "a voice was refused");
    }
}

void desk_stage_render(struct desk_stage *stage, uint64_t nframes, uint32_t period) {
    static const uint32_t changing[] = {1, 7, 64, 700, 13, 480, 2, 255, 257, 3, 31};
    require(stage->nframes + nframes <= stage->capacity, "no room for what it puts out");
    for (const uint64_t end = stage->nframes + nframes; stage->nframes < end;) {
        uint64_t count = period != STAGE_CHANGING_PERIODS ? period : changing[stage->turns++ % 11];
        count = count < end - stage->nframes ? count : end - stage->nframes;
        float *outputs[desk_outputs];
        for (uint32_t i = 0; i < desk_outputs; i++) {
            outputs[i] = stage->out[i] + stage->nframes;
        }
        for (uint32_t i = 0; i < desk_contexts; i++) {
            stage->effects[i].rendered = 0;
        }
        rcore_process(stage->core, NULL, 0, outputs, desk_outputs, (uint32_t)count);
        for (uint32_t i = 0; i < desk_contexts; i++) {
            stage->effects[i].bad_calls += stage->effects[i].rendered > count ? 1 : 0;
        }
        stage->nframes += count;
    }
}

struct desk_stage *desk_play(const struct desk *desk, uint64_t nframes, uint32_t period) {
    struct desk_stage *stage = desk_stage_open(NULL, nframes);
    require(rcore_post_plan(stage->port, desk_plan(stage, desk), RCORE_NOW) == RCORE_OK, "the plan was refused");
    desk_settings(stage, desk);
    desk_voices(stage, desk);
    desk_stage_render(stage, nframes, period);
    return stage;
}
