/// A stage with a MIDI routing: input port 0, and output port 0, which belongs to the session.
#ifndef MIDI_STAGE_H
#define MIDI_STAGE_H

#include "stage.h"

enum { MIDI_STAGE_EVENTS = 4096, MIDI_STAGE_TARGET = 7 };

/// An event of the output, with its frame of `rcore_time`.
typedef struct midi_stage_event {
    uint64_t frame;
    uint32_t size;
    uint8_t bytes[32];
} midi_stage_event_t;

typedef struct midi_stage {
    stage_t stage;
    rcore_midi_input_t *input;
    rcore_midi_output_t *output;
    /// Everything that the output has sent so far.
    midi_stage_event_t sent[MIDI_STAGE_EVENTS];
    uint32_t count;
} midi_stage_t;

/// Opens a stage whose input records up to `capacity` messages. With `connected`, the input is
/// connected to the output (target MIDI_STAGE_TARGET). The caller closes and frees it.
midi_stage_t *midi_stage_open(uint32_t capacity, bool connected);
void midi_stage_close(midi_stage_t *midi);
/// Posts a routing with the input and the output, connected for the channels of the mask (0: not
/// connected).
void midi_stage_route(midi_stage_t *midi, uint32_t channels);
/// Renders one period, and collects what the output has sent.
void midi_stage_cycle(midi_stage_t *midi, uint32_t nframes);
/// Renders at least `nframes` frames in periods of 256.
void midi_stage_render(midi_stage_t *midi, uint32_t nframes);
/// Returns whether the event with this index has these bytes, at this frame.
bool midi_stage_sent(const midi_stage_t *midi, uint32_t index, uint64_t frame, const uint8_t *bytes, uint32_t size);

#endif
