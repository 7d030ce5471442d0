/// The server's transport: it advances with the cycles of the client that started it, and waits for
/// that client's sync callback; the last client that registered a timebase callback is its leader.
/// Its faults: positions that hold the largest numbers or what was there before, in any state.
#include "fake.h"

#include <errno.h>
#include <jack/transport.h>
#include <string.h>

jack_transport_state_t jack_transport_query(const jack_client_t *client, jack_position_t *position) {
    VISIT(transport_query, client);
    if (visit.way == 1 && position != NULL) {
        memset(position, 0xFF, sizeof *position);
    }
    if (visit.way >= 0) {
        return visit.way == 0 ? JackTransportRolling : (jack_transport_state_t)77;
    }
    fake_lock();
    const jack_transport_state_t state = fake.transport;
    if (position != NULL) {
        *position = fake.position;
        position->frame_rate = fake.rate;
    }
    fake_unlock();
    return state;
}

int jack_set_timebase_callback(jack_client_t *client, int conditional, JackTimebaseCallback callback, void *argument) {
    VISIT(set_timebase_callback, client);
    if (visit.way >= 0) {
        return fake_failure(&visit);
    }
    fake_lock();
    const bool is_taken = fake.leader != NULL && fake.leader != client && fake.leader->is_open && conditional != 0;
    if (!is_taken) {
        fake.leader = client;
        client->timebase = callback;
        client->timebase_arg = argument;
    }
    fake_unlock();
    return is_taken && !fake.is_pipewire ? EBUSY : 0;
}

int jack_release_timebase(jack_client_t *client) {
    VISIT(release_timebase, client);
    if (visit.way >= 0) {
        return fake_failure(&visit);
    }
    fake_lock();
    const bool is_leader = fake.leader == client;
    fake.leader = is_leader ? NULL : fake.leader;
    fake_unlock();
    return is_leader ? 0 : EINVAL;
}

void jack_transport_start(jack_client_t *client) {
    VISIT(transport_start, client);
    fake_lock();
    if (visit.way < 0 && fake.transport == JackTransportStopped) {
        fake.transport = JackTransportStarting;
        fake.transport_client = client;
    }
    fake_unlock();
}

void jack_transport_stop(jack_client_t *client) {
    VISIT(transport_stop, client);
    fake_lock();
    if (visit.way < 0) {
        fake.transport = JackTransportStopped;
    }
    fake_unlock();
}

int jack_transport_locate(jack_client_t *client, jack_nframes_t frame) {
    VISIT(transport_locate, client);
    if (visit.way >= 0) {
        return fake_failure(&visit);
    }
    fake_lock();
    fake.position = (jack_position_t){.frame = frame};
    if (fake.transport == JackTransportRolling) {
        fake.transport = JackTransportStarting;
    }
    fake_unlock();
    return 0;
}

/// Calls the client's sync callback before its cycle, if the transport waits for it.
void fake_sync(jack_client_t *client) {
    jack_position_t position = fake.position;
    const JackSyncCallback sync = client->sync;
    void *argument = client->sync_arg;
    if (fake.transport != JackTransportStarting || fake.transport_client != client || sync == NULL) {
        return;
    }
    fake_unlock();
    const int is_ready = sync(JackTransportStarting, &position, argument);
    fake_lock();
    client->ready = is_ready != 0;
}

/// After the client's cycle: asks the leader for beats, and advances the transport.
void fake_advance(jack_client_t *client, uint32_t nframes) {
    if (fake.leader == client && client->timebase != NULL) {
        jack_position_t position = fake.position;
        position.frame += fake.transport == JackTransportRolling ? nframes : 0;
        const JackTimebaseCallback timebase = client->timebase;
        void *argument = client->timebase_arg;
        const jack_transport_state_t state = fake.transport;
        fake_unlock();
        timebase(state, nframes, &position, 0, argument);
        fake_lock();
        position.frame = fake.position.frame;
        fake.position = position;
    }
    if (fake.transport_client != client) {
        return;
    }
    if (fake.transport == JackTransportRolling) {
        fake.position.frame += nframes;
    } else if (fake.transport == JackTransportStarting && (client->sync == NULL || client->ready)) {
        fake.transport = JackTransportRolling;
        client->ready = false;
    }
}
