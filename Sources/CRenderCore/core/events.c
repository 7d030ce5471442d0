// Data from the cycle to control: events and counters.
#include "core/events.h"

#include "core/core.h"
#include "core/counters.h"

void event_post(rcore_t *core, rcore_event_t event) RCORE_RT {
    core->work.is_due = true;
    if (ring_writable(&core->events.ring, 1) < 1) {
        add_to_counter(&core->counters.dropped_events, 1);
        return;
    }
    core->events.items[ring_write_slot(&core->events.ring, 0)] = event;
    ring_did_write(&core->events.ring, 1);
}

bool rcore_next_event(rcore_t *core, rcore_event_t *event) RCORE_RT {
    if (ring_readable(&core->events.ring, 1) < 1) {
        return false;
    }
    *event = core->events.items[ring_read_slot(&core->events.ring, 0)];
    ring_did_read(&core->events.ring, 1);
    return true;
}

rcore_counters_t rcore_read_counters(const rcore_t *core) RCORE_RT {
    const struct counters *counters = &core->counters;
    return (rcore_counters_t){
        .cycles = atomic_load_explicit(&counters->cycles, memory_order_relaxed),
        .late_commands = atomic_load_explicit(&counters->late_commands, memory_order_relaxed),
        .dropped_events = atomic_load_explicit(&counters->dropped_events, memory_order_relaxed),
        .underrun_frames = atomic_load_explicit(&counters->underrun_frames, memory_order_relaxed),
        .stolen_voices = atomic_load_explicit(&counters->stolen_voices, memory_order_relaxed),
        .refused_voices = atomic_load_explicit(&counters->refused_voices, memory_order_relaxed),
        .dropped_midi = atomic_load_explicit(&counters->dropped_midi, memory_order_relaxed),
        .nonfinite_samples = atomic_load_explicit(&counters->nonfinite_samples, memory_order_relaxed),
        .unlocked_bytes = core->arena.unlocked_bytes,
        .playing_voices = atomic_load_explicit(&counters->playing_voices, memory_order_relaxed),
    };
}
