// What other threads than the render thread do with the transport: they post maps and commands, and
// read the position.
#include "core/core.h"
#include "queue/queue.h"
#include "transport/beat_time.h"
#include "transport/position.h"
#include "transport/transport.h"

// ---- Tempo maps: [control]

rcore_status_t rcore_post_tempo_map(rcore_t *core, rcore_tempo_map_t *map) {
    if (map == NULL || map->serial != 0) {
        return RCORE_BAD_ARGUMENT;
    }
    map->serial = ++core->transport.posted_serial;
    map->next = core->transport.posted_maps;
    core->transport.posted_maps = map;
    // Release: the cycle reads what was written before.
    atomic_store_explicit(&core->transport.newest_map, map, memory_order_release);
    return RCORE_OK;
}

uint32_t rcore_collect_tempo_maps(rcore_t *core) {
    const uint64_t retired = atomic_load_explicit(&core->transport.retired_serial, memory_order_acquire);
    uint32_t left = 0;
    for (rcore_tempo_map_t **link = &core->transport.posted_maps; *link != NULL;) {
        rcore_tempo_map_t *map = *link;
        if (map->serial < retired) {
            *link = map->next;
            rcore_tempo_map_destroy(map);
        } else {
            link = &map->next;
            left++;
        }
    }
    return left;
}

void transport_destroy(rcore_t *core) {
    while (core->transport.posted_maps != NULL) {
        rcore_tempo_map_t *map = core->transport.posted_maps;
        core->transport.posted_maps = map->next;
        rcore_tempo_map_destroy(map);
    }
}

// ---- Commands: [producer]

uint64_t rcore_beat_time(uint32_t pass, double beat) RCORE_RT {
    return UINT64_C(1) << 63 | (uint64_t)(pass & BEAT_PASS_MASK) << BEAT_PASS_SHIFT | fixed_of_beat(beat);
}

static rcore_status_t post(rcore_queue_t *queue, uint8_t kind, uint64_t argument, uint64_t when) RCORE_RT {
    const rcore_status_t status = queue_reserve(queue, when);
    if (status == RCORE_OK) {
        queue_put(queue, (struct command){.kind = kind, .frame = argument, .when = when});
    }
    return status;
}

rcore_status_t rcore_post_transport_start(rcore_queue_t *queue, uint64_t when) RCORE_RT {
    return time_is_beat(when) ? RCORE_BAD_ARGUMENT : post(queue, COMMAND_TRANSPORT_START, 0, when);
}

rcore_status_t rcore_post_transport_renew(rcore_queue_t *queue, uint64_t when) RCORE_RT {
    return post(queue, COMMAND_TRANSPORT_RENEW, 0, when);
}

rcore_status_t rcore_post_transport_stop(rcore_queue_t *queue, uint64_t when) RCORE_RT {
    return post(queue, COMMAND_TRANSPORT_STOP, 0, when);
}

rcore_status_t rcore_post_transport_locate(rcore_queue_t *queue, double beat, uint64_t when) RCORE_RT {
    if (!(beat >= 0.0 && beat <= RCORE_MAX_BEAT)) {
        return RCORE_BAD_ARGUMENT;
    }
    // Rounded like the beat of a command, so that a command for this beat is for this frame.
    return post(queue, COMMAND_TRANSPORT_LOCATE, fixed_of_beat(beat), when);
}

rcore_status_t rcore_post_transport_source(rcore_queue_t *queue, rcore_transport_source_t source,
                                           uint64_t when) RCORE_RT {
    const bool is_known = (uint32_t)source <= RCORE_TRANSPORT_TIME_CODE;
    return is_known ? post(queue, COMMAND_TRANSPORT_SOURCE, source, when) : RCORE_BAD_ARGUMENT;
}

rcore_status_t rcore_set_time_code_start(rcore_t *core, double seconds) RCORE_RT {
    if (!(seconds >= 0.0 && seconds < RCORE_TIME_CODE_SECONDS)) {
        return RCORE_BAD_ARGUMENT;
    }
    atomic_store_explicit(&core->transport.time_code_start, seconds, memory_order_relaxed);
    return RCORE_OK;
}

// ---- Position: [any]

rcore_transport_t rcore_read_transport(const rcore_t *core) { return position_read(&core->transport.board); }
