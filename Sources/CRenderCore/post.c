// Control's side of voices, commands and plans: the pool, and what is put on the command ring.
#include "core.h"
#include "memory.h"

rcore_voice_params_t rcore_voice_params_default(void) { return (rcore_voice_params_t){.gain = 1.0f, .speed = 1.0f}; }

rcore_voice_t rcore_voice_acquire(rcore_t *core) {
    if (core->free_count == 0) {
        return 0;
    }
    const uint32_t index = core->free_voices[--core->free_count];
    struct voice *voice = &core->voices[index];
    voice->start_posted = false;
    atomic_store_explicit(&voice->frames, 0, memory_order_relaxed);
    atomic_store_explicit(&voice->underruns, 0, memory_order_relaxed);
    atomic_store_explicit(&voice->status, voice_status(voice->generation, RCORE_VOICE_WAITING), memory_order_release);
    return (uint64_t)voice->generation << 32 | (index + 1);
}

rcore_status_t rcore_voice_release(rcore_t *core, rcore_voice_t handle) {
    struct voice *voice = voice_find(core, handle);
    if (voice == NULL || rcore_voice_state(core, handle) == RCORE_VOICE_FREE) {
        return RCORE_STALE;
    }
    const rcore_voice_state_t state = rcore_voice_state(core, handle);
    if (state != RCORE_VOICE_ENDED && !(state == RCORE_VOICE_WAITING && !voice->start_posted)) {
        return RCORE_FULL;
    }
    voice->generation += 1;
    atomic_store_explicit(&voice->status, voice_status(voice->generation, RCORE_VOICE_FREE), memory_order_release);
    core->free_voices[core->free_count++] = (uint32_t)handle - 1;
    return RCORE_OK;
}

rcore_voice_state_t rcore_voice_state(const rcore_t *core, rcore_voice_t handle) RCORE_RT {
    const struct voice *voice = voice_find(core, handle);
    if (voice == NULL) {
        return RCORE_VOICE_FREE;
    }
    const uint64_t status = atomic_load_explicit(&voice->status, memory_order_acquire);
    return status >> 32 == handle >> 32 ? (rcore_voice_state_t)(status & 0xFF) : RCORE_VOICE_FREE;
}

uint64_t rcore_voice_frames(const rcore_t *core, rcore_voice_t handle) RCORE_RT {
    const struct voice *voice = voice_find(core, handle);
    return voice == NULL ? 0 : atomic_load_explicit(&voice->frames, memory_order_relaxed);
}

uint64_t rcore_voice_underrun_frames(const rcore_t *core, rcore_voice_t handle) RCORE_RT {
    const struct voice *voice = voice_find(core, handle);
    return voice == NULL ? 0 : atomic_load_explicit(&voice->underruns, memory_order_relaxed);
}

// Into the ring; within a group it is written and published with the others.
static rcore_status_t post(rcore_t *core, struct command command) {
    const uint32_t room = core->staged + 1;
    const bool timed = command.when != RCORE_NOW;
    // Commands that wait for their time have a bound of their own, so that they never keep an untimed one waiting.
    const uint64_t waiting = core->timed_posted - atomic_load_explicit(&core->timed_done, memory_order_acquire);
    if (core->group_failed || ring_writable(&core->command_ring, room) < room ||
        (timed && waiting >= core->config.command_capacity)) {
        core->group_failed = core->group_open;
        return RCORE_FULL;
    }
    core->timed_posted += timed ? 1 : 0;
    core->commands[ring_write_slot(&core->command_ring, core->staged)] = command;
    if (core->group_open) {
        core->staged += 1;
    } else {
        ring_did_write(&core->command_ring, 1);
    }
    return RCORE_OK;
}

rcore_status_t rcore_group_begin(rcore_t *core) {
    if (core->group_open) {
        return RCORE_BAD_ARGUMENT;
    }
    core->group_open = true;
    core->group_failed = false;
    core->staged = 0;
    return RCORE_OK;
}

static void group_close(rcore_t *core) {
    core->group_open = false;
    core->group_failed = false;
    core->staged = 0;
}

rcore_status_t rcore_group_commit(rcore_t *core) {
    if (!core->group_open) {
        return RCORE_BAD_ARGUMENT;
    }
    if (core->group_failed) {
        rcore_group_cancel(core);
        return RCORE_FULL;
    }
    ring_did_write(&core->command_ring, core->staged);
    group_close(core);
    return RCORE_OK;
}

void rcore_group_cancel(rcore_t *core) {
    for (uint32_t i = 0; i < core->staged; i++) {
        const struct command *command = &core->commands[ring_write_slot(&core->command_ring, i)];
        core->timed_posted -= command->when != RCORE_NOW ? 1 : 0;
        if (command->kind == COMMAND_START) {
            voice_find(core, command->voice)->start_posted = false; // unpublished: the voice is still control's
        }
    }
    group_close(core);
}

static rcore_status_t post_to_voice(rcore_t *core, struct command command) {
    const rcore_voice_state_t state = rcore_voice_state(core, command.voice);
    if (state == RCORE_VOICE_FREE || state == RCORE_VOICE_ENDED) {
        return RCORE_STALE;
    }
    // A voice that was not started may be released at any time: nothing may be on its way to it.
    return voice_find(core, command.voice)->start_posted ? post(core, command) : RCORE_BAD_ARGUMENT;
}

static uint32_t params_channels(const rcore_voice_params_t *params) {
    return params->buffer != NULL ? params->buffer->channels
           : params->fifo != NULL ? rcore_fifo_channels(params->fifo)
           : params->render       ? params->render_channels
                                  : params->input_channels;
}

static bool speed_valid(float speed) { return speed >= 1.0f / MAX_SPEED && speed <= MAX_SPEED; }

static bool params_valid(const rcore_t *core, const rcore_voice_params_t *params) {
    if (params == NULL || !sample_is_finite(params->gain)) {
        return false;
    }
    const uint32_t sources =
        (params->buffer != NULL) + (params->fifo != NULL) + (params->render ? 1u : 0u) + (params->input_channels > 0);
    const uint32_t channels = params_channels(params);
    if (sources != 1 || channels == 0 || channels > RCORE_MAX_CHANNELS) {
        return false;
    }
    if ((params->buffer != NULL && params->start_frame >= params->buffer->nframes) ||
        (params->render && channels > core->config.max_channels)) {
        return false;
    }
    if (!speed_valid(params->speed) || (params->speed != 1.0f && params->buffer == NULL && params->fifo == NULL)) {
        return false;
    }
    return params->matrix == NULL || params->matrix->inputs == channels;
}

rcore_status_t rcore_post_start(rcore_t *core, rcore_voice_t handle, const rcore_voice_params_t *params,
                                uint64_t when) {
    struct voice *voice = voice_find(core, handle);
    if (voice == NULL || rcore_voice_state(core, handle) != RCORE_VOICE_WAITING || voice->start_posted) {
        return RCORE_STALE;
    }
    if (!params_valid(core, params)) {
        return RCORE_BAD_ARGUMENT;
    }
    voice->params = *params;
    const rcore_status_t status = post(core, (struct command){.kind = COMMAND_START, .voice = handle, .when = when});
    voice->start_posted = status == RCORE_OK;
    return status;
}

rcore_status_t rcore_post_stop(rcore_t *core, rcore_voice_t voice, uint32_t ramp_frames, uint64_t when) {
    return post_to_voice(
        core, (struct command){.kind = COMMAND_STOP, .voice = voice, .ramp_frames = ramp_frames, .when = when});
}

rcore_status_t rcore_post_pause(rcore_t *core, rcore_voice_t voice, uint32_t ramp_frames, uint64_t when) {
    return post_to_voice(
        core, (struct command){.kind = COMMAND_PAUSE, .voice = voice, .ramp_frames = ramp_frames, .when = when});
}

rcore_status_t rcore_post_resume(rcore_t *core, rcore_voice_t voice, uint32_t ramp_frames, uint64_t when) {
    return post_to_voice(
        core, (struct command){.kind = COMMAND_RESUME, .voice = voice, .ramp_frames = ramp_frames, .when = when});
}

rcore_status_t rcore_post_gain(rcore_t *core, rcore_voice_t voice, float gain, uint32_t ramp_frames, uint64_t when) {
    if (!sample_is_finite(gain)) {
        return RCORE_BAD_ARGUMENT;
    }
    return post_to_voice(
        core,
        (struct command){.kind = COMMAND_GAIN, .voice = voice, .gain = gain, .ramp_frames = ramp_frames, .when = when});
}

rcore_status_t rcore_post_speed(rcore_t *core, rcore_voice_t handle, float speed, uint32_t ramp_frames, uint64_t when) {
    const struct voice *voice = voice_find(core, handle);
    // The parameters are control's until the start is read, and do not change from then on.
    if (!speed_valid(speed) ||
        (voice != NULL && voice->start_posted && voice->params.buffer == NULL && voice->params.fifo == NULL)) {
        return RCORE_BAD_ARGUMENT;
    }
    return post_to_voice(
        core, (struct command){
                  .kind = COMMAND_SPEED, .voice = handle, .gain = speed, .ramp_frames = ramp_frames, .when = when});
}

rcore_status_t rcore_post_bus_gain(rcore_t *core, uint32_t bus, float gain, uint32_t ramp_frames, uint64_t when) {
    if (bus >= core->config.max_buses || !sample_is_finite(gain)) {
        return RCORE_BAD_ARGUMENT;
    }
    return post(
        core,
        (struct command){.kind = COMMAND_BUS_GAIN, .bus = bus, .gain = gain, .ramp_frames = ramp_frames, .when = when});
}

static bool plan_fits(const rcore_t *core, const rcore_plan_t *plan) {
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        const rcore_bus_description_t *bus = &plan->buses[i].description;
        if (bus->slot >= core->config.max_buses || bus->channels > core->config.max_channels) {
            return false;
        }
    }
    for (uint32_t i = 0; i < plan->route_count; i++) {
        const rcore_route_description_t *route = &plan->routes[i].description;
        if (route->slot >= core->config.max_routes || route->channels > core->config.max_channels) {
            return false;
        }
    }
    return true;
}

rcore_status_t rcore_post_plan(rcore_t *core, rcore_plan_t *plan, uint64_t when) {
    if (plan == NULL || plan->serial != 0 || core->group_open) {
        return RCORE_BAD_ARGUMENT;
    }
    if (!plan_fits(core, plan)) {
        return RCORE_NO_SLOT;
    }
    plan->serial = core->posted_serial + 1;
    const rcore_status_t status =
        post(core, (struct command){.kind = COMMAND_PLAN, .plan = plan, .serial = plan->serial, .when = when});
    if (status != RCORE_OK) {
        plan->serial = 0;
        return status;
    }
    core->posted_serial = plan->serial;
    plan->next = core->posted_plans;
    core->posted_plans = plan;
    return RCORE_OK;
}

uint32_t rcore_collect_plans(rcore_t *core) {
    const uint64_t applied = atomic_load_explicit(&core->applied_serial, memory_order_acquire);
    uint32_t held = 0;
    for (rcore_plan_t **link = &core->posted_plans; *link != NULL;) {
        rcore_plan_t *plan = *link;
        if (plan->serial < applied) { // the cycle drops the commands of older plans unread
            *link = plan->next;
            rcore_plan_destroy(plan);
        } else {
            held += 1;
            link = &plan->next;
        }
    }
    return held;
}
