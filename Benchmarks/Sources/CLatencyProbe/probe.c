#include "client.h"
#include "latency_probe.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 1 << 14 };

/// Has one writer, the recording client's cycle, and one reader.
struct tap {
    jack_port_t *port;
    latency_change_t changes[ROOM];
    _Atomic uint32_t head, tail;
    _Atomic float last;
};

struct latency_probe {
    jack_client_t *emitter, *listener;
    jack_port_t *out;
    /// The first frame of the next cycle, as each client expects it; 0: unknown.
    uint32_t next, next_heard;
    _Atomic uint32_t cycle;
    // An order is complete before its number is stored.
    _Atomic uint32_t order, done, offset, frame;
    _Atomic float value;
    _Atomic uint64_t lost, xruns;
    struct tap taps[LATENCY_INPUTS];
};

/// Counts missed cycles: a late client misses cycles, and so do the clients that wait for it.
static void watch(latency_probe_t *probe, uint32_t *next, uint32_t first, uint32_t nframes) {
    if (*next != 0 && first != *next) {
        atomic_fetch_add(&probe->xruns, 1);
    }
    *next = first + nframes;
}

static int emit(jack_nframes_t nframes, void *argument) {
    latency_probe_t *probe = argument;
    uint32_t first = jack_last_frame_time(probe->emitter);
    watch(probe, &probe->next, first, nframes);
    atomic_store(&probe->cycle, first);
    float *samples = jack_port_get_buffer(probe->out, nframes);
    for (uint32_t i = 0; i < nframes; i++) {
        samples[i] = 0;
    }
    uint32_t order = atomic_load(&probe->order);
    if (order != atomic_load_explicit(&probe->done, memory_order_relaxed)) {
        uint32_t offset = atomic_load_explicit(&probe->offset, memory_order_relaxed) % nframes;
        samples[offset] = atomic_load_explicit(&probe->value, memory_order_relaxed);
        atomic_store(&probe->frame, first + offset);
        atomic_store(&probe->done, order);
    }
    return 0;
}

static void note(latency_probe_t *probe, struct tap *tap, latency_change_t change) {
    uint32_t head = atomic_load_explicit(&tap->head, memory_order_relaxed);
    if (head - atomic_load_explicit(&tap->tail, memory_order_acquire) == ROOM) {
        atomic_fetch_add(&probe->lost, 1);
        return;
    }
    tap->changes[head % ROOM] = change;
    atomic_store_explicit(&tap->head, head + 1, memory_order_release);
}

static int hear(jack_nframes_t nframes, void *argument) {
    latency_probe_t *probe = argument;
    jack_nframes_t first = 0;
    jack_time_t begin_us = 0, next_us = 0;
    float period_us = 0;
    // Before the server has measured its timing, it provides frames but no times.
    if (jack_get_cycle_times(probe->listener, &first, &begin_us, &next_us, &period_us) != 0) {
        first = jack_last_frame_time(probe->listener);
    }
    watch(probe, &probe->next_heard, first, nframes);
    for (uint32_t e = 0; e < LATENCY_INPUTS; e++) {
        struct tap *tap = &probe->taps[e];
        const float *samples = jack_port_get_buffer(tap->port, nframes);
        float last = atomic_load_explicit(&tap->last, memory_order_relaxed);
        for (uint32_t i = 0; i < nframes; i++) {
            if (samples[i] == last) {
                continue;
            }
            last = samples[i];
            double time_us = (double)begin_us + (double)period_us * i / nframes;
            note(probe, tap, (latency_change_t){.frame = first + i, .value = last, .time_us = time_us});
        }
        atomic_store_explicit(&tap->last, last, memory_order_relaxed);
    }
    return 0;
}

static int note_xrun(void *argument) {
    atomic_fetch_add(&((latency_probe_t *)argument)->xruns, 1);
    return 0;
}

static bool prepare(latency_probe_t *probe, const char *server, bool is_device) {
    probe->emitter = client_open(server, "latency-emitter");
    probe->listener = probe->emitter != NULL ? client_open(server, "latency-listener") : NULL;
    if (probe->listener == NULL) {
        return false;
    }
    unsigned long device = is_device ? JackPortIsPhysical | JackPortIsTerminal : 0;
    probe->out = client_port(probe->emitter, "out", JackPortIsOutput | device);
    bool fine = probe->out != NULL;
    for (uint32_t i = 0; i < LATENCY_INPUTS && fine; i++) {
        char name[16];
        snprintf(name, sizeof name, "in_%u", i + 1);
        probe->taps[i].port = client_port(probe->listener, name, JackPortIsInput);
        fine = probe->taps[i].port != NULL;
    }
    if (!fine) {
        return false;
    }
    jack_set_process_callback(probe->emitter, emit, probe);
    jack_set_process_callback(probe->listener, hear, probe);
    jack_set_xrun_callback(probe->listener, note_xrun, probe);
    return jack_activate(probe->emitter) == 0 && jack_activate(probe->listener) == 0;
}

latency_probe_t *latency_probe_open(const char *server, bool is_device) {
    latency_probe_t *probe = calloc(1, sizeof *probe);
    if (probe != NULL && prepare(probe, server, is_device)) {
        return probe;
    }
    latency_probe_close(probe);
    return NULL;
}

void latency_probe_close(latency_probe_t *probe) {
    if (probe == NULL) {
        return;
    }
    client_close(probe->listener);
    client_close(probe->emitter);
    free(probe);
}

bool latency_probe_connect(latency_probe_t *probe, const char *source, const char *destination) {
    return client_connect(probe->listener, source, destination);
}

void latency_probe_disconnect(latency_probe_t *probe, const char *name) {
    jack_port_t *port = jack_port_by_name(probe->listener, name);
    if (port != NULL) {
        jack_port_disconnect(probe->listener, port);
    }
}

bool latency_probe_sees(latency_probe_t *probe, const char *port) {
    return jack_port_by_name(probe->listener, port) != NULL;
}

void latency_probe_emit(latency_probe_t *probe, float value, uint32_t offset) {
    atomic_store_explicit(&probe->value, value, memory_order_relaxed);
    atomic_store_explicit(&probe->offset, offset, memory_order_relaxed);
    atomic_fetch_add(&probe->order, 1);
}

bool latency_probe_emitted(const latency_probe_t *probe, uint32_t *frame) {
    bool is_done = atomic_load(&probe->done) == atomic_load(&probe->order);
    *frame = atomic_load(&probe->frame);
    return is_done;
}

uint32_t latency_probe_cycle(const latency_probe_t *probe) { return atomic_load(&probe->cycle); }

bool latency_probe_next(latency_probe_t *probe, uint32_t input, latency_change_t *change) {
    struct tap *tap = &probe->taps[input];
    uint32_t tail = atomic_load_explicit(&tap->tail, memory_order_relaxed);
    if (tail == atomic_load_explicit(&tap->head, memory_order_acquire)) {
        return false;
    }
    *change = tap->changes[tail % ROOM];
    atomic_store_explicit(&tap->tail, tail + 1, memory_order_release);
    return true;
}

uint32_t latency_probe_frame(const latency_probe_t *probe, uint64_t time_us) {
    return jack_time_to_frames(probe->listener, time_us);
}

uint64_t latency_probe_xruns(const latency_probe_t *probe) { return atomic_load(&probe->xruns); }

uint64_t latency_probe_lost(const latency_probe_t *probe) { return atomic_load(&probe->lost); }

float latency_probe_level(const latency_probe_t *probe, uint32_t input) {
    return atomic_load(&probe->taps[input].last);
}
