// The additions of a graph, without anything else.
#include "graph.h"
#include "kernel.h"

#include <string.h>

// The number of voices whose samples are prefetched.
enum { ahead = 8 };

static const float *samples_of(const struct capacity_graph *graph, uint32_t voice, uint32_t channel) {
    const uint64_t frame = (graph->cycle - 1) * graph->topology.frames;
    return layout_plane(graph->samples, voice, channel) + frame % graph->samples->scene.source_frames;
}

static void clear(const struct planes *planes, uint32_t nframes) {
    for (uint32_t i = 0; i < planes->count; i++) {
        memset(planes->channel[i], 0, nframes * sizeof(float));
    }
}

// Not timed: sets up a cycle.
static void prepare(struct capacity_graph *graph) {
    const capacity_topology_t topology = graph->topology;
    for (uint32_t voice = 0; voice < topology.voices; voice++) {
        graph->targets[voice] = graph->bus_sums.channel + (size_t)graph_bus(topology, voice) * topology.channels;
        for (uint32_t channel = 0; channel < topology.source_channels; channel++) {
            struct bare_source *source = &graph->sources[voice * topology.source_channels + channel];
            source->samples = samples_of(graph, voice, channel);
            source->prefetch = samples_of(graph, (voice + ahead) % topology.voices, channel);
            source->gains[0] = 1.0f;
            if (graph_is_panned(topology)) {
                layout_gains((capacity_scene_t){.channels = 1, .frames = topology.frames}, voice, 0, source->gains);
            }
        }
    }
}

static void add_voices(struct capacity_graph *graph) {
    const uint32_t voices = graph->topology.voices, frames = graph->topology.frames;
    const uint32_t channels = graph->topology.source_channels;
    const bool panned = graph_is_panned(graph->topology);
    for (uint32_t voice = 0; voice < voices; voice++) {
        const struct bare_source *sources = &graph->sources[voice * channels];
        float **target = graph->targets[voice];
        if (panned) {
            bare_flat(target[0], target[1], sources, frames);
            continue;
        }
        for (uint32_t channel = 0; channel < channels; channel++) {
            bare_flat_one(target[channel], &sources[channel], frames);
        }
    }
}

static void add_bus(struct capacity_graph *graph, uint32_t bus, uint32_t route) {
    const uint32_t channels = graph->topology.channels;
    for (uint32_t channel = 0; channel < channels; channel++) {
        const float *sums = graph->bus_sums.channel[bus * channels + channel];
        const struct bare_source source = {.samples = sums, .prefetch = sums, .gains = {1.0f}};
        bare_flat_one(graph->route_sums.channel[route * channels + channel], &source, graph->topology.frames);
    }
}

uint64_t capacity_graph_bound(capacity_graph_t *graph) {
    const capacity_topology_t topology = graph->topology;
    prepare(graph);
    const uint64_t begun = layout_now();
    clear(&graph->bus_sums, topology.frames);
    clear(&graph->route_sums, topology.frames);
    add_voices(graph);
    for (uint32_t bus = 0; bus < topology.buses; bus++) {
        for (uint32_t route = 0; route < topology.routes; route++) {
            add_bus(graph, bus, route);
        }
    }
    for (uint32_t output = 0; output < graph->bound_outputs.count; output++) {
        memcpy(graph->bound_outputs.channel[output], graph->route_sums.channel[output],
               topology.frames * sizeof(float));
    }
    return layout_now() - begun;
}
