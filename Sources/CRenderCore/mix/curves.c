#include "mix/curves.h"

#include "core/core.h"
#include "graph/slots.h"
#include "mix/buses.h"
#include "mix/pan.h"
#include "mix/ramp.h"
#include "voices/voice.h"
#include "voices/voice_batch.h"

#include <math.h>

enum { min_segment = 8, max_segment = 256, segments = 128 };

// Replaces 0 at one end of an exponential curve, as a fraction of the other end: -100 dB.
static const double floor_ratio = 1e-5;

struct curve {
    // Index of its parameter in `of_parameter`.
    uint32_t parameter_index;
    // Index of a voice, or a slot.
    uint32_t object;
    // enum command_kind of the command that sets the parameter.
    uint16_t kind;
    // rcore_curve_t.
    uint8_t shape;
    float from;
    float to;
    // Exponential: `from`, or the value that replaces 0.
    double start;
    // Exponential: logarithm of the ratio of the end to the start.
    double rate;
    // Length in frames.
    uint32_t total;
    // Frames elapsed at the end of the current segment.
    uint32_t elapsed;
    // `resets` of the slot when the curve started: a curve ends when its slot is reset.
    uint32_t resets;
};

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

static float value_at(const struct curve *curve, uint32_t elapsed) RCORE_RT {
    if (elapsed >= curve->total) {
        return curve->to;
    }
    const double x = (double)elapsed / curve->total;
    if (curve->shape == RCORE_CURVE_EXPONENTIAL) {
        return (float)(curve->start * exp(x * curve->rate));
    }
    const double from = (double)curve->from, distance = (double)curve->to - from;
    return (float)(from + distance * x * x * (3.0 - 2.0 * x));
}

// Returns the length of a full segment of a curve of `total` frames.
static uint32_t spacing(uint32_t total) RCORE_RT {
    uint32_t length = min_segment;
    while (length < max_segment && length <= total / (2 * segments)) {
        length *= 2;
    }
    return length;
}

// Starts the segment to the next point, from the value `from`. Points lie on multiples of the
// length of a full segment, and at the end of the curve.
static void begin_segment(rcore_t *core, struct curve *curve, struct ramp *ramp, float from) RCORE_RT {
    const uint32_t segment_frames = spacing(curve->total);
    const uint32_t length = segment_frames - (uint32_t)(core_now(core) % segment_frames);
    const uint32_t left = curve->total - curve->elapsed;
    const uint32_t segment = length < left ? length : left;
    curve->elapsed += segment;
    const float value = value_at(curve, curve->elapsed);
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

// Prepares the shape of a curve. Returns false if it is a straight line, which needs no curve: an
// exponential curve whose ends differ in sign.
static bool prepare_shape(struct curve *curve) RCORE_RT {
    if (curve->shape != RCORE_CURVE_EXPONENTIAL) {
        return true;
    }
    if ((curve->from < 0.0f && curve->to > 0.0f) || (curve->from > 0.0f && curve->to < 0.0f)) {
        return false;
    }
    const double from = (double)curve->from, to = (double)curve->to;
    curve->start = curve->from != 0.0f ? from : floor_ratio * to;
    curve->rate = log((curve->to != 0.0f ? to : floor_ratio * from) / curve->start);
    return true;
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

void curves_begin(rcore_t *core, const struct command *command, float from) RCORE_RT {
    const uint32_t object = object_of(command);
    const struct parameter parameter = parameter_of(core, command->kind, object);
    struct curve curve = {.parameter_index = parameter_index_of(core, command->kind, object),
                          .object = object,
                          .kind = command->kind,
                          .shape = command->curve,
                          .from = from,
                          .to = command->value,
                          .total = command->ramp_frames,
                          .resets = parameter.resets};
    if (!ramp_started(core, command, object, &parameter) || !prepare_shape(&curve)) {
        curves_release(core);
        return;
    }
    begin_segment(core, &curve, parameter.ramp, from);
    // Has room: the curve counts toward `max_curves`.
    core->curves.running[core->curves.count++] = curve;
    core->curves.of_parameter[curve.parameter_index] = (uint16_t)core->curves.count;
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
        if (left == 0) {
            begin_segment(core, curve, parameter.ramp, parameter.ramp->target);
            left = frames_left(core, curve->kind, curve->object, parameter.ramp);
        }
        nframes = parameter.advances && left < nframes ? left : nframes;
    }
    return nframes;
}
