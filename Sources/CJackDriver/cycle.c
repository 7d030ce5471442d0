/// The cycle: port buffers in, rcore_process, port buffers out. Only functions marked nonblocking.
#include "client.h"

#include <string.h>

// Neither blocks: the first reads shared memory, the second is async-signal-safe.
void *jack_port_get_buffer(jack_port_t *port, jack_nframes_t nframes) RCORE_RT;
int sem_post(sem_t *semaphore) RCORE_RT;

static void silence(float *const *outputs, uint32_t noutputs, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < noutputs; i++)
        if (outputs[i])
            memset(outputs[i], 0, nframes * sizeof(float));
}

/// Tells a detaching thread that the core is left. Sequentially consistent with `rcore_jack_detach_core`: either this thread sees the
/// core gone, or that one sees this thread inside and is woken.
static void leave(rcore_jack_t *jack) RCORE_RT {
    atomic_store(&jack->in_cycle, false);
    if (atomic_exchange(&jack->detaching, false))
        sem_post(&jack->cycle_left);
}

/// `nframes` is the only length to trust: a cycle can run before the buffer-size callbacks have returned.
int rcore_jack_cycle(jack_nframes_t nframes, void *argument) RCORE_RT {
    rcore_jack_t *jack = argument;
    float *outputs[RCORE_JACK_MAX_PORTS];
    const float *inputs[RCORE_JACK_MAX_PORTS];
    uint32_t noutputs = jack->nports[RCORE_JACK_PLAYBACK], ninputs = jack->nports[RCORE_JACK_CAPTURE];
    for (uint32_t i = 0; i < noutputs; i++)
        outputs[i] = jack_port_get_buffer(jack->ports[RCORE_JACK_PLAYBACK][i], nframes);
    for (uint32_t i = 0; i < ninputs; i++)
        inputs[i] = jack_port_get_buffer(jack->ports[RCORE_JACK_CAPTURE][i], nframes);

    // Outside of the core: who fills may wait for a lock whose holder waits for the core to be left.
    if (atomic_load_explicit(&jack->freewheeling, memory_order_relaxed))
        rcore_jack_prepare(jack);
    atomic_store(&jack->in_cycle, true);
    rcore_t *core = atomic_load(&jack->core);
    if (core && nframes <= RCORE_MAX_PERIOD)
        rcore_process(core, inputs, ninputs, outputs, noutputs, nframes);
    else
        silence(outputs, noutputs, nframes);
    leave(jack);
    atomic_fetch_add_explicit(&jack->news->cycles, 1, memory_order_relaxed);
    return 0;
}
