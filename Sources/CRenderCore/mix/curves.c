#include "mix/curves.h"

#include "core/core.h"
#include "graph/slots.h"
#include "mix/buses.h"
#include "mix/curve.h"
#include "mix/pan.h"
#include "mix/ramp.h"
#include "transport/clock.h"
#include "transport/transport.h"
#include "voices/voice.h"
#include "voices/voice_batch.h"

size_t curves_bytes(void) { return sizeof(struct curve); }

// ---- Parameters ---------------------------------------------------------------------------------

// The current state of a parameter that a curve may move.
struct parameter {
    struct ramp *ramp;
    uint32_t resets;
    // An active or waiting plan has its slot. Always true for a voice.
    bool exists;
    // Its ramp advances in the next block.
    bool advances;
};

static struct parameter voice_parameter(const rcore_t *core, struct voice *voice, struct ramp *ramp) RCORE_RT {
    const bool halted = voice_suspended(core, voice) || (voice->paused && voice->fade.remaining == 0);
    return (struct parameter){.ramp = ramp, .exists = true, .advances = !halted};
}

static struct parameter bus_parameter(const struct bus_state *bus, struct ramp *ramp) RCORE_RT {
    return (struct parameter){ramp, bus->resets, bus->channels > 0 || bus->expected,
                              bus->channels > 0 && !bus->suspended};
}

static struct parameter send_parameter(const rcore_t *core, struct send_state *send) RCORE_RT {
    const bool active = send_is_active(core, send);
    return (struct parameter){&send->level, send->resets, active || send->expected,
                              active && !core->mix.buses[send->source].suspended};
}

static struct parameter input_parameter(struct input_state *input) RCORE_RT {
    return (struct parameter){&input->gain, input->resets, input->channels > 0 || input->expected, input->channels > 0};
}

// Returns the parameter that a command sets; its `ramp` is NULL if the command sets none.
static struct parameter parameter_of(const rcore_t *core, uint16_t kind, uint32_t object) RCORE_RT {
    switch (kind) {
    case COMMAND_GAIN:
        return voice_parameter(core, &core->voices.pool[object], &core->voices.pool[object].gain);
    case COMMAND_PAN:
        return voice_parameter(core, &core->voices.pool[object], &core->voices.pool[object].pan);
    case COMMAND_SPEED:
        return voice_parameter(core, &core->voices.pool[object], &core->voices.pool[object].speed);
    case COMMAND_BUS_GAIN:
        return bus_parameter(&core->mix.buses[object], &core->mix.buses[object].gain);
    case COMMAND_BUS_PAN:
        return bus_parameter(&core->mix.buses[object], &core->mix.buses[object].pan);
    case COMMAND_SEND_LEVEL:
        return send_parameter(core, &core->mix.sends[object]);
    case COMMAND_INPUT_GAIN:
        return input_parameter(&core->inputs.slots[object]);
    default:
        return (struct parameter){.ramp = NULL};
    }
}

// Returns the parameter's index in `of_parameter`; RCORE_NONE: the command sets no parameter.
static uint32_t parameter_index_of(const rcore_t *core, uint16_t kind, uint32_t object) RCORE_RT {
    const rcore_config_t *config = &core->config;
    const uint32_t buses = 3 * config->max_voices, sends = buses + 2 * config->max_buses;
    switch (kind) {
    case COMMAND_GAIN:
        return object;
    case COMMAND_PAN:
        return config->max_voices + object;
    case COMMAND_SPEED:
        return 2 * config->max_voices + object;
    case COMMAND_BUS_GAIN:
        return buses + object;
    case COMMAND_BUS_PAN:
        return buses + config->max_buses + object;
    case COMMAND_SEND_LEVEL:
        return sends + object;
    case COMMAND_INPUT_GAIN:
        return sends + config->max_sends + object;
    default:
        return RCORE_NONE;
    }
}

size_t curves_parameters(const rcore_config_t *config) {
    return (size_t)3 * config->max_voices + (size_t)2 * config->max_buses + config->max_sends + config->max_inputs;
}

static uint32_t object_of(const struct command *command) RCORE_RT {
    const bool voice = command->kind == COMMAND_GAIN || command->kind == COMMAND_PAN || command->kind == COMMAND_SPEED;
    return voice ? (uint32_t)command->voice - 1 : command->slot;
}

// Returns the frames until the end of a parameter's ramp. The ramp of a voice's pan is already at
// the end of the current pan segment (pan.c), so the rest of that segment counts too.
static uint32_t frames_left(const rcore_t *core, uint16_t kind, uint32_t object, const struct ramp *ramp) RCORE_RT {
    return ramp->remaining + (kind == COMMAND_PAN ? core->voices.pool[object].pan_remaining : 0u);
}

float curves_value(const rcore_t *core, const struct command *command) RCORE_RT {
    const uint32_t object = object_of(command);
    struct ramp now = *parameter_of(core, command->kind, object).ramp;
    now.remaining = frames_left(core, command->kind, object, &now);
    return ramp_value(&now);
}

// ---- The limit of curves ------------------------------------------------------------------------

bool curves_reserve(rcore_t *core) RCORE_RT {
    if (atomic_fetch_add_explicit(&core->curves.reserved, 1, memory_order_relaxed) < core->config.max_curves) {
        return true;
    }
    curves_release(core);
    return false;
}

void curves_release(rcore_t *core) RCORE_RT {
    (void)atomic_fetch_sub_explicit(&core->curves.reserved, 1, memory_order_relaxed);
}

// Removes a running curve; the last one takes its index.
static void remove_at(rcore_t *core, uint32_t index) RCORE_RT {
    core->curves.of_parameter[core->curves.running[index].parameter_index] = 0;
    core->curves.count -= 1;
    if (index < core->curves.count) {
        core->curves.running[index] = core->curves.running[core->curves.count];
        core->curves.of_parameter[core->curves.running[index].parameter_index] = (uint16_t)(index + 1);
    }
    curves_release(core);
}

void curves_end(rcore_t *core, uint16_t kind, uint32_t object) RCORE_RT {
    const uint32_t parameter_index = core->curves.count > 0 ? parameter_index_of(core, kind, object) : RCORE_NONE;
    if (parameter_index != RCORE_NONE && core->curves.of_parameter[parameter_index] > 0) {
        remove_at(core, core->curves.of_parameter[parameter_index] - 1u);
    }
}

void curves_end_voice(rcore_t *core, const struct voice *voice) RCORE_RT {
    const uint32_t index = (uint32_t)(voice - core->voices.pool);
    curves_end(core, COMMAND_GAIN, index);
    curves_end(core, COMMAND_PAN, index);
    curves_end(core, COMMAND_SPEED, index);
}

// ---- Segments -----------------------------------------------------------------------------------

// Starts the segment to the next point, from the value `from`.
static void begin_segment(rcore_t *core, struct curve *curve, struct ramp *ramp, float from) RCORE_RT {
    const uint32_t segment = curve_segment(curve, core_now(core));
    curve->elapsed += segment;
    const float value = curve_value_at(curve, curve->elapsed);
    if (curve->kind == COMMAND_PAN) {
        pan_to(&core->voices.pool[curve->object], value, segment);
        return;
    }
    if (curve->kind == COMMAND_SPEED) {
        // At a speed of 1, it may have joined a batch.
        batch_leave(&core->voices.pool[curve->object]);
    }
    if (curve->kind == COMMAND_BUS_GAIN || curve->kind == COMMAND_BUS_PAN) {
        bus_set_due(core, curve->object);
    }
    ramp_line(ramp, from, value, segment);
}

// Returns whether the command has started a ramp, of a slot in use or of a voice that has started
// and is not stopping.
static bool ramp_started(const rcore_t *core, const struct command *command, uint32_t object,
                         const struct parameter *parameter) RCORE_RT {
    if (command->kind == COMMAND_GAIN || command->kind == COMMAND_PAN || command->kind == COMMAND_SPEED) {
        const struct voice *voice = &core->voices.pool[object];
        const uint64_t status = atomic_load_explicit(&voice->status, memory_order_acquire);
        const rcore_voice_state_t state = status_state(status);
        if (status >> 32 != command->voice >> 32 || voice->stopping ||
            (state != RCORE_VOICE_PLAYING && state != RCORE_VOICE_PAUSED)) {
            return false;
        }
    }
    return parameter->exists && frames_left(core, command->kind, object, parameter->ramp) > 0;
}

void curves_begin(rcore_t *core, const struct command *command, float from, uint64_t until) RCORE_RT {
    const uint32_t object = object_of(command);
    const struct parameter parameter = parameter_of(core, command->kind, object);
    struct curve curve = {.parameter_index = parameter_index_of(core, command->kind, object),
                          .object = object,
                          .kind = command->kind,
                          .shape = command->curve & (uint8_t)~CURVE_TO_BEAT,
                          .from = from,
                          .to = command->value,
                          .rest = 1.0,
                          .total = command->ramp_frames,
                          .resets = parameter.resets,
                          .until = until};
    const bool has_started = ramp_started(core, command, object, &parameter);
    if (has_started) {
        curve_prepare(&curve);
    }
    if (!has_started || (curve.shape == RCORE_CURVE_LINEAR && until == 0)) {
        curves_release(core);
        return;
    }
    begin_segment(core, &curve, parameter.ramp, from);
    // Has room: the curve counts toward `max_curves`.
    core->curves.running[core->curves.count++] = curve;
    core->curves.of_parameter[curve.parameter_index] = (uint16_t)core->curves.count;
}

// Lets a curve end at its beat. The frames until then change with the tempo, and in a pause of the
// session or voice, which holds the curve but not the transport. `left`: frames left of its
// segment.
static void follow_beat(rcore_t *core, struct curve *curve, const struct parameter *parameter, uint32_t left) RCORE_RT {
    const uint32_t frames = clock_frames_through(&core->transport, curve->until);
    const bool has_passed = frames == 0;
    if (!time_is_in_pass(&core->transport, curve->until) || (has_passed && parameter->advances)) {
        // The frame does not come any more: the curve goes on in the frames that it has. So it
        // reaches its value, and without a jump.
        curve->until = 0;
        return;
    }
    const uint32_t wanted = has_passed ? 1 : frames;
    if ((parameter->advances || has_passed) && wanted != curve_frames_left(curve, left)) {
        curve_retime(curve, left, wanted);
        begin_segment(core, curve, parameter->ramp, ramp_value(parameter->ramp));
    }
}

uint32_t curves_limit(rcore_t *core, uint32_t nframes) RCORE_RT {
    // Backwards: the last curve, already processed, replaces one that ended.
    for (uint32_t i = core->curves.count; i-- > 0;) {
        struct curve *curve = &core->curves.running[i];
        const struct parameter parameter = parameter_of(core, curve->kind, curve->object);
        uint32_t left = frames_left(core, curve->kind, curve->object, parameter.ramp);
        if (!parameter.exists || parameter.resets != curve->resets || (left == 0 && curve->elapsed == curve->total)) {
            remove_at(core, i);
            continue;
        }
        if (curve->until != 0) {
            follow_beat(core, curve, &parameter, left);
            left = frames_left(core, curve->kind, curve->object, parameter.ramp);
        }
        if (left == 0) {
            begin_segment(core, curve, parameter.ramp, parameter.ramp->target);
            left = frames_left(core, curve->kind, curve->object, parameter.ramp);
        }
        nframes = parameter.advances && left < nframes ? left : nframes;
    }
    return nframes;
}
