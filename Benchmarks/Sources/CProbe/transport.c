/// The server's transport: a reader of it, and a client that follows it by itself.
#include "detector.h"

#include <jack/transport.h>

void probe_start_transport(probe_t *probe) { jack_transport_start(detector_client(probe)); }

void probe_stop_transport(probe_t *probe) { jack_transport_stop(detector_client(probe)); }

bool probe_locate_transport(probe_t *probe, uint32_t frame) {
    return jack_transport_locate(detector_client(probe), frame) == 0;
}

// ---- Reader -------------------------------------------------------------------------------------

struct transport {
    probe_detector_t base;
    _Atomic uint64_t rolling, moved;
    _Atomic uint32_t frame, origin;
    atomic_bool is_stopped;
};

static void read_transport(probe_detector_t *detector, const probe_cycle_t *cycle) {
    struct transport *transport = (struct transport *)detector;
    jack_position_t position = {0};
    const jack_transport_state_t state = jack_transport_query(cycle->jack, &position);
    const uint32_t origin = cycle->frame - position.frame;
    if (state == JackTransportRolling) {
        if (atomic_load_explicit(&transport->rolling, memory_order_relaxed) == 0) {
            atomic_store(&transport->origin, origin);
        }
        counter_add(&transport->moved, origin != atomic_load_explicit(&transport->origin, memory_order_relaxed));
        counter_add(&transport->rolling, 1);
    }
    atomic_store(&transport->frame, position.frame);
    atomic_store(&transport->is_stopped, state == JackTransportStopped);
}

static void reset_transport(probe_detector_t *detector) {
    struct transport *transport = (struct transport *)detector;
    atomic_store(&transport->rolling, 0);
    atomic_store(&transport->moved, 0);
}

probe_detector_t *probe_plug_transport(probe_t *probe) {
    return detector_plug(probe, sizeof(struct transport),
                         (probe_detector_t){.run = read_transport, .reset = reset_transport});
}

probe_transport_t probe_transport(const probe_detector_t *detector) {
    const struct transport *transport = (const struct transport *)detector;
    if (atomic_load(&detector->wants_reset)) {
        return (probe_transport_t){0};
    }
    return (probe_transport_t){.rolling = atomic_load(&transport->rolling),
                               .moved = atomic_load(&transport->moved),
                               .origin = atomic_load(&transport->origin),
                               .frame = atomic_load(&transport->frame),
                               .is_stopped = atomic_load(&transport->is_stopped)};
}

// ---- Follower -----------------------------------------------------------------------------------

struct clicks {
    probe_detector_t base;
    _Atomic uint32_t frames[PROBE_CLICKS], count;
};

static void click(probe_detector_t *detector, const probe_cycle_t *cycle) {
    struct clicks *clicks = (struct clicks *)detector;
    jack_position_t position = {0};
    if (jack_transport_query(cycle->jack, &position) != JackTransportRolling) {
        return;
    }
    const uint32_t count = atomic_load(&clicks->count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t offset = atomic_load_explicit(&clicks->frames[i], memory_order_relaxed) - position.frame;
        if (offset < cycle->nframes) {
            cycle->outputs[detector->port][offset] = 1;
        }
    }
}

probe_detector_t *probe_plug_clicks(probe_t *probe, uint32_t output) {
    return detector_plug(probe, sizeof(struct clicks), (probe_detector_t){.run = click, .port = output});
}

void probe_set_clicks(probe_detector_t *detector, const uint32_t *frames, uint32_t count) {
    struct clicks *clicks = (struct clicks *)detector;
    atomic_store(&clicks->count, 0);
    for (uint32_t i = 0; i < count && i < PROBE_CLICKS; i++) {
        atomic_store_explicit(&clicks->frames[i], frames[i], memory_order_relaxed);
    }
    atomic_store(&clicks->count, count < PROBE_CLICKS ? count : PROBE_CLICKS);
}
