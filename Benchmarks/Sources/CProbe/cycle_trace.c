#define _GNU_SOURCE
#include "cycle_trace.h"

#include "probe.h"

#include <dlfcn.h>
#include <jack/jack.h>
#include <malloc.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/// The state of the one traced client. `callback` and `argument` are set before its first cycle.
static struct {
    jack_client_t *client;
    JackProcessCallback callback;
    void *argument;
    traced_cycle_t *cycles;
    uint32_t capacity;
    bool armed;
    /// Set by the caller.
    atomic_bool notes;
    /// Whether a cycle is recording at the moment.
    atomic_bool writes;
    atomic_uint count;
    atomic_uint stall_ms;
} trace;

static uint64_t thread_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void note(traced_cycle_t cycle) {
    uint32_t count = atomic_load(&trace.count);
    if (count < trace.capacity) {
        trace.cycles[count] = cycle;
        atomic_store(&trace.count, count + 1);
    }
}

static int process(jack_nframes_t nframes, void *argument) {
    (void)argument;
    atomic_store(&trace.writes, true);
    if (!atomic_load(&trace.notes)) {
        atomic_store(&trace.writes, false);
        return trace.callback(nframes, trace.argument);
    }
    uint64_t cpu = thread_time(), begin = probe_now();
    int result = trace.callback(nframes, trace.argument);
    uint32_t stall = atomic_exchange(&trace.stall_ms, 0);
    if (stall > 0) {
        poll(NULL, 0, (int)stall);
    }
    uint64_t wall = probe_now() - begin;
    cpu = thread_time() - cpu;
    note((traced_cycle_t){.begin_ns = begin,
                          .wall_ns = (uint32_t)wall,
                          .cpu_ns = (uint32_t)cpu,
                          .frame = jack_last_frame_time(trace.client),
                          .nframes = nframes});
    atomic_store(&trace.writes, false);
    return result;
}

/// Replaces libjack's function: the loader finds the program's own one first.
int jack_set_process_callback(jack_client_t *client, JackProcessCallback callback, void *argument) {
    int (*next)(jack_client_t *, JackProcessCallback, void *) = NULL;
    void *symbol = dlsym(RTLD_NEXT, "jack_set_process_callback");
    memcpy(&next, &symbol, sizeof next);
    if (!next) {
        return -1;
    }
    if (!trace.armed) {
        return next(client, callback, argument);
    }
    trace.armed = false;
    trace.client = client;
    trace.callback = callback;
    trace.argument = argument;
    return next(client, process, NULL);
}

bool cycle_trace_arm(uint32_t capacity) {
    if (capacity > trace.capacity) {
        traced_cycle_t *cycles = realloc(trace.cycles, capacity * sizeof *cycles);
        if (cycles == NULL) {
            return false;
        }
        trace.cycles = cycles;
        trace.capacity = capacity;
        memset(cycles, 0, capacity * sizeof *cycles); // touches the pages here, not in the cycle
    }
    trace.armed = true;
    return true;
}

void cycle_trace_begin(void) {
    atomic_store(&trace.count, 0);
    atomic_store(&trace.notes, true);
}

uint32_t cycle_trace_end(void) {
    atomic_store(&trace.notes, false);
    // A client that was closed meanwhile, or whose server is suspended, may have left this flag
    // set.
    for (int i = 0; i < 1000 && atomic_load(&trace.writes); i++) {
        poll(NULL, 0, 1);
    }
    return atomic_load(&trace.count);
}

const traced_cycle_t *cycle_trace_cycles(void) { return trace.cycles; }

void cycle_trace_stall(uint32_t milliseconds) { atomic_store(&trace.stall_ms, milliseconds); }

uint64_t heap_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
