/// Reports the server's transport to the core in each cycle.
#include "driver_state.h"
#include "transport_reading.h"

#include <jack/transport.h>

// Does not block: it reads shared memory.
jack_transport_state_t jack_transport_query(const jack_client_t *client, jack_position_t *position) RCORE_RT;

/// After so many cycles in which the transport rolled and the server did not ask for beats, another
/// client is the leader.
enum { MISSED_CALLS = 8 };

void rcore_jack_report_transport(rcore_jack_t *jack, rcore_t *core, const struct cycle_start *start) RCORE_RT {
    struct transport *transport = &jack->transport;
    // Without cycles of the core, its position is not compared with the next one.
    if (core == NULL || !atomic_load_explicit(&transport->follows, memory_order_relaxed)) {
        transport->reading.is_valid = false;
        return;
    }
    if (atomic_exchange(&transport->is_restarted, false)) {
        transport->reading.is_valid = false;
    }
    struct transport_cycle cycle = {
        .nframes = start->nframes,
        .time = start->frame,
        .sample_rate = start->sample_rate,
        .is_pipewire = transport->is_pipewire,
    };
    // Once per cycle: a second call in a cycle that is late can return the next cycle's position.
    // Servers leave what is not valid as it was, or write garbage.
    cycle.state = jack_transport_query(jack->client, &cycle.position);
    const bool rolled = transport->reading.is_valid && transport->reading.is_rolling;
    transport_read(&transport->reading, &cycle);
    rcore_follow_transport(core, &transport->reading.report);
    const unsigned calls = atomic_load_explicit(&transport->requests_for_beats, memory_order_relaxed);
    if (!rolled || !transport->reading.is_rolling || calls != transport->seen_calls) {
        transport->missed_calls = 0;
    } else if (++transport->missed_calls == MISSED_CALLS) {
        atomic_store(&transport->is_leader, false);
    }
    transport->seen_calls = calls;
}
