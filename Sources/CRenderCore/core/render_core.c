// The render cycle.
#include "core/core.h"
#include "core/counters.h"
#include "core/denormals.h"
#include "core/work.h"
#include "graph/crossfade.h"
#include "midi/midi.h"
#include "mix/bus_mix.h"
#include "mix/buses.h"
#include "mix/curves.h"
#include "mix/inputs.h"
#include "mix/routes.h"
#include "queue/commands.h"
#include "session/gate.h"
#include "session/key.h"
#include "session/signal.h"
#include "transport/transport.h"
#include "voices/page_cache.h"
#include "voices/playing.h"

#include <string.h>

static void silence(float *const *outputs, uint32_t noutputs, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < noutputs; i++) {
        if (outputs[i] != NULL) {
            memset(outputs[i], 0, sizeof(float) * nframes);
        }
    }
}

static void advance_time(rcore_t *core, uint64_t nframes) RCORE_RT {
    atomic_store_explicit(&core->time, core_now(core) + nframes, memory_order_release);
}

// The buffers that the driver passed for one period.
struct period {
    const float *const *inputs;
    float *const *outputs;
    uint32_t ninputs;
    uint32_t noutputs;
};

// Renders one block, within which no command is due, no session suspends, and no crossfade, curve
// segment or resume delay ends.
static void render_block(rcore_t *core, const struct period *period, uint32_t offset, uint32_t nframes) RCORE_RT {
    inputs_process(core, period->inputs, period->ninputs, offset, nframes);
    routes_begin(core, nframes);
    voices_render(core, nframes);
    buses_mix(core, nframes);
    routes_write(core, period->outputs, period->noutputs, offset, nframes);
    advance_time(core, nframes);
    transport_advance(&core->transport, nframes);
    gates_advance(core, nframes);
    crossfade_advance(core, nframes);
}

// Returns the length of the next block: at most `nframes` and `block_frames`, up to the next
// command, suspension, or end of a curve segment, resume delay or crossfade.
static uint32_t block_length(rcore_t *core, uint32_t nframes) RCORE_RT {
    const uint32_t block = core->config.block_frames < nframes ? core->config.block_frames : nframes;
    return crossfade_limit(core, gates_limit(core, commands_limit(core, curves_limit(core, block))));
}

void rcore_process(rcore_t *core, const float *const *inputs, uint32_t ninputs, float *const *outputs,
                   uint32_t noutputs, uint32_t nframes) RCORE_RT {
    const struct period period = {inputs, outputs, ninputs, noutputs};
    const flush_mode mode = denormals_flush_begin();
    silence(outputs, noutputs, nframes);
    gates_read(core);
    inputs_read(core);
    page_cache_begin(core, nframes);
    midi_begin(core, nframes);
    if (transport_begin(core)) {
        commands_begin_pass(core);
    }
    commands_take(core);
    midi_apply_changes(core);
    if (nframes == 0) {
        crossfade_finish(core); // there are no frames in which it could be heard
    }
    for (uint32_t offset = 0; offset < nframes;) {
        const uint32_t length = block_length(core, nframes - offset);
        render_block(core, &period, offset, length);
        offset += length;
        if (offset < nframes) {
            commands_apply(core);
            midi_apply_changes(core);
        }
    }
    signals_expire(core);
    keys_expire(core);
    add_to_counter(&core->counters.cycles, 1);
    atomic_store_explicit(&core->counters.playing_voices, core->voices.playing_count - core->voices.gap_count,
                          memory_order_relaxed);
    transport_publish(core);
    work_report(core);
    denormals_flush_end(mode);
}

uint64_t rcore_time(const rcore_t *core) RCORE_RT { return atomic_load_explicit(&core->time, memory_order_acquire); }

void rcore_skip(rcore_t *core, uint64_t nframes) RCORE_RT {
    transport_skip(&core->transport, nframes);
    advance_time(core, nframes);
}

void rcore_flush_denormals(void) RCORE_RT { (void)denormals_flush_begin(); }
