// Random mixers with every feature that the limits allow, and slots in any order.
#include "mixer_stage.h"

static struct mixer_map any_map(struct random *random, uint32_t inputs, uint32_t outputs) {
    struct mixer_map map = {.given = random_once_in(random, 2)};
    for (uint32_t i = 0; map.given && i < inputs * outputs; i++) {
        map.gains[i] = random_once_in(random, 4) ? 0.0f : random_float(random, -1.0f, 1.0f);
    }
    return map;
}

static void shuffle(struct random *random, uint32_t *slots, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        slots[i] = i;
    }
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t other = random_below(random, i), slot = slots[i - 1];
        slots[i - 1] = slots[other];
        slots[other] = slot;
    }
}

static struct mixer_bus any_bus(struct random *random, const struct mixer_limits *limits, uint32_t index) {
    struct mixer_bus bus = {.channels = 1 + random_below(random, mixer_channels),
                            .parent =
                                index == 0 || random_once_in(random, 5) ? RCORE_NONE : random_below(random, index),
                            .gain = random_float(random, -1.25f, 1.25f)};
    if (limits->pans && random_once_in(random, 2)) {
        bus.law = random_once_in(random, 2) ? RCORE_PAN_LINEAR : RCORE_PAN_EQUAL_POWER;
        bus.pan = random_once_in(random, 8) ? 1.0f : random_float(random, -1.0f, 1.0f);
    }
    if (random_once_in(random, 3) && limits->latency > 0) {
        bus.insert =
            (struct mixer_insert){.given = true,
                                  .context = index,
                                  .latency = random_below(random, limits->latency + 1),
                                  .gain = random_once_in(random, 3) ? -1.0f : random_float(random, 0.5f, 1.0f)};
    }
    bus.muted = limits->mutes && random_once_in(random, 8);
    bus.soloed = limits->solos && random_once_in(random, 8);
    bus.safe = limits->solos && random_once_in(random, 8);
    return bus;
}

static void add_send(struct random *random, struct mixer *mixer, uint32_t slot) {
    const uint32_t source = random_below(random, mixer->bus_count), target = random_below(random, mixer->bus_count);
    // Refused: a cycle, or a send to another session. A top-level bus without a gate counts as a
    // session of its own.
    if (mixer_feeds(mixer, target, source) || mixer_top(mixer, source) != mixer_top(mixer, target)) {
        return;
    }
    mixer->sends[mixer->send_count++] = (struct mixer_send){
        .slot = slot,
        .source = source,
        .target = target,
        .pre_fader = random_once_in(random, 2),
        .map = any_map(random, mixer->buses[source].channels, mixer->buses[target].channels),
        .level = random_float(random, -1.0f, 1.0f),
    };
}

static void add_routes(struct random *random, struct mixer *mixer, const struct mixer_limits *limits) {
    mixer->route_count = limits->routes ? 1 + random_below(random, mixer_most_routes) : 1;
    for (uint32_t i = 0; i < mixer->route_count; i++) {
        mixer->routes[i] = (struct mixer_route){.slot = mixer->route_count - 1 - i,
                                                .channels = 1 + random_below(random, mixer_channels)};
    }
    for (uint32_t i = 0; i < mixer->bus_count; i++) {
        for (uint32_t route = 0; mixer->buses[i].parent == RCORE_NONE && route < mixer->route_count; route++) {
            if (route == 0 || random_once_in(random, 2)) {
                mixer->connections[mixer->connection_count++] = (struct mixer_connection){
                    .bus = i,
                    .route = route,
                    .map = any_map(random, mixer->buses[i].channels, mixer->routes[route].channels)};
            }
        }
    }
}

static void add_voice(struct random *random, struct mixer *mixer, uint32_t bus, float *noise, uint32_t nframes) {
    struct mixer_voice voice = {.bus = bus,
                                .channels = 1 + random_below(random, mixer_channels),
                                .law = (rcore_pan_law_t)random_below(random, 3),
                                .pan = random_float(random, -1.0f, 1.0f),
                                .gain = random_float(random, -1.0f, 1.0f),
                                .start = random_below(random, nframes / 2),
                                .nframes = nframes};
    voice.map = any_map(random, voice.channels, mixer->buses[bus].channels);
    for (uint32_t channel = 0; channel < voice.channels; channel++) {
        float *plane = noise + ((size_t)bus * mixer_channels + channel) * nframes;
        for (uint32_t i = 0; i < nframes; i++) {
            plane[i] = random_float(random, -0.5f, 0.5f);
        }
        voice.planes[channel] = plane;
    }
    mixer->voices[mixer->voice_count++] = voice;
}

struct mixer mixer_random(struct random *random, const struct mixer_limits *limits, float *noise, uint32_t nframes) {
    struct mixer mixer = {.bus_count = 2 + random_below(random, limits->buses - 1)};
    uint32_t slots[mixer_most_buses + 4], send_slots[mixer_most_sends + 8];
    shuffle(random, slots, mixer_most_buses + 4);
    shuffle(random, send_slots, mixer_most_sends + 8);
    for (uint32_t i = 0; i < mixer.bus_count; i++) {
        struct mixer_bus *bus = &mixer.buses[i];
        *bus = any_bus(random, limits, i);
        bus->slot = slots[i];
        if (bus->parent != RCORE_NONE) {
            bus->map = any_map(random, bus->channels, mixer.buses[bus->parent].channels);
        } else {
            bus->gated = random_once_in(random, 2);
        }
    }
    const uint32_t sends = random_below(random, limits->sends + 1);
    for (uint32_t i = 0; i < sends; i++) {
        add_send(random, &mixer, send_slots[i]);
    }
    for (uint32_t i = 0; limits->compensation_exempt && i < mixer.bus_count; i++) {
        bool leaf = true;
        for (uint32_t other = 0; other < mixer.bus_count; other++) {
            leaf = leaf && (other == i || !mixer_feeds(&mixer, other, i));
        }
        mixer.buses[i].compensation_exempt = leaf && random_once_in(random, 3);
    }
    add_routes(random, &mixer, limits);
    for (uint32_t i = 0; i < mixer.bus_count; i++) {
        add_voice(random, &mixer, i, noise, nframes);
    }
    return mixer;
}
