// The slow model: every bus's whole signal, one after the other.
#include "desk_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Where paths lead -----------------------------------------------------------------------------------------------------------

bool desk_leads(const struct desk *desk, uint32_t from, uint32_t to) {
    if (from == to) {
        return true;
    }
    const uint32_t parent = desk->buses[from].parent;
    if (parent != RCORE_NONE && desk_leads(desk, parent, to)) {
        return true;
    }
    for (uint32_t i = 0; i < desk->send_count; i++) {
        if (desk->sends[i].source == from && desk_leads(desk, desk->sends[i].target, to)) {
            return true;
        }
    }
    return false;
}

uint32_t desk_top(const struct desk *desk, uint32_t bus) {
    while (!desk->buses[bus].gated && desk->buses[bus].parent != RCORE_NONE) {
        bus = desk->buses[bus].parent;
    }
    return bus;
}

static bool is_under(const struct desk *desk, uint32_t bus, uint32_t other) {
    while (bus != other && bus != RCORE_NONE) {
        bus = desk->buses[bus].parent;
    }
    return bus == other;
}

struct desk_heard desk_heard(const struct desk *desk, uint32_t bus) {
    const struct desk_bus *description = &desk->buses[bus];
    bool any = false, full = false, passes = false;
    for (uint32_t i = 0; i < desk->bus_count; i++) {
        const struct desk_bus *other = &desk->buses[i];
        any |= other->soloed && desk_top(desk, i) == desk_top(desk, bus);
        full |= (other->soloed && is_under(desk, bus, i)) || (other->safe && i == bus);
        passes |= (other->soloed || other->safe) && is_under(desk, i, bus);
    }
    return (struct desk_heard){.sum = !description->muted && (!any || full || passes), .direct = !any || full};
}

// ---- Latency ----------------------------------------------------------------------------------------------------------------------

static uint32_t arrival_at(const struct desk *desk, uint32_t bus);

static uint32_t departure_from(const struct desk *desk, uint32_t bus) {
    const struct desk_insert *insert = &desk->buses[bus].insert;
    return arrival_at(desk, bus) + (insert->given ? insert->latency : 0);
}

static uint32_t later(const struct desk *desk, uint32_t latest, uint32_t bus) {
    const uint32_t departure = desk->buses[bus].live ? 0 : departure_from(desk, bus);
    return departure > latest ? departure : latest;
}

// When all that meets at a bus is there. Those that are live are not waited for.
static uint32_t arrival_at(const struct desk *desk, uint32_t bus) {
    uint32_t latest = 0;
    for (uint32_t i = 0; i < desk->bus_count; i++) {
        latest = desk->buses[i].parent == bus ? later(desk, latest, i) : latest;
    }
    for (uint32_t i = 0; i < desk->send_count; i++) {
        latest = desk->sends[i].target == bus ? later(desk, latest, desk->sends[i].source) : latest;
    }
    return latest;
}

// Sessions do not wait for each other.
static uint32_t arrival_at_route(const struct desk *desk, uint32_t route) {
    uint32_t latest = 0;
    for (uint32_t i = 0; i < desk->connection_count; i++) {
        const struct desk_connection *connection = &desk->connections[i];
        if (connection->route == route && !desk->buses[connection->bus].gated) {
            latest = later(desk, latest, connection->bus);
        }
    }
    return latest;
}

// By how much a bus is delayed for others, where what meets is there at `arrival`.
static uint32_t compensation(const struct desk *desk, uint32_t bus, uint32_t arrival) {
    return desk->buses[bus].live ? 0 : arrival - departure_from(desk, bus);
}

static uint32_t compensation_at_route(const struct desk *desk, const struct desk_connection *connection) {
    const bool waits = !desk->buses[connection->bus].gated;
    return waits ? compensation(desk, connection->bus, arrival_at_route(desk, connection->route)) : 0;
}

uint32_t desk_latency(const struct desk *desk, uint32_t bus) {
    uint32_t latency = desk->buses[bus].live ? 0 : arrival_at(desk, bus);
    for (;; bus = desk->buses[bus].parent) {
        latency += desk->buses[bus].insert.given ? desk->buses[bus].insert.latency : 0;
        if (desk->buses[bus].parent == RCORE_NONE) {
            break;
        }
        latency += compensation(desk, bus, arrival_at(desk, desk->buses[bus].parent));
    }
    uint32_t longest = 0;
    for (uint32_t i = 0; i < desk->connection_count; i++) {
        const struct desk_connection *connection = &desk->connections[i];
        if (connection->bus == bus) {
            const uint32_t wait = compensation_at_route(desk, connection);
            longest = wait > longest ? wait : longest;
        }
    }
    return latency + longest;
}

// ---- Signals ------------------------------------------------------------------------------------------------------------------------

struct model {
    const struct desk *desk;
    uint32_t nframes;
    bool magnitudes;
    double *buses[desk_most_buses]; // behind insert, mute and solo; NULL: not rendered yet
};

/// From some channels to others: what a voice, a bus or a send is led through.
struct path {
    uint32_t inputs, outputs;
    const struct desk_map *map;
    rcore_pan_law_t law;
    float pan;
    double gain;
    uint32_t delay;
};

static double side_of(rcore_pan_law_t law, double pan, uint32_t side) {
    const double share = side == 0 ? 0.5 * (1.0 - pan) : 0.5 * (1.0 + pan);
    return law == RCORE_PAN_LINEAR ? share : sin(1.5707963267948966 * share);
}

static double path_gain(const struct path *path, uint32_t output, uint32_t input) {
    const bool pans = path->law != RCORE_PAN_NONE && path->outputs > 1 && output < 2;
    if (pans && path->inputs == 1 && !path->map->given) {
        return path->gain * side_of(path->law, (double)path->pan, output);
    }
    double gain = path->gain * (output == input ? 1.0 : 0.0);
    if (path->map->given) {
        gain = path->gain * (double)path->map->gains[output * path->inputs + input];
    }
    return pans ? gain * fmin(1.0, side_of(path->law, (double)path->pan, output) / side_of(path->law, 0.0, output))
                : gain;
}

static void add_one(const struct model *model, double *target, const double *source, double gain, uint32_t delay) {
    gain = model->magnitudes ? fabs(gain) : gain;
    for (uint32_t i = delay; i < model->nframes && gain != 0.0; i++) {
        target[i] += gain * source[i - delay];
    }
}

static void add_path(const struct model *model, double *targets, const double *sources, const struct path *path) {
    for (uint32_t output = 0; output < path->outputs; output++) {
        for (uint32_t input = 0; input < path->inputs; input++) {
            add_one(model, targets + (size_t)output * model->nframes, sources + (size_t)input * model->nframes,
                    path_gain(path, output, input), path->delay);
        }
    }
}

static double *silence(uint32_t nframes) {
    double *samples = calloc((size_t)desk_channels * nframes, sizeof *samples);
    if (samples == NULL) {
        abort();
    }
    return samples;
}

static void play(const struct model *model, double *sum, uint32_t index, const struct desk_voice *voice) {
    double *source = silence(model->nframes);
    for (uint32_t channel = 0; channel < voice->channels; channel++) {
        for (uint32_t i = 0; i < voice->nframes && i + voice->start < model->nframes; i++) {
            const double sample = (double)voice->planes[channel][i];
            source[(size_t)channel * model->nframes + voice->start + i] = model->magnitudes ? fabs(sample) : sample;
        }
    }
    const struct desk_bus *bus = &model->desk->buses[index];
    const struct path path = {.inputs = voice->channels,
                              .outputs = bus->channels,
                              .map = &voice->map,
                              .law = voice->law,
                              .pan = voice->pan,
                              .gain = (double)voice->gain,
                              .delay = bus->live ? 0 : arrival_at(model->desk, index)};
    add_path(model, sum, source, &path);
    free(source);
}

// Behind the fader, or before it.
static struct path path_from(const struct model *model, uint32_t index, const struct desk_map *map, uint32_t outputs,
                             uint32_t delay, bool fader) {
    const struct desk_bus *bus = &model->desk->buses[index];
    return (struct path){.inputs = bus->channels,
                         .outputs = outputs,
                         .map = map,
                         .law = fader ? bus->law : RCORE_PAN_NONE,
                         .pan = bus->pan,
                         .gain = fader ? (double)bus->gain : 1.0,
                         .delay = delay};
}

static const double *bus_signal(struct model *model, uint32_t index);

static void add_up(struct model *model, double *sum, uint32_t index) {
    const struct desk *desk = model->desk;
    const uint32_t channels = desk->buses[index].channels, arrival = arrival_at(desk, index);
    for (uint32_t i = 0; i < desk->voice_count && desk_heard(desk, index).direct; i++) {
        if (desk->voices[i].bus == index) {
            play(model, sum, index, &desk->voices[i]);
        }
    }
    for (uint32_t i = 0; i < desk->bus_count; i++) {
        if (desk->buses[i].parent == index) {
            const struct path path =
                path_from(model, i, &desk->buses[i].map, channels, compensation(desk, i, arrival), true);
            add_path(model, sum, bus_signal(model, i), &path);
        }
    }
    for (uint32_t i = 0; i < desk->send_count; i++) {
        const struct desk_send *send = &desk->sends[i];
        if (send->target == index) {
            const uint32_t delay = compensation(desk, send->source, arrival);
            struct path path = path_from(model, send->source, &send->map, channels, delay, !send->pre_fader);
            path.gain *= (double)send->level;
            add_path(model, sum, bus_signal(model, send->source), &path);
        }
    }
}

static const double *bus_signal(struct model *model, uint32_t index) {
    if (model->buses[index] != NULL) {
        return model->buses[index];
    }
    const struct desk_bus *bus = &model->desk->buses[index];
    double *sum = silence(model->nframes), *signal = silence(model->nframes);
    add_up(model, sum, index);
    const double gain = bus->insert.given ? (double)bus->insert.gain : 1.0;
    for (uint32_t channel = 0; channel < bus->channels && desk_heard(model->desk, index).sum; channel++) {
        add_one(model, signal + (size_t)channel * model->nframes, sum + (size_t)channel * model->nframes, gain,
                bus->insert.given ? bus->insert.latency : 0);
    }
    free(sum);
    return model->buses[index] = signal;
}

void desk_model_render(const struct desk *desk, uint32_t nframes, bool magnitudes, double *out) {
    struct model model = {.desk = desk, .nframes = nframes, .magnitudes = magnitudes};
    memset(out, 0, sizeof *out * desk->route_count * desk_channels * nframes);
    for (uint32_t i = 0; i < desk->connection_count; i++) {
        const struct desk_connection *connection = &desk->connections[i];
        const struct path path =
            path_from(&model, connection->bus, &connection->map, desk->routes[connection->route].channels,
                      compensation_at_route(desk, connection), true);
        add_path(&model, out + (size_t)connection->route * desk_channels * nframes, bus_signal(&model, connection->bus),
                 &path);
    }
    for (uint32_t i = 0; i < desk->bus_count; i++) {
        free(model.buses[i]);
    }
}
