// Posting: checks each command and puts it on the queue.
#include "core/core.h"
#include "core/memory.h"
#include "graph/plan.h"
#include "mix/matrix.h"
#include "queue/queue.h"
#include "transport/transport.h"
#include "voices/pool.h"
#include "voices/voice.h"

// Puts a checked command on the queue, and reserves a curve for it if it needs one.
static rcore_status_t post(rcore_queue_t *queue, struct command command) RCORE_RT {
    rcore_status_t status = queue_reserve(queue, command.when);
    if (status == RCORE_OK && command.curve != RCORE_CURVE_LINEAR) {
        status = queue_reserve_curve(queue);
    }
    if (status == RCORE_OK) {
        queue_put(queue, command);
    }
    return status;
}

// Posts to a voice that was started, through this queue or another. `needs` are the capabilities
// that its source must have (START_…).
static rcore_status_t post_to_voice(rcore_queue_t *queue, struct command command, uint32_t needs) RCORE_RT {
    const rcore_voice_state_t state = rcore_voice_state(queue->core, command.voice);
    const struct voice *voice = voice_find(queue->core, command.voice);
    if (voice == NULL || state == RCORE_VOICE_FREE || state == RCORE_VOICE_ENDED) {
        return RCORE_STALE;
    }
    // The owner may release a voice at any time before its start is posted. So until then, only the
    // queue whose open transaction starts it may command it.
    const uint32_t start = atomic_load_explicit(&voice->start, memory_order_acquire);
    const uint32_t started_by = start & START_QUEUE;
    if ((started_by != START_POSTED && started_by != queue->index + 1u) || (start & needs) != needs) {
        return RCORE_BAD_ARGUMENT;
    }
    return post(queue, command);
}

// ---- Starts -------------------------------------------------------------------------------------

static uint32_t params_channels(const rcore_voice_params_t *params) RCORE_RT {
    return params->buffer != NULL ? params->buffer->channels
           : params->fifo != NULL ? rcore_fifo_channels(params->fifo)
           : params->render       ? params->render_channels
                                  : params->input_channels;
}

static bool speed_valid(float speed) RCORE_RT { return speed >= 1.0f / MAX_SPEED && speed <= MAX_SPEED; }

static bool pan_valid(float pan) RCORE_RT { return pan >= -1.0f && pan <= 1.0f; }

// Returns whether the parameters have exactly one source, with a valid channel count.
static bool source_valid(const rcore_t *core, const rcore_voice_params_t *params) RCORE_RT {
    const uint32_t sources =
        (params->buffer != NULL) + (params->fifo != NULL) + (params->render ? 1u : 0u) + (params->input_channels > 0);
    const uint32_t channels = params_channels(params);
    // These sources use the core's buffers, which have `max_channels` channels.
    const bool through_core = params->render || params->input_channels > 0;
    return sources == 1 && channels >= 1 && channels <= (through_core ? core->config.max_channels : RCORE_MAX_CHANNELS);
}

// Returns whether start frame and loop lie within the source; only a memory source may have a loop.
static bool playback_range_valid(const rcore_voice_params_t *params) RCORE_RT {
    if (params->buffer == NULL) {
        return params->loop_count == 0;
    }
    const uint64_t nframes = params->buffer->nframes;
    const uint64_t loop_end = params->loop_end == 0 ? nframes : params->loop_end;
    return params->start_frame < nframes && loop_end <= nframes && params->loop_start < loop_end &&
           params->loop_fade_frames <= params->loop_start && params->loop_fade_frames <= loop_end - params->loop_start;
}

static bool params_valid(const rcore_t *core, const rcore_voice_params_t *params) RCORE_RT {
    // A streamed buffer is for zones of instruments: nothing walks along a seek.
    if (params == NULL || (params->buffer != NULL && params->buffer->cache != NULL) ||
        !sample_is_finite(params->gain) || !source_valid(core, params) || !playback_range_valid(params)) {
        return false;
    }
    if (!speed_valid(params->speed) || (params->speed != 1.0f && params->buffer == NULL && params->fifo == NULL)) {
        return false;
    }
    if (!pan_valid(params->pan) || (unsigned)params->pan_law > RCORE_PAN_LINEAR ||
        params->priority > RCORE_MAX_PRIORITY) {
        return false;
    }
    if (params->one_shot && params->buffer == NULL && params->input_channels == 0) {
        // Its handle becomes stale, so the owner could not learn when the stream or the callback is
        // no longer in use. (A buffer counts its users.)
        return false;
    }
    return params->matrix == NULL || params->matrix->inputs == params_channels(params);
}

rcore_status_t rcore_post_start(rcore_queue_t *queue, rcore_voice_t handle, const rcore_voice_params_t *params,
                                uint64_t when) RCORE_RT {
    struct voice *voice = voice_find(queue->core, handle);
    if (voice == NULL || rcore_voice_state(queue->core, handle) != RCORE_VOICE_WAITING ||
        atomic_load_explicit(&voice->start, memory_order_relaxed) != START_NONE) {
        return RCORE_STALE;
    }
    if (!params_valid(queue->core, params)) {
        return RCORE_BAD_ARGUMENT;
    }
    const rcore_status_t status = queue_reserve(queue, when);
    if (status != RCORE_OK) {
        return status;
    }
    voice->params = *params;
    buffer_add_user(params->buffer);
    // Store this before the render thread can see the command: by the time queue_put returns, a
    // short voice may have ended, and another thread may have acquired it.
    const uint32_t started_by = queue->transaction_open ? queue->index + 1u : START_POSTED;
    atomic_store_explicit(&voice->start, started_by | voice_start_flags(params), memory_order_release);
    queue_put(queue, (struct command){.kind = COMMAND_START, .voice = handle, .when = when});
    return RCORE_OK;
}

// ---- Other voice commands -----------------------------------------------------------------------

static struct command ramped(uint8_t kind, rcore_voice_t voice, float value, uint32_t ramp_frames,
                             uint64_t when) RCORE_RT {
    return (struct command){.kind = kind, .voice = voice, .value = value, .ramp_frames = ramp_frames, .when = when};
}

rcore_status_t rcore_post_stop(rcore_queue_t *queue, rcore_voice_t voice, uint32_t ramp_frames,
                               uint64_t when) RCORE_RT {
    return post_to_voice(queue, ramped(COMMAND_STOP, voice, 0.0f, ramp_frames, when), 0);
}

rcore_status_t rcore_post_stop_all(rcore_queue_t *queue, uint32_t bus, uint32_t ramp_frames, uint64_t when) RCORE_RT {
    struct command command = ramped(COMMAND_STOP_ALL, 0, 0.0f, ramp_frames, when);
    command.slot = bus;
    return bus < queue->core->config.max_buses || bus == RCORE_NONE ? post(queue, command) : RCORE_BAD_ARGUMENT;
}

rcore_status_t rcore_post_pause(rcore_queue_t *queue, rcore_voice_t voice, uint32_t ramp_frames,
                                uint64_t when) RCORE_RT {
    return post_to_voice(queue, ramped(COMMAND_PAUSE, voice, 0.0f, ramp_frames, when), 0);
}

rcore_status_t rcore_post_resume(rcore_queue_t *queue, rcore_voice_t voice, uint32_t ramp_frames,
                                 uint64_t when) RCORE_RT {
    return post_to_voice(queue, ramped(COMMAND_RESUME, voice, 0.0f, ramp_frames, when), 0);
}

rcore_status_t rcore_post_seek(rcore_queue_t *queue, rcore_voice_t voice, uint64_t frame, uint32_t ramp_frames,
                               uint64_t when) RCORE_RT {
    struct command command = ramped(COMMAND_SEEK, voice, 0.0f, ramp_frames, when);
    command.frame = frame;
    return post_to_voice(queue, command, START_MEMORY);
}

rcore_status_t rcore_post_leave_loop(rcore_queue_t *queue, rcore_voice_t voice, uint64_t when) RCORE_RT {
    return post_to_voice(queue, ramped(COMMAND_LEAVE_LOOP, voice, 0.0f, 0, when), 0);
}

// ---- Parameters ---------------------------------------------------------------------------------

static rcore_status_t post_to_slot(rcore_queue_t *queue, struct command command, uint32_t slots) RCORE_RT {
    return command.slot < slots ? post(queue, command) : RCORE_BAD_ARGUMENT;
}

// Checks the value of a parameter, including mute and solo, and posts the command that sets it.
static rcore_status_t post_parameter(rcore_queue_t *queue, struct command command) RCORE_RT {
    const rcore_config_t *config = &queue->core->config;
    if (!sample_is_finite(command.value)) {
        return RCORE_BAD_ARGUMENT;
    }
    switch (command.kind) {
    case COMMAND_GAIN:
        return post_to_voice(queue, command, 0);
    case COMMAND_PAN:
        return pan_valid(command.value) ? post_to_voice(queue, command, START_PANNED) : RCORE_BAD_ARGUMENT;
    case COMMAND_SPEED:
        return speed_valid(command.value) ? post_to_voice(queue, command, START_VARISPEED) : RCORE_BAD_ARGUMENT;
    case COMMAND_BUS_PAN:
        return pan_valid(command.value) ? post_to_slot(queue, command, config->max_buses) : RCORE_BAD_ARGUMENT;
    case COMMAND_BUS_GAIN:
    case COMMAND_BUS_MUTE:
    case COMMAND_BUS_SOLO:
        return post_to_slot(queue, command, config->max_buses);
    case COMMAND_SEND_LEVEL:
        return post_to_slot(queue, command, config->max_sends);
    case COMMAND_INPUT_GAIN:
        return post_to_slot(queue, command, config->max_inputs);
    default:
        return RCORE_BAD_ARGUMENT;
    }
}

rcore_status_t rcore_post_gain(rcore_queue_t *queue, rcore_voice_t voice, float gain, uint32_t ramp_frames,
                               uint64_t when) RCORE_RT {
    return post_parameter(queue, ramped(COMMAND_GAIN, voice, gain, ramp_frames, when));
}

rcore_status_t rcore_post_pan(rcore_queue_t *queue, rcore_voice_t voice, float pan, uint32_t ramp_frames,
                              uint64_t when) RCORE_RT {
    return post_parameter(queue, ramped(COMMAND_PAN, voice, pan, ramp_frames, when));
}

rcore_status_t rcore_post_speed(rcore_queue_t *queue, rcore_voice_t voice, float speed, uint32_t ramp_frames,
                                uint64_t when) RCORE_RT {
    return post_parameter(queue, ramped(COMMAND_SPEED, voice, speed, ramp_frames, when));
}

static rcore_status_t post_slot_ramp(rcore_queue_t *queue, uint8_t kind, uint32_t slot, float value,
                                     uint32_t ramp_frames, uint64_t when) RCORE_RT {
    struct command command = ramped(kind, 0, value, ramp_frames, when);
    command.slot = slot;
    return post_parameter(queue, command);
}

rcore_status_t rcore_post_bus_gain(rcore_queue_t *queue, uint32_t bus, float gain, uint32_t ramp_frames,
                                   uint64_t when) RCORE_RT {
    return post_slot_ramp(queue, COMMAND_BUS_GAIN, bus, gain, ramp_frames, when);
}

rcore_status_t rcore_post_bus_pan(rcore_queue_t *queue, uint32_t bus, float pan, uint32_t ramp_frames,
                                  uint64_t when) RCORE_RT {
    return post_slot_ramp(queue, COMMAND_BUS_PAN, bus, pan, ramp_frames, when);
}

rcore_status_t rcore_post_bus_mute(rcore_queue_t *queue, uint32_t bus, bool muted, uint32_t ramp_frames,
                                   uint64_t when) RCORE_RT {
    return post_slot_ramp(queue, COMMAND_BUS_MUTE, bus, muted ? 1.0f : 0.0f, ramp_frames, when);
}

rcore_status_t rcore_post_bus_solo(rcore_queue_t *queue, uint32_t bus, bool soloed, uint32_t ramp_frames,
                                   uint64_t when) RCORE_RT {
    return post_slot_ramp(queue, COMMAND_BUS_SOLO, bus, soloed ? 1.0f : 0.0f, ramp_frames, when);
}

rcore_status_t rcore_post_send_level(rcore_queue_t *queue, uint32_t send, float level, uint32_t ramp_frames,
                                     uint64_t when) RCORE_RT {
    return post_slot_ramp(queue, COMMAND_SEND_LEVEL, send, level, ramp_frames, when);
}

rcore_status_t rcore_post_input_gain(rcore_queue_t *queue, uint32_t input, float gain, uint32_t ramp_frames,
                                     uint64_t when) RCORE_RT {
    return post_slot_ramp(queue, COMMAND_INPUT_GAIN, input, gain, ramp_frames, when);
}

// The command that sets each parameter.
static const uint8_t parameter_kinds[] = {
    [RCORE_PARAMETER_VOICE_GAIN] = COMMAND_GAIN,       [RCORE_PARAMETER_VOICE_PAN] = COMMAND_PAN,
    [RCORE_PARAMETER_VOICE_SPEED] = COMMAND_SPEED,     [RCORE_PARAMETER_BUS_GAIN] = COMMAND_BUS_GAIN,
    [RCORE_PARAMETER_BUS_PAN] = COMMAND_BUS_PAN,       [RCORE_PARAMETER_SEND_LEVEL] = COMMAND_SEND_LEVEL,
    [RCORE_PARAMETER_INPUT_GAIN] = COMMAND_INPUT_GAIN,
};

// Makes the command that moves a parameter along a curve, without its length. Returns false if an
// argument is out of range.
static bool make_curve(struct command *command, rcore_parameter_t parameter, uint64_t of, float value,
                       rcore_curve_t curve, uint64_t when) RCORE_RT {
    const bool voice = parameter <= RCORE_PARAMETER_VOICE_SPEED;
    if ((unsigned)parameter > RCORE_PARAMETER_INPUT_GAIN || (unsigned)curve > RCORE_CURVE_S ||
        (!voice && of > UINT32_MAX)) {
        return false;
    }
    *command = ramped(parameter_kinds[parameter], voice ? of : 0, value, 0, when);
    if (!voice) {
        command->slot = (uint32_t)of;
    }
    const bool pan = parameter == RCORE_PARAMETER_VOICE_PAN || parameter == RCORE_PARAMETER_BUS_PAN;
    command->curve = (uint8_t)(pan && curve == RCORE_CURVE_EXPONENTIAL ? RCORE_CURVE_LINEAR : curve);
    return true;
}

rcore_status_t rcore_post_curve(rcore_queue_t *queue, rcore_parameter_t parameter, uint64_t of, float value,
                                rcore_curve_t curve, uint32_t nframes, uint64_t when) RCORE_RT {
    struct command command;
    if (!make_curve(&command, parameter, of, value, curve, when)) {
        return RCORE_BAD_ARGUMENT;
    }
    command.ramp_frames = nframes;
    if (nframes == 0) {
        command.curve = RCORE_CURVE_LINEAR; // a straight line needs no curve
    }
    return post_parameter(queue, command);
}

rcore_status_t rcore_post_curve_to_beat(rcore_queue_t *queue, rcore_parameter_t parameter, uint64_t of, float value,
                                        rcore_curve_t curve, uint64_t until, uint64_t when) RCORE_RT {
    struct command command;
    const bool is_one_pass = when >> BEAT_PASS_SHIFT == until >> BEAT_PASS_SHIFT;
    if (!time_is_beat(when) || !is_one_pass || until < when ||
        !make_curve(&command, parameter, of, value, curve, when)) {
        return RCORE_BAD_ARGUMENT;
    }
    command.until_high = (uint32_t)(until >> 32);
    command.until_low = (uint32_t)until;
    command.curve |= CURVE_TO_BEAT;
    return post_parameter(queue, command);
}

// ---- Plans --------------------------------------------------------------------------------------

// Returns whether all slots and channel counts of a plan are within the core's limits.
static bool plan_fits(const rcore_t *core, const rcore_plan_t *plan) {
    const rcore_config_t *config = &core->config;
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        const rcore_bus_description_t *bus = &plan->buses[i].description;
        if (bus->slot >= config->max_buses || bus->channels > config->max_channels) {
            return false;
        }
    }
    for (uint32_t i = 0; i < plan->send_count; i++) {
        if (plan->sends[i].description.slot >= config->max_sends) {
            return false;
        }
    }
    for (uint32_t i = 0; i < plan->route_count; i++) {
        const rcore_route_description_t *route = &plan->routes[i].description;
        if (route->slot >= config->max_routes || route->channels > config->max_channels) {
            return false;
        }
    }
    for (uint32_t i = 0; i < plan->input_count; i++) {
        const rcore_input_description_t *input = &plan->inputs[i];
        if (input->slot >= config->max_inputs || input->channels > config->max_channels) {
            return false;
        }
    }
    return true;
}

rcore_status_t rcore_post_plan(rcore_queue_t *queue, rcore_plan_t *plan, uint64_t when) {
    if (plan == NULL || plan->serial != 0 || queue->transaction_open || time_is_beat(when)) {
        return RCORE_BAD_ARGUMENT;
    }
    rcore_t *core = queue->core;
    if (!plan_fits(core, plan)) {
        return RCORE_NO_SLOT;
    }
    (void)rcore_collect_plans(core); // plans that are no longer held cannot conflict
    rcore_status_t status = plan_compile(core, plan);
    status = status == RCORE_OK ? queue_reserve(queue, when) : status;
    if (status != RCORE_OK) {
        return status;
    }
    plan->serial = ++core->graph.posted_serial;
    plan->next = core->graph.posted_plans;
    core->graph.posted_plans = plan;
    queue_put(queue, (struct command){.kind = COMMAND_PLAN, .plan = plan, .serial = plan->serial, .when = when});
    return RCORE_OK;
}

uint32_t rcore_collect_plans(rcore_t *core) {
    const uint64_t retired = atomic_load_explicit(&core->graph.retired_serial, memory_order_acquire);
    uint32_t held = 0;
    for (rcore_plan_t **link = &core->graph.posted_plans; *link != NULL;) {
        rcore_plan_t *plan = *link;
        if (plan->serial < retired) { // the render thread ignores commands with older plans
            *link = plan->next;
            rcore_plan_destroy(plan);
        } else {
            held += 1;
            link = &plan->next;
        }
    }
    return held;
}
