// A chord through JACK: three plucked strings, panned, on one frame.
#include <math.h>
#include <rcore/rcore_jack.h>
#include <stdio.h>

enum { rate = 48000, length = 2 * rate };

static rcore_buffer_t *pluck(double hertz) {
    static float samples[length];
    for (int i = 0; i < length; i++)
        samples[i] = (float)(0.2 * exp(-2.0 * i / rate) * sin(6.283185307 * hertz * i / rate));
    return rcore_buffer_create(1, length, (const float *const[]){samples}, NULL);
}

int main(void) {
    rcore_jack_status_t status;
    rcore_jack_news_t *news = rcore_jack_news_create();
    rcore_jack_t *jack = rcore_jack_open(NULL, "chord", news, &status); // NULL: the default server
    if (jack == NULL || (status = rcore_jack_register_ports(jack, 2, 0)) != RCORE_JACK_OK)
        return fprintf(stderr, "chord: %s; start one with: jackd -d alsa\n", rcore_jack_status_text(status)), 1;
    const rcore_config_t config = rcore_config_default();
    rcore_t *core = rcore_create(&config, NULL);
    rcore_plan_t *plan = rcore_plan_create(); // one stereo bus on one stereo route
    rcore_plan_add_bus(plan, &(rcore_bus_description_t){.slot = 0, .channels = 2, .parent = RCORE_NONE});
    rcore_plan_add_route(plan, &(rcore_route_description_t){.slot = 0, .channels = 2});
    rcore_plan_connect(plan, 0, 0, NULL);
    rcore_port_t *port = rcore_port_open(core, NULL); // this thread's way into the core
    rcore_post_plan(port, plan, RCORE_NOW);
    rcore_buffer_t *strings[] = {pluck(220.0), pluck(277.2), pluck(329.6)};
    rcore_group_begin(port); // all three or none
    for (int i = 0; i < 3; i++) {
        rcore_voice_params_t voice = rcore_voice_params_default();
        voice.buffer = strings[i];
        voice.pan_law = RCORE_PAN_EQUAL_POWER;
        voice.pan = (float)i - 1.0f;
        rcore_post_start(port, rcore_voice_acquire(core), &voice, RCORE_NOW);
    }
    rcore_group_commit(port);
    rcore_jack_attach_core(jack, core);
    rcore_jack_activate(jack);
    rcore_jack_connect_device(jack, RCORE_JACK_PLAYBACK);
    while (rcore_time(core) < length && !(rcore_jack_wait(news, 10) & RCORE_JACK_CHANGED_LOST)) {
    }
    rcore_jack_close(jack); // from here on no thread is within the core
    for (int i = 0; i < 3; i++)
        rcore_buffer_release(strings[i]);
    rcore_destroy(core);
    rcore_jack_news_destroy(news);
}
