/// A stage whose transport follows a MIDI clock at port 0.
#ifndef MIDI_CLOCK_STAGE_H
#define MIDI_CLOCK_STAGE_H

#include "transport_stage.h"

#include <string.h>

enum { MESSAGES = 8192, TRANSPORT_TARGET = 3, CLOCK = 0xF8, START = 0xFA, CONTINUE = 0xFB, STOP = 0xFC };

typedef struct clock_message {
    uint64_t frame;
    uint8_t bytes[3];
    uint32_t size;
} clock_message_t;

typedef struct clock_stage {
    stage_t stage;
    rcore_midi_input_t *input;
    /// What arrives, in the order of its frames.
    clock_message_t messages[MESSAGES];
    uint32_t count;
    uint32_t received;
} clock_stage_t;

static inline void route(clock_stage_t *scene, bool connects) {
    rcore_midi_routing_t *routing = rcore_midi_routing_create();
    expect_ok(rcore_midi_routing_add_input(routing, 0, scene->input));
    expect_ok(rcore_midi_routing_add_transport(routing, TRANSPORT_TARGET));
    if (connects) {
        // No channel: messages of the clock have none.
        expect_ok(rcore_midi_routing_connect(routing, 0, TRANSPORT_TARGET, 1));
    }
    expect_ok(rcore_post_midi_routing(scene->stage.core, routing));
}

/// Opens a stage whose transport follows the clock at port 0.
static inline clock_stage_t *clock_stage_open(void) {
    clock_stage_t *scene = calloc(1, sizeof *scene);
    scene->stage = stage_open(NULL);
    scene->input = rcore_midi_input_create(0, NULL);
    route(scene, true);
    expect_ok(rcore_post_transport_source(scene->stage.queue, RCORE_TRANSPORT_MIDI_CLOCK, RCORE_NOW));
    stage_render(&scene->stage, 100, 100);
    return scene;
}

static inline void clock_stage_close(clock_stage_t *scene) {
    stage_close(&scene->stage);
    rcore_midi_input_destroy(scene->input);
    free(scene);
}

static inline void add_bytes(clock_stage_t *scene, double frame, const uint8_t *bytes, uint32_t size) {
    clock_message_t message = {.frame = (uint64_t)(frame + 0.5), .size = size};
    memcpy(message.bytes, bytes, size);
    EXPECT(scene->count < MESSAGES);
    EXPECT(scene->count == 0 || scene->messages[scene->count - 1].frame <= message.frame);
    scene->messages[scene->count++] = message;
}

static inline void add(clock_stage_t *scene, double frame, uint8_t status) { add_bytes(scene, frame, &status, 1); }

static inline void add_song_position(clock_stage_t *scene, double frame, uint32_t sixteenths) {
    add_bytes(scene, frame, (uint8_t[]){0xF2, sixteenths & 127, (uint8_t)(sixteenths >> 7)}, 3);
}

/// Adds clocks at even distances. Returns the frame of the one that would come next.
static inline double add_clocks(clock_stage_t *scene, double frame, double interval, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        add(scene, frame + i * interval, CLOCK);
    }
    return frame + count * interval;
}

static inline rcore_transport_t position(const clock_stage_t *scene) { return rcore_read_transport(scene->stage.core); }

/// Renders one period with the messages that arrive in it.
static inline void cycle(clock_stage_t *scene, uint32_t nframes) {
    const uint64_t begin = scene->stage.nframes;
    while (scene->received < scene->count && scene->messages[scene->received].frame < begin + nframes) {
        const clock_message_t *message = &scene->messages[scene->received++];
        rcore_midi_receive(scene->stage.core, 0, (uint32_t)(message->frame - begin), message->bytes, message->size);
    }
    stage_render(&scene->stage, nframes, nframes);
}

/// Renders up to a frame in periods.
static inline rcore_transport_t render_to(clock_stage_t *scene, double frame, uint32_t period) {
    while (scene->stage.nframes < (uint64_t)frame) {
        const uint64_t left = (uint64_t)frame - scene->stage.nframes;
        cycle(scene, left < period ? (uint32_t)left : period);
    }
    return position(scene);
}

/// Posts impulses for a pass: `count` beats, every `step`, from `first` on.
static inline void play_beats(clock_stage_t *scene, const rcore_buffer_t *impulse, double first, double step,
                              uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        (void)play_impulse(&scene->stage, impulse, at_beat(&scene->stage, first + i * step));
    }
}

/// Expects impulses at these frames, or `tolerance` beside them.
static inline void expect_near(const clock_stage_t *scene, uint64_t from, const double *frames, uint32_t count,
                               double tolerance) {
    uint64_t found[64] = {0};
    EXPECT_EQUAL(find_impulses(&scene->stage, from, found, 64), count);
    for (uint32_t i = 0; i < count; i++) {
        EXPECT_NEAR((double)found[i], frames[i], tolerance);
    }
}

#endif
