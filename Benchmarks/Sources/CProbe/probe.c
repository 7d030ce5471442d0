#define _GNU_SOURCE
#include "detector.h"

#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct probe {
    jack_client_t *jack;
    jack_port_t *outputs[PROBE_PORTS], *inputs[PROBE_PORTS];
    uint32_t noutputs, ninputs;
    probe_detector_t *first, **end;
    /// The first frame of the next cycle, as expected; 0: unknown.
    uint32_t next;
    _Atomic uint32_t cycle;
    _Atomic uint64_t xruns, gaps, lost_ns;
    atomic_bool awaited;
    sem_t cycles, loss;
};

uint64_t probe_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static struct timespec timespec_of(uint64_t ns) {
    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
}

void probe_rest(uint64_t nanoseconds) {
    struct timespec time = timespec_of(nanoseconds);
    (void)ppoll(NULL, 0, &time, NULL);
}

void probe_run(probe_t *probe, uint32_t frame, uint64_t time_ns, uint32_t nframes, const float *const *inputs,
               float *const *outputs) {
    probe_cycle_t cycle = {.jack = probe->jack,
                           .ns = time_ns,
                           .frame = frame,
                           .nframes = nframes,
                           .ninputs = probe->ninputs,
                           .noutputs = probe->noutputs,
                           .inputs = inputs,
                           .outputs = outputs};
    if (probe->next != 0 && frame != probe->next) {
        counter_add(&probe->gaps, 1);
    }
    probe->next = frame + nframes;
    atomic_store(&probe->cycle, frame);
    for (uint32_t i = 0; i < probe->noutputs; i++) {
        memset(outputs[i], 0, nframes * sizeof(float));
    }
    for (probe_detector_t *detector = probe->first; detector != NULL; detector = detector->next) {
        if (atomic_load(&detector->wants_reset)) {
            if (detector->reset != NULL) {
                detector->reset(detector);
            }
            atomic_store(&detector->wants_reset, false);
        }
        detector->run(detector, &cycle);
    }
    if (atomic_exchange(&probe->awaited, false)) {
        sem_post(&probe->cycles);
    }
}

static int process(jack_nframes_t nframes, void *argument) {
    probe_t *probe = argument;
    uint64_t time_ns = probe_now();
    const float *inputs[PROBE_PORTS];
    float *outputs[PROBE_PORTS];
    for (uint32_t i = 0; i < probe->ninputs; i++) {
        inputs[i] = jack_port_get_buffer(probe->inputs[i], nframes);
    }
    for (uint32_t i = 0; i < probe->noutputs; i++) {
        outputs[i] = jack_port_get_buffer(probe->outputs[i], nframes);
    }
    probe_run(probe, jack_last_frame_time(probe->jack), time_ns, nframes, inputs, outputs);
    return 0;
}

static void note_loss(jack_status_t code, const char *reason, void *argument) {
    (void)code, (void)reason;
    probe_t *probe = argument;
    uint64_t none = 0;
    if (atomic_compare_exchange_strong(&probe->lost_ns, &none, probe_now())) {
        sem_post(&probe->loss);
    }
}

static void note_loss_without_reason(void *argument) { note_loss(0, NULL, argument); }

static int note_xrun(void *argument) {
    counter_add(&((probe_t *)argument)->xruns, 1);
    return 0;
}

static void ignore_message(const char *text) { (void)text; }

static bool register_ports(probe_t *probe, const char *format, jack_port_t **ports, uint32_t count,
                           unsigned long flags) {
    bool are_registered = true;
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, format, i + 1);
        ports[i] = jack_port_register(probe->jack, name, JACK_DEFAULT_AUDIO_TYPE, flags, 0);
        are_registered = are_registered && ports[i] != NULL;
    }
    return are_registered;
}

probe_t *probe_make(uint32_t outputs, uint32_t inputs) {
    probe_t *probe = outputs <= PROBE_PORTS && inputs <= PROBE_PORTS ? calloc(1, sizeof *probe) : NULL;
    if (probe != NULL) {
        probe->end = &probe->first;
        probe->noutputs = outputs;
        probe->ninputs = inputs;
        sem_init(&probe->cycles, 0, 0);
        sem_init(&probe->loss, 0, 0);
    }
    return probe;
}

probe_t *probe_open(const char *server, const char *name, uint32_t outputs, uint32_t inputs, bool is_device) {
    jack_set_error_function(ignore_message);
    jack_set_info_function(ignore_message);
    probe_t *probe = probe_make(outputs, inputs);
    if (probe == NULL) {
        return NULL;
    }
    probe->jack = server != NULL ? jack_client_open(name, JackNoStartServer | JackServerName, NULL, server)
                                 : jack_client_open(name, JackNoStartServer, NULL);
    if (probe->jack != NULL) {
        jack_set_process_callback(probe->jack, process, probe);
        jack_set_xrun_callback(probe->jack, note_xrun, probe);
        // Without these, libjack would end the process with the server.
        jack_on_shutdown(probe->jack, note_loss_without_reason, probe);
        jack_on_info_shutdown(probe->jack, note_loss, probe);
        unsigned long device = is_device ? JackPortIsPhysical | JackPortIsTerminal : 0;
        if (register_ports(probe, "out_%u", probe->outputs, outputs, JackPortIsOutput | device) &&
            register_ports(probe, "in_%u", probe->inputs, inputs, JackPortIsInput | device)) {
            return probe;
        }
    }
    probe_close(probe);
    return NULL;
}

bool probe_activate(probe_t *probe) { return jack_activate(probe->jack) == 0; }

bool probe_deactivate(probe_t *probe) { return jack_deactivate(probe->jack) == 0; }

void probe_close(probe_t *probe) {
    if (probe == NULL) {
        return;
    }
    if (probe->jack != NULL) {
        jack_client_close(probe->jack);
    }
    for (probe_detector_t *detector = probe->first, *next; detector != NULL; detector = next) {
        next = detector->next;
        free(detector);
    }
    sem_destroy(&probe->cycles);
    sem_destroy(&probe->loss);
    free(probe);
}

void *detector_plug(probe_t *probe, size_t size, probe_detector_t base) {
    probe_detector_t *detector = calloc(1, size);
    if (detector != NULL) {
        // Touches all pages here, not in the cycle.
        for (size_t i = 0; i < size; i += 4096) {
            ((volatile char *)detector)[i] = 0;
        }
        *detector = base;
        *probe->end = detector;
        probe->end = &detector->next;
    }
    return detector;
}

jack_client_t *detector_client(probe_t *probe) { return probe->jack; }

bool probe_connect(probe_t *probe, const char *source, const char *destination) {
    int result = jack_connect(probe->jack, source, destination);
    return result == 0 || result == EEXIST;
}

void probe_disconnect(probe_t *probe, const char *name) {
    jack_port_t *port = jack_port_by_name(probe->jack, name);
    if (port != NULL) {
        jack_port_disconnect(probe->jack, port);
    }
}

const char **probe_ports(probe_t *probe, bool outputs, bool physical) {
    unsigned long flags = (outputs ? JackPortIsOutput : JackPortIsInput) | (physical ? JackPortIsPhysical : 0);
    return jack_get_ports(probe->jack, NULL, JACK_DEFAULT_AUDIO_TYPE, flags);
}

void probe_free_names(const char **names) {
    if (names != NULL) {
        jack_free(names);
    }
}

static uint32_t connect_side(probe_t *probe, jack_port_t **ports, uint32_t count, bool plays) {
    const char **names = probe_ports(probe, !plays, true);
    uint32_t made = 0;
    for (uint32_t i = 0; names != NULL && names[i] != NULL && i < count; i++) {
        const char *own = jack_port_name(ports[i]);
        made += probe_connect(probe, plays ? own : names[i], plays ? names[i] : own);
    }
    probe_free_names(names);
    return made;
}

uint32_t probe_connect_device(probe_t *probe) {
    return connect_side(probe, probe->outputs, probe->noutputs, true) +
           connect_side(probe, probe->inputs, probe->ninputs, false);
}

uint32_t probe_links(probe_t *probe, const char *name) {
    jack_port_t *port = jack_port_by_name(probe->jack, name);
    const char **names = port != NULL ? jack_port_get_all_connections(probe->jack, port) : NULL;
    uint32_t count = 0;
    while (names != NULL && names[count] != NULL) {
        count++;
    }
    probe_free_names(names);
    return count;
}

uint32_t probe_latency(probe_t *probe, const char *name, bool playback) {
    jack_port_t *port = jack_port_by_name(probe->jack, name);
    jack_latency_range_t range = {0, 0};
    if (port != NULL) {
        jack_port_get_latency_range(port, playback ? JackPlaybackLatency : JackCaptureLatency, &range);
    }
    return range.max;
}

uint32_t probe_period(const probe_t *probe) { return jack_get_buffer_size(probe->jack); }

bool probe_set_period(probe_t *probe, uint32_t nframes) { return jack_set_buffer_size(probe->jack, nframes) == 0; }

uint32_t probe_sample_rate(const probe_t *probe) { return jack_get_sample_rate(probe->jack); }

uint64_t probe_xruns(const probe_t *probe) { return atomic_load(&probe->xruns); }

uint64_t probe_gaps(const probe_t *probe) { return atomic_load(&probe->gaps); }

uint32_t probe_cycle(const probe_t *probe) { return atomic_load(&probe->cycle); }

/// Converts between the clocks by reading both now: libjack has its own clock.
uint32_t probe_frame_at(const probe_t *probe, uint64_t time_ns) {
    int64_t ago = (int64_t)(probe_now() - time_ns) / 1000;
    return jack_time_to_frames(probe->jack, jack_get_time() - (jack_time_t)ago);
}

static bool await_signal(sem_t *signal, uint64_t limit_ns) {
    struct timespec limit = timespec_of(limit_ns);
    while (sem_clockwait(signal, CLOCK_MONOTONIC, &limit) == -1) {
        if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

bool probe_await_cycle(probe_t *probe, uint64_t limit_ns) {
    atomic_store(&probe->awaited, true);
    return await_signal(&probe->cycles, limit_ns);
}

uint64_t probe_await_loss(probe_t *probe, uint32_t milliseconds) {
    if (atomic_load(&probe->lost_ns) == 0) {
        (void)await_signal(&probe->loss, probe_now() + milliseconds * (uint64_t)1000000);
    }
    return atomic_load(&probe->lost_ns);
}

void probe_reset(probe_detector_t *detector) { atomic_store(&detector->wants_reset, true); }

bool probe_await_reset(probe_t *probe, probe_detector_t *detector, uint64_t limit_ns) {
    while (atomic_load(&detector->wants_reset)) {
        if (!probe_await_cycle(probe, limit_ns)) {
            return false;
        }
    }
    return true;
}
