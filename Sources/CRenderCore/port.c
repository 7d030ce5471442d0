// Command ports: a ring each, from the thread that owns it to the cycle; and groups, which are written item by item and
// published with one store.
#include "port.h"

#include "curves.h"
#include "pool.h"

rcore_port_t *rcore_port_open(rcore_t *core, rcore_status_t *status) {
    for (uint32_t i = 0; i < core->config.max_ports; i++) {
        struct rcore_port *port = &core->ports[i];
        if (!port->open) {
            port->open = true;
            if (status != NULL) {
                *status = RCORE_OK;
            }
            return port;
        }
    }
    if (status != NULL) {
        *status = RCORE_FULL;
    }
    return NULL;
}

void rcore_port_close(rcore_port_t *port) {
    if (port != NULL) {
        rcore_group_cancel(port);
        port->open = false;
    }
}

rcore_status_t port_reserve(rcore_port_t *port, uint64_t when) RCORE_RT {
    const uint32_t room = port->staged + 1;
    // Commands that wait for their time have a bound of their own, so that they never keep an untimed one waiting.
    const uint64_t waiting = port->timed_posted - atomic_load_explicit(&port->timed_done, memory_order_acquire);
    if (port->group_failed || ring_writable(&port->ring, room) < room ||
        (when != RCORE_NOW && waiting >= port->ring.capacity)) {
        port->group_failed = port->group_open;
        return RCORE_FULL;
    }
    return RCORE_OK;
}

rcore_status_t port_reserve_curve(rcore_port_t *port) RCORE_RT {
    if (!curves_take_place(port->core)) {
        port->group_failed = port->group_open;
        return RCORE_FULL;
    }
    return RCORE_OK;
}

void port_put(rcore_port_t *port, struct command command) RCORE_RT {
    port->timed_posted += command.when != RCORE_NOW ? 1 : 0;
    command.port = port->index;
    port->commands[ring_write_slot(&port->ring, port->staged)] = command;
    if (port->group_open) {
        port->staged += 1;
    } else {
        ring_did_write(&port->ring, 1);
    }
}

rcore_status_t rcore_group_begin(rcore_port_t *port) RCORE_RT {
    if (port->group_open) {
        return RCORE_BAD_ARGUMENT;
    }
    port->group_open = true;
    port->group_failed = false;
    port->staged = 0;
    return RCORE_OK;
}

static struct command *staged_command(rcore_port_t *port, uint32_t index) RCORE_RT {
    return &port->commands[ring_write_slot(&port->ring, index)];
}

// The voices that the group starts: told to all, or the owner's as before.
static void settle_starts(rcore_port_t *port, bool posted) RCORE_RT {
    for (uint32_t i = 0; i < port->staged; i++) {
        const struct command *command = staged_command(port, i);
        if (command->kind == COMMAND_START) {
            struct voice *voice = voice_find(port->core, command->voice);
            const uint32_t start = atomic_load_explicit(&voice->start, memory_order_relaxed);
            if (!posted) {
                buffer_leave(voice->params.buffer);
            }
            atomic_store_explicit(&voice->start, posted ? start | START_POSTED : START_NONE, memory_order_release);
            if (!posted && voice->params.one_shot) {
                pool_give_back(port->core, voice);
            }
        }
    }
}

static void close_group(rcore_port_t *port) RCORE_RT {
    port->group_open = false;
    port->group_failed = false;
    port->staged = 0;
}

rcore_status_t rcore_group_commit(rcore_port_t *port) RCORE_RT {
    if (!port->group_open) {
        return RCORE_BAD_ARGUMENT;
    }
    if (port->group_failed) {
        rcore_group_cancel(port);
        return RCORE_FULL;
    }
    settle_starts(port, true); // before the cycle can see and end them
    ring_did_write(&port->ring, port->staged);
    close_group(port);
    return RCORE_OK;
}

void rcore_group_cancel(rcore_port_t *port) RCORE_RT {
    for (uint32_t i = 0; i < port->staged; i++) {
        const struct command *command = staged_command(port, i);
        port->timed_posted -= command->when != RCORE_NOW ? 1 : 0;
        if (command->curve != RCORE_CURVE_LINEAR) {
            curves_give_back(port->core);
        }
    }
    settle_starts(port, false);
    close_group(port);
}
