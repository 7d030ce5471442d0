/// The client's MIDI ports in the cycle.
#include "driver_state.h"

#include <jack/midiport.h>

// None of these blocks: they read and write the buffer of a port.
void *jack_port_get_buffer(jack_port_t *port, jack_nframes_t nframes) RCORE_RT;
uint32_t jack_midi_get_event_count(void *port_buffer) RCORE_RT;
int jack_midi_event_get(jack_midi_event_t *event, void *port_buffer, uint32_t event_index) RCORE_RT;
void jack_midi_clear_buffer(void *port_buffer) RCORE_RT;
int jack_midi_event_write(void *port_buffer, jack_nframes_t time, const jack_midi_data_t *data,
                          size_t data_size) RCORE_RT;

/// Passes the events of a port to the core. A client may have written an event beyond the end of
/// the cycle. Stops at an event that the server does not return, whatever their count is.
static void receive(rcore_t *core, uint32_t port, void *buffer, uint32_t nframes) RCORE_RT {
    const uint32_t count = jack_midi_get_event_count(buffer);
    for (uint32_t i = 0; i < count; i++) {
        jack_midi_event_t event;
        if (jack_midi_event_get(&event, buffer, i) != 0) {
            return;
        }
        const uint32_t offset = event.time < nframes ? event.time : nframes - 1;
        rcore_midi_receive(core, port, offset, event.buffer, event.size);
    }
}

void rcore_jack_receive_midi(rcore_t *core, const struct port_table *table, uint32_t nframes) RCORE_RT {
    for (uint32_t port = 0; nframes > 0 && port < table->nchannels[RCORE_JACK_MIDI_IN]; port++) {
        jack_port_t *const own = table->ports[RCORE_JACK_MIDI_IN][port];
        void *buffer = own != NULL ? jack_port_get_buffer(own, nframes) : NULL;
        if (buffer != NULL) {
            receive(core, port, buffer, nframes);
        }
    }
}

/// Writes events to the buffer of a port. Counts those that the server's buffer cannot hold.
static void send(rcore_t *core, uint32_t port, void *buffer) RCORE_RT {
    const uint32_t count = core != NULL ? rcore_midi_event_count(core, port) : 0;
    for (uint32_t i = 0; i < count; i++) {
        const rcore_midi_event_t event = rcore_midi_event_at(core, port, i);
        if (jack_midi_event_write(buffer, event.offset, event.bytes, event.size) != 0) {
            rcore_midi_count_dropped(core, port, 1);
        }
    }
}

void rcore_jack_send_midi(rcore_t *core, const struct port_table *table, uint32_t nframes) RCORE_RT {
    for (uint32_t port = 0; port < table->nchannels[RCORE_JACK_MIDI_OUT]; port++) {
        jack_port_t *const own = table->ports[RCORE_JACK_MIDI_OUT][port];
        void *buffer = own != NULL ? jack_port_get_buffer(own, nframes) : NULL;
        if (buffer != NULL) {
            jack_midi_clear_buffer(buffer);
            send(core, port, buffer);
        }
    }
}
