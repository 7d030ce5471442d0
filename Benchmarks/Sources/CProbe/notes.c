/// An emitter of MIDI messages.
#include "detector.h"

#include <jack/midiport.h>

struct notes {
    probe_detector_t base;
    jack_port_t *port;
    // An order is complete before its number is stored.
    _Atomic uint32_t order, done, message, offset, count, frame, written;
};

static void write_message(struct notes *notes, void *buffer, uint32_t frame) {
    const uint32_t message = atomic_load_explicit(&notes->message, memory_order_relaxed);
    const jack_midi_data_t bytes[3] = {(jack_midi_data_t)(message >> 16), (jack_midi_data_t)(message >> 8 & 127),
                                       (jack_midi_data_t)(message & 127)};
    if (jack_midi_event_write(buffer, frame, bytes, sizeof bytes) == 0) {
        atomic_fetch_add_explicit(&notes->written, 1, memory_order_relaxed);
    }
}

static void send_notes(probe_detector_t *detector, const probe_cycle_t *cycle) {
    struct notes *notes = (struct notes *)detector;
    void *buffer = jack_port_get_buffer(notes->port, cycle->nframes);
    jack_midi_clear_buffer(buffer);
    const uint32_t order = atomic_load(&notes->order);
    if (order == atomic_load_explicit(&notes->done, memory_order_relaxed)) {
        return;
    }
    const uint32_t first = atomic_load_explicit(&notes->offset, memory_order_relaxed) % cycle->nframes;
    const uint32_t count = atomic_load_explicit(&notes->count, memory_order_relaxed);
    atomic_store(&notes->written, 0);
    for (uint32_t i = 0; i < count; i++) {
        write_message(notes, buffer, first + (uint32_t)((uint64_t)i * (cycle->nframes - first) / count));
    }
    atomic_store(&notes->frame, cycle->frame + first);
    atomic_store(&notes->done, order);
}

probe_detector_t *probe_plug_notes(probe_t *probe) {
    struct notes *notes = detector_plug(probe, sizeof *notes, (probe_detector_t){.run = send_notes});
    if (notes == NULL) {
        return NULL;
    }
    notes->port = jack_port_register(detector_client(probe), "notes", JACK_DEFAULT_MIDI_TYPE, JackPortIsOutput, 0);
    return notes->port != NULL ? &notes->base : NULL;
}

void probe_send_notes(probe_detector_t *detector, uint32_t message, uint32_t offset, uint32_t count) {
    struct notes *notes = (struct notes *)detector;
    atomic_store_explicit(&notes->message, message, memory_order_relaxed);
    atomic_store_explicit(&notes->offset, offset, memory_order_relaxed);
    atomic_store_explicit(&notes->count, count, memory_order_relaxed);
    atomic_fetch_add(&notes->order, 1);
}

bool probe_sent_notes(const probe_detector_t *detector, uint32_t *frame, uint32_t *written) {
    const struct notes *notes = (const struct notes *)detector;
    bool is_done = atomic_load(&notes->done) == atomic_load(&notes->order);
    *frame = atomic_load(&notes->frame);
    *written = atomic_load(&notes->written);
    return is_done;
}
