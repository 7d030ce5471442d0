// A plain JACK client that joins the audio session: a note that yields to calls, is lowered while
// others speak, and goes on exactly where it was.
#include <audiosession/audiosession.h>
#include <jack/jack.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static jack_port_t *output;
static asession_gate_t *gate;
static volatile sig_atomic_t stops;

static void stop(int number) {
    (void)number;
    stops = 1;
}

// [callback]
static int play(jack_nframes_t nframes, void *argument) {
    static double phase;
    const double step = 6.283185307179586 * 220 / *(const double *)argument;
    float *samples = jack_port_get_buffer(output, nframes);
    const jack_nframes_t audible = asession_gate_begin(gate, nframes); // none while paused
    for (jack_nframes_t i = 0; i < nframes; i++) {
        samples[i] = i < audible ? (float)(0.2 * sin(phase) + 0.1 * sin(2 * phase)) : 0;
        phase += i < audible ? step : 0;
    }
    asession_gate_apply(gate, &samples, 1, nframes); // fades, ducks, applies the volume
    return 0;
}
// [end]

static void check(asession_status_t status, const asession_error_t *error) {
    if (status != ASESSION_OK) {
        fprintf(stderr, "join: %s\n", error->message);
    }
}

// [commands]
static void set_playing(asession_t *session, bool plays) {
    const asession_now_playing_t note = {
        .title = "A note of 220 Hz", .playback_state = plays ? ASESSION_PLAYBACK_PLAYING : ASESSION_PLAYBACK_PAUSED};
    asession_error_t error;
    check(plays ? asession_activate(session, &error) : asession_deactivate(session, true, &error), &error);
    check(asession_set_playing(session, plays, &error), &error);
    check(asession_set_now_playing(session, &note, &error), &error);
}
// [end]

// [events]
static void handle_events(asession_t *session) {
    asession_event_t event;
    asession_error_t error;
    asession_dispatch(session);
    while (asession_next_event(session, &event)) {
        if (event.kind == ASESSION_EVENT_INTERRUPTION_BEGAN) {
            puts("join: interrupted");
        } else if (event.kind == ASESSION_EVENT_INTERRUPTION_ENDED && event.flag) {
            puts("join: resumes");
            check(asession_activate(session, &error), &error);
        } else if (event.kind == ASESSION_EVENT_REMOTE_COMMAND) { // a media key
            const bool plays = event.command == ASESSION_COMMAND_PLAY;
            puts(plays ? "join: resumes" : "join: paused");
            set_playing(session, plays);
        }
        fflush(stdout);
    }
}
// [end]

int main(void) {
    asession_error_t error;
    jack_client_t *client = jack_client_open("join", JackNoStartServer, NULL);
    if (client == NULL) {
        fputs("join: no JACK server runs; start one: jackd -d alsa (no sound card: -d dummy)\n", stderr);
        return EXIT_FAILURE;
    }
    double sample_rate = jack_get_sample_rate(client);
    // [open]
    asession_t *session = asession_open(NULL, &error);
    if (session == NULL) {
        fprintf(stderr, "join: plays without a session: %s\n", error.message);
    }
    gate = asession_gate(session);
    asession_gate_set_sample_rate(gate, (uint32_t)sample_rate);
    check(asession_set_category(session, ASESSION_PLAYBACK, ASESSION_MODE_DEFAULT, 0, &error), &error);
    const unsigned handled = 1u << ASESSION_COMMAND_PLAY | 1u << ASESSION_COMMAND_PAUSE;
    check(asession_set_remote_commands(session, handled, &error), &error);
    set_playing(session, true);
    // [end]

    output = jack_port_register(client, "out", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    jack_set_process_callback(client, play, &sample_rate);
    signal(SIGINT, stop);
    signal(SIGTERM, stop);
    jack_activate(client);
    const char **speakers = jack_get_ports(client, NULL, JACK_DEFAULT_AUDIO_TYPE, JackPortIsPhysical | JackPortIsInput);
    for (int i = 0; speakers != NULL && speakers[i] != NULL && i < 2; i++) {
        jack_connect(client, jack_port_name(output), speakers[i]);
    }
    jack_free(speakers);
    puts("join: plays; Ctrl-C ends it");
    fflush(stdout);
    while (!stops) {
        struct pollfd watched = {.fd = asession_fd(session), .events = POLLIN}; // -1: ignored
        if (poll(&watched, 1, 1000) > 0) {
            handle_events(session);
        }
    }
    jack_client_close(client); // before the gate goes
    asession_close(session);
    return EXIT_SUCCESS;
}
