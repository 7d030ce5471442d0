/// The client's part in the server's transport: the answer whether the core is ready, the beats of
/// a leader, and requests to the server.
#define _GNU_SOURCE
#include "driver_state.h"
#include "transport_reading.h"

#include <errno.h>
#include <jack/transport.h>
#include <time.h>

// Does not block: it is async-signal-safe.
int sem_post(sem_t *semaphore) RCORE_RT;

/// Returns the core for a callback of the cycle's thread outside the cycle; NULL if there is none.
/// Follow it with `rcore_jack_leave_cycle`.
static rcore_t *enter(rcore_jack_t *jack) RCORE_RT {
    atomic_store(&jack->in_cycle, true);
    return atomic_load(&jack->core);
}

/// The sync callback: returns 1 if the transport may roll from the position on. The server has a
/// time limit of its own, of five to ten seconds, which all its clients share.
static int on_sync(jack_transport_state_t state, jack_position_t *position, void *argument) RCORE_RT {
    rcore_jack_t *jack = argument;
    struct transport *transport = &jack->transport;
    // In other states, the transport waits for nobody.
    bool is_ready = state != JackTransportStarting || !atomic_load_explicit(&transport->follows, memory_order_relaxed);
    if (!is_ready) {
        const rcore_t *core = enter(jack);
        is_ready = core == NULL || rcore_is_prepared(core, transport_core_frame(&transport->reading, position->frame));
        rcore_jack_leave_cycle(jack);
    }
    const uint64_t limit = (uint64_t)RCORE_PREPARATION_SECONDS * atomic_load(&jack->monitor->sample_rate);
    transport->waited_frames += transport->reading.nframes;
    if (is_ready || transport->waited_frames > limit) {
        transport->waited_frames = 0; // the next wait is another one
        return 1;
    }
    return 0;
}

/// Returns the frame at which the beats that the server is given now are first of use: in the next
/// cycle. jackd names that frame, PipeWire the frame of this cycle.
static uint32_t frame_of_beats(const struct transport *transport, const jack_position_t *position) RCORE_RT {
    const struct transport_reading *reading = &transport->reading;
    if (!transport->is_pipewire || position->frame != reading->server_frame) {
        return position->frame;
    }
    return reading->is_rolling ? position->frame + reading->nframes : transport_core_frame(reading, position->frame);
}

/// The timebase callback: gives the server the beats of the core's tempo map. Called after the
/// cycle.
static void on_timebase(jack_transport_state_t state, jack_nframes_t nframes, jack_position_t *position, int is_new,
                        void *argument) RCORE_RT {
    (void)state, (void)nframes, (void)is_new;
    rcore_jack_t *jack = argument;
    struct transport *transport = &jack->transport;
    const struct transport_reading *reading = &transport->reading;
    atomic_fetch_add_explicit(&transport->requests_for_beats, 1, memory_order_relaxed);
    if (atomic_exchange(&transport->awaits_call, false)) {
        sem_post(&transport->called);
    }
    const rcore_t *core = enter(jack);
    if (core != NULL) {
        const uint32_t frame = frame_of_beats(transport, position);
        const uint32_t distance = transport->is_pipewire && frame != position->frame ? 1 : 0;
        const uint32_t expected = reading->report.frame + (reading->is_rolling ? reading->nframes : 0);
        rcore_server_transport_t beats = {0};
        rcore_lead_transport(core, frame - distance, !reading->is_valid || frame != expected, &beats);
        transport_write_beats(position, &beats, distance, transport->is_pipewire);
    } else {
        position->valid = (jack_position_bits_t)0; // nobody says where the beats are
    }
    rcore_jack_leave_cycle(jack);
}

bool rcore_jack_register_sync(rcore_jack_t *jack) {
    jack->transport.is_pipewire = rcore_jack_is_pipewire();
    return jack_set_sync_callback(jack->client, on_sync, jack) == 0;
}

void rcore_jack_follow_transport(rcore_jack_t *jack, bool follows) { atomic_store(&jack->transport.follows, follows); }

bool rcore_jack_follows_transport(const rcore_jack_t *jack) { return atomic_load(&jack->transport.follows); }

/// Waits until the server has called `on_timebase`. PipeWire accepts a second leader, and never
/// calls it: not in a second in which the client had cycles.
static bool await_call(struct transport *transport) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 1;
    int result;
    while ((result = sem_timedwait(&transport->called, &end)) == -1 && errno == EINTR) {
    }
    if (result == 0) {
        return true;
    }
    if (atomic_exchange(&transport->awaits_call, false)) {
        return false;
    }
    // The call is coming just now.
    while (sem_wait(&transport->called) == -1 && errno == EINTR) {
    }
    return true;
}

rcore_jack_status_t rcore_jack_become_leader(rcore_jack_t *jack, bool replaces) {
    struct transport *transport = &jack->transport;
    if (rcore_jack_is_lost(jack)) {
        return RCORE_JACK_LOST;
    }
    const bool must_wait = transport->is_pipewire && jack->is_active;
    const uint64_t cycles = atomic_load(&jack->monitor->cycles);
    atomic_store(&transport->awaits_call, must_wait);
    atomic_store(&transport->is_leader, true);
    const bool is_leader = jack_set_timebase_callback(jack->client, !replaces, on_timebase, jack) == 0 &&
                           (!must_wait || await_call(transport) || atomic_load(&jack->monitor->cycles) == cycles);
    if (!is_leader) {
        rcore_jack_resign_leader(jack);
        atomic_store(&transport->awaits_call, false);
        return RCORE_JACK_REFUSED;
    }
    return RCORE_JACK_OK;
}

void rcore_jack_resign_leader(rcore_jack_t *jack) {
    if (!rcore_jack_is_lost(jack)) {
        (void)jack_release_timebase(jack->client); // fails if another client is the leader
    }
    atomic_store(&jack->transport.is_leader, false);
}

bool rcore_jack_is_leader(const rcore_jack_t *jack) { return atomic_load(&jack->transport.is_leader); }

rcore_jack_status_t rcore_jack_start_transport(rcore_jack_t *jack) {
    if (rcore_jack_is_lost(jack)) {
        return RCORE_JACK_LOST;
    }
    // PipeWire interrupts a transport that rolls.
    if (jack_transport_query(jack->client, NULL) == JackTransportStopped) {
        jack_transport_start(jack->client);
    }
    return RCORE_JACK_OK;
}

rcore_jack_status_t rcore_jack_stop_transport(rcore_jack_t *jack) {
    if (rcore_jack_is_lost(jack)) {
        return RCORE_JACK_LOST;
    }
    jack_transport_stop(jack->client);
    return RCORE_JACK_OK;
}

rcore_jack_status_t rcore_jack_locate_transport(rcore_jack_t *jack, uint32_t frame) {
    if (rcore_jack_is_lost(jack)) {
        return RCORE_JACK_LOST;
    }
    return jack_transport_locate(jack->client, frame) == 0 ? RCORE_JACK_OK : RCORE_JACK_REFUSED;
}
