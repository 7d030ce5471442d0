#define _GNU_SOURCE
#include "bare_client.h"

#include <errno.h>
#include <jack/jack.h>
#include <math.h>
#include <poll.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_PORTS = 8, COUNT = 1 << 20 };

/// Written by the cycle only.
struct tap {
    _Atomic uint64_t first_ns, frames, silent, lost, breaks;
    _Atomic uint32_t first_frame;
    /// The last number received; 0: none.
    int64_t last;
};

struct bare_client {
    jack_client_t *jack;
    jack_port_t *outputs[MAX_PORTS], *inputs[MAX_PORTS];
    uint32_t noutputs, ninputs;
    _Atomic bool counts;
    uint32_t next;
    struct tap taps[MAX_PORTS];
    _Atomic uint64_t xruns, lost_ns;
    sem_t lost;
};

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/// Returns 1…COUNT, or 0 for a sample that is not a count: silence, or a count at another gain.
static int64_t number(float sample) {
    float scaled = sample * COUNT;
    return scaled >= 1 && scaled <= COUNT && scaled == floorf(scaled) ? (int64_t)scaled : 0;
}

static void add(_Atomic uint64_t *counter, uint64_t count) {
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + count, memory_order_release);
}

/// Returns whether the input receives a count from sample `i` of the cycle on.
static bool begin_count(struct tap *tap, const float *samples, uint32_t i, uint32_t nframes, uint64_t cycle_ns) {
    int64_t n = number(samples[i]);
    if (n == 0 || i + 1 >= nframes || number(samples[i + 1]) != n + 1) {
        return false;
    }
    tap->last = n;
    atomic_store(&tap->first_frame, (uint32_t)(n - 1 - (int64_t)i));
    add(&tap->frames, 1);
    atomic_store(&tap->first_ns, cycle_ns);
    return true;
}

static void analyze_input(struct tap *tap, const float *samples, uint32_t nframes, uint64_t cycle_ns) {
    uint64_t frames = 0;
    for (uint32_t i = 0; i < nframes; i++) {
        if (tap->last == 0) {
            (void)begin_count(tap, samples, i, nframes, cycle_ns);
            continue;
        }
        int64_t n = number(samples[i]);
        if (n == 0) {
            add(&tap->silent, 1);
            continue;
        }
        int64_t step = n - tap->last;
        if (step <= -COUNT / 2) {
            step += COUNT;
        }
        if (step != 1) {
            add(&tap->breaks, 1);
            if (step > 1) {
                add(&tap->lost, (uint64_t)(step - 1));
            }
        }
        tap->last = n;
        frames++;
    }
    add(&tap->frames, frames);
}

static int process(jack_nframes_t nframes, void *argument) {
    bare_client_t *client = argument;
    uint64_t cycle_ns = now();
    bool counts = atomic_load(&client->counts);
    for (uint32_t i = 0; i < client->noutputs; i++) {
        float *samples = jack_port_get_buffer(client->outputs[i], nframes);
        for (uint32_t j = 0; j < nframes; j++) {
            samples[j] = counts ? (float)((client->next + j) % COUNT + 1) / COUNT : 0;
        }
    }
    if (counts) {
        client->next = (client->next + nframes) % COUNT;
    }
    for (uint32_t i = 0; i < client->ninputs; i++) {
        analyze_input(&client->taps[i], jack_port_get_buffer(client->inputs[i], nframes), nframes, cycle_ns);
    }
    return 0;
}

static void note_loss(void *argument) {
    bare_client_t *client = argument;
    uint64_t none = 0;
    if (atomic_compare_exchange_strong(&client->lost_ns, &none, now())) {
        sem_post(&client->lost);
    }
}

static void note_loss_with_reason(jack_status_t code, const char *reason, void *argument) {
    (void)code, (void)reason;
    note_loss(argument);
}

static int note_xrun(void *argument) {
    add(&((bare_client_t *)argument)->xruns, 1);
    return 0;
}

static void ignore_message(const char *text) { (void)text; }

static bool register_ports(bare_client_t *client) {
    char name[16];
    for (uint32_t i = 0; i < client->noutputs; i++) {
        snprintf(name, sizeof name, "out_%u", i + 1);
        client->outputs[i] = jack_port_register(client->jack, name, JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
        if (client->outputs[i] == NULL) {
            return false;
        }
    }
    for (uint32_t i = 0; i < client->ninputs; i++) {
        snprintf(name, sizeof name, "in_%u", i + 1);
        client->inputs[i] = jack_port_register(client->jack, name, JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
        if (client->inputs[i] == NULL) {
            return false;
        }
    }
    return true;
}

bare_client_t *bare_client_open(const char *server, const char *name, uint32_t outputs, uint32_t inputs) {
    jack_set_error_function(ignore_message);
    jack_set_info_function(ignore_message);
    bare_client_t *client = outputs <= MAX_PORTS && inputs <= MAX_PORTS ? calloc(1, sizeof *client) : NULL;
    if (client == NULL) {
        return NULL;
    }
    client->noutputs = outputs;
    client->ninputs = inputs;
    sem_init(&client->lost, 0, 0);
    jack_status_t status = 0;
    client->jack = jack_client_open(name, JackNoStartServer | JackServerName, &status, server);
    if (client->jack != NULL) {
        jack_set_process_callback(client->jack, process, client);
        jack_set_xrun_callback(client->jack, note_xrun, client);
        jack_on_shutdown(client->jack, note_loss, client);
        jack_on_info_shutdown(client->jack, note_loss_with_reason, client);
        if (register_ports(client)) {
            return client;
        }
    }
    bare_client_close(client);
    return NULL;
}

bool bare_client_activate(bare_client_t *client) { return jack_activate(client->jack) == 0; }

bool bare_client_deactivate(bare_client_t *client) { return jack_deactivate(client->jack) == 0; }

void bare_client_close(bare_client_t *client) {
    if (client == NULL) {
        return;
    }
    if (client->jack != NULL) {
        jack_client_close(client->jack);
    }
    sem_destroy(&client->lost);
    free(client);
}

bool bare_client_connect(bare_client_t *client, const char *source, const char *destination) {
    int result = jack_connect(client->jack, source, destination);
    return result == 0 || result == EEXIST;
}

static uint32_t connect_side(bare_client_t *client, jack_port_t **ports, uint32_t count, bool plays) {
    unsigned long side = plays ? JackPortIsInput : JackPortIsOutput;
    const char **names = jack_get_ports(client->jack, NULL, JACK_DEFAULT_AUDIO_TYPE, JackPortIsPhysical | side);
    uint32_t made = 0;
    for (uint32_t i = 0; names != NULL && names[i] != NULL && i < count; i++) {
        const char *own = jack_port_name(ports[i]);
        made += bare_client_connect(client, plays ? own : names[i], plays ? names[i] : own);
    }
    if (names != NULL) {
        jack_free(names);
    }
    return made;
}

uint32_t bare_client_connect_device(bare_client_t *client) {
    return connect_side(client, client->outputs, client->noutputs, true) +
           connect_side(client, client->inputs, client->ninputs, false);
}

uint32_t bare_client_links(bare_client_t *client, const char *name) {
    jack_port_t *port = jack_port_by_name(client->jack, name);
    const char **names = port != NULL ? jack_port_get_all_connections(client->jack, port) : NULL;
    uint32_t count = 0;
    while (names != NULL && names[count] != NULL) {
        count++;
    }
    if (names != NULL) {
        jack_free(names);
    }
    return count;
}

bool bare_client_set_period(bare_client_t *client, uint32_t nframes) {
    return jack_set_buffer_size(client->jack, nframes) == 0;
}

uint32_t bare_client_period(const bare_client_t *client) { return jack_get_buffer_size(client->jack); }

uint64_t bare_client_xruns(const bare_client_t *client) { return atomic_load(&client->xruns); }

uint64_t bare_client_await_loss(bare_client_t *client, uint32_t milliseconds) {
    uint64_t end = now() + milliseconds * (uint64_t)1000000;
    struct timespec limit = {.tv_sec = (time_t)(end / 1000000000u), .tv_nsec = (long)(end % 1000000000u)};
    while (sem_clockwait(&client->lost, CLOCK_MONOTONIC, &limit) == -1) {
        if (errno != EINTR) {
            return 0;
        }
    }
    return atomic_load(&client->lost_ns);
}

void bare_client_count(bare_client_t *client) { atomic_store(&client->counts, true); }

bare_client_heard_t bare_client_heard(const bare_client_t *client, uint32_t input) {
    const struct tap *tap = &client->taps[input];
    return (bare_client_heard_t){.first_ns = atomic_load(&tap->first_ns),
                                 .first_frame = atomic_load(&tap->first_frame),
                                 .frames = atomic_load(&tap->frames),
                                 .silent = atomic_load(&tap->silent),
                                 .lost = atomic_load(&tap->lost),
                                 .breaks = atomic_load(&tap->breaks)};
}

bool bare_client_await_frames(const bare_client_t *client, uint32_t input, uint64_t frames, uint32_t milliseconds) {
    uint64_t end = now() + milliseconds * (uint64_t)1000000;
    while (atomic_load(&client->taps[input].frames) < frames) {
        if (now() > end) {
            return false;
        }
        poll(NULL, 0, 1);
    }
    return true;
}
