// The MIDI routing: ports, targets and connections. Control builds and posts it; the cycle uses the
// newest one.
#include "core/core.h"
#include "core/memory.h"
#include "midi/instrument.h"
#include "midi/midi.h"
#include "queue/queue.h"
#include "transport/transport.h"

#include <stdlib.h>

rcore_midi_routing_t *rcore_midi_routing_create(void) { return memory_allocate(sizeof(rcore_midi_routing_t)); }

void rcore_midi_routing_destroy(rcore_midi_routing_t *routing) { free(routing); }

rcore_status_t rcore_midi_routing_add_input(rcore_midi_routing_t *routing, uint32_t port, rcore_midi_input_t *input) {
    if (port >= RCORE_MAX_MIDI_PORTS || routing->inputs[port] != NULL || input == NULL) {
        return RCORE_BAD_ARGUMENT;
    }
    routing->inputs[port] = input;
    return RCORE_OK;
}

// Returns the index of a target, or RCORE_NONE.
static uint32_t find_target(const rcore_midi_routing_t *routing, uint32_t id) RCORE_RT {
    for (uint32_t i = 0; i < routing->target_count; i++) {
        if (routing->targets[i].id == id) {
            return i;
        }
    }
    return RCORE_NONE;
}

static bool has_target(const rcore_midi_routing_t *routing, const struct midi_target *target) RCORE_RT {
    for (uint32_t i = 0; i < routing->target_count; i++) {
        const struct midi_target *other = &routing->targets[i];
        if (other->instrument == target->instrument && other->output == target->output) {
            return true;
        }
    }
    return false;
}

static rcore_status_t add_target(rcore_midi_routing_t *routing, struct midi_target target) {
    const struct midi_target transport = {0};
    const bool is_transport = target.instrument == NULL && target.output == NULL;
    const uint32_t others = routing->target_count - (has_target(routing, &transport) ? 1 : 0);
    if ((!is_transport && others == RCORE_MAX_MIDI_TARGETS) || find_target(routing, target.id) != RCORE_NONE ||
        has_target(routing, &target)) {
        return RCORE_BAD_ARGUMENT;
    }
    routing->targets[routing->target_count++] = target;
    return RCORE_OK;
}

rcore_status_t rcore_midi_routing_add_output(rcore_midi_routing_t *routing, uint32_t target, uint32_t port,
                                             rcore_midi_output_t *output) {
    if (port >= RCORE_MAX_MIDI_PORTS || routing->outputs[port] != NULL || output == NULL) {
        return RCORE_BAD_ARGUMENT;
    }
    const rcore_status_t status = add_target(routing, (struct midi_target){.id = target, .output = output});
    if (status == RCORE_OK) {
        routing->outputs[port] = output;
    }
    return status;
}

rcore_status_t rcore_midi_routing_add_instrument(rcore_midi_routing_t *routing, uint32_t target,
                                                 rcore_instrument_t *instrument) {
    return instrument != NULL ? add_target(routing, (struct midi_target){.id = target, .instrument = instrument})
                              : RCORE_BAD_ARGUMENT;
}

rcore_status_t rcore_midi_routing_add_transport(rcore_midi_routing_t *routing, uint32_t target) {
    return add_target(routing, (struct midi_target){.id = target});
}

rcore_status_t rcore_midi_routing_connect(rcore_midi_routing_t *routing, uint32_t port, uint32_t target,
                                          uint32_t channels) {
    uint32_t *first = routing->first_connection;
    const uint32_t index = find_target(routing, target), count = first[RCORE_MAX_MIDI_PORTS];
    if (port >= RCORE_MAX_MIDI_PORTS || routing->inputs[port] == NULL || index == RCORE_NONE ||
        count == RCORE_MAX_MIDI_CONNECTIONS || channels > RCORE_MIDI_ALL_CHANNELS) {
        return RCORE_BAD_ARGUMENT;
    }
    const uint32_t end = first[port + 1];
    memmove(&routing->connections[end + 1], &routing->connections[end], sizeof *routing->connections * (count - end));
    routing->connections[end] = (struct midi_connection){.port = port, .target = index, .channels = channels};
    for (uint32_t i = port + 1; i <= RCORE_MAX_MIDI_PORTS; i++) {
        first[i] += 1;
    }
    return RCORE_OK;
}

// ---- Posting and freeing: [control]

rcore_status_t rcore_post_midi_routing(rcore_t *core, rcore_midi_routing_t *routing) {
    if (routing == NULL || routing->serial != 0) {
        return RCORE_BAD_ARGUMENT;
    }
    routing->serial = ++core->midi.posted_serial;
    routing->next = core->midi.posted;
    core->midi.posted = routing;
    // Release: the cycle reads what was written before.
    atomic_store_explicit(&core->midi.newest, routing, memory_order_release);
    return RCORE_OK;
}

uint32_t rcore_collect_midi_routings(rcore_t *core) {
    const uint64_t retired = atomic_load_explicit(&core->midi.retired_serial, memory_order_acquire);
    uint32_t left = 0;
    for (rcore_midi_routing_t **link = &core->midi.posted; *link != NULL;) {
        rcore_midi_routing_t *routing = *link;
        if (routing->serial < retired) {
            *link = routing->next;
            free(routing);
        } else {
            link = &routing->next;
            left++;
        }
    }
    return left;
}

void midi_destroy(rcore_t *core) {
    while (core->midi.posted != NULL) {
        rcore_midi_routing_t *routing = core->midi.posted;
        core->midi.posted = routing->next;
        free(routing);
    }
}

rcore_status_t rcore_post_midi(rcore_queue_t *queue, uint32_t target, const uint8_t *bytes, uint32_t size,
                               uint64_t when) RCORE_RT {
    if (size < 1 || size > RCORE_MIDI_BYTES) {
        return RCORE_BAD_ARGUMENT;
    }
    const rcore_status_t status = queue_reserve(queue, when);
    if (status == RCORE_OK) {
        struct command command = {.kind = COMMAND_MIDI, .when = when, .slot = target, .midi_size = size};
        memcpy(command.midi, bytes, size);
        queue_put(queue, command);
    }
    return status;
}

// ---- In the cycle

// Returns whether a routing connects an input to an instrument.
static bool is_connected(const rcore_midi_routing_t *routing, const rcore_midi_input_t *input,
                         const rcore_instrument_t *instrument) RCORE_RT {
    for (uint32_t i = 0; i < routing->first_connection[RCORE_MAX_MIDI_PORTS]; i++) {
        const struct midi_connection *connection = &routing->connections[i];
        if (routing->inputs[connection->port] == input &&
            routing->targets[connection->target].instrument == instrument) {
            return true;
        }
    }
    return false;
}

// Ends the notes of the instruments that lose a connection.
static void end_disconnected_notes(rcore_t *core, const rcore_midi_routing_t *old,
                                   const rcore_midi_routing_t *next) RCORE_RT {
    for (uint32_t i = 0; i < old->first_connection[RCORE_MAX_MIDI_PORTS]; i++) {
        const struct midi_connection *connection = &old->connections[i];
        rcore_instrument_t *instrument = old->targets[connection->target].instrument;
        if (instrument != NULL && !is_connected(next, old->inputs[connection->port], instrument)) {
            instrument_end_notes(core, instrument);
        }
    }
}

// Silences the instruments that the next routing no longer has, and empties outputs that it has
// again.
static void change_targets(rcore_t *core, const rcore_midi_routing_t *old, const rcore_midi_routing_t *next) RCORE_RT {
    for (uint32_t i = 0; old != NULL && i < old->target_count; i++) {
        if (old->targets[i].instrument != NULL && !has_target(next, &old->targets[i])) {
            instrument_silence(core, old->targets[i].instrument);
        }
    }
    for (uint32_t i = 0; i < next->target_count; i++) {
        if (next->targets[i].output != NULL && (old == NULL || !has_target(old, &next->targets[i]))) {
            midi_output_reset(next->targets[i].output);
        }
    }
}

const rcore_midi_routing_t *midi_update_routing(rcore_t *core) RCORE_RT {
    const rcore_midi_routing_t *newest = atomic_load_explicit(&core->midi.newest, memory_order_acquire);
    if (newest != core->midi.routing) {
        if (core->midi.routing != NULL) {
            end_disconnected_notes(core, core->midi.routing, newest);
        }
        change_targets(core, core->midi.routing, newest);
        core->midi.routing = newest;
        // Release: control frees what the cycle has used before.
        atomic_store_explicit(&core->midi.retired_serial, newest->serial, memory_order_release);
        core->work.is_due = true;
    }
    return newest;
}

bool midi_deliver(rcore_t *core, uint32_t target, const uint8_t *bytes, uint32_t size) RCORE_RT {
    const rcore_midi_routing_t *routing = core->midi.routing;
    uint32_t index = routing != NULL ? find_target(routing, target) : RCORE_NONE;
    if (index == RCORE_NONE) { // the target may have been added since the cycle began
        routing = midi_update_routing(core);
        index = routing != NULL ? find_target(routing, target) : RCORE_NONE;
    }
    if (index == RCORE_NONE) {
        return false;
    }
    const struct midi_target *found = &routing->targets[index];
    if (found->instrument != NULL) {
        instrument_message(core, found->instrument, bytes, size);
    } else if (found->output != NULL) {
        midi_output_write(core, found->output, bytes, size);
    } else {
        return transport_receive(core, bytes, size);
    }
    return false;
}

void rcore_end_received_notes(rcore_t *core) RCORE_RT {
    atomic_store_explicit(&core->midi.ends_notes, true, memory_order_relaxed);
}

void rcore_silence_midi_outputs(rcore_t *core) RCORE_RT {
    atomic_store_explicit(&core->midi.silences_outputs, true, memory_order_relaxed);
}

// Takes a request that another thread has made.
static bool take(_Atomic(bool) *request) RCORE_RT {
    return atomic_load_explicit(request, memory_order_relaxed) &&
           atomic_exchange_explicit(request, false, memory_order_relaxed);
}

static void end_received_notes(rcore_t *core, const rcore_midi_routing_t *routing) RCORE_RT {
    for (uint32_t i = 0; routing != NULL && i < routing->first_connection[RCORE_MAX_MIDI_PORTS]; i++) {
        rcore_instrument_t *instrument = routing->targets[routing->connections[i].target].instrument;
        if (instrument != NULL) {
            instrument_end_notes(core, instrument);
        }
    }
}

void midi_begin(rcore_t *core, uint32_t nframes) RCORE_RT {
    const rcore_midi_routing_t *routing = midi_update_routing(core);
    core->midi.cycle_begin = core_now(core);
    core->midi.has_frames = nframes > 0;
    if (take(&core->midi.ends_notes)) {
        end_received_notes(core, routing);
    }
    const bool silences = nframes > 0 && take(&core->midi.silences_outputs);
    for (uint32_t i = 0; routing != NULL && i < routing->target_count; i++) {
        if (routing->targets[i].output != NULL) {
            routing->targets[i].output->must_silence |= silences;
            midi_output_begin(core, routing->targets[i].output);
        } else if (routing->targets[i].instrument != NULL) {
            instrument_begin(core, routing->targets[i].instrument);
        }
    }
}

void midi_apply_changes(rcore_t *core) RCORE_RT {
    const rcore_midi_routing_t *routing = core->midi.routing;
    if (!core->midi.has_changes) {
        return;
    }
    core->midi.has_changes = false;
    for (uint32_t i = 0; routing != NULL && i < routing->target_count; i++) {
        if (routing->targets[i].instrument != NULL) {
            instrument_apply_changes(core, routing->targets[i].instrument);
        }
    }
}
