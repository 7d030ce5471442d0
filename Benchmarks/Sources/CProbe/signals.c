/// Detectors that emit a signal, or compare one with what it must be.
#include "detector.h"

#include <math.h>

// ---- Emitter ------------------------------------------------------------------------------------

struct emitter {
    probe_detector_t base;
    atomic_bool counts;
    uint32_t next;
    // An order is complete before its number is stored.
    _Atomic uint32_t order, done, offset, length, frame;
    _Atomic float value;
    /// The samples still to be emitted.
    uint32_t left;
};

static void emit(probe_detector_t *detector, const probe_cycle_t *cycle) {
    struct emitter *emitter = (struct emitter *)detector;
    if (atomic_load(&emitter->counts)) {
        for (uint32_t c = 0; c < cycle->noutputs; c++) {
            for (uint32_t i = 0; i < cycle->nframes; i++) {
                cycle->outputs[c][i] = (float)((emitter->next + i) % PROBE_COUNT_LENGTH + 1) / PROBE_COUNT_LENGTH;
            }
        }
        emitter->next = (emitter->next + cycle->nframes) % PROBE_COUNT_LENGTH;
    }
    uint32_t order = atomic_load(&emitter->order), i = 0;
    if (order != atomic_load_explicit(&emitter->done, memory_order_relaxed)) {
        i = atomic_load_explicit(&emitter->offset, memory_order_relaxed) % cycle->nframes;
        emitter->left = atomic_load_explicit(&emitter->length, memory_order_relaxed);
        atomic_store(&emitter->frame, cycle->frame + i);
        atomic_store(&emitter->done, order);
    }
    for (; emitter->left > 0 && i < cycle->nframes; i++, emitter->left--) {
        for (uint32_t c = 0; c < cycle->noutputs; c++) {
            cycle->outputs[c][i] = atomic_load_explicit(&emitter->value, memory_order_relaxed);
        }
    }
}

probe_detector_t *probe_plug_emitter(probe_t *probe) {
    return detector_plug(probe, sizeof(struct emitter), (probe_detector_t){.run = emit});
}

void probe_emit_count(probe_detector_t *detector) { atomic_store(&((struct emitter *)detector)->counts, true); }

void probe_emit(probe_detector_t *detector, float value, uint32_t offset, uint32_t length) {
    struct emitter *emitter = (struct emitter *)detector;
    atomic_store_explicit(&emitter->value, value, memory_order_relaxed);
    atomic_store_explicit(&emitter->offset, offset, memory_order_relaxed);
    atomic_store_explicit(&emitter->length, length, memory_order_relaxed);
    atomic_fetch_add(&emitter->order, 1);
}

bool probe_emitted(const probe_detector_t *detector, uint32_t *frame) {
    const struct emitter *emitter = (const struct emitter *)detector;
    bool is_done = atomic_load(&emitter->done) == atomic_load(&emitter->order);
    *frame = atomic_load(&emitter->frame);
    return is_done;
}

// ---- Decoder of the counting signal -------------------------------------------------------------

struct count {
    probe_detector_t base;
    _Atomic uint64_t frames, silent, lost, repeated, garbled, breaks, first_ns;
    _Atomic int64_t first, last;
};

/// Returns 1…PROBE_COUNT_LENGTH; 0 for silence, -1 for a sample that is not a count.
static int64_t number(float sample) {
    float scaled = sample * PROBE_COUNT_LENGTH;
    if (sample == 0) {
        return 0;
    }
    return scaled >= 1 && scaled <= PROBE_COUNT_LENGTH && scaled == floorf(scaled) ? (int64_t)scaled : -1;
}

/// Returns whether the signal counts from sample `i` of the cycle on.
static bool begins(const float *samples, uint32_t i, uint32_t nframes) {
    int64_t n = number(samples[i]);
    return n >= 1 && i + 1 < nframes && number(samples[i + 1]) == n % PROBE_COUNT_LENGTH + 1;
}

/// Processes a number that follows another one.
static void follow(struct count *count, int64_t last, int64_t n) {
    const int64_t length = PROBE_COUNT_LENGTH;
    int64_t step = n - last;
    step = step <= -length / 2 ? step + length : step > length / 2 ? step - length : step;
    if (step != 1) {
        counter_add(&count->breaks, 1);
        counter_add(step > 1 ? &count->lost : &count->repeated, (uint64_t)(step > 1 ? step - 1 : 1 - step));
    }
}

static void decode(probe_detector_t *detector, const probe_cycle_t *cycle) {
    struct count *count = (struct count *)detector;
    const float *samples = cycle->inputs[detector->port];
    int64_t last = atomic_load_explicit(&count->last, memory_order_relaxed);
    uint64_t frames = 0;
    for (uint32_t i = 0; i < cycle->nframes; i++) {
        int64_t n = number(samples[i]);
        if (last == 0) {
            if (!begins(samples, i, cycle->nframes)) {
                continue;
            }
            atomic_store(&count->first, n - (int64_t)i);
            atomic_store(&count->first_ns, cycle->ns);
        } else if (n > 0) {
            follow(count, last, n);
        } else {
            counter_add(n == 0 ? &count->silent : &count->garbled, 1);
            continue;
        }
        last = n;
        frames++;
    }
    atomic_store(&count->last, last);
    counter_add(&count->frames, frames);
}

static void reset_count(probe_detector_t *detector) {
    struct count *count = (struct count *)detector;
    _Atomic uint64_t *counters[] = {&count->frames,  &count->silent, &count->lost,    &count->repeated,
                                    &count->garbled, &count->breaks, &count->first_ns};
    for (unsigned i = 0; i < sizeof counters / sizeof *counters; i++) {
        atomic_store(counters[i], 0);
    }
    atomic_store(&count->first, 0);
    atomic_store(&count->last, 0);
}

probe_detector_t *probe_plug_count(probe_t *probe, uint32_t input) {
    return detector_plug(probe, sizeof(struct count),
                         (probe_detector_t){.run = decode, .reset = reset_count, .port = input});
}

probe_count_t probe_count(const probe_detector_t *detector) {
    const struct count *count = (const struct count *)detector;
    if (atomic_load(&detector->wants_reset)) {
        return (probe_count_t){0};
    }
    return (probe_count_t){.frames = atomic_load(&count->frames),
                           .silent = atomic_load(&count->silent),
                           .lost = atomic_load(&count->lost),
                           .repeated = atomic_load(&count->repeated),
                           .garbled = atomic_load(&count->garbled),
                           .breaks = atomic_load(&count->breaks),
                           .first = atomic_load(&count->first),
                           .last = atomic_load(&count->last),
                           .first_ns = atomic_load(&count->first_ns)};
}

// ---- Onset --------------------------------------------------------------------------------------

struct onset {
    probe_detector_t base;
    atomic_bool has_onset;
    _Atomic uint32_t frame, loud;
    _Atomic uint64_t quiet;
};

static const float silence = 1e-5f, loudness = 0.05f;

static void find_onset(probe_detector_t *detector, const probe_cycle_t *cycle) {
    struct onset *onset = (struct onset *)detector;
    const float *samples = cycle->inputs[detector->port];
    uint64_t quiet = atomic_load_explicit(&onset->quiet, memory_order_relaxed);
    uint32_t loud = atomic_load_explicit(&onset->loud, memory_order_relaxed);
    for (uint32_t i = 0; i < cycle->nframes; i++) {
        quiet = fabsf(samples[i]) > silence ? 0 : quiet + 1;
        loud += fabsf(samples[i]) > loudness;
        if (quiet == 0 && !atomic_load_explicit(&onset->has_onset, memory_order_relaxed)) {
            atomic_store(&onset->frame, cycle->frame + i);
            atomic_store(&onset->has_onset, true);
        }
    }
    atomic_store(&onset->loud, loud);
    atomic_store(&onset->quiet, quiet);
}

static void reset_onset(probe_detector_t *detector) {
    struct onset *onset = (struct onset *)detector;
    atomic_store(&onset->loud, 0);
    atomic_store(&onset->has_onset, false);
}

probe_detector_t *probe_plug_onset(probe_t *probe, uint32_t input) {
    return detector_plug(probe, sizeof(struct onset),
                         (probe_detector_t){.run = find_onset, .reset = reset_onset, .port = input});
}

bool probe_onset(const probe_detector_t *detector, uint32_t *frame) {
    const struct onset *onset = (const struct onset *)detector;
    *frame = atomic_load(&onset->frame);
    return !atomic_load(&detector->wants_reset) && atomic_load(&onset->has_onset);
}

uint32_t probe_loud(const probe_detector_t *detector) { return atomic_load(&((const struct onset *)detector)->loud); }

uint64_t probe_quiet(const probe_detector_t *detector) { return atomic_load(&((const struct onset *)detector)->quiet); }

// ---- Level --------------------------------------------------------------------------------------

struct level {
    probe_detector_t base;
    float level, tolerance;
    /// Whether the last frame deviated.
    bool deviates;
    _Atomic uint64_t frames, deviating, gaps;
};

static void compare(probe_detector_t *detector, const probe_cycle_t *cycle) {
    struct level *level = (struct level *)detector;
    uint64_t deviating = 0, gaps = 0;
    for (uint32_t i = 0; i < cycle->nframes; i++) {
        float distance = 0;
        for (uint32_t c = 0; c < cycle->ninputs; c++) {
            distance = fmaxf(distance, fabsf(cycle->inputs[c][i] - level->level));
        }
        bool deviates = !(distance <= level->tolerance);
        deviating += deviates;
        gaps += deviates && !level->deviates;
        level->deviates = deviates;
    }
    counter_add(&level->deviating, deviating);
    counter_add(&level->gaps, gaps);
    counter_add(&level->frames, cycle->nframes);
}

static void reset_level(probe_detector_t *detector) {
    struct level *level = (struct level *)detector;
    level->deviates = false;
    atomic_store(&level->frames, 0);
    atomic_store(&level->deviating, 0);
    atomic_store(&level->gaps, 0);
}

probe_detector_t *probe_plug_level(probe_t *probe, float level, float tolerance) {
    struct level *state = detector_plug(probe, sizeof *state, (probe_detector_t){.run = compare, .reset = reset_level});
    if (state != NULL) {
        state->level = level;
        state->tolerance = tolerance;
    }
    return (probe_detector_t *)state;
}

probe_level_t probe_level(const probe_detector_t *detector) {
    const struct level *level = (const struct level *)detector;
    if (atomic_load(&detector->wants_reset)) {
        return (probe_level_t){0};
    }
    return (probe_level_t){.frames = atomic_load(&level->frames),
                           .deviating = atomic_load(&level->deviating),
                           .gaps = atomic_load(&level->gaps)};
}
