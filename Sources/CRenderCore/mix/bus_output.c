#include "mix/bus_output.h"

#include "core/core.h"
#include "graph/delay.h"
#include "mix/buses.h"

void connection_add(rcore_t *core, const struct plan_bus_view *view, const struct strip *strip,
                    const struct connection *connection, const float *weights, float *targets,
                    uint32_t nframes) RCORE_RT {
    float *delayed[RCORE_MAX_CHANNELS];
    float **planes = view->planes;
    if (connection->delay > 0) {
        planes = delayed;
        // No voice renders now.
        planes_of(core, core->voices.source_samples, strip->bus->channels, planes);
        for (uint32_t channel = 0; channel < strip->bus->channels; channel++) {
            delay_read(view->bus->delay_line, channel, connection->delay, planes[channel], nframes);
        }
    }
    if (connection->kind == CONNECTION_ROUTE) {
        route_open(core, connection->target, connection->channels, nframes);
    } else {
        bus_open(core, connection->target, nframes);
    }
    const struct connection_gains gains = connection_gains_make(core, strip, connection, weights, nframes);
    connection_mix(core, strip, &gains, connection, planes, targets, nframes);
}

void run_insert(const struct plan_bus_view *view, uint32_t nframes) RCORE_RT {
    const rcore_insert_t *insert = &view->bus->description.insert;
    if (insert->render) {
        insert->render(insert->context, view->planes, view->bus->description.channels, nframes);
    }
}
