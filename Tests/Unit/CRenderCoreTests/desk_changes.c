#include "desk_changes.h"

struct desk desk_before(void) {
    struct desk desk = {.bus_count = 4, .send_count = 1, .route_count = 1, .connection_count = 1};
    for (uint32_t slot = 0; slot < 4; slot++) {
        desk.buses[slot] = (struct desk_bus){
            .slot = slot, .channels = 2, .parent = slot == 0 ? RCORE_NONE : 0, .gain = 1.0f, .gated = slot == 0};
    }
    desk.buses[slot_first].insert = (struct desk_insert){.given = true, .context = 4, .latency = 90, .gain = 0.5f};
    desk.sends[0] = (struct desk_send){.source = slot_first, .target = slot_return, .level = 1.0f};
    desk.routes[0] = (struct desk_route){.channels = 2};
    return desk;
}

uint32_t desk_index(const struct desk *desk, uint32_t slot) {
    for (uint32_t i = 0; i < desk->bus_count; i++) {
        if (desk->buses[i].slot == slot) {
            return i;
        }
    }
    return RCORE_NONE;
}

void desk_play_on_each(struct desk *desk, const float *plane, uint32_t nframes) {
    desk->voice_count = 0;
    for (uint32_t slot = 0; slot < 4; slot++) {
        const uint32_t index = desk_index(desk, slot);
        if (index != RCORE_NONE) {
            desk->voices[desk->voice_count++] =
                (struct desk_voice){.bus = index,
                                    .channels = 1,
                                    .map = {.given = true, .gains = {1.0f, 0.75f, 0.0f, 0.0f}},
                                    .gain = 1.0f,
                                    .nframes = nframes,
                                    .planes = {plane}};
        }
    }
}

void desk_play_on_slots(struct desk_stage *stage, const float *plane, uint32_t nframes) {
    struct desk all = {.bus_count = 4};
    for (uint32_t slot = 0; slot < 4; slot++) {
        all.buses[slot] = (struct desk_bus){.slot = slot, .channels = 2};
    }
    desk_play_on_each(&all, plane, nframes);
    desk_voices(stage, &all);
}

static struct desk_map level_map(float level) {
    return (struct desk_map){.given = true, .gains = {level, 0.0f, 0.25f, level}};
}

static struct desk_insert insert_of(uint32_t context, uint32_t latency, float gain) {
    return (struct desk_insert){.given = true, .context = context, .latency = latency, .gain = gain};
}

static void add_send(struct desk *desk) {
    desk->sends[desk->send_count++] = (struct desk_send){.slot = 5,
                                                         .source = slot_second,
                                                         .target = slot_return,
                                                         .pre_fader = true,
                                                         .map = level_map(0.5f),
                                                         .level = 1.0f};
}

static void add_send_into_delay(struct desk *desk) {
    desk->sends[desk->send_count++] =
        (struct desk_send){.slot = 5, .source = slot_second, .target = slot_first, .level = 1.0f};
}

static void remove_send(struct desk *desk) { desk->send_count = 0; }

static void take_send_elsewhere(struct desk *desk) { desk->sends[0].pre_fader = true; }

static void map_send(struct desk *desk) { desk->sends[0].map = level_map(0.25f); }

static void bus_between(struct desk *desk) {
    // Parents stand before their children: the new one takes the first place behind the master.
    for (uint32_t i = desk->bus_count++; i > 1; i--) {
        desk->buses[i] = desk->buses[i - 1];
    }
    desk->buses[1] = (struct desk_bus){.slot = slot_between, .channels = 2, .parent = 0, .gain = 1.0f};
    desk->buses[2].parent = 1;
    desk->sends[0].source = 2;
    desk->sends[0].target = 4;
}

static void late_bus_between(struct desk *desk) {
    bus_between(desk);
    desk->buses[1].insert = insert_of(16, 130, 0.75f);
}

static void other_parent(struct desk *desk) { desk->buses[slot_second].parent = slot_first; }

static void other_latency(struct desk *desk) { desk->buses[slot_first].insert = insert_of(5, 200, 0.5f); }

static void another_insert(struct desk *desk) { desk->buses[slot_first].insert = insert_of(6, 90, 0.25f); }

static void no_insert(struct desk *desk) { desk->buses[slot_first].insert.given = false; }

static void insert_on_return(struct desk *desk) { desk->buses[slot_return].insert = insert_of(12, 100, 0.5f); }

static void insert_on_master(struct desk *desk) { desk->buses[slot_master].insert = insert_of(0, 150, 0.5f); }

static void insert_without_latency(struct desk *desk) { desk->buses[slot_second].insert = insert_of(8, 0, 0.5f); }

static void map_to_route(struct desk *desk) { desk->connections[0].map = level_map(0.5f); }

static void second_route(struct desk *desk) {
    desk->routes[desk->route_count++] = (struct desk_route){.slot = 1, .channels = 2};
    desk->connections[desk->connection_count++] = (struct desk_connection){.bus = 0, .route = 1};
}

static void two_tops(struct desk *desk) {
    desk->buses[slot_second].parent = RCORE_NONE;
    desk->buses[slot_second].gated = true;
    desk->connections[desk->connection_count++] = (struct desk_connection){.bus = slot_second, .map = level_map(0.5f)};
}

static void bus_gone(struct desk *desk) {
    desk->buses[slot_second] = desk->buses[slot_return];
    desk->bus_count -= 1;
    desk->sends[0].target = slot_second;
}

static void live(struct desk *desk) { desk->buses[slot_second].live = true; }

static void narrower(struct desk *desk) { desk->buses[slot_return].channels = 1; }

static void panned(struct desk *desk) { desk->buses[slot_second].law = RCORE_PAN_LINEAR; }

const struct change changes[] = {
    {"a send", add_send},
    {"a send into a delay", add_send_into_delay},
    {"no send", remove_send},
    {"a send before the fader", take_send_elsewhere},
    {"another map of a send", map_send},
    {"a bus between", bus_between},
    {"a bus with latency between", late_bus_between},
    {"another parent", other_parent},
    {"another latency", other_latency},
    {"another insert", another_insert},
    {"no insert", no_insert},
    {"an insert on the return", insert_on_return},
    {"an insert on the master", insert_on_master},
    {"an insert without latency", insert_without_latency},
    {"another map to the route", map_to_route},
    {"a second route", second_route},
    {"a bus of its own", two_tops},
    {"a bus gone", bus_gone},
    {"a live bus", live},
    {"fewer channels", narrower},
    {"a law of pan", panned},
};
const uint32_t change_count = sizeof changes / sizeof changes[0];
