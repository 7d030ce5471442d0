// Suspended and moving gates while plans change around them.
#include "expect.h"
#include "stage.h"

enum { endless = 200000 };

static const rcore_route_description_t only_route = {.slot = 0, .channels = 2};

/// Starts a voice that does not end during the test.
/// Returns a plan of one route with these buses. Buses without a parent are connected to the route.
static rcore_plan_t *plan_of(const rcore_bus_description_t *buses, unsigned count) {
    rcore_plan_t *plan = rcore_plan_create();
    EXPECT_EQUAL(rcore_plan_add_route(plan, &only_route), RCORE_OK);
    for (unsigned i = 0; i < count; i++) {
        EXPECT_EQUAL(rcore_plan_add_bus(plan, &buses[i]), RCORE_OK);
        if (buses[i].parent == RCORE_NONE) {
            EXPECT_EQUAL(rcore_plan_connect(plan, buses[i].slot, 0, NULL), RCORE_OK);
        }
    }
    return plan;
}

static void crossfade_to(stage_t *stage, const rcore_bus_description_t *buses, unsigned count) {
    EXPECT_EQUAL(rcore_post_plan(stage->queue, plan_of(buses, count), RCORE_NOW), RCORE_OK);
}

/// Pauses the stage's session at once, and renders until it is suspended.
static void freeze(stage_t *stage) {
    sgate_page_set_grant(stage->gate, (sgate_grant_t){.paused = true, .serial = 1});
    stage_render(stage, 512, 64);
}

static unsigned gate_events(rcore_t *core) {
    unsigned count = 0;
    for (rcore_event_t event; rcore_next_event(core, &event);) {
        count += event.kind == RCORE_EVENT_GATE_APPLIED || event.kind == RCORE_EVENT_GATE_SETTLED;
    }
    return count;
}

/// A bus that becomes routed to a suspended session is suspended with it (keeps INT-3).
TEST(what_joins_a_frozen_session_freezes) {
    rcore_buffer_t *buffer = constant_buffer(endless, 0.5f);
    stage_t stage = stage_open(NULL);
    // The voice runs, although no plan has the bus.
    const rcore_voice_t voice = stage_play_on(&stage, buffer, 3, RCORE_NOW);
    freeze(&stage);
    const rcore_bus_description_t buses[] = {{.slot = 0, .channels = 2, .parent = RCORE_NONE, .gate = stage.gate},
                                             {.slot = 3, .channels = 2, .parent = 0}};
    crossfade_to(&stage, buses, 2);
    const uint64_t before = rcore_voice_frames(stage.core, voice);
    stage_render(&stage, 1024, 64);
    EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), before);
    sgate_page_set_grant(stage.gate, (sgate_grant_t){.serial = 2});
    stage_render(&stage, 1024, 64);
    EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), before + 1024);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// When a plan removes the gate of a suspended bus, the bus and its children continue.
TEST(what_loses_a_shut_gate_goes_on) {
    rcore_buffer_t *buffer = constant_buffer(endless, 0.5f);
    stage_t stage = stage_open(NULL);
    const rcore_voice_t own = stage_play_on(&stage, buffer, 0, RCORE_NOW);
    const rcore_voice_t below = stage_play_on(&stage, buffer, 1, RCORE_NOW);
    freeze(&stage);
    const uint64_t before[] = {rcore_voice_frames(stage.core, own), rcore_voice_frames(stage.core, below)};
    const rcore_bus_description_t buses[] = {{.slot = 0, .channels = 2, .parent = RCORE_NONE},
                                             {.slot = 1, .channels = 2, .parent = 0}};
    crossfade_to(&stage, buses, 2);
    stage_render(&stage, 1024, 64); // including the crossfade
    const uint64_t after[] = {rcore_voice_frames(stage.core, own), rcore_voice_frames(stage.core, below)};
    stage_render(&stage, 1024, 64);
    EXPECT(after[0] > before[0] && after[1] > before[1]);
    EXPECT_EQUAL(rcore_voice_frames(stage.core, own), after[0] + 1024);
    EXPECT_EQUAL(rcore_voice_frames(stage.core, below), after[1] + 1024);
    EXPECT_EQUAL(first_other(stage.out[0], stage.nframes - 1024, stage.nframes, 1.0f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// A bus that a plan routes into a suspended session keeps playing through its old connection until
/// that has faded, and not a frame longer, whatever the period.
TEST(a_bus_routed_into_a_suspended_session_suspends_with_the_fade) {
    rcore_buffer_t *buffer = constant_buffer(endless, 0.5f);
    const uint32_t periods[] = {64, 240, 1024};
    for (unsigned p = 0; p < 3; p++) {
        stage_t stage = stage_open(NULL);
        const rcore_bus_description_t session = {.slot = 0, .channels = 2, .parent = RCORE_NONE, .gate = stage.gate};
        const rcore_bus_description_t beside[] = {session, {.slot = 1, .channels = 2, .parent = RCORE_NONE}};
        const rcore_bus_description_t under[] = {session, {.slot = 1, .channels = 2, .parent = 0}};
        crossfade_to(&stage, beside, 2);
        const rcore_voice_t voice = stage_play_on(&stage, buffer, 1, RCORE_NOW);
        freeze(&stage);
        const uint64_t before = rcore_voice_frames(stage.core, voice);
        EXPECT_EQUAL(before, 512);
        crossfade_to(&stage, under, 2);
        stage_render(&stage, 4096, periods[p]);
        EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), before + stage_config().crossfade_frames);
        stage_close(&stage);
    }
    rcore_buffer_release(buffer);
}

/// Each gate moves independently of the others.
TEST(gates_move_each_by_itself) {
    enum { begun = 512, ramp = 4800 };
    rcore_buffer_t *buffer = constant_buffer(endless, 0.25f);
    for (unsigned moving = 0; moving < 3; moving++) {
        stage_t stage = stage_open(NULL);
        sgate_page_t *pages[3];
        rcore_bus_description_t buses[3];
        for (unsigned i = 0; i < 3; i++) {
            pages[i] = sgate_page_create();
            sgate_page_set_grant(pages[i], (sgate_grant_t){.serial = 1});
            buses[i] = (rcore_bus_description_t){.slot = 4 + i, .channels = 2, .parent = RCORE_NONE, .gate = pages[i]};
            stage_play_on(&stage, buffer, 4 + i, RCORE_NOW);
        }
        crossfade_to(&stage, buses, 3);
        stage_render(&stage, begun, 64);
        sgate_page_set_volume(pages[moving], (sgate_volume_t){.gain = 0, .ramp_ms = 100});
        stage_render(&stage, ramp + 64, 64);
        for (unsigned i = 0; i < ramp; i++) {
            EXPECT_NEAR(stage.out[0][begun + i], 0.5 + 0.25 * (1 - (i + 1) / (double)ramp), 1e-6);
        }
        EXPECT_EQUAL(first_other(stage.out[0], begun + ramp, stage.nframes, 0.5f), -1);
        rcore_destroy(stage.core);
        stage.core = NULL;
        stage_close(&stage);
        for (unsigned i = 0; i < 3; i++) {
            sgate_page_destroy(pages[i]);
        }
    }
    rcore_buffer_release(buffer);
}

/// A session that a plan removes fades out. Until the end of the fade its volume ramp continues and
/// its grants apply; then the core no longer reads its page.
TEST(a_session_that_leaves_obeys_its_gate_to_the_end) {
    enum { begun = 960, notified = 3968, fade = 4800 };
    rcore_buffer_t *buffer = constant_buffer(endless, 0.5f);
    rcore_config_t config = stage_config();
    config.crossfade_frames = fade;
    stage_t stage = stage_open(&config);
    stage_play(&stage, buffer, RCORE_NOW);
    stage_render(&stage, begun, 64);
    sgate_page_set_volume(stage.gate, (sgate_volume_t){.gain = 0.5f, .ramp_ms = 100});
    const rcore_bus_description_t other = {.slot = 4, .channels = 2, .parent = RCORE_NONE};
    crossfade_to(&stage, &other, 1);
    stage_render(&stage, notified - begun, 64);
    for (unsigned i = 0; i < notified - begun; i++) {
        const double done = (i + 1) / (double)fade;
        EXPECT_NEAR(stage.out[0][begun + i], 0.5 * (1 - 0.5 * done) * (1 - done), 1e-6);
    }
    sgate_page_set_grant(stage.gate, (sgate_grant_t){.muted = true, .ramp_ms = 1, .serial = 5});
    stage_render(&stage, 128, 64);
    EXPECT_EQUAL(first_other(stage.out[0], notified + 48, notified + 128, 0.0f), -1);
    stage_render(&stage, begun + fade - stage.nframes, 64);
    EXPECT_EQUAL(rcore_collect_plans(stage.core), 1);
    // From here on, the address sanitizer reports any access.
    sgate_page_destroy(stage.gate);
    stage.gate = sgate_page_create();
    EXPECT(gate_events(stage.core) > 0);
    stage_render(&stage, 512, 64);
    EXPECT_EQUAL(gate_events(stage.core), 0);
    EXPECT_NEAR(rcore_bus_gate_gain(stage.core, 0), 1, 0);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// A plan that one core refused for lack of room can be posted to another core, which has buffers
/// of its own.
TEST(a_refused_plan_fits_another_core) {
    rcore_buffer_t *buffer = constant_buffer(endless, 0.5f);
    rcore_config_t config = stage_config();
    config.max_channels = 2;
    config.block_frames = 64;
    stage_t full = stage_open(&config), stage = stage_open(NULL);
    while (rcore_post_bus_gain(full.queue, 0, 1.0f, 0, RCORE_NOW) == RCORE_OK) {
    }
    const rcore_bus_description_t buses[] = {{.slot = 5, .channels = 2, .parent = RCORE_NONE},
                                             {.slot = 7, .channels = 2, .parent = 5},
                                             {.slot = 6, .channels = 2, .parent = 5}};
    rcore_plan_t *plan = plan_of(buses, 3);
    const rcore_send_description_t send = {.slot = 0, .source = 7, .target = 6};
    EXPECT_EQUAL(rcore_plan_add_send(plan, &send), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(full.queue, plan, RCORE_NOW), RCORE_FULL);
    // From here on, the address sanitizer reports any access.
    stage_close(&full);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 64, 64);
    stage_play_on(&stage, buffer, 7, RCORE_NOW);
    stage_render(&stage, 512, 64);
    // The direct connection and the send.
    EXPECT_EQUAL(first_other(stage.out[0], 64, 576, 1.0f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(what_joins_a_frozen_session_freezes);
    RUN(what_loses_a_shut_gate_goes_on);
    RUN(a_bus_routed_into_a_suspended_session_suspends_with_the_fade);
    RUN(gates_move_each_by_itself);
    RUN(a_session_that_leaves_obeys_its_gate_to_the_end);
    RUN(a_refused_plan_fits_another_core);
    return test_result();
}
