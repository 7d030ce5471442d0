/* An app in C or C++ that uses the installed library: renders one impulse and checks it. */
#include <rcore/render_core.h>

#include <stdio.h>

int main(void) {
    const rcore_config_t config = rcore_config_default();
    rcore_t *core = rcore_create(&config, NULL);
    rcore_queue_t *queue = rcore_queue_open(core, NULL);
    rcore_plan_t *plan = rcore_plan_create();
    static rcore_bus_description_t bus;     /* zero: slot 0, no gate, no map, no meter, no insert, no pan */
    static rcore_route_description_t route; /* zero: slot 0, from the first output on */
    bus.channels = route.channels = 1;
    bus.parent = RCORE_NONE;
    const float impulse[] = {0.5f};
    const float *planes[] = {impulse};
    float out[16];
    float *outputs[] = {out};
    unsigned wrong = 0;
    if (rcore_plan_add_bus(plan, &bus) != RCORE_OK || rcore_plan_add_route(plan, &route) != RCORE_OK ||
        rcore_plan_connect(plan, 0, 0, NULL) != RCORE_OK || rcore_post_plan(queue, plan, RCORE_NOW) != RCORE_OK) {
        return 1;
    }
    rcore_buffer_t *buffer = rcore_buffer_create(1, 1, planes, NULL);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    if (rcore_post_start(queue, rcore_voice_acquire(core), &params, 5) != RCORE_OK) {
        return 1;
    }
    rcore_process(core, NULL, 0, outputs, 1, 16);
    for (unsigned i = 0; i < 16; i++) {
        wrong += out[i] != (i == 5 ? 0.5f : 0.0f);
    }
    rcore_destroy(core);
    rcore_buffer_release(buffer);
    printf("%u samples wrong\n", wrong);
    return wrong != 0;
}
