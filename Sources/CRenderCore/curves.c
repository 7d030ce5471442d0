#include "curves.h"

#include "group.h"
#include "pan.h"
#include "voice.h"

#include <math.h>

enum { least_stretch = 8, greatest_stretch = 256, stretches = 128 };

// What stands for 0 at an end of an exponential curve, as a part of the other: -100 dB.
static const double floor_ratio = 1e-5;

struct curve {
    uint32_t number; // of its parameter among all there are
    uint32_t object; // a voice's index, or a slot
    uint16_t kind;   // enum command_kind: of the command that sets the parameter
    uint8_t shape;   // rcore_curve_t
    float from;
    float to;
    double start; // exponential: what stands for `from`
    double rate;  // exponential: the logarithm of what it is multiplied by on all of its way
    uint32_t total;
    uint32_t done;   // at the end of the present line
    uint32_t resets; // of the slot when it began
};

size_t curves_bytes(void) { return sizeof(struct curve); }

// ---- Parameters -------------------------------------------------------------------------------------------------------------------

// What a curve may move, as of now.
struct parameter {
    struct ramp *ramp;
    uint32_t resets;
    bool there; // a plan has it, or will
    bool moves; // its ramp goes on in the next slice
};

static struct parameter voice_parameter(const rcore_t *core, struct voice *voice, struct ramp *ramp) RCORE_RT {
    const bool stands_still = voice_frozen(core, voice) || (voice->paused && voice->fade.remaining == 0);
    return (struct parameter){.ramp = ramp, .there = true, .moves = !stands_still};
}

static struct parameter bus_parameter(const struct bus_state *bus, struct ramp *ramp) RCORE_RT {
    return (struct parameter){ramp, bus->resets, bus->channels > 0 || bus->expected, bus->channels > 0 && !bus->frozen};
}

static struct parameter send_parameter(const rcore_t *core, struct send_state *send) RCORE_RT {
    const bool heard = send_is_heard(core, send);
    return (struct parameter){&send->level, send->resets, heard || send->expected,
                              heard && !core->buses[send->source].frozen};
}

static struct parameter input_parameter(struct input_state *input) RCORE_RT {
    return (struct parameter){&input->gain, input->resets, input->channels > 0 || input->expected, input->channels > 0};
}

static struct parameter parameter_of(const rcore_t *core, uint16_t kind, uint32_t object) RCORE_RT {
    switch (kind) {
    case COMMAND_GAIN:
        return voice_parameter(core, &core->voices[object], &core->voices[object].gain);
    case COMMAND_PAN:
        return voice_parameter(core, &core->voices[object], &core->voices[object].pan);
    case COMMAND_SPEED:
        return voice_parameter(core, &core->voices[object], &core->voices[object].speed);
    case COMMAND_BUS_GAIN:
        return bus_parameter(&core->buses[object], &core->buses[object].gain);
    case COMMAND_BUS_PAN:
        return bus_parameter(&core->buses[object], &core->buses[object].pan);
    case COMMAND_SEND_LEVEL:
        return send_parameter(core, &core->sends[object]);
    case COMMAND_INPUT_GAIN:
        return input_parameter(&core->inputs[object]);
    default:
        return (struct parameter){.ramp = NULL};
    }
}

// Its place in `curve_of`; RCORE_NONE: the command sets no parameter.
static uint32_t number_of(const rcore_t *core, uint16_t kind, uint32_t object) RCORE_RT {
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
    return (size_t)3 * config->max_voices + 2 * config->max_buses + config->max_sends + config->max_inputs;
}

static uint32_t object_of(const struct command *command) RCORE_RT {
    const bool voice = command->kind == COMMAND_GAIN || command->kind == COMMAND_PAN || command->kind == COMMAND_SPEED;
    return voice ? (uint32_t)command->voice - 1 : command->slot;
}

// Frames until it comes to rest; a pan has gone ahead to the end of a line of its own.
static uint32_t frames_left(const rcore_t *core, uint16_t kind, uint32_t object, const struct ramp *ramp) RCORE_RT {
    return ramp->remaining + (kind == COMMAND_PAN ? core->voices[object].pan_remaining : 0u);
}

float curves_value(const rcore_t *core, const struct command *command) RCORE_RT {
    const uint32_t object = object_of(command);
    struct ramp now = *parameter_of(core, command->kind, object).ramp;
    now.remaining = frames_left(core, command->kind, object, &now);
    return ramp_value(&now);
}

// ---- Places -----------------------------------------------------------------------------------------------------------------------

bool curves_take_place(rcore_t *core) RCORE_RT {
    if (atomic_fetch_add_explicit(&core->curves_taken, 1, memory_order_relaxed) < core->config.max_curves) {
        return true;
    }
    curves_give_back(core);
    return false;
}

void curves_give_back(rcore_t *core) RCORE_RT {
    (void)atomic_fetch_sub_explicit(&core->curves_taken, 1, memory_order_relaxed);
}

static void remove_at(rcore_t *core, uint32_t index) RCORE_RT {
    core->curve_of[core->curves[index].number] = 0;
    core->curve_count -= 1;
    if (index < core->curve_count) {
        core->curves[index] = core->curves[core->curve_count];
        core->curve_of[core->curves[index].number] = (uint16_t)(index + 1);
    }
    curves_give_back(core);
}

void curves_end(rcore_t *core, uint16_t kind, uint32_t object) RCORE_RT {
    const uint32_t number = core->curve_count > 0 ? number_of(core, kind, object) : RCORE_NONE;
    if (number != RCORE_NONE && core->curve_of[number] > 0) {
        remove_at(core, core->curve_of[number] - 1u);
    }
}

void curves_end_voice(rcore_t *core, const struct voice *voice) RCORE_RT {
    const uint32_t index = (uint32_t)(voice - core->voices);
    curves_end(core, COMMAND_GAIN, index);
    curves_end(core, COMMAND_PAN, index);
    curves_end(core, COMMAND_SPEED, index);
}

// ---- Points -----------------------------------------------------------------------------------------------------------------------

static float value_at(const struct curve *curve, uint32_t done) RCORE_RT {
    if (done >= curve->total) {
        return curve->to;
    }
    const double x = (double)done / curve->total;
    if (curve->shape == RCORE_CURVE_EXPONENTIAL) {
        return (float)(curve->start * exp(x * curve->rate));
    }
    const double from = (double)curve->from, way = (double)curve->to - from;
    return (float)(from + way * x * x * (3.0 - 2.0 * x));
}

// How far apart its points may lie for there to be enough of them.
static uint32_t spacing(uint32_t total) RCORE_RT {
    uint32_t length = least_stretch;
    while (length < greatest_stretch && length <= total / (2 * stretches)) {
        length *= 2;
    }
    return length;
}

// Goes to the next point.
static void begin_stretch(rcore_t *core, struct curve *curve, struct ramp *ramp, float from) RCORE_RT {
    const uint32_t apart = spacing(curve->total);
    const uint32_t length = apart - (uint32_t)(core_now(core) % apart), left = curve->total - curve->done;
    const uint32_t stretch = length < left ? length : left;
    curve->done += stretch;
    const float value = value_at(curve, curve->done);
    if (curve->kind == COMMAND_PAN) {
        pan_go(&core->voices[curve->object], value, stretch);
        return;
    }
    if (curve->kind == COMMAND_SPEED) {
        group_leave(&core->voices[curve->object]); // at a speed of 1 it may have joined one
    }
    ramp_line(ramp, from, value, stretch);
}

// Whether a curve has another shape than the straight line; an exponential one has none from one sign to the other.
static bool take_shape(struct curve *curve) RCORE_RT {
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

// Whether a command's ramp has begun, for a voice or slot that is there to be heard.
static bool took_effect(const rcore_t *core, const struct command *command, uint32_t object,
                        const struct parameter *parameter) RCORE_RT {
    if (command->kind == COMMAND_GAIN || command->kind == COMMAND_PAN || command->kind == COMMAND_SPEED) {
        const struct voice *voice = &core->voices[object];
        const uint64_t status = atomic_load_explicit(&voice->status, memory_order_acquire);
        const rcore_voice_state_t state = status_state(status);
        if (status >> 32 != command->voice >> 32 || voice->stopping ||
            (state != RCORE_VOICE_PLAYING && state != RCORE_VOICE_PAUSED)) {
            return false;
        }
    }
    return parameter->there && frames_left(core, command->kind, object, parameter->ramp) > 0;
}

void curves_begin(rcore_t *core, const struct command *command, float from) RCORE_RT {
    const uint32_t object = object_of(command);
    const struct parameter parameter = parameter_of(core, command->kind, object);
    struct curve curve = {.number = number_of(core, command->kind, object),
                          .object = object,
                          .kind = command->kind,
                          .shape = command->curve,
                          .from = from,
                          .to = command->value,
                          .total = command->ramp_frames,
                          .resets = parameter.resets};
    if (!took_effect(core, command, object, &parameter) || !take_shape(&curve)) {
        curves_give_back(core);
        return;
    }
    begin_stretch(core, &curve, parameter.ramp, from);
    core->curves[core->curve_count++] = curve; // has room: it holds one of the places
    core->curve_of[curve.number] = (uint16_t)core->curve_count;
}

uint32_t curves_next(rcore_t *core, uint32_t nframes) RCORE_RT {
    for (uint32_t i = core->curve_count;
         i-- > 0;) { // one that is over gives its place to the last, which was looked at
        struct curve *curve = &core->curves[i];
        const struct parameter parameter = parameter_of(core, curve->kind, curve->object);
        uint32_t left = frames_left(core, curve->kind, curve->object, parameter.ramp);
        if (!parameter.there || parameter.resets != curve->resets || (left == 0 && curve->done == curve->total)) {
            remove_at(core, i);
            continue;
        }
        if (left == 0) {
            begin_stretch(core, curve, parameter.ramp, parameter.ramp->target);
            left = frames_left(core, curve->kind, curve->object, parameter.ramp);
        }
        nframes = parameter.moves && left < nframes ? left : nframes;
    }
    return nframes;
}
