#include "capacity_graph.h"
#include "layout.h"
#include "render_core.h"

#include <stdlib.h>

struct capacity_core {
    capacity_scene_t scene;
    rcore_t *core;
    rcore_queue_t *queue;
    rcore_voice_t *voices;
    uint64_t cycle;
    float *output[2];
};

static bool make_plan(struct capacity_core *core) {
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_bus_description_t bus = {.slot = 0, .channels = 2, .parent = RCORE_NONE};
    const rcore_route_description_t route = {.slot = 0, .channels = 2, .first_output = 0};
    if (plan == NULL || rcore_plan_add_bus(plan, &bus) != RCORE_OK || rcore_plan_add_route(plan, &route) != RCORE_OK ||
        rcore_plan_connect(plan, 0, 0, NULL) != RCORE_OK || rcore_post_plan(core->queue, plan, RCORE_NOW) != RCORE_OK) {
        rcore_plan_destroy(plan);
        return false;
    }
    return true;
}

static bool move_voice(struct capacity_core *core, rcore_voice_t voice, uint32_t index) {
    return rcore_post_gain(core->queue, voice, 0.0f, ramp_frames, RCORE_NOW) == RCORE_OK &&
           (core->scene.channels == 2 ||
            rcore_post_pan(core->queue, voice, -layout_pan(index), ramp_frames, RCORE_NOW) == RCORE_OK);
}

static bool start_voice(struct capacity_core *core, const capacity_samples_t *samples, uint32_t index) {
    const capacity_scene_t scene = core->scene;
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = samples->buffers[index % scene.sources];
    params.pan_law = scene.channels == 1 ? RCORE_PAN_EQUAL_POWER : RCORE_PAN_NONE;
    params.pan = layout_pan(index);
    params.loop_count = UINT64_MAX;
    params.speed = layout_speed(scene, index);
    const rcore_voice_t voice = rcore_voice_acquire(core->core);
    core->voices[index] = voice;
    return rcore_post_start(core->queue, voice, &params, RCORE_NOW) == RCORE_OK &&
           (scene.motion != CAPACITY_RAMPING || move_voice(core, voice, index));
}

static bool make_core(struct capacity_core *core) {
    const capacity_scene_t scene = core->scene;
    rcore_config_t sizes = rcore_config_default();
    sizes.max_voices = scene.voices + scene.idle_voices;
    sizes.max_playing = scene.voices;
    sizes.max_queues = 1;
    sizes.command_capacity = 3 * scene.voices + 1024;
    core->core = rcore_create(&sizes, NULL);
    core->queue = core->core != NULL ? rcore_queue_open(core->core, NULL) : NULL;
    core->voices = calloc(scene.voices, sizeof *core->voices);
    bool made = core->queue != NULL && core->voices != NULL;
    for (unsigned channel = 0; channel < 2; channel++) {
        core->output[channel] = layout_output(scene.frames);
        made = made && core->output[channel] != NULL;
    }
    return made && make_plan(core);
}

static bool start_all(struct capacity_core *core, const capacity_samples_t *samples) {
    for (uint32_t i = 0; i < core->scene.idle_voices; i++) {
        if (rcore_voice_acquire(core->core) == 0) {
            return false;
        }
    }
    for (uint32_t i = 0; i < core->scene.voices; i++) {
        if (!start_voice(core, samples, i)) {
            return false;
        }
    }
    rcore_process(core->core, NULL, 0, NULL, 0, 0); // processes all commands
    return capacity_core_sound(core);
}

capacity_core_t *capacity_core_create(capacity_scene_t scene, const capacity_samples_t *samples) {
    struct capacity_core *core = layout_in_range(scene) ? calloc(1, sizeof *core) : NULL;
    if (core == NULL) {
        return NULL;
    }
    core->scene = scene;
    if (!make_core(core) || !start_all(core, samples)) {
        capacity_core_destroy(core);
        return NULL;
    }
    return core;
}

void capacity_core_destroy(capacity_core_t *core) {
    if (core == NULL) {
        return;
    }
    rcore_destroy(core->core);
    free(core->output[0]);
    free(core->output[1]);
    free(core->voices);
    free(core);
}

// ---- A cycle ------------------------------------------------------------------------------------

static void command_all(struct capacity_core *core) {
    const float gain = layout_commanded_gain(core->cycle);
    for (uint32_t i = 0; i < core->scene.voices; i++) {
        (void)rcore_post_gain(core->queue, core->voices[i], gain, core->scene.frames, RCORE_NOW);
    }
}

uint64_t capacity_core_cycle(capacity_core_t *core) {
    if (core->scene.motion == CAPACITY_COMMANDED) {
        command_all(core);
    }
    const uint64_t begun = layout_now();
    rcore_process(core->core, NULL, 0, core->output, 2, core->scene.frames);
    const uint64_t taken = layout_now() - begun;
    core->cycle++;
    return taken;
}

// ---- Output -------------------------------------------------------------------------------------

bool capacity_core_sound(const capacity_core_t *core) {
    const rcore_counters_t counters = rcore_read_counters(core->core);
    return counters.playing_voices == core->scene.voices && counters.late_commands == 0 &&
           counters.underrun_frames == 0 && counters.nonfinite_samples == 0 && counters.refused_voices == 0 &&
           counters.stolen_voices == 0;
}

const float *capacity_core_output(const capacity_core_t *core, uint32_t channel) { return core->output[channel]; }

size_t capacity_core_bytes(uint32_t voices) {
    rcore_config_t sizes = rcore_config_default();
    sizes.max_voices = sizes.max_playing = voices;
    const size_t before = capacity_allocated_bytes();
    rcore_t *core = rcore_create(&sizes, NULL);
    const size_t after = capacity_allocated_bytes();
    rcore_destroy(core);
    return core != NULL && after > before ? after - before : 0;
}
