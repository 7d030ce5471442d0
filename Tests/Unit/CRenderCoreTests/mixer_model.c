// The reference model: renders the whole signal of every bus, one bus after the other.
#include "mixer_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Routing ------------------------------------------------------------------------------------

bool mixer_feeds(const struct mixer *mixer, uint32_t from, uint32_t to) {
    if (from == to) {
        return true;
    }
    const uint32_t parent = mixer->buses[from].parent;
    if (parent != RCORE_NONE && mixer_feeds(mixer, parent, to)) {
        return true;
    }
    for (uint32_t i = 0; i < mixer->send_count; i++) {
        if (mixer->sends[i].source == from && mixer_feeds(mixer, mixer->sends[i].target, to)) {
            return true;
        }
    }
    return false;
}

uint32_t mixer_top(const struct mixer *mixer, uint32_t bus) {
    while (!mixer->buses[bus].gated && mixer->buses[bus].parent != RCORE_NONE) {
        bus = mixer->buses[bus].parent;
    }
    return bus;
}

static bool is_under(const struct mixer *mixer, uint32_t bus, uint32_t other) {
    while (bus != other && bus != RCORE_NONE) {
        bus = mixer->buses[bus].parent;
    }
    return bus == other;
}

struct mixer_heard mixer_heard(const struct mixer *mixer, uint32_t bus) {
    const struct mixer_bus *description = &mixer->buses[bus];
    bool any = false, full = false, passes = false;
    for (uint32_t i = 0; i < mixer->bus_count; i++) {
        const struct mixer_bus *other = &mixer->buses[i];
        any |= other->soloed && mixer_top(mixer, i) == mixer_top(mixer, bus);
        full |= (other->soloed && is_under(mixer, bus, i)) || (other->safe && i == bus);
        passes |= (other->soloed || other->safe) && is_under(mixer, i, bus);
    }
    return (struct mixer_heard){.sum = !description->muted && (!any || full || passes), .direct = !any || full};
}

// ---- Latency ------------------------------------------------------------------------------------

static uint32_t arrival_at(const struct mixer *mixer, uint32_t bus);

static uint32_t departure_from(const struct mixer *mixer, uint32_t bus) {
    const struct mixer_insert *insert = &mixer->buses[bus].insert;
    return arrival_at(mixer, bus) + (insert->given ? insert->latency : 0);
}

static uint32_t later(const struct mixer *mixer, uint32_t latest, uint32_t bus) {
    const uint32_t departure = mixer->buses[bus].compensation_exempt ? 0 : departure_from(mixer, bus);
    return departure > latest ? departure : latest;
}

// Returns the latency at which all inputs of a bus are aligned. Buses that are exempt from
// compensation do not count.
static uint32_t arrival_at(const struct mixer *mixer, uint32_t bus) {
    uint32_t latest = 0;
    for (uint32_t i = 0; i < mixer->bus_count; i++) {
        latest = mixer->buses[i].parent == bus ? later(mixer, latest, i) : latest;
    }
    for (uint32_t i = 0; i < mixer->send_count; i++) {
        latest = mixer->sends[i].target == bus ? later(mixer, latest, mixer->sends[i].source) : latest;
    }
    return latest;
}

// Sessions are not delayed for each other's latency.
static uint32_t arrival_at_route(const struct mixer *mixer, uint32_t route) {
    uint32_t latest = 0;
    for (uint32_t i = 0; i < mixer->connection_count; i++) {
        const struct mixer_connection *connection = &mixer->connections[i];
        if (connection->route == route && !mixer->buses[connection->bus].gated) {
            latest = later(mixer, latest, connection->bus);
        }
    }
    return latest;
}

// Returns the delay that compensates a bus for others, at a destination whose inputs are aligned at
// `arrival`.
static uint32_t compensation(const struct mixer *mixer, uint32_t bus, uint32_t arrival) {
    return mixer->buses[bus].compensation_exempt ? 0 : arrival - departure_from(mixer, bus);
}

static uint32_t compensation_at_route(const struct mixer *mixer, const struct mixer_connection *connection) {
    const bool waits = !mixer->buses[connection->bus].gated;
    return waits ? compensation(mixer, connection->bus, arrival_at_route(mixer, connection->route)) : 0;
}

uint32_t mixer_latency(const struct mixer *mixer, uint32_t bus) {
    uint32_t latency = mixer->buses[bus].compensation_exempt ? 0 : arrival_at(mixer, bus);
    for (;; bus = mixer->buses[bus].parent) {
        latency += mixer->buses[bus].insert.given ? mixer->buses[bus].insert.latency : 0;
        if (mixer->buses[bus].parent == RCORE_NONE) {
            break;
        }
        latency += compensation(mixer, bus, arrival_at(mixer, mixer->buses[bus].parent));
    }
    uint32_t longest = 0;
    for (uint32_t i = 0; i < mixer->connection_count; i++) {
        const struct mixer_connection *connection = &mixer->connections[i];
        if (connection->bus == bus) {
            const uint32_t wait = compensation_at_route(mixer, connection);
            longest = wait > longest ? wait : longest;
        }
    }
    return latency + longest;
}

// ---- Signals ------------------------------------------------------------------------------------

struct model {
    const struct mixer *mixer;
    uint32_t nframes;
    bool magnitudes;
    /// The signal of each bus after insert, mute and solo; NULL if not rendered yet.
    double *buses[mixer_most_buses];
};

/// The mix parameters of a voice, a bus or a send, from its channels to those of its destination.
struct path {
    uint32_t inputs, outputs;
    const struct mixer_map *map;
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
    double *samples = calloc((size_t)mixer_channels * nframes, sizeof *samples);
    if (samples == NULL) {
        abort();
    }
    return samples;
}

static void play(const struct model *model, double *sum, uint32_t index, const struct mixer_voice *voice) {
    double *source = silence(model->nframes);
    for (uint32_t channel = 0; channel < voice->channels; channel++) {
        for (uint32_t i = 0; i < voice->nframes && i + voice->start < model->nframes; i++) {
            const double sample = (double)voice->planes[channel][i];
            source[(size_t)channel * model->nframes + voice->start + i] = model->magnitudes ? fabs(sample) : sample;
        }
    }
    const struct mixer_bus *bus = &model->mixer->buses[index];
    const struct path path = {.inputs = voice->channels,
                              .outputs = bus->channels,
                              .map = &voice->map,
                              .law = voice->law,
                              .pan = voice->pan,
                              .gain = (double)voice->gain,
                              .delay = bus->compensation_exempt ? 0 : arrival_at(model->mixer, index)};
    add_path(model, sum, source, &path);
    free(source);
}

// Returns the path that leaves a bus: post-fader if `fader` is set, otherwise pre-fader.
static struct path path_from(const struct model *model, uint32_t index, const struct mixer_map *map, uint32_t outputs,
                             uint32_t delay, bool fader) {
    const struct mixer_bus *bus = &model->mixer->buses[index];
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
    const struct mixer *mixer = model->mixer;
    const uint32_t channels = mixer->buses[index].channels, arrival = arrival_at(mixer, index);
    for (uint32_t i = 0; i < mixer->voice_count && mixer_heard(mixer, index).direct; i++) {
        if (mixer->voices[i].bus == index) {
            play(model, sum, index, &mixer->voices[i]);
        }
    }
    for (uint32_t i = 0; i < mixer->bus_count; i++) {
        if (mixer->buses[i].parent == index) {
            const struct path path =
                path_from(model, i, &mixer->buses[i].map, channels, compensation(mixer, i, arrival), true);
            add_path(model, sum, bus_signal(model, i), &path);
        }
    }
    for (uint32_t i = 0; i < mixer->send_count; i++) {
        const struct mixer_send *send = &mixer->sends[i];
        if (send->target == index) {
            const uint32_t delay = compensation(mixer, send->source, arrival);
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
    const struct mixer_bus *bus = &model->mixer->buses[index];
    double *sum = silence(model->nframes), *signal = silence(model->nframes);
    add_up(model, sum, index);
    const double gain = bus->insert.given ? (double)bus->insert.gain : 1.0;
    for (uint32_t channel = 0; channel < bus->channels && mixer_heard(model->mixer, index).sum; channel++) {
        add_one(model, signal + (size_t)channel * model->nframes, sum + (size_t)channel * model->nframes, gain,
                bus->insert.given ? bus->insert.latency : 0);
    }
    free(sum);
    return model->buses[index] = signal;
}

void mixer_model_render(const struct mixer *mixer, uint32_t nframes, bool magnitudes, double *out) {
    struct model model = {.mixer = mixer, .nframes = nframes, .magnitudes = magnitudes};
    memset(out, 0, sizeof *out * mixer->route_count * mixer_channels * nframes);
    for (uint32_t i = 0; i < mixer->connection_count; i++) {
        const struct mixer_connection *connection = &mixer->connections[i];
        const struct path path =
            path_from(&model, connection->bus, &connection->map, mixer->routes[connection->route].channels,
                      compensation_at_route(mixer, connection), true);
        add_path(&model, out + (size_t)connection->route * mixer_channels * nframes,
                 bus_signal(&model, connection->bus), &path);
    }
    for (uint32_t i = 0; i < mixer->bus_count; i++) {
        free(model.buses[i]);
    }
}
