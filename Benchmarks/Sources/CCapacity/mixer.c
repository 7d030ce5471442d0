#include "mixer.h"

#include <stdlib.h>

enum {
    most_buses = 511,
    move_frames = 1 << 30, // in which gains and pans get where they go: too slowly to tell
    curve_frames = 1 << 22,
};

// Slots: the buses', the master's, the return's, those between.
static uint32_t master(capacity_desk_t desk) { return desk.buses; }
static uint32_t first_nested(capacity_desk_t desk) { return desk.buses + 2; }

static bool has_pans(capacity_desk_t desk) {
    return desk.feature == CAPACITY_CENTRED || desk.feature == CAPACITY_PANNED || desk.feature == CAPACITY_PAN_MOVING;
}

static bool in_range(capacity_desk_t desk) {
    return desk.buses >= 1 && desk.buses <= most_buses && desk.frames >= 1 && desk.frames <= 256 &&
           desk.channels >= (has_pans(desk) ? 2 : 1) && desk.channels <= max_channels;
}

// ---- The plan -------------------------------------------------------------------------------------------------------------------

static void no_effect(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT {
    (void)context;
    (void)planes;
    (void)channels;
    (void)nframes;
}

static bool has_insert(capacity_desk_t desk, uint32_t bus) {
    return desk.feature == CAPACITY_INSERT ||
           (bus == 0 && (desk.feature == CAPACITY_INSERT_ONE || desk.feature == CAPACITY_LATE));
}

static bool make_meter(struct capacity_mixer *mixer, uint32_t bus) {
    const capacity_feature_t feature = mixer->desk.feature;
    if (feature != CAPACITY_METER && feature != CAPACITY_TRUE_PEAK && feature != CAPACITY_TAPPED) {
        return true;
    }
    const rcore_meter_description_t description = {.channels = mixer->desk.channels,
                                                   .sample_rate = 48000,
                                                   .true_peak = feature == CAPACITY_TRUE_PEAK,
                                                   .tap_frames = feature == CAPACITY_TAPPED ? 1024 : 0};
    mixer->meters[bus] = rcore_meter_create(&description, NULL);
    return mixer->meters[bus] != NULL;
}

static bool make_limiter(struct capacity_mixer *mixer) {
    const bool limits = mixer->desk.feature == CAPACITY_LIMITING;
    if (!limits && mixer->desk.feature != CAPACITY_LIMITER) {
        return true;
    }
    const rcore_limiter_description_t description = {
        .channels = mixer->desk.channels, .sample_rate = 48000, .ceiling = limits ? mixer_ceiling : 1.0f};
    mixer->limiter = rcore_limiter_create(&description, NULL);
    return mixer->limiter != NULL;
}

static bool add_bus(struct capacity_mixer *mixer, rcore_plan_t *plan, uint32_t bus) {
    const capacity_desk_t desk = mixer->desk;
    rcore_bus_description_t description = {
        .slot = bus, .channels = desk.channels, .parent = master(desk), .meter = mixer->meters[bus]};
    if (desk.feature == CAPACITY_NESTED) {
        const rcore_bus_description_t between = {
            .slot = first_nested(desk) + bus, .channels = desk.channels, .parent = master(desk)};
        description.parent = between.slot;
        if (rcore_plan_add_bus(plan, &between) != RCORE_OK) {
            return false;
        }
    }
    if (has_pans(desk)) {
        description.pan_law = RCORE_PAN_LINEAR;
    }
    if (has_insert(desk, bus)) {
        description.insert = (rcore_insert_t){.render = no_effect, .context = &mixer->meters[bus]};
        description.insert.latency_frames = desk.feature == CAPACITY_LATE ? desk.latency_frames : 0;
    }
    return rcore_plan_add_bus(plan, &description) == RCORE_OK;
}

static bool add_send(const struct capacity_mixer *mixer, rcore_plan_t *plan, uint32_t bus) {
    const capacity_feature_t feature = mixer->desk.feature;
    if (feature != CAPACITY_SEND_PRE && feature != CAPACITY_SEND_POST) {
        return true;
    }
    const rcore_send_description_t description = {
        .slot = bus, .source = bus, .target = master(mixer->desk) + 1, .pre_fader = feature == CAPACITY_SEND_PRE};
    return rcore_plan_add_send(plan, &description) == RCORE_OK;
}

static bool add_routes(const struct capacity_mixer *mixer, rcore_plan_t *plan) {
    const capacity_desk_t desk = mixer->desk;
    for (uint32_t route = 0; route < CAPACITY_MIXER_ROUTES; route++) {
        const rcore_route_description_t description = {.slot = route,
                                                       .channels = desk.channels,
                                                       .first_output = route * desk.channels,
                                                       .limiter = route == 0 ? mixer->limiter : NULL};
        if (rcore_plan_add_route(plan, &description) != RCORE_OK ||
            ((route == 0 || desk.feature == CAPACITY_ROUTES) &&
             rcore_plan_connect(plan, master(desk), route, NULL) != RCORE_OK)) {
            return false;
        }
    }
    return true;
}

static bool fill_plan(struct capacity_mixer *mixer, rcore_plan_t *plan) {
    const capacity_desk_t desk = mixer->desk;
    const rcore_bus_description_t last = {.slot = master(desk), .channels = desk.channels, .parent = RCORE_NONE};
    const rcore_bus_description_t back = {.slot = last.slot + 1, .channels = desk.channels, .parent = last.slot};
    bool made = rcore_plan_add_bus(plan, &last) == RCORE_OK && rcore_plan_add_bus(plan, &back) == RCORE_OK;
    for (uint32_t bus = 0; made && bus < desk.buses; bus++) {
        made = make_meter(mixer, bus) && add_bus(mixer, plan, bus) && add_send(mixer, plan, bus);
    }
    return made && make_limiter(mixer) && add_routes(mixer, plan);
}

static bool post_plan(struct capacity_mixer *mixer) {
    rcore_plan_t *plan = rcore_plan_create();
    if (plan == NULL || !fill_plan(mixer, plan) || rcore_post_plan(mixer->port, plan, RCORE_NOW) != RCORE_OK) {
        rcore_plan_destroy(plan);
        return false;
    }
    return true;
}

// ---- Set-up ---------------------------------------------------------------------------------------------------------------------

static bool make_core(struct capacity_mixer *mixer) {
    const capacity_desk_t desk = mixer->desk;
    const bool room = desk.feature == CAPACITY_ROOM;
    rcore_config_t sizes = rcore_config_default();
    sizes.max_voices = sizes.max_playing = desk.buses;
    sizes.max_buses = first_nested(desk) + desk.buses;
    sizes.max_sends = room ? 1024 : desk.buses;
    sizes.max_curves = room ? 4096 : desk.feature == CAPACITY_CURVE ? desk.buses : 0;
    sizes.max_routes = CAPACITY_MIXER_ROUTES;
    sizes.max_channels = desk.channels;
    sizes.max_ports = 1;
    sizes.command_capacity = 4 * desk.buses + 16;
    mixer->core = rcore_create(&sizes, NULL);
    mixer->port = mixer->core != NULL ? rcore_port_open(mixer->core, NULL) : NULL;
    return mixer->port != NULL && post_plan(mixer);
}

static bool move_bus(const struct capacity_mixer *mixer, uint32_t bus) {
    switch (mixer->desk.feature) {
    case CAPACITY_PANNED:
        return rcore_post_bus_pan(mixer->port, bus, 0.5f, 0, RCORE_NOW) == RCORE_OK;
    case CAPACITY_PAN_MOVING:
        return rcore_post_bus_pan(mixer->port, bus, 0.01f, move_frames, RCORE_NOW) == RCORE_OK;
    case CAPACITY_GAIN_MOVING:
        return rcore_post_bus_gain(mixer->port, bus, 0.99f, move_frames, RCORE_NOW) == RCORE_OK;
    case CAPACITY_CURVE:
        return rcore_post_curve(mixer->port, RCORE_PARAMETER_BUS_GAIN, bus, 0.9995f, RCORE_CURVE_S, curve_frames,
                                RCORE_NOW) == RCORE_OK;
    case CAPACITY_MUTED:
        return rcore_post_bus_mute(mixer->port, bus, true, 0, RCORE_NOW) == RCORE_OK;
    default:
        return true;
    }
}

static bool start_voice(const struct capacity_mixer *mixer, uint32_t bus) {
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = mixer->samples->buffers[bus % mixer->samples->scene.sources];
    params.bus = bus;
    params.gain = mixer_sum / (float)mixer->desk.buses;
    params.loop_count = UINT64_MAX;
    return rcore_post_start(mixer->port, rcore_voice_acquire(mixer->core), &params, RCORE_NOW) == RCORE_OK;
}

static bool make(struct capacity_mixer *mixer) {
    const capacity_desk_t desk = mixer->desk;
    mixer->samples = capacity_graph_samples((capacity_topology_t){
        .voices = desk.buses, .frames = desk.frames, .source_channels = desk.channels, .channels = desk.channels});
    mixer->meters = calloc(desk.buses, sizeof(rcore_meter_t *));
    bool made = mixer->samples != NULL && mixer->meters != NULL &&
                planes_make(&mixer->outputs, CAPACITY_MIXER_ROUTES * desk.channels, desk.frames) &&
                planes_make(&mixer->sums, 2 * (desk.buses + 1) * desk.channels, desk.frames) &&
                planes_make(&mixer->mixed, desk.channels, desk.frames) && make_core(mixer);
    for (uint32_t bus = 0; made && bus < desk.buses; bus++) {
        made = start_voice(mixer, bus);
    }
    if (made) {
        rcore_process(mixer->core, NULL, 0, NULL, 0, 0); // takes the plan: commands to its buses hold from then on
    }
    for (uint32_t bus = 0; made && bus < desk.buses; bus++) {
        made = move_bus(mixer, bus);
    }
    return made;
}

capacity_mixer_t *capacity_mixer_create(capacity_desk_t desk) {
    struct capacity_mixer *mixer = in_range(desk) ? calloc(1, sizeof *mixer) : NULL;
    if (mixer == NULL) {
        return NULL;
    }
    mixer->desk = desk;
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
    for (uint32_t bus = 0; mixer->meters != NULL && bus < mixer->desk.buses; bus++) {
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

// A tap that is full would take no more.
static void read_taps(const struct capacity_mixer *mixer) {
    for (uint32_t bus = 0; mixer->desk.feature == CAPACITY_TAPPED && bus < mixer->desk.buses; bus++) {
        (void)rcore_fifo_read_interleaved(rcore_meter_tap(mixer->meters[bus]), mixer->mixed.samples,
                                          mixer->desk.frames);
    }
}

uint64_t capacity_mixer_cycle(capacity_mixer_t *mixer) {
    const uint64_t begun = layout_now();
    rcore_process(mixer->core, NULL, 0, mixer->outputs.channel, mixer->outputs.count, mixer->desk.frames);
    const uint64_t taken = layout_now() - begun;
    mixer->time += mixer->desk.frames;
    read_taps(mixer);
    return taken;
}
