// MIDI routings and outputs: messages reach their targets on their exact frames.
#include "expect.h"
#include "midi_stage.h"
#include "random.h"

#include <string.h>

static const uint8_t note[] = {0x90, 0x3C, 0x40};

static void receive(midi_stage_t *midi, uint32_t offset, const uint8_t *bytes, size_t size) {
    rcore_midi_receive(midi->stage.core, 0, offset, bytes, size);
}

static rcore_status_t post(midi_stage_t *midi, const uint8_t *bytes, uint32_t size, uint64_t when) {
    return rcore_post_midi(midi->stage.queue, MIDI_STAGE_TARGET, bytes, size, when);
}

TEST(received_messages_are_sent_on_their_frames) {
    midi_stage_t *midi = midi_stage_open(0, true);
    struct random random = random_seeded(1);
    uint64_t frames[1000];
    uint32_t count = 0;
    while (count < 1000) {
        const uint32_t nframes = 1 + random_below(&random, 700);
        uint32_t offset = 0;
        for (unsigned i = 0; i < 8 && count < 1000; i++) {
            offset += random_below(&random, nframes / 8 + 1);
            if (offset >= nframes) {
                break;
            }
            frames[count] = rcore_time(midi->stage.core) + offset;
            receive(midi, offset, (const uint8_t[]){0x90, (uint8_t)(count & 127), (uint8_t)(count >> 7)}, 3);
            count++;
        }
        midi_stage_cycle(midi, nframes);
    }
    EXPECT_EQUAL(midi->count, 1000);
    unsigned wrong = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        wrong +=
            !midi_stage_sent(midi, i, frames[i], (const uint8_t[]){0x90, (uint8_t)(i & 127), (uint8_t)(i >> 7)}, 3);
    }
    EXPECT_EQUAL(wrong, 0);
    midi_stage_close(midi);
}

TEST(posted_messages_are_sent_on_their_frames) {
    midi_stage_t *midi = midi_stage_open(0, false);
    midi_stage_cycle(midi, 100);
    EXPECT_EQUAL(post(midi, note, 3, 333), RCORE_OK);
    EXPECT_EQUAL(post(midi, note, 3, 100), RCORE_OK);
    EXPECT_EQUAL(post(midi, note, 2, RCORE_NOW), RCORE_OK);
    EXPECT_EQUAL(post(midi, note, 1, 299), RCORE_OK);
    midi_stage_cycle(midi, 200);
    midi_stage_cycle(midi, 200);
    EXPECT_EQUAL(midi->count, 4);
    EXPECT(midi_stage_sent(midi, 0, 100, note, 3));
    EXPECT(midi_stage_sent(midi, 1, 100, note, 2));
    EXPECT(midi_stage_sent(midi, 2, 299, note, 1));
    EXPECT(midi_stage_sent(midi, 3, 333, note, 3));
    EXPECT_EQUAL(rcore_read_counters(midi->stage.core).late_commands, 0);
    midi_stage_close(midi);
}

TEST(late_messages_are_sent_at_once_and_counted) {
    midi_stage_t *midi = midi_stage_open(0, false);
    midi_stage_cycle(midi, 100);
    EXPECT_EQUAL(post(midi, note, 3, 99), RCORE_OK);
    midi_stage_cycle(midi, 100);
    EXPECT(midi_stage_sent(midi, 0, 100, note, 3));
    EXPECT_EQUAL(rcore_read_counters(midi->stage.core).late_commands, 1);
    midi_stage_close(midi);
}

TEST(received_and_posted_messages_keep_their_order) {
    midi_stage_t *midi = midi_stage_open(0, true);
    EXPECT_EQUAL(post(midi, (const uint8_t[]){0xC0, 1}, 2, 50), RCORE_OK);
    midi_stage_cycle(midi, 10);
    receive(midi, 39, (const uint8_t[]){0xC0, 0}, 2);
    receive(midi, 40, (const uint8_t[]){0xC0, 2}, 2);
    receive(midi, 40, (const uint8_t[]){0xC0, 3}, 2);
    midi_stage_cycle(midi, 100);
    const uint64_t frames[] = {49, 50, 50, 50};
    for (uint8_t i = 0; i < 4; i++) {
        EXPECT(midi_stage_sent(midi, i, frames[i], (const uint8_t[]){0xC0, i}, 2));
    }
    midi_stage_close(midi);
}

TEST(exclusive_messages_are_sent_as_one_event) {
    midi_stage_t *midi = midi_stage_open(0, true);
    uint8_t bytes[30] = {0xF0};
    for (uint8_t i = 1; i < 29; i++) {
        bytes[i] = i;
    }
    bytes[29] = 0xF7;
    receive(midi, 11, bytes, sizeof bytes);
    midi_stage_cycle(midi, 64);
    EXPECT_EQUAL(midi->count, 1);
    EXPECT(midi_stage_sent(midi, 0, 11, bytes, 30));
    // Posted in a transaction; and received in two cycles, which makes two events.
    EXPECT_EQUAL(rcore_transaction_begin(midi->stage.queue), RCORE_OK);
    for (uint32_t i = 0; i < 30; i += RCORE_MIDI_BYTES) {
        EXPECT_EQUAL(post(midi, bytes + i, RCORE_MIDI_BYTES, 100), RCORE_OK);
    }
    EXPECT_EQUAL(rcore_transaction_commit(midi->stage.queue), RCORE_OK);
    midi_stage_cycle(midi, 64);
    EXPECT(midi_stage_sent(midi, 1, 100, bytes, 30));
    receive(midi, 60, bytes, 10);
    midi_stage_cycle(midi, 64);
    receive(midi, 5, bytes + 10, 20);
    midi_stage_cycle(midi, 64);
    EXPECT(midi_stage_sent(midi, 2, 188, bytes, 10));
    EXPECT(midi_stage_sent(midi, 3, 197, bytes + 10, 20));
    midi_stage_close(midi);
}

TEST(connections_pass_their_channels_and_all_system_messages) {
    midi_stage_t *midi = midi_stage_open(0, false);
    midi_stage_route(midi, 1u << 3 | 1u << 15);
    midi_stage_cycle(midi, 0);
    for (uint8_t channel = 0; channel < 16; channel++) {
        receive(midi, channel, (const uint8_t[]){(uint8_t)(0xD0 | channel), 5}, 2);
    }
    receive(midi, 20, (const uint8_t[]){0xF8}, 1);
    receive(midi, 21, (const uint8_t[]){0xF0, 1, 0xF7}, 3);
    midi_stage_cycle(midi, 64);
    EXPECT_EQUAL(midi->count, 4);
    EXPECT(midi_stage_sent(midi, 0, 3, (const uint8_t[]){0xD3, 5}, 2));
    EXPECT(midi_stage_sent(midi, 1, 15, (const uint8_t[]){0xDF, 5}, 2));
    EXPECT(midi_stage_sent(midi, 2, 20, (const uint8_t[]){0xF8}, 1));
    EXPECT(midi_stage_sent(midi, 3, 21, (const uint8_t[]){0xF0, 1, 0xF7}, 3));
    midi_stage_close(midi);
}

TEST(what_a_cycle_cannot_hold_is_dropped_and_counted) {
    midi_stage_t *midi = midi_stage_open(0, true);
    for (unsigned i = 0; i < 60; i++) { // 120 of 128 bytes
        receive(midi, i, (const uint8_t[]){0xC0, (uint8_t)i}, 2);
    }
    uint8_t exclusive[12] = {0xF0};
    exclusive[11] = 0xF7;
    receive(midi, 60, exclusive, 12); // 6 of 12 bytes
    receive(midi, 61, (const uint8_t[]){0xC0, 60}, 2);
    receive(midi, 62, (const uint8_t[]){0xC0, 61}, 2);
    midi_stage_cycle(midi, 64);
    EXPECT_EQUAL(midi->count, 62);
    EXPECT(midi_stage_sent(midi, 60, 60, exclusive, 6));
    EXPECT(midi_stage_sent(midi, 61, 61, (const uint8_t[]){0xC0, 60}, 2));
    EXPECT_EQUAL(rcore_midi_output_dropped(midi->output), 2);
    receive(midi, 0, exclusive, 12);
    midi_stage_cycle(midi, 64);
    EXPECT(midi_stage_sent(midi, 62, 64, exclusive, 12));
    midi_stage_close(midi);
}

/// Beside as many timed commands as the queues can have; an address sanitizer sees whether they all
/// have room.
TEST(a_cycle_takes_only_so_many_messages) {
    midi_stage_t *midi = midi_stage_open(0, true);
    rcore_status_t status = RCORE_OK;
    for (unsigned posted = 0; status == RCORE_OK && posted < 100000; posted++) {
        status = rcore_post_bus_gain(midi->stage.queue, 0, 1.0f, 0, 1000000);
        if (posted % 16 == 0) {
            midi_stage_cycle(midi, 64);
        }
    }
    EXPECT_EQUAL(status, RCORE_FULL);
    for (unsigned i = 0; i < RCORE_MAX_MIDI_EVENTS + 5; i++) {
        receive(midi, 0, (const uint8_t[]){0xF8}, 1);
    }
    EXPECT_EQUAL(rcore_read_counters(midi->stage.core).dropped_midi, 5);
    midi_stage_cycle(midi, 64);
    receive(midi, 0, (const uint8_t[]){0xF8}, 1);
    EXPECT_EQUAL(rcore_read_counters(midi->stage.core).dropped_midi, 5);
    midi_stage_close(midi);
}

/// INT-1: an output that belongs to a session is silenced with it, and sends no notes until the
/// session resumes.
TEST(an_interruption_silences_an_output) {
    midi_stage_t *midi = midi_stage_open(0, true);
    receive(midi, 0, (const uint8_t[]){0x93, 60, 100, 0x9A, 61, 100}, 6);
    midi_stage_cycle(midi, 64);
    midi->count = 0;
    stage_grant(&midi->stage, (sgate_grant_t){.paused = true, .ramp_ms = 5});
    midi_stage_render(midi, 1024);
    EXPECT_EQUAL(midi->count, 6);
    EXPECT(midi->sent[0].frame >= 64 + 240 && midi->sent[0].frame <= 64 + 240 + 256);
    const uint8_t expected[6][3] = {{0xB3, 120, 0}, {0xB3, 123, 0}, {0xB3, 121, 0},
                                    {0xBA, 120, 0}, {0xBA, 123, 0}, {0xBA, 121, 0}};
    for (uint32_t i = 0; i < 6 && i < midi->count; i++) {
        EXPECT(midi_stage_sent(midi, i, midi->sent[0].frame, expected[i], 3));
    }
    midi->count = 0;
    receive(midi, 0, (const uint8_t[]){0x93, 62, 100, 0xF8}, 4);
    EXPECT_EQUAL(post(midi, note, 3, RCORE_NOW), RCORE_OK);
    midi_stage_cycle(midi, 64);
    EXPECT(midi->count == 1 && midi->sent[0].bytes[0] == 0xF8);
    midi->count = 0;
    stage_grant(&midi->stage, (sgate_grant_t){.ramp_ms = 5});
    receive(midi, 0, note, 3);
    midi_stage_cycle(midi, 64);
    EXPECT(midi->count == 1 && midi->sent[0].bytes[0] == 0x90);
    midi_stage_close(midi);
}

// Returns whether the event with this index is the beginning of a silence of channel 0.
static bool silences(const midi_stage_t *midi, uint32_t index) {
    return index < midi->count && memcmp(midi->sent[index].bytes, (const uint8_t[]){0xB0, 120, 0}, 3) == 0;
}

/// INT-1: a note-off that falls into a short interruption is made up for.
TEST(a_note_off_in_an_interruption_is_not_lost) {
    midi_stage_t *midi = midi_stage_open(0, true);
    receive(midi, 0, note, 3);
    midi_stage_cycle(midi, 1024);
    stage_grant(&midi->stage, (sgate_grant_t){.paused = true, .ramp_ms = 5});
    receive(midi, 500, (const uint8_t[]){0x80, 0x3C, 0}, 3); // the fade has 240 frames
    midi_stage_cycle(midi, 1024);
    EXPECT_EQUAL(midi->count, 1);
    stage_grant(&midi->stage, (sgate_grant_t){.ramp_ms = 5});
    receive(midi, 5, note, 3);
    midi_stage_cycle(midi, 1024);
    EXPECT_EQUAL(midi->count, 5);
    EXPECT(silences(midi, 1) && midi->sent[1].frame == 2048);
    EXPECT(midi_stage_sent(midi, 4, 2053, note, 3));
    midi_stage_close(midi);
}

/// A cycle without frames sends nothing: the next one does.
TEST(a_silence_waits_for_frames) {
    midi_stage_t *midi = midi_stage_open(0, true);
    receive(midi, 0, note, 3);
    midi_stage_cycle(midi, 64);
    rcore_silence_midi_outputs(midi->stage.core);
    midi_stage_cycle(midi, 0);
    midi_stage_cycle(midi, 64);
    EXPECT_EQUAL(midi->count, 4);
    EXPECT(silences(midi, 1));
    rcore_silence_midi_outputs(midi->stage.core);
    midi_stage_cycle(midi, 64);
    EXPECT_EQUAL(midi->count, 4); // nothing sounds
    receive(midi, 0, note, 3);
    midi_stage_cycle(midi, 64);
    stage_grant(&midi->stage, (sgate_grant_t){.paused = true});
    midi_stage_cycle(midi, 0);
    midi_stage_cycle(midi, 0);
    midi_stage_cycle(midi, 64);
    midi_stage_cycle(midi, 64);
    EXPECT_EQUAL(midi->count, 8);
    EXPECT(silences(midi, 5));
    midi_stage_close(midi);
}

TEST(real_time_messages_do_not_divide_an_exclusive_message) {
    midi_stage_t *midi = midi_stage_open(0, true);
    receive(midi, 7, (const uint8_t[]){0xF0, 1, 2, 0xF8, 3, 0xFA, 0xF7}, 7);
    midi_stage_cycle(midi, 64);
    EXPECT_EQUAL(midi->count, 3);
    EXPECT(midi_stage_sent(midi, 0, 7, (const uint8_t[]){0xF8}, 1));
    EXPECT(midi_stage_sent(midi, 1, 7, (const uint8_t[]){0xFA}, 1));
    EXPECT(midi_stage_sent(midi, 2, 7, (const uint8_t[]){0xF0, 1, 2, 3, 0xF7}, 5));
    // Continued in the next cycle, at the frame of a clock.
    receive(midi, 60, (const uint8_t[]){0xF0, 4}, 2);
    midi_stage_cycle(midi, 64);
    receive(midi, 9, (const uint8_t[]){0xF8, 5, 0xF7}, 3);
    midi_stage_cycle(midi, 64);
    EXPECT(midi_stage_sent(midi, 3, 124, (const uint8_t[]){0xF0, 4}, 2));
    EXPECT(midi_stage_sent(midi, 4, 137, (const uint8_t[]){0xF8}, 1));
    EXPECT(midi_stage_sent(midi, 5, 137, (const uint8_t[]){5, 0xF7}, 2));
    midi_stage_close(midi);
}

TEST(the_rest_of_an_exclusive_message_that_was_ended_is_dropped) {
    midi_stage_t *midi = midi_stage_open(0, true);
    receive(midi, 0, (const uint8_t[]){0xF0, 1, 2}, 3);
    EXPECT_EQUAL(post(midi, note, 3, 5), RCORE_OK);
    midi_stage_cycle(midi, 64);
    receive(midi, 0, (const uint8_t[]){3, 0xF7}, 2);
    midi_stage_cycle(midi, 64);
    EXPECT_EQUAL(midi->count, 2);
    EXPECT_EQUAL(rcore_midi_output_dropped(midi->output), 1);
    midi_stage_close(midi);
}

TEST(messages_to_removed_targets_are_ignored) {
    midi_stage_t *midi = midi_stage_open(0, true);
    receive(midi, 0, note, 3);
    midi_stage_cycle(midi, 64);
    EXPECT_EQUAL(post(midi, note, 3, 100), RCORE_OK);
    rcore_midi_routing_t *empty = rcore_midi_routing_create();
    EXPECT_EQUAL(rcore_post_midi_routing(midi->stage.core, empty), RCORE_OK);
    midi_stage_cycle(midi, 64);
    EXPECT_EQUAL(midi->count, 1);
    EXPECT_EQUAL(rcore_midi_event_count(midi->stage.core, 0), 0);
    // Added again, the output does not repeat what it sent before.
    midi_stage_route(midi, RCORE_MIDI_ALL_CHANNELS);
    midi_stage_cycle(midi, 64);
    EXPECT_EQUAL(midi->count, 1);
    midi_stage_close(midi);
}

TEST(replaced_routings_are_freed) {
    midi_stage_t *midi = midi_stage_open(0, true);
    EXPECT_EQUAL(rcore_collect_midi_routings(midi->stage.core), 1);
    for (unsigned i = 0; i < 10; i++) {
        midi_stage_route(midi, 1);
    }
    EXPECT_EQUAL(rcore_collect_midi_routings(midi->stage.core), 11);
    midi_stage_cycle(midi, 0);
    EXPECT_EQUAL(rcore_collect_midi_routings(midi->stage.core), 1);
    midi_stage_close(midi);
}

/// A routing is in use for what is received, and for what is posted, from the next cycle on.
TEST(a_routing_applies_at_once) {
    midi_stage_t *midi = midi_stage_open(0, false);
    midi_stage_route(midi, RCORE_MIDI_ALL_CHANNELS);
    receive(midi, 5, note, 3);
    midi_stage_cycle(midi, 64);
    EXPECT(midi_stage_sent(midi, 0, 5, note, 3));
    EXPECT_EQUAL(rcore_collect_midi_routings(midi->stage.core), 1);
    midi_stage_close(midi);
}

TEST(without_frames_an_output_sends_nothing) {
    midi_stage_t *midi = midi_stage_open(0, true);
    EXPECT_EQUAL(post(midi, note, 3, RCORE_NOW), RCORE_OK);
    midi_stage_cycle(midi, 0);
    midi_stage_cycle(midi, 64);
    EXPECT_EQUAL(midi->count, 0);
    midi_stage_close(midi);
}

TEST(arguments_are_checked) {
    midi_stage_t *midi = midi_stage_open(0, true);
    rcore_status_t status;
    EXPECT(rcore_midi_output_create(63, 0, &status) == NULL && status == RCORE_BAD_ARGUMENT);
    EXPECT(rcore_midi_output_create((1u << 20) + 1, 0, &status) == NULL && status == RCORE_BAD_ARGUMENT);
    rcore_midi_output_destroy(NULL);
    rcore_midi_routing_destroy(NULL);
    rcore_midi_routing_t *routing = rcore_midi_routing_create();
    EXPECT_EQUAL(rcore_midi_routing_add_input(routing, RCORE_MAX_MIDI_PORTS, midi->input), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_midi_routing_add_input(routing, 0, NULL), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_midi_routing_add_input(routing, 2, midi->input), RCORE_OK);
    EXPECT_EQUAL(rcore_midi_routing_add_input(routing, 2, midi->input), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_midi_routing_add_output(routing, 1, RCORE_MAX_MIDI_PORTS, midi->output), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_midi_routing_add_output(routing, 1, 0, NULL), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_midi_routing_add_output(routing, 1, 0, midi->output), RCORE_OK);
    EXPECT_EQUAL(rcore_midi_routing_add_output(routing, 2, 0, midi->output), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_midi_routing_add_output(routing, 2, 1, midi->output), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_midi_routing_add_instrument(routing, 2, NULL), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_midi_routing_connect(routing, 0, 1, 1), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_midi_routing_connect(routing, 2, 9, 1), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_midi_routing_connect(routing, 2, 1, 0x10000), RCORE_BAD_ARGUMENT);
    for (unsigned i = 0; i < RCORE_MAX_MIDI_CONNECTIONS; i++) {
        EXPECT_EQUAL(rcore_midi_routing_connect(routing, 2, 1, 1), RCORE_OK);
    }
    EXPECT_EQUAL(rcore_midi_routing_connect(routing, 2, 1, 1), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_midi_routing(midi->stage.core, routing), RCORE_OK);
    EXPECT_EQUAL(rcore_post_midi_routing(midi->stage.core, routing), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_midi_routing(midi->stage.core, NULL), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(post(midi, note, 0, 0), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(post(midi, note, RCORE_MIDI_BYTES + 1, 0), RCORE_BAD_ARGUMENT);
    midi_stage_close(midi);
}

int main(void) {
    RUN(received_messages_are_sent_on_their_frames);
    RUN(posted_messages_are_sent_on_their_frames);
    RUN(late_messages_are_sent_at_once_and_counted);
    RUN(received_and_posted_messages_keep_their_order);
    RUN(exclusive_messages_are_sent_as_one_event);
    RUN(connections_pass_their_channels_and_all_system_messages);
    RUN(what_a_cycle_cannot_hold_is_dropped_and_counted);
    RUN(a_cycle_takes_only_so_many_messages);
    RUN(an_interruption_silences_an_output);
    RUN(a_note_off_in_an_interruption_is_not_lost);
    RUN(a_silence_waits_for_frames);
    RUN(real_time_messages_do_not_divide_an_exclusive_message);
    RUN(the_rest_of_an_exclusive_message_that_was_ended_is_dropped);
    RUN(messages_to_removed_targets_are_ignored);
    RUN(replaced_routings_are_freed);
    RUN(a_routing_applies_at_once);
    RUN(without_frames_an_output_sends_nothing);
    RUN(arguments_are_checked);
    return test_result();
}
