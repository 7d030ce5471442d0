/// MIDI ports: each input receives the same events in every cycle; what is written to outputs is
/// ignored.
#include "fake.h"

#include <errno.h>
#include <jack/midiport.h>
#include <stdint.h>

uint32_t jack_midi_get_event_count(void *buffer) {
    (void)buffer;
    VISIT(midi_get_event_count, NULL);
    return visit.way < 0 ? 2 : visit.way == 0 ? 0 : UINT32_MAX;
}

int jack_midi_event_get(jack_midi_event_t *event, void *buffer, uint32_t index) {
    static jack_midi_data_t note[] = {0x90, 60, 100}, clock[] = {0xF8};
    (void)buffer;
    VISIT(midi_event_get, NULL);
    if (visit.way >= 0) {
        return fake_failure(&visit);
    }
    if (index > 1) {
        return ENODATA;
    }
    *event = index == 0 ? (jack_midi_event_t){.time = 0, .size = sizeof note, .buffer = note}
                        : (jack_midi_event_t){.time = UINT32_MAX, .size = sizeof clock, .buffer = clock};
    return 0;
}

void jack_midi_clear_buffer(void *buffer) {
    (void)buffer;
    VISIT(midi_clear_buffer, NULL);
}

int jack_midi_event_write(void *buffer, jack_nframes_t time, const jack_midi_data_t *data, size_t size) {
    (void)buffer, (void)time, (void)data, (void)size;
    VISIT(midi_event_write, NULL);
    return visit.way >= 0 ? fake_failure(&visit) : 0;
}
