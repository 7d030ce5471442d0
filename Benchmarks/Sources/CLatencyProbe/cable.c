#include "client.h"
#include "latency_probe.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct latency_cable {
    jack_client_t *jack;
    jack_port_t *in, *out;
    uint32_t length, frames;
    _Atomic bool plays;
    _Atomic uint32_t recorded;
    _Atomic uint64_t xruns;
    uint64_t played;
    float *sequence, *record;
};

static int process(jack_nframes_t nframes, void *argument) {
    latency_cable_t *cable = argument;
    const float *in = jack_port_get_buffer(cable->in, nframes);
    float *out = jack_port_get_buffer(cable->out, nframes);
    if (!atomic_load(&cable->plays)) {
        memset(out, 0, nframes * sizeof *out);
        return 0;
    }
    uint32_t recorded = atomic_load_explicit(&cable->recorded, memory_order_relaxed);
    for (uint32_t i = 0; i < nframes; i++) {
        if (recorded < cable->frames) {
            cable->record[recorded++] = in[i];
        }
        out[i] = cable->sequence[cable->played++ % cable->length];
    }
    atomic_store_explicit(&cable->recorded, recorded, memory_order_release);
    return 0;
}

static int note_xrun(void *argument) {
    atomic_fetch_add(&((latency_cable_t *)argument)->xruns, 1);
    return 0;
}

static bool prepare(latency_cable_t *cable, const char *server, const float *sequence) {
    cable->sequence = malloc(cable->length * sizeof *sequence);
    cable->record = calloc(cable->frames, sizeof *cable->record);
    if (cable->sequence == NULL || cable->record == NULL) {
        return false;
    }
    memcpy(cable->sequence, sequence, cable->length * sizeof *sequence);
    memset(cable->record, 0, cable->frames * sizeof *cable->record);
    cable->jack = client_open(server, "latency-cable");
    if (cable->jack == NULL) {
        return false;
    }
    cable->in = client_port(cable->jack, "in", JackPortIsInput);
    cable->out = client_port(cable->jack, "out", JackPortIsOutput);
    jack_set_process_callback(cable->jack, process, cable);
    jack_set_xrun_callback(cable->jack, note_xrun, cable);
    return cable->in != NULL && cable->out != NULL && jack_activate(cable->jack) == 0;
}

latency_cable_t *latency_cable_open(const char *server, const float *sequence, uint32_t length, uint32_t frames) {
    latency_cable_t *cable = calloc(1, sizeof *cable);
    if (cable == NULL) {
        return NULL;
    }
    cable->length = length;
    cable->frames = frames;
    if (prepare(cable, server, sequence)) {
        return cable;
    }
    latency_cable_close(cable);
    return NULL;
}

void latency_cable_close(latency_cable_t *cable) {
    if (cable == NULL) {
        return;
    }
    client_close(cable->jack);
    free(cable->sequence);
    free(cable->record);
    free(cable);
}

bool latency_cable_connect(latency_cable_t *cable, const char *output, const char *input) {
    return client_connect(cable->jack, jack_port_name(cable->out), output) &&
           client_connect(cable->jack, input, jack_port_name(cable->in));
}

void latency_cable_start(latency_cable_t *cable) { atomic_store(&cable->plays, true); }

bool latency_cable_done(const latency_cable_t *cable) {
    return atomic_load_explicit(&cable->recorded, memory_order_acquire) == cable->frames;
}

const float *latency_cable_record(const latency_cable_t *cable) { return cable->record; }

uint64_t latency_cable_xruns(const latency_cable_t *cable) { return atomic_load(&cable->xruns); }

uint32_t latency_cable_sample_rate(const latency_cable_t *cable) { return jack_get_sample_rate(cable->jack); }

uint32_t latency_cable_period(const latency_cable_t *cable) { return jack_get_buffer_size(cable->jack); }

static uint32_t latency(latency_cable_t *cable, const char *name, jack_latency_callback_mode_t mode) {
    jack_port_t *port = jack_port_by_name(cable->jack, name);
    jack_latency_range_t range = {0, 0};
    if (port != NULL) {
        jack_port_get_latency_range(port, mode, &range);
    }
    return range.max;
}

uint32_t latency_cable_output_latency(latency_cable_t *cable, const char *output) {
    return latency(cable, output, JackPlaybackLatency);
}

uint32_t latency_cable_input_latency(latency_cable_t *cable, const char *input) {
    return latency(cable, input, JackCaptureLatency);
}

const char **latency_cable_ports(latency_cable_t *cable, bool outputs) {
    unsigned long side = outputs ? JackPortIsInput : JackPortIsOutput;
    return jack_get_ports(cable->jack, NULL, JACK_DEFAULT_AUDIO_TYPE, JackPortIsPhysical | side);
}

void latency_free_names(const char **names) {
    if (names != NULL) {
        jack_free(names);
    }
}
