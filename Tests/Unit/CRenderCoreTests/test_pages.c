// The code of Documentation/C.md.
#include "expect.h"
#include "stage.h"

enum { MIX, DRUMS, ECHO };

/// Halves the bus, and counts its calls.
static void echo(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT {
    uint32_t *calls = context;
    *calls += 1;
    for (uint32_t channel = 0; channel < channels; channel++) {
        for (uint32_t i = 0; i < nframes; i++) {
            planes[channel][i] *= 0.5f;
        }
    }
}

/// The drums are heard directly, and once more through the echo, at half the level.
TEST(a_mixer_with_a_send_and_an_insert) {
    const rcore_config_t configuration = stage_config();
    stage_t stage = {.core = rcore_create(&configuration, NULL)};
    stage.queue = rcore_queue_open(stage.core, NULL);
    uint32_t state = 0;
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_route_description_t route = {.slot = 0, .channels = 2};
    EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
    // [mixer]
    rcore_plan_add_bus(plan, &(rcore_bus_description_t){.slot = MIX, .channels = 2, .parent = RCORE_NONE});
    rcore_plan_add_bus(plan, &(rcore_bus_description_t){
                                 .slot = DRUMS, .channels = 2, .parent = MIX, .pan_law = RCORE_PAN_EQUAL_POWER});
    rcore_plan_add_bus(plan, &(rcore_bus_description_t){.slot = ECHO,
                                                        .channels = 2,
                                                        .parent = MIX,
                                                        .solo_safe = true,
                                                        .insert = {.render = echo, .context = &state}});
    rcore_plan_add_send(plan, &(rcore_send_description_t){.slot = 0, .source = DRUMS, .target = ECHO});
    rcore_plan_connect(plan, MIX, 0, NULL);
    // [end]
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 4800, 480);
    rcore_buffer_t *buffer = constant_buffer(4800, 0.5f);
    stage_play_on(&stage, buffer, DRUMS, RCORE_NOW);
    stage_render(&stage, 4800, 480);
    EXPECT(state > 0);
    EXPECT(stage.out[0][7200] == 0.75f);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(a_mixer_with_a_send_and_an_insert);
    return test_result();
}
