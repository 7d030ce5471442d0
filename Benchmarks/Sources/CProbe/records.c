/// Detectors that record what they receive, or pass it on.
#include "detector.h"

#include <stdlib.h>
#include <string.h>

// ---- Changes ------------------------------------------------------------------------------------

enum { ROOM = 1 << 14 };

/// Has one writer, the cycle, and one reader.
struct changes {
    probe_detector_t base;
    _Atomic uint32_t head, tail;
    _Atomic float last;
    _Atomic uint64_t lost;
    probe_change_t items[ROOM];
};

static void add_change(struct changes *changes, probe_change_t change) {
    uint32_t head = atomic_load_explicit(&changes->head, memory_order_relaxed);
    if (head - atomic_load_explicit(&changes->tail, memory_order_acquire) == ROOM) {
        counter_add(&changes->lost, 1);
        return;
    }
    changes->items[head % ROOM] = change;
    atomic_store_explicit(&changes->head, head + 1, memory_order_release);
}

/// Reads when the cycle should have begun, as the server estimates it, and its length. Both stay 0
/// until the server has measured its timing.
static void read_times(const probe_cycle_t *cycle, uint64_t *ideal_ns, double *period_ns) {
    jack_nframes_t frame = 0;
    jack_time_t begin_us = 0, next_us = 0;
    float period_us = 0;
    if (jack_get_cycle_times(cycle->jack, &frame, &begin_us, &next_us, &period_us) == 0) {
        // libjack has its own clock.
        *ideal_ns = probe_now() - (jack_get_time() - begin_us) * 1000;
        *period_ns = (double)period_us * 1000;
    }
}

static void record_changes(probe_detector_t *detector, const probe_cycle_t *cycle) {
    struct changes *changes = (struct changes *)detector;
    const float *samples = cycle->inputs[detector->port];
    float last = atomic_load_explicit(&changes->last, memory_order_relaxed);
    uint64_t ideal_ns = 0;
    double period_ns = 0;
    for (uint32_t i = 0; i < cycle->nframes; i++) {
        if (samples[i] == last) {
            continue;
        }
        if (ideal_ns == 0) {
            read_times(cycle, &ideal_ns, &period_ns);
        }
        last = samples[i];
        double time_ns = (double)ideal_ns + period_ns * i / cycle->nframes;
        add_change(changes, (probe_change_t){.frame = cycle->frame + i, .value = last, .time_ns = time_ns});
    }
    atomic_store_explicit(&changes->last, last, memory_order_relaxed);
}

probe_detector_t *probe_plug_changes(probe_t *probe, uint32_t input) {
    return detector_plug(probe, sizeof(struct changes), (probe_detector_t){.run = record_changes, .port = input});
}

bool probe_next_change(probe_detector_t *detector, probe_change_t *change) {
    struct changes *changes = (struct changes *)detector;
    uint32_t tail = atomic_load_explicit(&changes->tail, memory_order_relaxed);
    if (tail == atomic_load_explicit(&changes->head, memory_order_acquire)) {
        return false;
    }
    *change = changes->items[tail % ROOM];
    atomic_store_explicit(&changes->tail, tail + 1, memory_order_release);
    return true;
}

uint64_t probe_lost_changes(const probe_detector_t *detector) {
    return atomic_load(&((const struct changes *)detector)->lost);
}

float probe_last_sample(const probe_detector_t *detector) {
    return atomic_load(&((const struct changes *)detector)->last);
}

// ---- Recorder -----------------------------------------------------------------------------------

enum { MAX_CYCLES = 1 << 15 };

struct recorder {
    probe_detector_t base;
    uint32_t capacity, length, nframes;
    uint64_t played;
    atomic_bool records;
    /// Published after the samples.
    _Atomic uint32_t ncycles;
    probe_recorded_t cycles[MAX_CYCLES];
    /// The recording, and behind it the sequence.
    float samples[];
};

static void record(probe_detector_t *detector, const probe_cycle_t *cycle) {
    struct recorder *recorder = (struct recorder *)detector;
    uint32_t count = atomic_load_explicit(&recorder->ncycles, memory_order_relaxed), nframes = cycle->nframes;
    if (!atomic_load(&recorder->records) || count == MAX_CYCLES || nframes > recorder->capacity - recorder->nframes) {
        return;
    }
    memcpy(recorder->samples + recorder->nframes, cycle->inputs[0], nframes * sizeof(float));
    for (uint32_t i = 0; recorder->length > 0 && i < nframes; i++) {
        cycle->outputs[0][i] = recorder->samples[recorder->capacity + recorder->played++ % recorder->length];
    }
    // Whole frames, rounded down. One more frame makes the beginning early rather than late.
    double since = (double)jack_frames_since_cycle_start(cycle->jack) + 1;
    uint64_t begun_ns = probe_now() - (uint64_t)(since * 1e9 / jack_get_sample_rate(cycle->jack));
    recorder->cycles[count] = (probe_recorded_t){.begun_ns = begun_ns,
                                                 .heard_ns = cycle->ns,
                                                 .frame = cycle->frame,
                                                 .nframes = nframes,
                                                 .position = recorder->nframes};
    recorder->nframes += nframes;
    atomic_store_explicit(&recorder->ncycles, count + 1, memory_order_release);
}

static void reset_recorder(probe_detector_t *detector) {
    struct recorder *recorder = (struct recorder *)detector;
    recorder->nframes = 0;
    recorder->played = 0;
    atomic_store(&recorder->ncycles, 0);
    atomic_store(&recorder->records, true);
}

probe_detector_t *probe_plug_recorder(probe_t *probe, uint32_t capacity, const float *sequence, uint32_t length) {
    size_t size = sizeof(struct recorder) + ((size_t)capacity + length) * sizeof(float);
    struct recorder *recorder = detector_plug(probe, size, (probe_detector_t){.run = record, .reset = reset_recorder});
    if (recorder != NULL) {
        recorder->capacity = capacity;
        recorder->length = length;
        if (length > 0) {
            memcpy(recorder->samples + capacity, sequence, length * sizeof *sequence);
        }
    }
    return (probe_detector_t *)recorder;
}

uint32_t probe_recorded_cycles(const probe_detector_t *detector) {
    return atomic_load_explicit(&((const struct recorder *)detector)->ncycles, memory_order_acquire);
}

probe_recorded_t probe_recorded_cycle(const probe_detector_t *detector, uint32_t index) {
    return ((const struct recorder *)detector)->cycles[index];
}

uint32_t probe_recorded_frames(const probe_detector_t *detector) {
    uint32_t count = probe_recorded_cycles(detector);
    if (count == 0) {
        return 0;
    }
    probe_recorded_t last = probe_recorded_cycle(detector, count - 1);
    return last.position + last.nframes;
}

const float *probe_recorded_samples(const probe_detector_t *detector) {
    return ((const struct recorder *)detector)->samples;
}

// ---- Path ---------------------------------------------------------------------------------------

enum { MAX_DELAY = 65535 };

struct path {
    probe_detector_t base;
    _Atomic uint32_t delay;
    _Atomic float gain, noise;
    uint32_t written, seed;
    float line[MAX_DELAY + 1];
};

/// Returns white noise, −1…1.
static float noise(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(int32_t)*seed / 2147483648.0f;
}

static void pass_on(probe_detector_t *detector, const probe_cycle_t *cycle) {
    struct path *path = (struct path *)detector;
    uint32_t delay = atomic_load_explicit(&path->delay, memory_order_relaxed);
    float gain = atomic_load_explicit(&path->gain, memory_order_relaxed);
    float loudness = atomic_load_explicit(&path->noise, memory_order_relaxed);
    const float *in = cycle->inputs[detector->port];
    float *out = cycle->outputs[detector->port];
    for (uint32_t i = 0; i < cycle->nframes; i++, path->written++) {
        path->line[path->written & MAX_DELAY] = in[i];
        out[i] = gain * path->line[(path->written - delay) & MAX_DELAY];
        if (loudness > 0) {
            out[i] += loudness * noise(&path->seed);
        }
    }
}

probe_detector_t *probe_plug_path(probe_t *probe, uint32_t port) {
    probe_detector_t *path =
        detector_plug(probe, sizeof(struct path), (probe_detector_t){.run = pass_on, .port = port});
    if (path != NULL) {
        probe_set_path(path, 0, 1, 0);
    }
    return path;
}

void probe_set_path(probe_detector_t *detector, uint32_t delay, float gain, float noise) {
    struct path *path = (struct path *)detector;
    atomic_store(&path->delay, delay);
    atomic_store(&path->gain, gain);
    atomic_store(&path->noise, noise);
}

// ---- Calls --------------------------------------------------------------------------------------

struct calls {
    probe_detector_t base;
    /// Of a stamp.
    jack_client_t *jack;
    uint32_t period, capacity;
    uint64_t rendered;
    _Atomic uint32_t count;
    probe_call_t items[];
};

static void add_call(struct calls *calls, probe_call_t call) {
    uint32_t count = atomic_load_explicit(&calls->count, memory_order_relaxed);
    if (count < calls->capacity) {
        calls->items[count] = call;
        atomic_store_explicit(&calls->count, count + 1, memory_order_release);
    }
}

static void record_call(probe_detector_t *detector, const probe_cycle_t *cycle) {
    probe_call_t call = {.frame = cycle->frame, .time_ns = cycle->ns};
    double period_ns = 0;
    read_times(cycle, &call.ideal_ns, &period_ns);
    if (call.ideal_ns != 0) {
        add_call((struct calls *)detector, call);
    }
}

static void reset_calls(probe_detector_t *detector) { atomic_store(&((struct calls *)detector)->count, 0); }

probe_detector_t *probe_plug_calls(probe_t *probe, uint32_t capacity) {
    struct calls *calls = detector_plug(probe, sizeof *calls + capacity * sizeof(probe_call_t),
                                        (probe_detector_t){.run = record_call, .reset = reset_calls});
    if (calls != NULL) {
        calls->capacity = capacity;
    }
    return (probe_detector_t *)calls;
}

uint32_t probe_calls(const probe_detector_t *detector) { return atomic_load(&((const struct calls *)detector)->count); }

probe_call_t probe_call(const probe_detector_t *detector, uint32_t index) {
    return ((const struct calls *)detector)->items[index];
}

probe_detector_t *probe_make_stamp(probe_t *probe, uint32_t period, uint32_t capacity) {
    struct calls *calls = calloc(1, sizeof *calls + capacity * sizeof(probe_call_t));
    if (calls != NULL) {
        calls->jack = detector_client(probe);
        calls->period = period;
        calls->capacity = capacity;
    }
    return (probe_detector_t *)calls;
}

uint32_t probe_stamp(void *context, float *const *planes, uint32_t channels, uint32_t nframes) {
    struct calls *calls = context;
    // It may be called several times in a cycle; only the first call counts.
    if (calls->rendered % calls->period == 0) {
        uint64_t now = probe_now();
        add_call(calls, (probe_call_t){.frame = jack_last_frame_time(calls->jack), .time_ns = now});
    }
    calls->rendered += nframes;
    for (uint32_t c = 0; c < channels; c++) {
        memset(planes[c], 0, nframes * sizeof(float));
    }
    return nframes;
}
