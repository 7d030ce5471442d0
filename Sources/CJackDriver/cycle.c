/// The process callback: port buffers in, rcore_process, port buffers out. It calls only functions
/// that are marked nonblocking.
#include "driver_state.h"
#include "missed_frames.h"

#include <errno.h>
#include <string.h>

// None of these blocks: they read shared memory and the clock; the last is async-signal-safe.
void *jack_port_get_buffer(jack_port_t *port, jack_nframes_t nframes) RCORE_RT;
jack_nframes_t jack_last_frame_time(const jack_client_t *client) RCORE_RT;
jack_nframes_t jack_frames_since_cycle_start(const jack_client_t *client) RCORE_RT;
int sem_post(sem_t *semaphore) RCORE_RT;

/// Returns a port's buffer. NULL: silence for an input, discarded for an output.
static float *buffer(jack_port_t *port, uint32_t nframes) RCORE_RT {
    return port != NULL ? jack_port_get_buffer(port, nframes) : NULL;
}

static void silence(float *const *outputs, uint32_t noutputs, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < noutputs; i++) {
        if (outputs[i] != NULL) {
            memset(outputs[i], 0, nframes * sizeof(float));
        }
    }
}

/// Wakes the thread that waits in a grace period. Sequentially consistent with
/// `rcore_jack_synchronize`: either this thread no longer sees the object that was taken from the
/// cycle, or the other thread sees this thread inside the cycle and is woken. Inside the cycle,
/// only port buffers and `rcore_process` are used, neither of which waits for the server: a server
/// that hangs in the middle of its cycle blocks no other thread.
static void signal_quiescent(struct grace_period *grace) RCORE_RT {
    if (atomic_exchange(&grace->has_waiter, false)) {
        sem_post(&grace->left);
    }
}

void rcore_jack_leave_cycle(rcore_jack_t *jack) RCORE_RT {
    atomic_store(&jack->in_cycle, false);
    signal_quiescent(&jack->core_grace);
    signal_quiescent(&jack->table_grace);
}

/// Returns at once if no cycle is running. Otherwise the end of the cycle posts the semaphore: see
/// `signal_quiescent`.
void rcore_jack_synchronize(rcore_jack_t *jack, struct grace_period *grace) {
    atomic_store(&grace->has_waiter, true);
    if (!atomic_load(&jack->in_cycle) && atomic_exchange(&grace->has_waiter, false)) {
        return; // no cycle is running, so none will post
    }
    while (sem_wait(&grace->left) == -1 && errno == EINTR) {
    }
}

/// Returns what the server says about the cycle that begins. Its two numbers may be of different
/// cycles if the server starts another one between the calls; the next cycle then corrects them.
static struct cycle_start read_cycle_start(rcore_jack_t *jack, uint32_t nframes) RCORE_RT {
    struct cycle_start start = {.nframes = nframes};
    start.sample_rate = atomic_load_explicit(&jack->monitor->sample_rate, memory_order_relaxed);
    start.xruns = atomic_load_explicit(&jack->monitor->xruns, memory_order_relaxed);
    start.frame = jack_last_frame_time(jack->client);
    const jack_nframes_t frames = jack_frames_since_cycle_start(jack->client);
    // Negative if the server starts a cycle at this moment.
    const uint64_t since = (int32_t)frames > 0 ? frames : 0;
    start.time = rcore_jack_clock();
    if (start.sample_rate != 0) {
        start.time -= since * UINT64_C(1000000000) / start.sample_rate;
    }
    return start;
}

/// Reports the frames that the server did not deliver before this cycle.
static void report_missed(rcore_jack_t *jack, rcore_t *core, const struct cycle_start *start) RCORE_RT {
    const uint64_t frames = missed_frames_add(&jack->missed, start, rcore_time(core));
    if (frames > 0) {
        rcore_report_gap(core, (rcore_gap_t){.time = jack->missed.begin, .frames = frames});
    }
    rcore_set_gap_limit(core, jack->missed.is_pending ? jack->missed.begin : UINT64_MAX);
}

/// Renders one cycle: gets the buffers of the ports, lets the core process them (or outputs
/// silence), and records the load. `nframes` is the only reliable length: a cycle can run before
/// the buffer-size callbacks have returned.
int rcore_jack_cycle(jack_nframes_t nframes, void *argument) RCORE_RT {
    rcore_jack_t *jack = argument;
    float *outputs[RCORE_JACK_MAX_PORTS];
    const float *inputs[RCORE_JACK_MAX_PORTS];
    // Before `in_cycle` is set: the app's callback may wait for a lock whose holder waits until the
    // cycle no longer uses the core.
    const bool freewheels = atomic_load_explicit(&jack->freewheeling, memory_order_relaxed);
    if (freewheels) {
        rcore_jack_prepare(jack);
    }
    const uint64_t begin = rcore_jack_clock();
    const struct cycle_start start = read_cycle_start(jack, nframes);
    if (freewheels || atomic_exchange(&jack->is_restarted, false)) {
        missed_frames_reset(&jack->missed);
    }
    atomic_store(&jack->in_cycle, true);
    const struct port_table *table = atomic_load(&jack->table);
    const uint32_t noutputs = table->nchannels[RCORE_JACK_PLAYBACK], ninputs = table->nchannels[RCORE_JACK_CAPTURE];
    for (uint32_t i = 0; i < noutputs; i++) {
        outputs[i] = buffer(table->ports[RCORE_JACK_PLAYBACK][i], nframes);
    }
    for (uint32_t i = 0; i < ninputs; i++) {
        inputs[i] = buffer(table->ports[RCORE_JACK_CAPTURE][i], nframes);
    }
    rcore_t *core = atomic_load(&jack->core);
    if (core != NULL && nframes <= RCORE_MAX_PERIOD) {
        report_missed(jack, core, &start);
        rcore_jack_report_transport(jack, core, &start);
        rcore_jack_receive_midi(core, table, nframes);
        rcore_process(core, inputs, ninputs, outputs, noutputs, nframes);
        rcore_jack_send_midi(core, table, nframes);
    } else {
        silence(outputs, noutputs, nframes);
        rcore_jack_report_transport(jack, NULL, &start);
        rcore_jack_send_midi(NULL, table, nframes);
    }
    rcore_jack_leave_cycle(jack);
    if (!freewheels) { // freewheeling has no deadline
        rcore_jack_record_load(jack, begin, nframes);
    }
    atomic_fetch_add_explicit(&jack->monitor->cycles, 1, memory_order_relaxed);
    return 0;
}
