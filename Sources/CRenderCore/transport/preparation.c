// Control reports that it has prepared a pass; the transport waits for that before it rolls.
#include "transport/preparation.h"

#include "core/core.h"

void rcore_require_preparation(rcore_t *core, bool is_required) RCORE_RT {
    // The cycle that sees the requirement must not see an older report.
    atomic_store_explicit(&core->transport.prepared, 0, memory_order_relaxed);
    atomic_store_explicit(&core->transport.requires_preparation, is_required, memory_order_release);
}

void rcore_report_prepared(rcore_t *core, uint32_t pass) RCORE_RT {
    // Release: the cycle takes the commands that were posted before.
    atomic_store_explicit(&core->transport.prepared, UINT64_C(1) + pass, memory_order_release);
}

static bool is_required(const struct transport *transport) RCORE_RT {
    return atomic_load_explicit(&transport->requires_preparation, memory_order_acquire);
}

bool transport_is_prepared(const struct transport *transport) RCORE_RT {
    return !is_required(transport) ||
           atomic_load_explicit(&transport->prepared, memory_order_acquire) == UINT64_C(1) + transport->pass;
}

bool rcore_is_prepared(const rcore_t *core, uint32_t frame) RCORE_RT {
    const struct transport *transport = &core->transport;
    const bool is_here = transport->source == RCORE_TRANSPORT_SERVER && frame == (uint32_t)transport->frame;
    return !is_required(transport) || (is_here && transport_is_prepared(transport));
}
