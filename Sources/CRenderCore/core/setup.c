// Creates, configures and destroys a core. The cycle calls none of these functions, which may
// allocate.
#include "core/core.h"
#include "core/memory.h"
#include "midi/midi.h"
#include "mix/buses.h"
#include "mix/curves.h"
#include "mix/inputs.h"
#include "mix/ramp.h"
#include "queue/command.h"
#include "queue/queue.h"
#include "queue/ring.h"
#include "transport/transport.h"
#include "voices/page_cache.h"
#include "voices/voice.h"

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
        .max_queues = 8,
        .max_curves = 256,
        .block_frames = 256,
        .command_capacity = 1024,
        .event_capacity = 1024,
        .steal_frames = 240,
        .crossfade_frames = 240,
    };
}

static bool is_within(uint32_t value, uint32_t least, uint32_t most) { return value >= least && value <= most; }

static bool config_valid(const rcore_config_t *config) {
    return config != NULL && is_within(config->sample_rate, RCORE_MIN_SAMPLE_RATE, RCORE_MAX_SAMPLE_RATE) &&
           is_within(config->max_voices, 1, 65536) && is_within(config->max_playing, 1, config->max_voices) &&
           is_within(config->max_buses, 1, 1024) && config->max_sends <= 1024 && config->max_curves <= 4096 &&
           is_within(config->max_routes, 1, RCORE_MAX_ROUTES) && config->max_inputs <= 64 &&
           is_within(config->max_channels, 1, RCORE_MAX_CHANNELS) && is_within(config->max_queues, 1, 64) &&
           is_within(config->block_frames, 16, RCORE_MAX_PERIOD) && is_within(config->command_capacity, 1, 1u << 20) &&
           is_within(config->event_capacity, 1, 1u << 20) && config->steal_frames <= 1u << 20 &&
           config->crossfade_frames <= 1u << 20;
}

// Allocates arrays from one arena. Without an arena (`base` NULL), only adds up their sizes.
struct layout {
    char *base;
    size_t used;
};

static void *carve(struct layout *layout, size_t count, size_t size) {
    const size_t offset = layout->used;
    layout->used += (count * size + RCORE_ALIGNMENT - 1) / RCORE_ALIGNMENT * RCORE_ALIGNMENT;
    return layout->base == NULL ? NULL : layout->base + offset;
}

// Returns the distance between channels, in floats: an odd number of cache lines. Channels a power
// of two apart would compete for the same cache sets.
static size_t stride_of(const rcore_config_t *config) {
    const size_t line = RCORE_ALIGNMENT / sizeof(float);
    return ((config->block_frames + line - 1) / line | 1) * line;
}

// Sets the core's arrays to parts of `arena`; NULL: sets them to NULL. Returns the size of the
// arena.
static size_t lay_out(rcore_t *core, void *arena) {
    const rcore_config_t *config = &core->config;
    struct layout layout = {.base = arena, .used = 0};
    core->commands.queues = carve(&layout, config->max_queues, sizeof *core->commands.queues);
    for (uint32_t i = 0; i < config->max_queues; i++) {
        // One more cache line: commands of several queues a power of two apart would compete for
        // the same cache sets.
        struct command *commands = carve(&layout, config->command_capacity + 2, sizeof *commands);
        if (arena != NULL) {
            command_ring_init(&core->commands.queues[i].ring, commands, config->command_capacity);
        }
    }
    const size_t timed = (size_t)config->max_queues * config->command_capacity;
    core->commands.pending.commands =
        carve(&layout, timed + RCORE_MAX_MIDI_EVENTS, sizeof *core->commands.pending.commands);
    core->commands.beats.commands = carve(&layout, timed, sizeof *core->commands.beats.commands);
    core->events.items = carve(&layout, config->event_capacity, sizeof *core->events.items);
    core->curves.running = carve(&layout, config->max_curves, curves_bytes());
    core->curves.of_parameter = carve(&layout, curves_parameters(config), sizeof *core->curves.of_parameter);
    core->voices.pool = carve(&layout, config->max_voices, sizeof *core->voices.pool);
    core->voices.envelopes = carve(&layout, config->max_voices, sizeof *core->voices.envelopes);
    core->voices.filters = carve(&layout, config->max_voices, sizeof *core->voices.filters);
    core->voices.playing = carve(&layout, config->max_voices, sizeof *core->voices.playing);
    core->voices.acquired = carve(&layout, (config->max_voices + 63) / 64, sizeof *core->voices.acquired);
    core->mix.buses = carve(&layout, config->max_buses, sizeof *core->mix.buses);
    core->graph.slots = carve(&layout, config->max_buses, sizeof *core->graph.slots);
    core->graph.schedule = carve(&layout, config->max_buses, sizeof *core->graph.schedule);
    core->mix.ops = carve(&layout, config->max_buses, sizeof *core->mix.ops);
    core->mix.bus_has_signal = carve(&layout, config->max_buses, sizeof *core->mix.bus_has_signal);
    core->mix.due = carve(&layout, (config->max_buses + 63) / 64, sizeof *core->mix.due);
    core->mix.route_has_signal = carve(&layout, config->max_routes, sizeof *core->mix.route_has_signal);
    core->gates.gated = carve(&layout, config->max_buses, sizeof *core->gates.gated);
    core->mix.sends = carve(&layout, config->max_sends, sizeof *core->mix.sends);
    core->inputs.slots = carve(&layout, config->max_inputs, sizeof *core->inputs.slots);
    const size_t block = sizeof(float) * core->stride;
    core->mix.bus_samples = carve(&layout, (size_t)config->max_buses * config->max_channels, block);
    core->mix.crossfade_samples = carve(&layout, config->max_channels, block);
    core->mix.route_samples = carve(&layout, (size_t)config->max_routes * config->max_channels, block);
    core->mix.outgoing_samples = carve(&layout, (size_t)config->max_routes * config->max_channels, block);
    core->inputs.samples = carve(&layout, (size_t)config->max_inputs * config->max_channels, block);
    core->voices.source_samples = carve(&layout, RCORE_MAX_CHANNELS, block);
    core->voices.gather_samples = carve(&layout, MAX_SPEED * config->block_frames + 4, sizeof(float));
    core->voices.seek_samples = carve(&layout, MAX_SPEED * config->block_frames + 4, sizeof(float));
    core->voices.playhead_frames = carve(&layout, config->block_frames, sizeof(int32_t));
    core->voices.playhead_fractions = carve(&layout, 1, block);
    core->mix.envelope = carve(&layout, 1, block);
    for (unsigned i = 0; i < CONNECTION_ENVELOPES; i++) {
        core->mix.envelopes[i] = carve(&layout, 1, block);
    }
    core->mix.route_peaks =
        carve(&layout, (size_t)config->max_routes * config->max_channels, sizeof *core->mix.route_peaks);
    core->inputs.tails = carve(&layout, (size_t)config->max_inputs * config->max_channels, sizeof *core->inputs.tails);
    core->inputs.peaks = carve(&layout, (size_t)config->max_inputs * config->max_channels, sizeof *core->inputs.peaks);
    return layout.used;
}

// Initialises queues, voices, buses, sends and inputs.
static void initialise_arrays(rcore_t *core) {
    const rcore_config_t *config = &core->config;
    for (uint32_t i = 0; i < config->max_queues; i++) {
        core->commands.queues[i].core = core;
        core->commands.queues[i].index = (uint8_t)i;
    }
    for (uint32_t i = 0; i < config->max_voices; i++) {
        core->voices.pool[i].generation = 1;
        atomic_init(&core->voices.pool[i].status, voice_status(1, RCORE_VOICE_FREE, RCORE_END_NONE));
    }
    if (config->max_voices % 64 != 0) { // the bits beyond the last voice are never free
        atomic_init(&core->voices.acquired[config->max_voices / 64], UINT64_MAX << config->max_voices % 64);
    }
    for (uint32_t i = 0; i <= RCORE_MAX_PRIORITY; i++) {
        core->voices.polyphony.lists[i] = (struct voice_list){RCORE_NONE, RCORE_NONE};
    }
    for (uint32_t i = 0; i < config->max_buses; i++) {
        bus_reset(&core->mix.buses[i]);
    }
    for (uint32_t i = 0; i < config->max_sends; i++) {
        ramp_set(&core->mix.sends[i].level, 1.0f);
    }
    for (uint32_t i = 0; i < config->max_inputs; i++) {
        input_reset(core, i, 0);
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
    core->arena.bytes = lay_out(core, NULL);
    core->arena.memory = memory_allocate(core->arena.bytes);
    if (core->arena.memory == NULL) {
        free(core);
        return NULL;
    }
    lay_out(core, core->arena.memory);
    core->arena.unlocked_bytes = memory_lock(core->arena.memory, core->arena.bytes) + memory_lock(core, sizeof *core);
    atomic_init(&core->sample_rate, config->sample_rate);
    ring_init(&core->events.ring, core->config.event_capacity);
    (void)sem_init(&core->work.semaphore, 0, 0); // fails only for values beyond SEM_VALUE_MAX
    atomic_init(&core->work.is_posted, false);
    initialise_arrays(core);
    transport_init(core);
    *status = RCORE_OK;
    return core;
}

void rcore_destroy(rcore_t *core) {
    if (core == NULL) {
        return;
    }
    while (core->graph.posted_plans != NULL) {
        rcore_plan_t *plan = core->graph.posted_plans;
        core->graph.posted_plans = plan->next;
        rcore_plan_destroy(plan);
    }
    midi_destroy(core);
    transport_destroy(core);
    page_cache_destroy(core->voices.page_cache);
    memory_unlock(core->arena.memory, core->arena.bytes);
    memory_unlock(core, sizeof *core);
    (void)sem_destroy(&core->work.semaphore);
    free(core->arena.memory);
    free(core);
}

rcore_config_t rcore_configuration(const rcore_t *core) {
    rcore_config_t config = core->config;
    config.sample_rate = atomic_load_explicit(&core->sample_rate, memory_order_relaxed);
    return config;
}

rcore_status_t rcore_set_sample_rate(rcore_t *core, uint32_t sample_rate) {
    if (!is_within(sample_rate, RCORE_MIN_SAMPLE_RATE, RCORE_MAX_SAMPLE_RATE)) {
        return RCORE_BAD_ARGUMENT;
    }
    atomic_store_explicit(&core->sample_rate, sample_rate, memory_order_relaxed);
    return RCORE_OK;
}
