// For mallinfo2, which C17 alone does not declare.
#define _GNU_SOURCE
#include "graph.h"
#include "kernel.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool planes_make(struct planes *planes, uint32_t count, uint32_t nframes) {
    const size_t stride = (nframes + 15) / 16 * 16;
    planes->samples = aligned_alloc(64, count * stride * sizeof(float));
    planes->channel = calloc(count, sizeof *planes->channel);
    planes->count = count;
    if (planes->samples == NULL || planes->channel == NULL) {
        return false;
    }
    memset(planes->samples, 0, count * stride * sizeof(float));
    for (uint32_t i = 0; i < count; i++) {
        planes->channel[i] = planes->samples + i * stride;
    }
    return true;
}

void planes_free(struct planes *planes) {
    free(planes->samples);
    free(planes->channel);
}

uint32_t graph_bus(capacity_topology_t topology, uint32_t voice) {
    return topology.in_turn ? voice % topology.buses : (uint32_t)((uint64_t)voice * topology.buses / topology.voices);
}

bool graph_is_panned(capacity_topology_t topology) { return topology.source_channels == 1 && topology.channels > 1; }

static bool in_range(capacity_topology_t t) {
    return t.voices >= 1 && t.voices <= 65536 && t.frames >= 1 && t.frames <= 256 && t.channels >= 1 &&
           t.channels <= max_channels && (t.source_channels == 1 || t.source_channels == t.channels) && t.buses >= 1 &&
           t.buses <= t.voices && t.buses + t.idle_buses <= 1024 && t.routes >= 1 && t.routes + t.idle_routes <= 64 &&
           t.idle_queues <= 63 && t.commands <= 1u << 20;
}

capacity_samples_t *capacity_graph_samples(capacity_topology_t topology) {
    const uint32_t sources = topology.source_channels >= 8 ? 1 : 8 / topology.source_channels;
    return capacity_samples_create((capacity_scene_t){
        .voices = topology.voices,
        .frames = topology.frames,
        .sources = sources < topology.voices ? sources : topology.voices,
        .source_frames = 1024 / topology.frames * topology.frames,
        .channels = topology.source_channels,
    });
}

// ---- Set-up -------------------------------------------------------------------------------------

static bool make_gate(struct capacity_graph *graph, uint32_t bus) {
    graph->gates[bus] = sgate_page_create();
    if (graph->gates[bus] != NULL) {
        sgate_page_set_grant(graph->gates[bus], (sgate_grant_t){.ramp_ms = 5, .serial = 1});
    }
    return graph->gates[bus] != NULL;
}

static bool add_buses(struct capacity_graph *graph, rcore_plan_t *plan) {
    const capacity_topology_t topology = graph->topology;
    const uint32_t buses = topology.buses + (topology.planned ? topology.idle_buses : 0);
    for (uint32_t bus = 0; bus < buses; bus++) {
        const rcore_bus_description_t description = {
            .slot = bus, .channels = topology.channels, .parent = RCORE_NONE, .gate = graph->gates[bus]};
        const uint32_t routes = bus < topology.buses ? topology.routes : 1;
        if (rcore_plan_add_bus(plan, &description) != RCORE_OK) {
            return false;
        }
        for (uint32_t route = 0; route < routes; route++) {
            if (rcore_plan_connect(plan, bus, route, NULL) != RCORE_OK) {
                return false;
            }
        }
    }
    return true;
}

static bool add_routes(const struct capacity_graph *graph, rcore_plan_t *plan) {
    const capacity_topology_t topology = graph->topology;
    const uint32_t routes = topology.routes + (topology.planned ? topology.idle_routes : 0);
    for (uint32_t route = 0; route < routes; route++) {
        const rcore_route_description_t description = {
            .slot = route, .channels = topology.channels, .first_output = route * topology.channels};
        if (rcore_plan_add_route(plan, &description) != RCORE_OK) {
            return false;
        }
    }
    return true;
}

static bool post_plan(struct capacity_graph *graph) {
    rcore_plan_t *plan = rcore_plan_create();
    if (plan == NULL || !add_routes(graph, plan) || !add_buses(graph, plan) ||
        rcore_post_plan(graph->queue, plan, RCORE_NOW) != RCORE_OK) {
        rcore_plan_destroy(plan);
        return false;
    }
    return true;
}

static bool make_core(struct capacity_graph *graph) {
    const capacity_topology_t topology = graph->topology;
    rcore_config_t sizes = rcore_config_default();
    sizes.max_voices = sizes.max_playing = topology.voices;
    sizes.max_buses = topology.buses + topology.idle_buses;
    sizes.max_routes = topology.routes + topology.idle_routes;
    sizes.max_channels = topology.channels;
    sizes.max_queues = 1 + topology.idle_queues;
    sizes.command_capacity = topology.voices + 2 > topology.commands ? topology.voices + 2 : topology.commands;
    graph->core = rcore_create(&sizes, NULL);
    graph->queue = graph->core != NULL ? rcore_queue_open(graph->core, NULL) : NULL;
    for (uint32_t i = 0; graph->queue != NULL && i < topology.idle_queues; i++) {
        if (rcore_queue_open(graph->core, NULL) == NULL) {
            return false;
        }
    }
    return graph->queue != NULL && post_plan(graph);
}

static bool start_voice(struct capacity_graph *graph, uint32_t index) {
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = graph->samples->buffers[index % graph->samples->scene.sources];
    params.bus = graph_bus(graph->topology, index);
    params.pan_law = graph_is_panned(graph->topology) ? RCORE_PAN_EQUAL_POWER : RCORE_PAN_NONE;
    params.pan = graph_is_panned(graph->topology) ? layout_pan(index) : 0.0f;
    params.loop_count = UINT64_MAX;
    graph->voices[index] = rcore_voice_acquire(graph->core);
    return rcore_post_start(graph->queue, graph->voices[index], &params, RCORE_NOW) == RCORE_OK;
}

static bool make(struct capacity_graph *graph) {
    const capacity_topology_t topology = graph->topology;
    const uint32_t buses = topology.buses + topology.idle_buses;
    const uint32_t outputs = topology.routes * topology.channels;
    const uint32_t all_outputs = outputs + (topology.idle_outputs ? topology.idle_routes * topology.channels : 0);
    graph->voices = calloc(topology.voices, sizeof *graph->voices);
    graph->gates = calloc(buses, sizeof(sgate_page_t *));
    graph->sources = calloc((size_t)topology.voices * topology.source_channels, sizeof(struct bare_source));
    graph->targets = calloc(topology.voices, sizeof *graph->targets);
    bool made = graph->voices != NULL && graph->gates != NULL && graph->sources != NULL && graph->targets != NULL;
    for (uint32_t bus = 0; made && bus < buses; bus++) {
        made = make_gate(graph, bus);
    }
    made = made && planes_make(&graph->outputs, all_outputs, topology.frames) &&
           planes_make(&graph->bus_sums, topology.buses * topology.channels, topology.frames) &&
           planes_make(&graph->route_sums, outputs, topology.frames) &&
           planes_make(&graph->bound_outputs, outputs, topology.frames) && make_core(graph);
    for (uint32_t i = 0; made && i < topology.voices; i++) {
        made = start_voice(graph, i);
    }
    return made;
}

capacity_graph_t *capacity_graph_create(capacity_topology_t topology, const capacity_samples_t *samples) {
    struct capacity_graph *graph = in_range(topology) ? calloc(1, sizeof *graph) : NULL;
    if (graph == NULL) {
        return NULL;
    }
    graph->topology = topology;
    graph->samples = samples;
    if (!make(graph)) {
        capacity_graph_destroy(graph);
        return NULL;
    }
    rcore_process(graph->core, NULL, 0, NULL, 0, 0); // processes all commands
    return graph;
}

void capacity_graph_destroy(capacity_graph_t *graph) {
    if (graph == NULL) {
        return;
    }
    rcore_destroy(graph->core);
    for (uint32_t bus = 0; graph->gates != NULL && bus < graph->topology.buses + graph->topology.idle_buses; bus++) {
        sgate_page_destroy(graph->gates[bus]);
    }
    planes_free(&graph->outputs);
    planes_free(&graph->bus_sums);
    planes_free(&graph->route_sums);
    planes_free(&graph->bound_outputs);
    free(graph->sources);
    free(graph->targets);
    free(graph->gates);
    free(graph->voices);
    free(graph);
}

// ---- A cycle ------------------------------------------------------------------------------------

uint64_t capacity_graph_cycle(capacity_graph_t *graph) {
    const uint64_t begun = layout_now();
    rcore_process(graph->core, NULL, 0, graph->outputs.channel, graph->outputs.count, graph->topology.frames);
    const uint64_t taken = layout_now() - begun;
    graph->cycle++;
    return taken;
}

bool capacity_graph_command(capacity_graph_t *graph, uint32_t count, bool timed) {
    const uint64_t when = timed ? rcore_time(graph->core) + graph->topology.frames : RCORE_NOW;
    for (uint32_t i = 0; i < count; i++) {
        const rcore_voice_t voice = graph->voices[graph->next_commanded];
        graph->next_commanded = (graph->next_commanded + 1) % graph->topology.voices;
        if (rcore_post_gain(graph->queue, voice, 1.0f, 0, when) != RCORE_OK) {
            return false;
        }
    }
    return true;
}

bool capacity_graph_restart(capacity_graph_t *graph, uint32_t voice) {
    const rcore_voice_t stopped = graph->voices[voice];
    if (rcore_post_stop(graph->queue, stopped, 0, RCORE_NOW) != RCORE_OK) {
        return false;
    }
    rcore_process(graph->core, NULL, 0, NULL, 0, 0); // it has ended
    rcore_voice_release(graph->core, stopped);
    rcore_event_t event;
    while (rcore_next_event(graph->core, &event)) {
    }
    return start_voice(graph, voice);
}

// ---- Output -------------------------------------------------------------------------------------

double capacity_graph_difference(const capacity_graph_t *graph) {
    const rcore_counters_t counters = rcore_read_counters(graph->core);
    if (counters.playing_voices != graph->topology.voices || counters.late_commands != 0 ||
        counters.nonfinite_samples != 0 || counters.refused_voices != 0 || counters.stolen_voices != 0) {
        return INFINITY;
    }
    double greatest = 0.0, difference = 0.0;
    for (uint32_t channel = 0; channel < graph->outputs.count; channel++) {
        for (uint32_t i = 0; i < graph->topology.frames; i++) {
            const double sample = graph->outputs.channel[channel][i];
            // Channels that no route feeds are silent.
            const double due =
                channel < graph->bound_outputs.count ? (double)graph->bound_outputs.channel[channel][i] : 0.0;
            greatest = fmax(greatest, fabs(due));
            difference = fmax(difference, fabs(sample - due));
        }
    }
    return greatest > 0.0 ? difference / greatest : INFINITY;
}

size_t capacity_allocated_bytes(void) {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
