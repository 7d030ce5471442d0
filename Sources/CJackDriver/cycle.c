/// The cycle: port buffers in, rcore_process, port buffers out. Only functions marked nonblocking.
#include "client.h"

#include <string.h>

// Neither blocks: the first reads shared memory, the second is async-signal-safe.
void *jack_port_get_buffer(jack_port_t *port, jack_nframes_t nframes) RCORE_RT;
int sem_post(sem_t *semaphore) RCORE_RT;

/// NULL: silence in, or nowhere out.
static float *buffer(jack_port_t *port, uint32_t nframes) RCORE_RT {
    return port ? jack_port_get_buffer(port, nframes) : NULL;
}

static void silence(float *const *outputs, uint32_t noutputs, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < noutputs; i++)
        if (outputs[i])
            memset(outputs[i], 0, nframes * sizeof(float));
}

/// Sequentially consistent with `rcore_jack_await_departure`: either this thread sees what was taken from it gone, or that one sees this
/// thread inside and is woken. Within are port buffers and `rcore_process`, neither of which waits for the server: one that is frozen in
/// the midst of its cycle holds nobody up.
static void tell_left(struct departure *departure) RCORE_RT {
    if (atomic_exchange(&departure->is_awaited, false))
        sem_post(&departure->left);
}

void rcore_jack_leave_cycle(rcore_jack_t *jack) RCORE_RT {
    atomic_store(&jack->in_cycle, false);
    tell_left(&jack->core_departure);
    tell_left(&jack->table_departure);
}

/// `nframes` is the only length to trust: a cycle can run before the buffer-size callbacks have returned.
int rcore_jack_cycle(jack_nframes_t nframes, void *argument) RCORE_RT {
    rcore_jack_t *jack = argument;
    float *outputs[RCORE_JACK_MAX_PORTS];
    const float *inputs[RCORE_JACK_MAX_PORTS];
    // Outside of the core: who fills may wait for a lock whose holder waits for the core to be left.
    const bool freewheels = atomic_load_explicit(&jack->freewheeling, memory_order_relaxed);
    if (freewheels)
        rcore_jack_prepare(jack);
    const uint64_t begin = rcore_jack_clock();
    atomic_store(&jack->in_cycle, true);
    const struct port_table *table = atomic_load(&jack->table);
    const uint32_t noutputs = table->nchannels[RCORE_JACK_PLAYBACK], ninputs = table->nchannels[RCORE_JACK_CAPTURE];
    for (uint32_t i = 0; i < noutputs; i++)
        outputs[i] = buffer(table->ports[RCORE_JACK_PLAYBACK][i], nframes);
    for (uint32_t i = 0; i < ninputs; i++)
        inputs[i] = buffer(table->ports[RCORE_JACK_CAPTURE][i], nframes);
    rcore_t *core = atomic_load(&jack->core);
    if (core && nframes <= RCORE_MAX_PERIOD)
        rcore_process(core, inputs, ninputs, outputs, noutputs, nframes);
    else
        silence(outputs, noutputs, nframes);
    rcore_jack_leave_cycle(jack);
    if (!freewheels) // there is no deadline then
        rcore_jack_note_load(jack, begin, nframes);
    atomic_fetch_add_explicit(&jack->news->cycles, 1, memory_order_relaxed);
    return 0;
}
