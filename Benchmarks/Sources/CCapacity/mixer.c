#include "mixer.h"

#include <stdlib.h>

enum {
    most_buses = 511,
    // The duration of gain and pan moves: too slow to be audible.
    move_frames = 1 << 30,
    curve_frames = 1 << 22,
};

// Slots: the buses, the master, the return, the nested buses.
static uint32_t master(capacity_mixer_layout_t layout) { return layout.buses; }
static uint32_t first_nested(capacity_mixer_layout_t layout) { return layout.buses + 2; }

static bool has_pans(capacity_mixer_layout_t layout) {
    return layout.feature == CAPACITY_CENTRED || layout.feature == CAPACITY_PANNED ||
           layout.feature == CAPACITY_PAN_MOVING;
}

static bool in_range(capacity_mixer_layout_t layout) {
    return layout.buses >= 1 && layout.buses <= most_buses && layout.frames >= 1 && layout.frames <= 256 &&
           layout.channels >= (has_pans(layout) ? 2 : 1) && layout.channels <= max_channels;
}

// ---- The plan -----------------------------------------------------------------------------------

static void no_effect(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT {
    (void)context;
    (void)planes;
    (void)channels;
    (void)nframes;
}

static bool has_insert(capacity_mixer_layout_t layout, uint32_t bus) {
    return layout.feature == CAPACITY_INSERT ||
           (bus == 0 && (layout.feature == CAPACITY_INSERT_ONE || layout.feature == CAPACITY_LATE));
}

static bool make_meter(struct capacity_mixer *mixer, uint32_t bus) {
    const capacity_feature_t feature = mixer->layout.feature;
    if (feature != CAPACITY_METER && feature != CAPACITY_TRUE_PEAK && feature != CAPACITY_TAPPED) {
        return true;
    }
    const rcore_meter_description_t description = {.channels = mixer->layout.channels,
                                                   .sample_rate = 48000,
                                                   .true_peak = feature == CAPACITY_TRUE_PEAK,
                                                   .tap_frames = feature == CAPACITY_TAPPED ? 1024 : 0};
    mixer->meters[bus] = rcore_meter_create(&description, NULL);
    return mixer->meters[bus] != NULL;
}

static bool make_limiter(struct capacity_mixer *mixer) {
    const bool limits = mixer->layout.feature == CAPACITY_LIMITING;
    if (!limits && mixer->layout.feature != CAPACITY_LIMITER) {
        return true;
    }
    const rcore_limiter_description_t description = {
        .channels = mixer->layout.channels, .sample_rate = 48000, .ceiling = limits ? mixer_ceiling : 1.0f};
    mixer->limiter = rcore_limiter_create(&description, NULL);
    return mixer->limiter != NULL;
}

static bool add_bus(struct capacity_mixer *mixer, rcore_plan_t *plan, uint32_t bus) {
    const capacity_mixer_layout_t layout = mixer->layout;
    rcore_bus_description_t description = {
        .slot = bus, .channels = layout.channels, .parent = master(layout), .meter = mixer->meters[bus]};
    if (layout.feature == CAPACITY_NESTED) {
        const rcore_bus_description_t between = {
            .slot = first_nested(layout) + bus, .channels = layout.channels, .parent = master(layout)};
        description.parent = between.slot;
        if (rcore_plan_add_bus(plan, &between) != RCORE_OK) {
            return false;
        }
    }
    if (has_pans(layout)) {
        description.pan_law = RCORE_PAN_LINEAR;
    }
    if (has_insert(layout, bus)) {
        description.insert = (rcore_insert_t){.render = no_effect, .context = &mixer->meters[bus]};
        description.insert.latency_frames = layout.feature == CAPACITY_LATE ? layout.latency_frames : 0;
    }
    return rcore_plan_add_bus(plan, &description) == RCORE_OK;
}

static bool add_send(const struct capacity_mixer *mixer, rcore_plan_t *plan, uint32_t bus) {
    const capacity_feature_t feature = mixer->layout.feature;
    if (feature != CAPACITY_SEND_PRE && feature != CAPACITY_SEND_POST) {
        return true;
    }
    const rcore_send_description_t description = {
        .slot = bus, .source = bus, .target = master(mixer->layout) + 1, .pre_fader = feature == CAPACITY_SEND_PRE};
    return rcore_plan_add_send(plan, &description) == RCORE_OK;
}

static bool add_routes(const struct capacity_mixer *mixer, rcore_plan_t *plan) {
    const capacity_mixer_layout_t layout = mixer->layout;
    for (uint32_t route = 0; route < CAPACITY_MIXER_ROUTES; route++) {
        const rcore_route_description_t description = {.slot = route,
                                                       .channels = layout.channels,
                                                       .first_output = route * layout.channels,
                                                       .limiter = route == 0 ? mixer->limiter : NULL};
        if (rcore_plan_add_route(plan, &description) != RCORE_OK ||
            ((route == 0 || layout.feature == CAPACITY_ROUTES) &&
             rcore_plan_connect(plan, master(layout), route, NULL) != RCORE_OK)) {
            return false;
        }
    }
    return true;
}

static bool fill_plan(struct capacity_mixer *mixer, rcore_plan_t *plan) {
    const capacity_mixer_layout_t layout = mixer->layout;
    const rcore_bus_description_t last = {.slot = master(layout), .channels = layout.channels, .parent = RCORE_NONE};
    const rcore_bus_description_t back = {.slot = last.slot + 1, .channels = layout.channels, .parent = last.slot};
    bool made = rcore_plan_add_bus(plan, &last) == RCORE_OK && rcore_plan_add_bus(plan, &back) == RCORE_OK;
    for (uint32_t bus = 0; made && bus < layout.buses; bus++) {
        made = make_meter(mixer, bus) && add_bus(mixer, plan, bus) && add_send(mixer, plan, bus);
    }
    return made && make_limiter(mixer) && add_routes(mixer, plan);
}

static bool post_plan(struct capacity_mixer *mixer) {
    rcore_plan_t *plan = rcore_plan_create();
    if (plan == NULL || !fill_plan(mixer, plan) || rcore_post_plan(mixer->queue, plan, RCORE_NOW) != RCORE_OK) {
        rcore_plan_destroy(plan);
        return false;
    }
    return true;
}

// ---- Set-up -------------------------------------------------------------------------------------

static bool make_core(struct capacity_mixer *mixer) {
    const capacity_mixer_layout_t layout = mixer->layout;
    const bool room = layout.feature == CAPACITY_ROOM;
    rcore_config_t sizes = rcore_config_default();
    sizes.max_voices = sizes.max_playing = layout.buses;
    sizes.max_buses = first_nested(layout) + layout.buses;
    sizes.max_sends = room ? 1024 : layout.buses;
    sizes.max_curves = room ? 4096 : layout.feature == CAPACITY_CURVE ? layout.buses : 0;
    sizes.max_routes = CAPACITY_MIXER_ROUTES;
    sizes.max_channels = layout.channels;
    sizes.max_queues = 1;
    sizes.command_capacity = 4 * layout.buses + 16;
    mixer->core = rcore_create(&sizes, NULL);
    mixer->queue = mixer->core != NULL ? rcore_queue_open(mixer->core, NULL) : NULL;
    return mixer->queue != NULL && post_plan(mixer);
}

static bool move_bus(const struct capacity_mixer *mixer, uint32_t bus) {
    switch (mixer->layout.feature) {
    case CAPACITY_PANNED:
        return rcore_post_bus_pan(mixer->queue, bus, 0.5f, 0, RCORE_NOW) == RCORE_OK;
    case CAPACITY_PAN_MOVING:
        return rcore_post_bus_pan(mixer->queue, bus, 0.01f, move_frames, RCORE_NOW) == RCORE_OK;
    case CAPACITY_GAIN_MOVING:
        return rcore_post_bus_gain(mixer->queue, bus, 0.99f, move_frames, RCORE_NOW) == RCORE_OK;
    case CAPACITY_CURVE:
        return rcore_post_curve(mixer->queue, RCORE_PARAMETER_BUS_GAIN, bus, 0.9995f, RCORE_CURVE_S, curve_frames,
                                RCORE_NOW) == RCORE_OK;
    case CAPACITY_MUTED:
        return rcore_post_bus_mute(mixer->queue, bus, true, 0, RCORE_NOW) == RCORE_OK;
    default:
        return true;
    }
}

static bool start_voice(const struct capacity_mixer *mixer, uint32_t bus) {
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = mixer->samples->buffers[bus % mixer->samples->scene.sources];
    params.bus = bus;
    params.gain = mixer_sum / (float)mixer->layout.buses;
    params.loop_count = UINT64_MAX;
    return rcore_post_start(mixer->queue, rcore_voice_acquire(mixer->core), &params, RCORE_NOW) == RCORE_OK;
}

static bool make(struct capacity_mixer *mixer) {
    const capacity_mixer_layout_t layout = mixer->layout;
    mixer->samples = capacity_graph_samples((capacity_topology_t){.voices = layout.buses,
                                                                  .frames = layout.frames,
                                                                  .source_channels = layout.channels,
                                                                  .channels = layout.channels});
    mixer->meters = calloc(layout.buses, sizeof(rcore_meter_t *));
    bool made = mixer->samples != NULL && mixer->meters != NULL &&
                planes_make(&mixer->outputs, CAPACITY_MIXER_ROUTES * layout.channels, layout.frames) &&
                planes_make(&mixer->sums, 2 * (layout.buses + 1) * layout.channels, layout.frames) &&
                planes_make(&mixer->mixed, layout.channels, layout.frames) && make_core(mixer);
    for (uint32_t bus = 0; made && bus < layout.buses; bus++) {
        made = start_voice(mixer, bus);
    }
    if (made) {
        // Applies the plan: commands to its buses are valid from then on.
        rcore_process(mixer->core, NULL, 0, NULL, 0, 0);
    }
    for (uint32_t bus = 0; made && bus < layout.buses; bus++) {
        made = move_bus(mixer, bus);
    }
    return made;
}

capacity_mixer_t *capacity_mixer_create(capacity_mixer_layout_t layout) {
    struct capacity_mixer *mixer = in_range(layout) ? calloc(1, sizeof *mixer) : NULL;
    if (mixer == NULL) {
        return NULL;
    }
    mixer->layout = layout;
    if (!make(mixer)) {
        capacity_mixer_destroy(mixer);
        return NULL;
    }
    return mixer;
}

void capacity_mixer_destroy(capacity_mixer_t *mixer) {
    if (mixer == NULL) {
        return;
    }
    rcore_destroy(mixer->core);
    for (uint32_t bus = 0; mixer->meters != NULL && bus < mixer->layout.buses; bus++) {
        rcore_meter_destroy(mixer->meters[bus]);
    }
    rcore_limiter_destroy(mixer->limiter);
    capacity_samples_destroy(mixer->samples);
    planes_free(&mixer->outputs);
    planes_free(&mixer->sums);
    planes_free(&mixer->mixed);
    free(mixer->meters);
    free(mixer);
}

// Empties the taps: a full tap would accept no more frames.
static void read_taps(const struct capacity_mixer *mixer) {
    for (uint32_t bus = 0; mixer->layout.feature == CAPACITY_TAPPED && bus < mixer->layout.buses; bus++) {
        (void)rcore_fifo_read_interleaved(rcore_meter_tap(mixer->meters[bus]), mixer->mixed.samples,
                                          mixer->layout.frames);
    }
}

uint64_t capacity_mixer_cycle(capacity_mixer_t *mixer) {
    const uint64_t begun = layout_now();
    rcore_process(mixer->core, NULL, 0, mixer->outputs.channel, mixer->outputs.count, mixer->layout.frames);
    const uint64_t taken = layout_now() - begun;
    mixer->time += mixer->layout.frames;
    read_taps(mixer);
    return taken;
}
