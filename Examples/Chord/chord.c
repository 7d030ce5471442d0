// Plays a chord through JACK: three plucked strings, panned from left to right, start on the same
// frame and fade out together.
#include <math.h>
#include <rcore/rcore_jack.h>
#include <stdio.h>
#include <stdlib.h>

enum { length = 96000 }; // frames

static void must(int status, const char *text) { // 0 is OK in both status types
    if (status != 0) {
        exit((fprintf(stderr, "chord: %s\n", text), EXIT_FAILURE));
    }
}
static void ok(rcore_status_t status) { must(status, rcore_status_text(status)); }
static void jack_ok(rcore_jack_status_t status) { must(status, rcore_jack_status_text(status)); }

static rcore_buffer_t *pluck(double hertz, uint32_t rate) {
    static float samples[length];
    for (int i = 0; i < length; i++) {
        samples[i] = (float)(0.2 * exp(-2.0 * i / length) * sin(6.283185307 * hertz * i / rate));
    }
    return rcore_buffer_create(1, length, (const float *const[]){samples}, NULL);
}

int main(void) {
    rcore_jack_status_t jack_status;
    rcore_jack_monitor_t *monitor = rcore_jack_monitor_create();
    // NULL: the default server.
    rcore_jack_t *jack = rcore_jack_open(NULL, "chord", monitor, &jack_status);
    must(jack_status == RCORE_JACK_NO_SERVER,
         "no JACK server runs; start one: jackd -d alsa (no sound card: -d dummy)");
    jack_ok(jack_status);
    jack_ok(rcore_jack_register_ports(jack, 2, 0));
    rcore_status_t status;
    rcore_config_t config = rcore_config_default();
    config.sample_rate = rcore_jack_read_snapshot(monitor).sample_rate;
    rcore_t *core = rcore_create(&config, &status);
    ok(status);
    rcore_plan_t *plan = rcore_plan_create(); // one stereo bus on one stereo route
    ok(rcore_plan_add_bus(plan, &(rcore_bus_description_t){.slot = 0, .channels = 2, .parent = RCORE_NONE}));
    ok(rcore_plan_add_route(plan, &(rcore_route_description_t){.slot = 0, .channels = 2}));
    ok(rcore_plan_connect(plan, 0, 0, NULL));
    rcore_queue_t *queue = rcore_queue_open(core, NULL); // this thread's own
    ok(rcore_post_plan(queue, plan, RCORE_NOW));
    rcore_jack_attach_core(jack, core); // cycles call rcore_process from now on
    jack_ok(rcore_jack_activate(jack));
    must(rcore_jack_connect_device(jack, RCORE_JACK_PLAYBACK) < 2, "the server has no stereo device to play to");

    const double hertz[] = {220.0, 277.2, 329.6};
    rcore_buffer_t *strings[3];
    const uint64_t start = rcore_time(core) + config.sample_rate / 10;
    ok(rcore_transaction_begin(queue)); // all commands take effect together, or none
    for (int i = 0; i < 3; i++) {
        rcore_voice_params_t params = rcore_voice_params_default();
        params.buffer = strings[i] = pluck(hertz[i], config.sample_rate);
        params.pan_law = RCORE_PAN_EQUAL_POWER;
        params.pan = (float)i - 1.0f;
        const rcore_voice_t voice = rcore_voice_acquire(core);
        ok(rcore_post_start(queue, voice, &params, start));
        // Fades out over the second half of the buffer.
        ok(rcore_post_stop(queue, voice, length / 2, start + length / 2));
    }
    ok(rcore_transaction_commit(queue));
    while (rcore_time(core) < start + length) {
        must(rcore_jack_wait(monitor, 10) & RCORE_JACK_CHANGED_LOST, "the server died");
    }
    printf("chord: played at %u Hz, left peak %.3f\n", config.sample_rate, rcore_take_route_peak(core, 0, 0));

    rcore_jack_close(jack); // from now on no thread is inside the core
    rcore_destroy(core);
    for (int i = 0; i < 3; i++) {
        rcore_buffer_release(strings[i]);
    }
    rcore_jack_monitor_destroy(monitor);
}
