#include "midi_stage.h"

#include "expect.h"

#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 128 };

midi_stage_t *midi_stage_open(uint32_t capacity, bool connected) {
    midi_stage_t *midi = calloc(1, sizeof *midi);
    EXPECT(midi != NULL);
    midi->stage = stage_open(NULL);
    midi->input = rcore_midi_input_create(capacity, NULL);
    midi->output = rcore_midi_output_create(CAPACITY, 0, NULL);
    midi_stage_route(midi, connected ? RCORE_MIDI_ALL_CHANNELS : 0);
    midi_stage_cycle(midi, 0);
    return midi;
}

void midi_stage_close(midi_stage_t *midi) {
    stage_close(&midi->stage);
    rcore_midi_input_destroy(midi->input);
    rcore_midi_output_destroy(midi->output);
    free(midi);
}

void midi_stage_route(midi_stage_t *midi, uint32_t channels) {
    rcore_midi_routing_t *routing = rcore_midi_routing_create();
    EXPECT_EQUAL(rcore_midi_routing_add_input(routing, 0, midi->input), RCORE_OK);
    EXPECT_EQUAL(rcore_midi_routing_add_output(routing, MIDI_STAGE_TARGET, 0, midi->output), RCORE_OK);
    if (channels != 0) {
        EXPECT_EQUAL(rcore_midi_routing_connect(routing, 0, MIDI_STAGE_TARGET, channels), RCORE_OK);
    }
    EXPECT_EQUAL(rcore_post_midi_routing(midi->stage.core, routing), RCORE_OK);
}

void midi_stage_cycle(midi_stage_t *midi, uint32_t nframes) {
    static float samples[STAGE_CHANNELS][RCORE_MAX_PERIOD];
    float *outputs[] = {samples[0], samples[1]};
    const uint64_t begin = rcore_time(midi->stage.core);
    rcore_process(midi->stage.core, NULL, 0, outputs, STAGE_CHANNELS, nframes);
    const uint32_t count = rcore_midi_event_count(midi->stage.core, 0);
    // No driver reads what a cycle without frames leaves.
    for (uint32_t i = 0; nframes > 0 && i < count && midi->count < MIDI_STAGE_EVENTS; i++) {
        const rcore_midi_event_t event = rcore_midi_event_at(midi->stage.core, 0, i);
        midi_stage_event_t *sent = &midi->sent[midi->count++];
        EXPECT(event.offset < nframes);
        sent->frame = begin + event.offset;
        sent->size = event.size;
        memcpy(sent->bytes, event.bytes, event.size < sizeof sent->bytes ? event.size : sizeof sent->bytes);
    }
}

void midi_stage_render(midi_stage_t *midi, uint32_t nframes) {
    for (uint32_t done = 0; done < nframes; done += 256) {
        midi_stage_cycle(midi, 256);
    }
}

bool midi_stage_sent(const midi_stage_t *midi, uint32_t index, uint64_t frame, const uint8_t *bytes, uint32_t size) {
    const midi_stage_event_t *event = &midi->sent[index];
    return index < midi->count && event->frame == frame && event->size == size &&
           memcmp(event->bytes, bytes, size) == 0;
}
