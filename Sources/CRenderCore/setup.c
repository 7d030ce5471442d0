// Making and ending a core: everything here may allocate, nothing here is called by the cycle.
#include "core.h"
#include "curves.h"
#include "memory.h"

#include <stdlib.h>

rcore_config_t rcore_config_default(void) {
    return (rcore_config_t){
        .sample_rate = 48000,
        .max_voices = 256,
        .max_playing = 256,
        .max_buses = 64,
        .max_sends = 64,
        .max_routes = 8,
        .max_inputs = 8,
        .max_channels = 8,
        .max_ports = 8,
        .max_curves = 256,
        .slice_frames = 256,
        .command_capacity = 1024,
        .event_capacity = 1024,
        .steal_frames = 240,
        .swap_frames = 240,
    };
}

static bool within(uint32_t value, uint32_t least, uint32_t most) { return value >= least && value <= most; }

static bool config_valid(const rcore_config_t *config) {
    return config != NULL && within(config->sample_rate, RCORE_MIN_SAMPLE_RATE, RCORE_MAX_SAMPLE_RATE) &&
           within(config->max_voices, 1, 65536) && within(config->max_playing, 1, config->max_voices) &&
           within(config->max_buses, 1, 1024) && config->max_sends <= 1024 && config->max_curves <= 4096 &&
           within(config->max_routes, 1, RCORE_MAX_ROUTES) && config->max_inputs <= 64 &&
           within(config->max_channels, 1, RCORE_MAX_CHANNELS) && within(config->max_ports, 1, 64) &&
           within(config->slice_frames, 16, RCORE_MAX_PERIOD) && within(config->command_capacity, 1, 1u << 20) &&
           within(config->event_capacity, 1, 1u << 20) && config->steal_frames <= 1u << 20 &&
           config->swap_frames <= 1u << 20;
}

// Carves arrays out of one arena; with no arena it only measures.
struct layout {
    char *base;
    size_t used;
};

static void *carve(struct layout *layout, size_t count, size_t size) {
    const size_t offset = layout->used;
    layout->used += (count * size + RCORE_ALIGNMENT - 1) / RCORE_ALIGNMENT * RCORE_ALIGNMENT;
    return layout->base == NULL ? NULL : layout->base + offset;
}

// An odd number of cache lines: channels a power of two apart would fight for the same places in the cache.
static size_t stride_of(const rcore_config_t *config) {
    const size_t line = RCORE_ALIGNMENT / sizeof(float);
    return ((config->slice_frames + line - 1) / line | 1) * line;
}

static size_t lay_out(rcore_t *core, void *arena) {
    const rcore_config_t *config = &core->config;
    struct layout layout = {.base = arena, .used = 0};
    core->ports = carve(&layout, config->max_ports, sizeof *core->ports);
    for (uint32_t i = 0; i < config->max_ports; i++) {
        struct command *commands = carve(&layout, config->command_capacity, sizeof *commands);
        if (arena != NULL) {
            core->ports[i].commands = commands;
        }
    }
    core->pending = carve(&layout, (size_t)config->max_ports * config->command_capacity, sizeof *core->pending);
    core->events = carve(&layout, config->event_capacity, sizeof *core->events);
    core->curves = carve(&layout, config->max_curves, curves_bytes());
    core->curve_of = carve(&layout, curves_parameters(config), sizeof *core->curve_of);
    core->voices = carve(&layout, config->max_voices, sizeof *core->voices);
    core->playing = carve(&layout, config->max_voices, sizeof *core->playing);
    core->taken_voices = carve(&layout, (config->max_voices + 63) / 64, sizeof *core->taken_voices);
    core->buses = carve(&layout, config->max_buses, sizeof *core->buses);
    core->slots = carve(&layout, config->max_buses, sizeof *core->slots);
    core->order = carve(&layout, config->max_buses, sizeof *core->order);
    core->steps = carve(&layout, config->max_buses, sizeof *core->steps);
    core->fed_routes = carve(&layout, config->max_routes, sizeof *core->fed_routes);
    core->gated = carve(&layout, config->max_buses, sizeof *core->gated);
    core->sends = carve(&layout, config->max_sends, sizeof *core->sends);
    core->inputs = carve(&layout, config->max_inputs, sizeof *core->inputs);
    const size_t slice = sizeof(float) * core->stride;
    core->bus_samples = carve(&layout, (size_t)config->max_buses * config->max_channels, slice);
    core->swap_samples = carve(&layout, config->max_channels, slice);
    core->route_samples = carve(&layout, (size_t)config->max_routes * config->max_channels, slice);
    core->leaving_samples = carve(&layout, (size_t)config->max_routes * config->max_channels, slice);
    core->input_samples = carve(&layout, (size_t)config->max_inputs * config->max_channels, slice);
    core->source_samples = carve(&layout, RCORE_MAX_CHANNELS, slice);
    core->gather_samples = carve(&layout, MAX_SPEED * config->slice_frames + 4, sizeof(float));
    core->seek_samples = carve(&layout, MAX_SPEED * config->slice_frames + 4, sizeof(float));
    core->place_frames = carve(&layout, config->slice_frames, sizeof(int32_t));
    core->place_fractions = carve(&layout, 1, slice);
    core->envelope = carve(&layout, 1, slice);
    for (unsigned i = 0; i < WAY_ENVELOPES; i++) {
        core->way_envelopes[i] = carve(&layout, 1, slice);
    }
    core->peaks = carve(&layout, (size_t)config->max_routes * config->max_channels, sizeof *core->peaks);
    core->input_peaks = carve(&layout, (size_t)config->max_inputs * config->max_channels, sizeof *core->input_peaks);
    return layout.used;
}

static void begin_slots(rcore_t *core) {
    const rcore_config_t *config = &core->config;
    for (uint32_t i = 0; i < config->max_ports; i++) {
        core->ports[i].core = core;
        core->ports[i].index = (uint8_t)i;
        ring_init(&core->ports[i].ring, config->command_capacity);
    }
    for (uint32_t i = 0; i < config->max_voices; i++) {
        core->voices[i].generation = 1;
        atomic_init(&core->voices[i].status, voice_status(1, RCORE_VOICE_FREE, RCORE_END_NONE));
    }
    if (config->max_voices % 64 != 0) { // beyond the last voice: never free
        atomic_init(&core->taken_voices[config->max_voices / 64], UINT64_MAX << config->max_voices % 64);
    }
    for (uint32_t i = 0; i <= RCORE_MAX_PRIORITY; i++) {
        core->placed[i] = (struct voice_list){RCORE_NONE, RCORE_NONE};
    }
    for (uint32_t i = 0; i < config->max_buses; i++) {
        bus_reset(&core->buses[i]);
    }
    for (uint32_t i = 0; i < config->max_sends; i++) {
        ramp_set(&core->sends[i].level, 1.0f);
    }
    for (uint32_t i = 0; i < config->max_inputs; i++) {
        input_reset(&core->inputs[i], 0);
    }
}

rcore_t *rcore_create(const rcore_config_t *config, rcore_status_t *status) {
    rcore_status_t ignored;
    status = status != NULL ? status : &ignored;
    *status = RCORE_BAD_ARGUMENT;
    if (!config_valid(config)) {
        return NULL;
    }
    *status = RCORE_NO_MEMORY;
    rcore_t *core = memory_allocate(sizeof *core);
    if (core == NULL) {
        return NULL;
    }
    core->config = *config;
    core->config.command_capacity = ring_round_up(config->command_capacity);
    core->config.event_capacity = ring_round_up(config->event_capacity);
    core->stride = stride_of(&core->config);
    core->arena_bytes = lay_out(core, NULL);
    core->arena = memory_allocate(core->arena_bytes);
    if (core->arena == NULL) {
        free(core);
        return NULL;
    }
    lay_out(core, core->arena);
    core->unlocked_bytes = memory_lock(core->arena, core->arena_bytes) + memory_lock(core, sizeof *core);
    atomic_init(&core->sample_rate, config->sample_rate);
    ring_init(&core->event_ring, core->config.event_capacity);
    begin_slots(core);
    *status = RCORE_OK;
    return core;
}

void rcore_destroy(rcore_t *core) {
    if (core == NULL) {
        return;
    }
    while (core->posted_plans != NULL) {
        rcore_plan_t *plan = core->posted_plans;
        core->posted_plans = plan->next;
        rcore_plan_destroy(plan);
    }
    memory_unlock(core->arena, core->arena_bytes);
    memory_unlock(core, sizeof *core);
    free(core->arena);
    free(core);
}

rcore_config_t rcore_configuration(const rcore_t *core) {
    rcore_config_t config = core->config;
    config.sample_rate = atomic_load_explicit(&core->sample_rate, memory_order_relaxed);
    return config;
}

rcore_status_t rcore_set_sample_rate(rcore_t *core, uint32_t sample_rate) {
    if (!within(sample_rate, RCORE_MIN_SAMPLE_RATE, RCORE_MAX_SAMPLE_RATE)) {
        return RCORE_BAD_ARGUMENT;
    }
    atomic_store_explicit(&core->sample_rate, sample_rate, memory_order_relaxed);
    return RCORE_OK;
}
