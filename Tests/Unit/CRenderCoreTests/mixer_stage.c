#include "mixer_stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rcore_config_t mixer_config(void) {
    rcore_config_t config = rcore_config_default();
    config.max_voices = config.max_playing = 2 * mixer_most_voices;
    config.max_buses = 16;
    config.max_sends = 24;
    config.max_routes = mixer_most_routes;
    config.max_channels = mixer_channels;
    config.max_queues = 2;
    config.block_frames = 64;
    return config;
}

static void require(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "mixer: %s\n", what);
        abort();
    }
}

struct mixer_stage *mixer_stage_open(const rcore_config_t *config, uint64_t capacity) {
    const rcore_config_t usual = mixer_config();
    struct mixer_stage *stage = calloc(1, sizeof *stage);
    require(stage != NULL, "no memory");
    stage->core = rcore_create(config != NULL ? config : &usual, NULL);
    stage->gate = sgate_page_create();
    require(stage->core != NULL && stage->gate != NULL, "no core");
    stage->queue = rcore_queue_open(stage->core, NULL);
    stage->capacity = capacity;
    sgate_page_set_grant(stage->gate, (sgate_grant_t){.serial = 1});
    for (uint32_t i = 0; i < mixer_outputs; i++) {
        stage->out[i] = calloc(capacity, sizeof(float));
        require(stage->out[i] != NULL, "no memory");
    }
    return stage;
}

void mixer_stage_close(struct mixer_stage *stage) {
    rcore_destroy(stage->core);
    sgate_page_destroy(stage->gate);
    for (uint32_t i = 0; i < mixer_contexts; i++) {
        mixer_effect_close(&stage->effects[i]);
    }
    for (uint32_t i = 0; i < stage->matrix_count; i++) {
        rcore_matrix_destroy(stage->matrices[i]);
    }
    for (uint32_t i = 0; i < mixer_most_voices; i++) {
        rcore_buffer_release(stage->buffers[i]);
    }
    for (uint32_t i = 0; i < mixer_outputs; i++) {
        free(stage->out[i]);
    }
    free(stage->matrices);
    free(stage);
}

// ---- Inserts ------------------------------------------------------------------------------------

static rcore_insert_t insert_of(struct mixer_stage *stage, const struct mixer_bus *bus) {
    if (!bus->insert.given) {
        return (rcore_insert_t){.render = NULL};
    }
    struct mixer_effect *effect = &stage->effects[bus->insert.context];
    if (!effect->given) {
        mixer_effect_open(effect, bus->channels, bus->insert.latency, bus->insert.gain);
    } else if (effect->gone) { // No plan calls it: clear its state.
        mixer_effect_clear(effect);
    }
    effect->gone = false;
    return mixer_effect_insert(effect);
}

void mixer_retire(struct mixer_stage *stage, const struct mixer *mixer) {
    for (uint32_t i = 0; i < mixer_contexts; i++) {
        stage->effects[i].gone = stage->effects[i].given;
    }
    for (uint32_t i = 0; i < mixer->bus_count; i++) {
        if (mixer->buses[i].insert.given) {
            stage->effects[mixer->buses[i].insert.context].gone = false;
        }
    }
}

uint64_t mixer_bad_calls(const struct mixer_stage *stage) {
    uint64_t bad = 0;
    for (uint32_t i = 0; i < mixer_contexts; i++) {
        bad += stage->effects[i].bad_calls;
    }
    return bad;
}

// ---- Plans --------------------------------------------------------------------------------------

static const rcore_matrix_t *matrix_of(struct mixer_stage *stage, const struct mixer_map *map, uint32_t inputs,
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

static void plan_bus(struct mixer_stage *stage, const struct mixer *mixer, uint32_t index, rcore_plan_t *plan) {
    const struct mixer_bus *bus = &mixer->buses[index];
    const struct mixer_bus *parent = bus->parent != RCORE_NONE ? &mixer->buses[bus->parent] : NULL;
    const rcore_bus_description_t description = {
        .slot = bus->slot,
        .channels = bus->channels,
        .parent = parent != NULL ? parent->slot : RCORE_NONE,
        .gate = bus->gated ? stage->gate : NULL,
        .matrix = parent != NULL ? matrix_of(stage, &bus->map, bus->channels, parent->channels) : NULL,
        .insert = insert_of(stage, bus),
        .pan_law = bus->law,
        .solo_safe = bus->safe,
        .compensation_exempt = bus->compensation_exempt,
    };
    require(rcore_plan_add_bus(plan, &description) == RCORE_OK, "a bus was refused");
}

rcore_plan_t *mixer_plan(struct mixer_stage *stage, const struct mixer *mixer) {
    rcore_plan_t *plan = rcore_plan_create();
    for (uint32_t i = 0; i < mixer->bus_count; i++) {
        plan_bus(stage, mixer, i, plan);
    }
    for (uint32_t i = 0; i < mixer->send_count; i++) {
        const struct mixer_send *send = &mixer->sends[i];
        const struct mixer_bus *source = &mixer->buses[send->source], *target = &mixer->buses[send->target];
        const rcore_send_description_t description = {
            .slot = send->slot,
            .source = source->slot,
            .target = target->slot,
            .pre_fader = send->pre_fader,
            .matrix = matrix_of(stage, &send->map, source->channels, target->channels),
        };
        require(rcore_plan_add_send(plan, &description) == RCORE_OK, "a send was refused");
    }
    for (uint32_t i = 0; i < mixer->route_count; i++) {
        const struct mixer_route *route = &mixer->routes[i];
        const rcore_route_description_t description = {
            .slot = route->slot, .channels = route->channels, .first_output = i * mixer_channels};
        require(rcore_plan_add_route(plan, &description) == RCORE_OK, "a route was refused");
    }
    for (uint32_t i = 0; i < mixer->connection_count; i++) {
        const struct mixer_connection *connection = &mixer->connections[i];
        const struct mixer_bus *bus = &mixer->buses[connection->bus];
        const struct mixer_route *route = &mixer->routes[connection->route];
        const rcore_matrix_t *matrix = matrix_of(stage, &connection->map, bus->channels, route->channels);
        require(rcore_plan_connect(plan, bus->slot, route->slot, matrix) == RCORE_OK, "a connection was refused");
    }
    return plan;
}

void mixer_settings(struct mixer_stage *stage, const struct mixer *mixer) {
    rcore_queue_t *queue = stage->queue;
    for (uint32_t i = 0; i < mixer->bus_count; i++) {
        const struct mixer_bus *bus = &mixer->buses[i];
        require(rcore_post_bus_gain(queue, bus->slot, bus->gain, 0, RCORE_NOW) == RCORE_OK, "a gain was refused");
        require(rcore_post_bus_pan(queue, bus->slot, bus->pan, 0, RCORE_NOW) == RCORE_OK, "a pan was refused");
        require(rcore_post_bus_mute(queue, bus->slot, bus->muted, 0, RCORE_NOW) == RCORE_OK, "a mute was refused");
        require(rcore_post_bus_solo(queue, bus->slot, bus->soloed, 0, RCORE_NOW) == RCORE_OK, "a solo was refused");
    }
    for (uint32_t i = 0; i < mixer->send_count; i++) {
        const struct mixer_send *send = &mixer->sends[i];
        require(rcore_post_send_level(queue, send->slot, send->level, 0, RCORE_NOW) == RCORE_OK, "a level was refused");
    }
}

// ---- Playback -----------------------------------------------------------------------------------

void mixer_voices(struct mixer_stage *stage, const struct mixer *mixer) {
    for (uint32_t i = 0; i < mixer->voice_count; i++) {
        const struct mixer_voice *voice = &mixer->voices[i];
        const struct mixer_bus *bus = &mixer->buses[voice->bus];
        stage->buffers[i] = rcore_buffer_create(voice->channels, voice->nframes, voice->planes, NULL);
        rcore_voice_params_t params = rcore_voice_params_default();
        params.buffer = stage->buffers[i];
        params.bus = bus->slot;
        params.matrix = matrix_of(stage, &voice->map, voice->channels, bus->channels);
        params.gain = voice->gain;
        params.pan_law = voice->law;
        params.pan = voice->pan;
        const rcore_voice_t handle = rcore_voice_acquire(stage->core);
        require(rcore_post_start(stage->queue, handle, &params, voice->start) == RCORE_OK, "a voice was refused");
    }
}

void mixer_stage_render(struct mixer_stage *stage, uint64_t nframes, uint32_t period) {
    static const uint32_t changing[] = {1, 7, 64, 700, 13, 480, 2, 255, 257, 3, 31};
    require(stage->nframes + nframes <= stage->capacity, "output capacity exceeded");
    for (const uint64_t end = stage->nframes + nframes; stage->nframes < end;) {
        uint64_t count = period != STAGE_CHANGING_PERIODS ? period : changing[stage->turns++ % 11];
        count = count < end - stage->nframes ? count : end - stage->nframes;
        float *outputs[mixer_outputs];
        for (uint32_t i = 0; i < mixer_outputs; i++) {
            outputs[i] = stage->out[i] + stage->nframes;
        }
        for (uint32_t i = 0; i < mixer_contexts; i++) {
            stage->effects[i].rendered = 0;
        }
        rcore_process(stage->core, NULL, 0, outputs, mixer_outputs, (uint32_t)count);
        for (uint32_t i = 0; i < mixer_contexts; i++) {
            stage->effects[i].bad_calls += stage->effects[i].rendered > count ? 1 : 0;
        }
        stage->nframes += count;
    }
}

struct mixer_stage *mixer_play(const struct mixer *mixer, uint64_t nframes, uint32_t period) {
    struct mixer_stage *stage = mixer_stage_open(NULL, nframes);
    require(rcore_post_plan(stage->queue, mixer_plan(stage, mixer), RCORE_NOW) == RCORE_OK, "the plan was refused");
    mixer_settings(stage, mixer);
    mixer_voices(stage, mixer);
    mixer_stage_render(stage, nframes, period);
    return stage;
}
