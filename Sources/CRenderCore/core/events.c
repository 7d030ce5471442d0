// Data from the cycle to control: events, counters, peak meters.
#include "core/events.h"

#include "core/core.h"
#include "core/counters.h"

#include <string.h>

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
        .nonfinite_samples = atomic_load_explicit(&counters->nonfinite_samples, memory_order_relaxed),
        .unlocked_bytes = core->arena.unlocked_bytes,
        .playing_voices = atomic_load_explicit(&counters->playing_voices, memory_order_relaxed),
    };
}

static float from_bits(uint32_t bits) RCORE_RT {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Reads and resets the peak of one channel. `slots` is the number of slots.
static float take_peak(const rcore_t *core, _Atomic(uint32_t) *peaks, uint32_t slots, uint32_t slot,
                       uint32_t channel) RCORE_RT {
    if (slot >= slots || channel >= core->config.max_channels) {
        return 0.0f;
    }
    return from_bits(
        atomic_exchange_explicit(&peaks[slot * core->config.max_channels + channel], 0, memory_order_relaxed));
}

float rcore_take_route_peak(rcore_t *core, uint32_t route, uint32_t channel) RCORE_RT {
    return take_peak(core, core->mix.route_peaks, core->config.max_routes, route, channel);
}

float rcore_take_input_peak(rcore_t *core, uint32_t input, uint32_t channel) RCORE_RT {
    return take_peak(core, core->inputs.peaks, core->config.max_inputs, input, channel);
}

float rcore_bus_gate_gain(const rcore_t *core, uint32_t bus) RCORE_RT {
    if (bus >= core->config.max_buses) {
        return 0.0f;
    }
    return from_bits(atomic_load_explicit(&core->mix.buses[bus].gate_gain, memory_order_relaxed));
}
