// MIDI outputs: the messages of one cycle, for the driver to write to a port.
#include "core/core.h"
#include "core/counters.h"
#include "core/memory.h"
#include "midi/midi.h"

#include <stdlib.h>

// A message has at least one byte, most have three.
enum { BYTES_PER_EVENT = 2 };

rcore_midi_output_t *rcore_midi_output_create(uint32_t capacity, uint32_t bus, rcore_status_t *status) {
    rcore_status_t ignored;
    status = status != NULL ? status : &ignored;
    *status = RCORE_BAD_ARGUMENT;
    if (capacity < 64 || capacity > 1u << 20) {
        return NULL;
    }
    *status = RCORE_NO_MEMORY;
    rcore_midi_output_t *output = memory_allocate(sizeof *output);
    if (output == NULL) {
        return NULL;
    }
    output->capacity = capacity;
    output->event_capacity = capacity / BYTES_PER_EVENT;
    output->bus = bus;
    output->bytes = memory_allocate(capacity);
    output->events = memory_allocate(sizeof *output->events * output->event_capacity);
    if (output->bytes == NULL || output->events == NULL) {
        rcore_midi_output_destroy(output);
        return NULL;
    }
    (void)memory_lock(output->bytes, capacity);
    (void)memory_lock(output->events, sizeof *output->events * output->event_capacity);
    *status = RCORE_OK;
    return output;
}

void rcore_midi_output_destroy(rcore_midi_output_t *output) {
    if (output != NULL) {
        if (output->bytes != NULL && output->events != NULL) {
            memory_unlock(output->bytes, output->capacity);
            memory_unlock(output->events, sizeof *output->events * output->event_capacity);
        }
        free(output->bytes);
        free(output->events);
        free(output);
    }
}

uint64_t rcore_midi_output_dropped(const rcore_midi_output_t *output) RCORE_RT {
    return atomic_load_explicit(&output->dropped, memory_order_relaxed);
}

static bool is_suspended(const rcore_t *core, const rcore_midi_output_t *output) RCORE_RT {
    return output->bus < core->config.max_buses && core->mix.buses[output->bus].suspended;
}

// Returns whether there is room for the bytes, and for an event that has them.
static bool has_room(const rcore_midi_output_t *output, uint32_t size) RCORE_RT {
    return output->capacity - output->used >= size && output->count < output->event_capacity;
}

static const uint8_t real_time[] = {0xF8, 0xF9, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF};

// Returns whether the last event is the system-exclusive message that is open, at the current
// frame.
static bool extends_last(const rcore_t *core, const rcore_midi_output_t *output) RCORE_RT {
    return output->in_exclusive && output->count > 0 && output->exclusive_event == output->count - 1 &&
           output->events[output->count - 1].offset == core_now(core) - core->midi.cycle_begin;
}

static void append_event(const rcore_t *core, rcore_midi_output_t *output, const uint8_t *bytes,
                         uint32_t size) RCORE_RT {
    memcpy(output->bytes + output->used, bytes, size);
    output->events[output->count++] = (rcore_midi_event_t){
        .offset = (uint32_t)(core_now(core) - core->midi.cycle_begin),
        .size = size,
        .bytes = output->bytes + output->used,
    };
    output->used += size;
}

// Appends a segment to the system-exclusive message that is open, if that is the last event and at
// the same frame; otherwise makes it an event.
static void append_segment(const rcore_t *core, rcore_midi_output_t *output, const uint8_t *bytes,
                           uint32_t size) RCORE_RT {
    if (!extends_last(core, output)) {
        output->exclusive_event = output->count;
        append_event(core, output, bytes, size);
        return;
    }
    memcpy(output->bytes + output->used, bytes, size);
    output->events[output->count - 1].size += size;
    output->used += size;
}

// Appends a real-time message. It precedes a system-exclusive message that is open at the same
// frame, so that further segments can be appended to that. Its byte is not in `bytes`, where it
// would separate the segments.
static void append_real_time(const rcore_t *core, rcore_midi_output_t *output, uint8_t status) RCORE_RT {
    const bool precedes = extends_last(core, output);
    const rcore_midi_event_t event = {
        .offset = (uint32_t)(core_now(core) - core->midi.cycle_begin), .size = 1, .bytes = &real_time[status - 0xF8]};
    if (precedes) {
        output->events[output->count] = output->events[output->count - 1];
        output->events[output->count - 1] = event;
        output->exclusive_event += 1;
    } else {
        output->events[output->count] = event;
    }
    output->count += 1;
}

static void drop(rcore_midi_output_t *output) RCORE_RT { add_to_counter(&output->dropped, 1); }

// Writes a segment of a system-exclusive message. The rest of a message is dropped with a segment
// that does not fit, with its beginning, and if another message has ended it.
static void write_segment(const rcore_t *core, rcore_midi_output_t *output, const uint8_t *bytes,
                          uint32_t size) RCORE_RT {
    const bool begins = bytes[0] == 0xF0, ends = bytes[size - 1] == 0xF7;
    output->skips_exclusive = output->skips_exclusive && !begins;
    if (output->skips_exclusive) {
        return;
    }
    if ((!begins && !output->in_exclusive) || !has_room(output, size)) {
        output->skips_exclusive = true;
        output->in_exclusive = false;
        drop(output);
        return;
    }
    output->in_exclusive = output->in_exclusive && !begins;
    append_segment(core, output, bytes, size);
    output->in_exclusive = !ends;
}

static void write_message(rcore_t *core, rcore_midi_output_t *output, const uint8_t *bytes, uint32_t size) RCORE_RT {
    if (!has_room(output, size)) {
        drop(output);
    } else if (bytes[0] >= 0xF8) {
        append_real_time(core, output, bytes[0]);
    } else {
        output->used_channels |= bytes[0] < 0xF0 ? UINT32_C(1) << (bytes[0] & 15) : 0;
        output->in_exclusive = false; // it ends a system-exclusive message
        append_event(core, output, bytes, size);
    }
}

void midi_output_write(rcore_t *core, rcore_midi_output_t *output, const uint8_t *bytes, uint32_t size) RCORE_RT {
    const bool has_channel = bytes[0] >= 0x80 && bytes[0] < 0xF0;
    if (!core->midi.has_frames || (has_channel && is_suspended(core, output))) {
        output->must_silence |= output->used_channels != 0; // it may be the end of a note
        return;
    }
    if (bytes[0] < 0x80 || bytes[0] == 0xF0 || bytes[0] == 0xF7) {
        write_segment(core, output, bytes, size);
    } else {
        write_message(core, output, bytes, size);
    }
}

// Ends all notes on the channels that were used. A receiver may ignore "all sound off" (120); it
// then follows "all notes off" (123), and no pedal holds the notes after "reset all controllers"
// (121).
static void silence(rcore_t *core, rcore_midi_output_t *output) RCORE_RT {
    for (uint8_t channel = 0; channel < 16; channel++) {
        if ((output->used_channels >> channel & 1) != 0) {
            const uint8_t status = (uint8_t)(0xB0 | channel);
            write_message(core, output, (const uint8_t[]){status, 120, 0}, 3);
            write_message(core, output, (const uint8_t[]){status, 123, 0}, 3);
            write_message(core, output, (const uint8_t[]){status, 121, 0}, 3);
        }
    }
    output->used_channels = 0;
}

void midi_output_reset(rcore_midi_output_t *output) RCORE_RT {
    output->used = output->count = 0;
    output->exclusive_event = RCORE_NONE;
}

void midi_output_begin(rcore_t *core, rcore_midi_output_t *output) RCORE_RT {
    midi_output_reset(output);
    const bool suspended = is_suspended(core, output);
    output->must_silence |= suspended && !output->is_suspended;
    output->is_suspended = suspended;
    if (output->must_silence && core->midi.has_frames) { // without frames, no driver reads it
        output->must_silence = false;
        silence(core, output);
    }
}

uint32_t rcore_midi_event_count(const rcore_t *core, uint32_t port) RCORE_RT {
    const rcore_midi_routing_t *routing = core->midi.routing;
    return routing != NULL && port < RCORE_MAX_MIDI_PORTS && routing->outputs[port] != NULL
               ? routing->outputs[port]->count
               : 0;
}

rcore_midi_event_t rcore_midi_event_at(const rcore_t *core, uint32_t port, uint32_t index) RCORE_RT {
    return core->midi.routing->outputs[port]->events[index];
}

void rcore_midi_count_dropped(rcore_t *core, uint32_t port, uint32_t count) RCORE_RT {
    const rcore_midi_routing_t *routing = core->midi.routing;
    if (routing != NULL && port < RCORE_MAX_MIDI_PORTS && routing->outputs[port] != NULL) {
        add_to_counter(&routing->outputs[port]->dropped, count);
    }
}
