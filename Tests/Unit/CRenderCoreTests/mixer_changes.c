#include "mixer_changes.h"

struct mixer mixer_before(void) {
    struct mixer mixer = {.bus_count = 4, .send_count = 1, .route_count = 1, .connection_count = 1};
    for (uint32_t slot = 0; slot < 4; slot++) {
        mixer.buses[slot] = (struct mixer_bus){
            .slot = slot, .channels = 2, .parent = slot == 0 ? RCORE_NONE : 0, .gain = 1.0f, .gated = slot == 0};
    }
    mixer.buses[slot_first].insert = (struct mixer_insert){.given = true, .context = 4, .latency = 90, .gain = 0.5f};
    mixer.sends[0] = (struct mixer_send){.source = slot_first, .target = slot_return, .level = 1.0f};
    mixer.routes[0] = (struct mixer_route){.channels = 2};
    return mixer;
}

uint32_t mixer_index(const struct mixer *mixer, uint32_t slot) {
    for (uint32_t i = 0; i < mixer->bus_count; i++) {
        if (mixer->buses[i].slot == slot) {
            return i;
        }
    }
    return RCORE_NONE;
}

void mixer_play_on_each(struct mixer *mixer, const float *plane, uint32_t nframes) {
    mixer->voice_count = 0;
    for (uint32_t slot = 0; slot < 4; slot++) {
        const uint32_t index = mixer_index(mixer, slot);
        if (index != RCORE_NONE) {
            mixer->voices[mixer->voice_count++] =
                (struct mixer_voice){.bus = index,
                                     .channels = 1,
                                     .map = {.given = true, .gains = {1.0f, 0.75f, 0.0f, 0.0f}},
                                     .gain = 1.0f,
                                     .nframes = nframes,
                                     .planes = {plane}};
        }
    }
}

void mixer_play_on_slots(struct mixer_stage *stage, const float *plane, uint32_t nframes) {
    struct mixer all = {.bus_count = 4};
    for (uint32_t slot = 0; slot < 4; slot++) {
        all.buses[slot] = (struct mixer_bus){.slot = slot, .channels = 2};
    }
    mixer_play_on_each(&all, plane, nframes);
    mixer_voices(stage, &all);
}

static struct mixer_map level_map(float level) {
    return (struct mixer_map){.given = true, .gains = {level, 0.0f, 0.25f, level}};
}

static struct mixer_insert insert_of(uint32_t context, uint32_t latency, float gain) {
    return (struct mixer_insert){.given = true, .context = context, .latency = latency, .gain = gain};
}

static void add_send(struct mixer *mixer) {
    mixer->sends[mixer->send_count++] = (struct mixer_send){.slot = 5,
                                                            .source = slot_second,
                                                            .target = slot_return,
                                                            .pre_fader = true,
                                                            .map = level_map(0.5f),
                                                            .level = 1.0f};
}

static void add_send_into_delay(struct mixer *mixer) {
    mixer->sends[mixer->send_count++] =
        (struct mixer_send){.slot = 5, .source = slot_second, .target = slot_first, .level = 1.0f};
}

static void remove_send(struct mixer *mixer) { mixer->send_count = 0; }

static void take_send_elsewhere(struct mixer *mixer) { mixer->sends[0].pre_fader = true; }

static void map_send(struct mixer *mixer) { mixer->sends[0].map = level_map(0.25f); }

static void bus_between(struct mixer *mixer) {
    // A parent precedes its children: the new bus takes the first index after the master.
    for (uint32_t i = mixer->bus_count++; i > 1; i--) {
        mixer->buses[i] = mixer->buses[i - 1];
    }
    mixer->buses[1] = (struct mixer_bus){.slot = slot_between, .channels = 2, .parent = 0, .gain = 1.0f};
    mixer->buses[2].parent = 1;
    mixer->sends[0].source = 2;
    mixer->sends[0].target = 4;
}

static void late_bus_between(struct mixer *mixer) {
    bus_between(mixer);
    mixer->buses[1].insert = insert_of(16, 130, 0.75f);
}

static void other_parent(struct mixer *mixer) { mixer->buses[slot_second].parent = slot_first; }

static void other_latency(struct mixer *mixer) { mixer->buses[slot_first].insert = insert_of(5, 200, 0.5f); }

static void another_insert(struct mixer *mixer) { mixer->buses[slot_first].insert = insert_of(6, 90, 0.25f); }

static void no_insert(struct mixer *mixer) { mixer->buses[slot_first].insert.given = false; }

static void insert_on_return(struct mixer *mixer) { mixer->buses[slot_return].insert = insert_of(12, 100, 0.5f); }

static void insert_on_master(struct mixer *mixer) { mixer->buses[slot_master].insert = insert_of(0, 150, 0.5f); }

static void insert_without_latency(struct mixer *mixer) { mixer->buses[slot_second].insert = insert_of(8, 0, 0.5f); }

static void map_to_route(struct mixer *mixer) { mixer->connections[0].map = level_map(0.5f); }

static void second_route(struct mixer *mixer) {
    mixer->routes[mixer->route_count++] = (struct mixer_route){.slot = 1, .channels = 2};
    mixer->connections[mixer->connection_count++] = (struct mixer_connection){.bus = 0, .route = 1};
}

static void two_tops(struct mixer *mixer) {
    mixer->buses[slot_second].parent = RCORE_NONE;
    mixer->buses[slot_second].gated = true;
    mixer->connections[mixer->connection_count++] =
        (struct mixer_connection){.bus = slot_second, .map = level_map(0.5f)};
}

static void bus_gone(struct mixer *mixer) {
    mixer->buses[slot_second] = mixer->buses[slot_return];
    mixer->bus_count -= 1;
    mixer->sends[0].target = slot_second;
}

static void live(struct mixer *mixer) { mixer->buses[slot_second].compensation_exempt = true; }

static void narrower(struct mixer *mixer) { mixer->buses[slot_return].channels = 1; }

static void panned(struct mixer *mixer) { mixer->buses[slot_second].law = RCORE_PAN_LINEAR; }

const struct change changes[] = {
    {"a send", add_send},
    {"a send into a delay", add_send_into_delay},
    {"no send", remove_send},
    {"a send pre-fader", take_send_elsewhere},
    {"another matrix of a send", map_send},
    {"a bus between", bus_between},
    {"a bus with latency between", late_bus_between},
    {"another parent", other_parent},
    {"a different latency", other_latency},
    {"another insert", another_insert},
    {"no insert", no_insert},
    {"an insert on the return bus", insert_on_return},
    {"an insert on the master", insert_on_master},
    {"an insert without latency", insert_without_latency},
    {"another matrix to the route", map_to_route},
    {"a second route", second_route},
    {"a second top-level bus", two_tops},
    {"a bus removed", bus_gone},
    {"an exempt bus", live},
    {"fewer channels", narrower},
    {"a pan law", panned},
};
const uint32_t change_count = sizeof changes / sizeof changes[0];
