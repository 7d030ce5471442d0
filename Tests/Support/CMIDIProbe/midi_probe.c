#include "midi_probe.h"

#include <jack/jack.h>
#include <jack/midiport.h>
#include <jack/transport.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EVENTS = 8192, MOST_CYCLES = 65536 };

/// `idle`: the test may change everything. `armed`: the next cycle of the sender sets the start.
/// `running`: until the listener has recorded everything.
enum state { STATE_IDLE, STATE_ARMED, STATE_RUNNING };

struct midi_probe {
    jack_client_t *sender, *listener;
    jack_port_t *out, *audio, *midi;
    atomic_int state;
    atomic_bool has_begun;
    /// The recorded frames from the first sample that is not 0 on.
    _Atomic(uint32_t) heard;
    /// The server's frame at which the recording starts.
    _Atomic(uint32_t) start;
    uint32_t nframes;
    midi_probe_event_t *events;
    uint32_t count, next;
    float *samples;
    uint32_t recorded;
    uint32_t missed;
    midi_probe_event_t received[MOST_EVENTS];
    uint32_t nreceived;
    midi_probe_transport_t cycles[MOST_CYCLES];
    uint32_t ncycles;
};

static int send(jack_nframes_t nframes, void *argument) {
    midi_probe_t *probe = argument;
    void *buffer = jack_port_get_buffer(probe->out, nframes);
    const jack_nframes_t now = jack_last_frame_time(probe->sender);
    jack_midi_clear_buffer(buffer);
    if (atomic_load(&probe->state) == STATE_ARMED) {
        atomic_store(&probe->start, now + 2 * nframes);
        atomic_store(&probe->state, STATE_RUNNING);
    }
    if (atomic_load(&probe->state) != STATE_RUNNING) {
        return 0;
    }
    const uint32_t begin = now - atomic_load(&probe->start); // beyond any event before the start
    for (; probe->next < probe->count; probe->next++) {
        const midi_probe_event_t *event = &probe->events[probe->next];
        const uint32_t offset = event->frame - begin;
        if (offset >= nframes) {
            break;
        }
        (void)jack_midi_event_write(buffer, offset, event->bytes, event->size);
    }
    return 0;
}

static void record_transport(midi_probe_t *probe, uint32_t begin) {
    jack_position_t position = {0};
    const jack_transport_state_t state = jack_transport_query(probe->listener, &position);
    if (probe->ncycles == MOST_CYCLES) {
        return;
    }
    midi_probe_transport_t *cycle = &probe->cycles[probe->ncycles++];
    *cycle =
        (midi_probe_transport_t){.offset = begin, .frame = position.frame, .is_rolling = state == JackTransportRolling};
    cycle->has_beats = (position.valid & JackPositionBBT) != 0 && position.ticks_per_beat > 0;
    if (cycle->has_beats) {
        const double tick = position.valid & JackTickDouble ? position.tick_double : position.tick;
        cycle->tempo = position.beats_per_minute;
        cycle->beat = position.beat - 1 + (position.bar_start_tick + tick) / position.ticks_per_beat;
    }
}

/// Records what follows the start: samples at their frames, events with theirs.
static void record(midi_probe_t *probe, uint32_t begin, jack_nframes_t nframes) {
    const float *samples = jack_port_get_buffer(probe->audio, nframes);
    void *buffer = jack_port_get_buffer(probe->midi, nframes);
    probe->missed += begin - probe->recorded;
    atomic_store(&probe->has_begun, true);
    record_transport(probe, begin);
    uint32_t heard = atomic_load(&probe->heard);
    for (uint32_t i = 0; i < nframes && begin + i < probe->nframes; i++) {
        probe->samples[begin + i] = samples[i];
        heard += heard != 0 || samples[i] != 0;
    }
    atomic_store(&probe->heard, heard);
    const uint32_t count = jack_midi_get_event_count(buffer);
    for (uint32_t i = 0; i < count && probe->nreceived < MOST_EVENTS; i++) {
        jack_midi_event_t event;
        midi_probe_event_t *received = &probe->received[probe->nreceived];
        if (jack_midi_event_get(&event, buffer, i) == 0) {
            *received = (midi_probe_event_t){.frame = begin + event.time, .size = (uint32_t)event.size};
            memcpy(received->bytes, event.buffer,
                   event.size < sizeof received->bytes ? event.size : sizeof received->bytes);
            probe->nreceived += 1;
        }
    }
    probe->recorded = begin + nframes;
    if (probe->recorded >= probe->nframes) {
        atomic_store(&probe->state, STATE_IDLE);
    }
}

static int listen(jack_nframes_t nframes, void *argument) {
    midi_probe_t *probe = argument;
    const uint32_t begin = jack_last_frame_time(probe->listener) - atomic_load(&probe->start);
    if (atomic_load(&probe->state) == STATE_RUNNING && (int32_t)begin >= 0) {
        record(probe, begin, nframes);
    }
    return 0;
}

static jack_client_t *open_client(const char *server, const char *name, const char *role, JackProcessCallback process,
                                  void *argument) {
    char full[64];
    snprintf(full, sizeof full, "%s-%s", name, role);
    const jack_options_t options = JackNoStartServer | (server != NULL ? JackServerName : JackNullOption);
    jack_client_t *client = jack_client_open(full, options, NULL, server);
    if (client != NULL) {
        jack_set_process_callback(client, process, argument);
    }
    return client;
}

midi_probe_t *midi_probe_open(const char *server, const char *name) {
    midi_probe_t *probe = calloc(1, sizeof *probe);
    if (probe == NULL) {
        return NULL;
    }
    probe->sender = open_client(server, name, "sender", send, probe);
    probe->listener = probe->sender != NULL ? open_client(server, name, "listener", listen, probe) : NULL;
    if (probe->listener != NULL) {
        probe->out = jack_port_register(probe->sender, "out", JACK_DEFAULT_MIDI_TYPE, JackPortIsOutput, 0);
        probe->audio = jack_port_register(probe->listener, "audio", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
        probe->midi = jack_port_register(probe->listener, "midi", JACK_DEFAULT_MIDI_TYPE, JackPortIsInput, 0);
    }
    if (probe->out == NULL || probe->audio == NULL || probe->midi == NULL || jack_activate(probe->sender) != 0 ||
        jack_activate(probe->listener) != 0) {
        midi_probe_close(probe);
        return NULL;
    }
    return probe;
}

void midi_probe_close(midi_probe_t *probe) {
    if (probe == NULL) {
        return;
    }
    if (probe->sender != NULL) {
        jack_client_close(probe->sender);
    }
    if (probe->listener != NULL) {
        jack_client_close(probe->listener);
    }
    free(probe->events);
    free(probe->samples);
    free(probe);
}

bool midi_probe_connect(midi_probe_t *probe, const char *source, const char *destination) {
    return jack_connect(probe->listener, source, destination) == 0;
}

void midi_probe_play(midi_probe_t *probe, const midi_probe_event_t *events, uint32_t count, uint32_t nframes) {
    free(probe->events);
    free(probe->samples);
    probe->events = calloc(count + 1, sizeof *events);
    probe->samples = calloc(nframes + 1, sizeof(float));
    if (probe->events == NULL || probe->samples == NULL) {
        count = nframes = 0;
    } else {
        memcpy(probe->events, events, count * sizeof *events);
    }
    probe->count = count;
    probe->nframes = nframes;
    probe->next = probe->recorded = probe->missed = probe->nreceived = probe->ncycles = 0;
    atomic_store(&probe->has_begun, false);
    atomic_store(&probe->heard, 0);
    atomic_store(&probe->state, STATE_ARMED);
}

bool midi_probe_has_begun(const midi_probe_t *probe) { return atomic_load(&probe->has_begun); }

uint32_t midi_probe_heard(const midi_probe_t *probe) { return atomic_load(&probe->heard); }

bool midi_probe_is_done(const midi_probe_t *probe) { return atomic_load(&probe->state) == STATE_IDLE; }

uint32_t midi_probe_missed(const midi_probe_t *probe) { return probe->missed; }

void midi_probe_copy_audio(const midi_probe_t *probe, float *samples, uint32_t nframes) {
    memcpy(samples, probe->samples, (nframes < probe->nframes ? nframes : probe->nframes) * sizeof(float));
}

uint32_t midi_probe_copy_transport(const midi_probe_t *probe, midi_probe_transport_t *cycles, uint32_t most) {
    const uint32_t count = probe->ncycles < most ? probe->ncycles : most;
    memcpy(cycles, probe->cycles, count * sizeof *cycles);
    return count;
}

uint32_t midi_probe_copy_events(const midi_probe_t *probe, midi_probe_event_t *events, uint32_t most) {
    const uint32_t count = probe->nreceived < most ? probe->nreceived : most;
    memcpy(events, probe->received, count * sizeof *events);
    return count;
}
