// MIDI inputs: splits what a port received into messages, records them, and schedules them for the
// targets of the port.
#include "core/core.h"
#include "core/counters.h"
#include "core/memory.h"
#include "midi/midi.h"
#include "queue/ring.h"
#include "queue/scheduled.h"

#include <stdlib.h>

rcore_midi_input_t *rcore_midi_input_create(uint32_t capacity, rcore_status_t *status) {
    rcore_status_t ignored;
    status = status != NULL ? status : &ignored;
    *status = RCORE_BAD_ARGUMENT;
    if (capacity > 1u << 20) {
        return NULL;
    }
    *status = RCORE_NO_MEMORY;
    rcore_midi_input_t *input = memory_allocate(sizeof *input);
    if (input == NULL) {
        return NULL;
    }
    const uint32_t rounded = ring_round_up(capacity > 0 ? capacity : 1);
    if (capacity > 0) {
        input->items = memory_allocate(sizeof *input->items * rounded);
        if (input->items == NULL) {
            free(input);
            return NULL;
        }
        (void)memory_lock(input->items, sizeof *input->items * rounded);
    }
    ring_init(&input->ring, rounded);
    atomic_init(&input->is_recording, capacity > 0);
    *status = RCORE_OK;
    return input;
}

void rcore_midi_input_destroy(rcore_midi_input_t *input) {
    if (input != NULL) {
        if (input->items != NULL) {
            memory_unlock(input->items, sizeof *input->items * input->ring.capacity);
        }
        free(input->items);
        free(input);
    }
}

bool rcore_midi_input_next(rcore_midi_input_t *input, rcore_midi_message_t *message) RCORE_RT {
    if (input->items == NULL || ring_readable(&input->ring, 1) == 0) {
        return false;
    }
    *message = input->items[ring_read_slot(&input->ring, 0)];
    ring_did_read(&input->ring, 1);
    return true;
}

void rcore_midi_input_record(rcore_midi_input_t *input, bool records) RCORE_RT {
    atomic_store_explicit(&input->is_recording, records && input->items != NULL, memory_order_relaxed);
}

uint64_t rcore_midi_input_dropped(const rcore_midi_input_t *input) RCORE_RT {
    return atomic_load_explicit(&input->dropped, memory_order_relaxed);
}

// Where the bytes of one call go.
struct reception {
    rcore_t *core;
    const rcore_midi_routing_t *routing;
    rcore_midi_input_t *input;
    uint32_t port;
    uint64_t frame;
};

// Records a message or segment, unless the ring is full. A segment is recorded only if all earlier
// ones of its message were.
static void record(const struct reception *to, const uint8_t *bytes, uint32_t size) RCORE_RT {
    rcore_midi_input_t *input = to->input;
    const bool continues = bytes[0] < 0x80 || bytes[0] == 0xF7;
    if (!atomic_load_explicit(&input->is_recording, memory_order_relaxed) || (continues && input->skips_exclusive)) {
        return;
    }
    if (bytes[0] < 0xF8) {
        input->skips_exclusive = false;
    }
    if (ring_writable(&input->ring, 1) == 0) {
        add_to_counter(&input->dropped, 1);
        input->skips_exclusive |= continues || bytes[0] == 0xF0;
        return;
    }
    rcore_midi_message_t *item = &input->items[ring_write_slot(&input->ring, 0)];
    item->frame = to->frame;
    item->size = (uint8_t)size;
    memcpy(item->bytes, bytes, size);
    ring_did_write(&input->ring, 1);
    to->core->work.is_due = true;
}

// Schedules a message or segment for each target of the port that receives its channel.
static void schedule(const struct reception *to, const uint8_t *bytes, uint32_t size) RCORE_RT {
    const bool has_channel = bytes[0] >= 0x80 && bytes[0] < 0xF0;
    const uint32_t channels = has_channel ? UINT32_C(1) << (bytes[0] & 15) : RCORE_MIDI_ALL_CHANNELS;
    struct command command = {.kind = COMMAND_MIDI, .when = to->frame, .midi_size = size};
    memcpy(command.midi, bytes, size);
    for (uint32_t i = to->routing->first_connection[to->port]; i < to->routing->first_connection[to->port + 1]; i++) {
        const struct midi_connection *connection = &to->routing->connections[i];
        if ((connection->channels & channels) != 0) {
            command.slot = to->routing->targets[connection->target].id;
            if (!commands_schedule(to->core, command)) {
                add_to_counter(&to->core->counters.dropped_midi, 1);
            }
        }
    }
}

static void emit(const struct reception *to, const uint8_t *bytes, uint32_t size) RCORE_RT {
    record(to, bytes, size);
    schedule(to, bytes, size);
}

// Passes on the part of a system-exclusive message that begins at `bytes`: up to its end, or to the
// first other status byte. Returns the number of bytes that belong to it.
static size_t take_exclusive(const struct reception *to, const uint8_t *bytes, size_t size) RCORE_RT {
    struct midi_parser *parser = &to->input->parser;
    size_t count = bytes[0] == 0xF0 ? 1 : 0;
    while (count < size && bytes[count] < 0x80) {
        count++;
    }
    const bool ends = count < size && bytes[count] == 0xF7;
    parser->in_exclusive = !ends;
    count += ends ? 1 : 0;
    for (size_t done = 0; done < count; done += RCORE_MIDI_BYTES) {
        const size_t left = count - done;
        emit(to, bytes + done, (uint32_t)(left < RCORE_MIDI_BYTES ? left : RCORE_MIDI_BYTES));
    }
    return count;
}

// Begins the message of a status byte, which ends any other one.
static void begin_message(const struct reception *to, uint8_t status) RCORE_RT {
    struct midi_parser *parser = &to->input->parser;
    parser->in_exclusive = false;
    parser->running_status = status < 0xF0 ? status : 0;
    parser->bytes[0] = status;
    parser->count = 1;
    parser->expected = (uint8_t)midi_message_size(status);
}

// Adds a data byte to the current message, or to one with the same status as the last.
static void add_data(struct midi_parser *parser, uint8_t byte) RCORE_RT {
    if (parser->expected == 0 && parser->running_status != 0) {
        parser->bytes[0] = parser->running_status;
        parser->count = 1;
        parser->expected = (uint8_t)midi_message_size(parser->running_status);
    }
    if (parser->expected != 0) {
        parser->bytes[parser->count++] = byte;
    }
}

void rcore_midi_receive(rcore_t *core, uint32_t port, uint32_t offset, const uint8_t *bytes, size_t size) RCORE_RT {
    const rcore_midi_routing_t *routing = midi_update_routing(core);
    if (routing == NULL || port >= RCORE_MAX_MIDI_PORTS || routing->inputs[port] == NULL) {
        return;
    }
    rcore_midi_input_t *input = routing->inputs[port];
    const struct reception to = {core, routing, input, port, core_now(core) + offset};
    struct midi_parser *parser = &input->parser;
    for (size_t i = 0; i < size;) {
        const uint8_t byte = bytes[i];
        if (byte >= 0xF8) { // a real-time message, which interrupts no other one
            if (midi_message_size(byte) == 1) {
                emit(&to, &byte, 1);
            }
            i++;
            continue;
        }
        if (byte == 0xF0) {
            begin_message(&to, byte);
            i += take_exclusive(&to, bytes + i, size - i);
            continue;
        }
        if (parser->in_exclusive && (byte < 0x80 || byte == 0xF7)) {
            i += take_exclusive(&to, bytes + i, size - i);
            continue;
        }
        if (byte >= 0x80) {
            begin_message(&to, byte);
        } else {
            add_data(parser, byte);
        }
        if (parser->expected != 0 && parser->count == parser->expected) {
            emit(&to, parser->bytes, parser->count);
            parser->expected = 0;
        }
        i++;
    }
}
