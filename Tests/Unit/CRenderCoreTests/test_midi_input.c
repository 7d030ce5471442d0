// MIDI inputs: bytes become messages, with their frames, and are recorded.
#include "expect.h"
#include "midi_stage.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 4096 };

static void receive(midi_stage_t *midi, uint32_t offset, const uint8_t *bytes, size_t size) {
    rcore_midi_receive(midi->stage.core, 0, offset, bytes, size);
}

// Writes everything that the input has recorded, as "frame:bytes " in hexadecimal.
static void describe(midi_stage_t *midi, char *text) {
    rcore_midi_message_t message;
    int length = 0;
    text[0] = 0;
    while (rcore_midi_input_next(midi->input, &message) && length < TEXT - 64) {
        length += sprintf(text + length, "%llu:", (unsigned long long)message.frame);
        for (uint32_t i = 0; i < message.size; i++) {
            length += sprintf(text + length, "%02X", message.bytes[i]);
        }
        length += sprintf(text + length, " ");
    }
}

// Receives the bytes in one call, or in two, and compares what is recorded. Segments of
// system-exclusive messages depend on the calls, so that their bytes are compared.
static void expect_messages(const uint8_t *bytes, size_t size, const char *expected) {
    for (size_t split = 0; split < size; split++) {
        midi_stage_t *midi = midi_stage_open(64, false);
        if (split > 0) {
            receive(midi, 0, bytes, split);
        }
        receive(midi, 0, bytes + split, size - split);
        char text[TEXT];
        describe(midi, text);
        EXPECT(strcmp(text, expected) == 0);
        if (strcmp(text, expected) != 0) {
            fprintf(stderr, "split at %zu: %s instead of %s\n", split, text, expected);
        }
        midi_stage_close(midi);
    }
}

#define EXPECT_MESSAGES(expected, ...)                                                                                 \
    do {                                                                                                               \
        const uint8_t bytes[] = {__VA_ARGS__};                                                                         \
        expect_messages(bytes, sizeof bytes, expected);                                                                \
    } while (0)

TEST(bytes_are_split_into_messages) {
    EXPECT_MESSAGES("0:903C40 0:803C00 ", 0x90, 0x3C, 0x40, 0x80, 0x3C, 0x00);
    EXPECT_MESSAGES("0:C105 0:D17F 0:E10040 ", 0xC1, 0x05, 0xD1, 0x7F, 0xE1, 0x00, 0x40);
    EXPECT_MESSAGES("0:F123 0:F20102 0:F305 0:F6 ", 0xF1, 0x23, 0xF2, 0x01, 0x02, 0xF3, 0x05, 0xF6);
    EXPECT_MESSAGES("0:F8 0:FA 0:FB 0:FC 0:FE 0:FF ", 0xF8, 0xFA, 0xFB, 0xFC, 0xFE, 0xFF);
}

TEST(running_status_repeats_the_last_channel_status) {
    EXPECT_MESSAGES("0:903C40 0:903E41 0:903C00 ", 0x90, 0x3C, 0x40, 0x3E, 0x41, 0x3C, 0x00);
    EXPECT_MESSAGES("0:C005 0:C006 ", 0xC0, 0x05, 0x06);
    // A system common message ends it, a real-time message does not.
    EXPECT_MESSAGES("0:903C40 0:F6 ", 0x90, 0x3C, 0x40, 0xF6, 0x3E, 0x41);
    EXPECT_MESSAGES("0:903C40 0:F8 0:903E41 ", 0x90, 0x3C, 0x40, 0xF8, 0x3E, 0x41);
}

TEST(real_time_messages_interrupt_no_message) { EXPECT_MESSAGES("0:F8 0:FA 0:903C40 ", 0x90, 0xF8, 0x3C, 0xFA, 0x40); }

TEST(incomplete_and_undefined_bytes_are_ignored) {
    EXPECT_MESSAGES("0:803C00 ", 0x90, 0x3C, 0x80, 0x3C, 0x00);
    EXPECT_MESSAGES("0:F8 ", 0x01, 0x02, 0xF8, 0x7F);
    EXPECT_MESSAGES("0:903C40 0:903D41 ", 0x90, 0x3C, 0x40, 0xF9, 0xFD, 0x3D, 0x41);
    EXPECT_MESSAGES("", 0xF4, 0xF5, 0x10, 0xF7);
}

// The bytes of all segments of system-exclusive messages, joined.
static size_t join(midi_stage_t *midi, uint8_t *joined, unsigned *others) {
    rcore_midi_message_t message;
    size_t size = 0;
    while (rcore_midi_input_next(midi->input, &message)) {
        if (message.bytes[0] < 0x80 || message.bytes[0] == 0xF0 || message.bytes[0] == 0xF7) {
            memcpy(joined + size, message.bytes, message.size);
            size += message.size;
        } else {
            *others += 1;
        }
    }
    return size;
}

TEST(exclusive_messages_of_any_length_are_recorded_whole) {
    for (size_t length = 0; length < 40; length++) {
        for (size_t split = 1; split < length + 2; split++) {
            midi_stage_t *midi = midi_stage_open(64, false);
            uint8_t bytes[64] = {0xF0}, joined[64];
            unsigned others = 0;
            for (size_t i = 0; i < length; i++) {
                bytes[1 + i] = (uint8_t)i;
            }
            bytes[length + 1] = 0xF7;
            receive(midi, 0, bytes, split);
            receive(midi, 0, (const uint8_t[]){0xF8}, 1);
            receive(midi, 0, bytes + split, length + 2 - split);
            EXPECT_EQUAL(join(midi, joined, &others), length + 2);
            EXPECT(memcmp(joined, bytes, length + 2) == 0);
            EXPECT_EQUAL(others, 1);
            midi_stage_close(midi);
        }
    }
}

TEST(another_status_ends_an_exclusive_message) {
    midi_stage_t *midi = midi_stage_open(64, false);
    char text[TEXT];
    receive(midi, 3, (const uint8_t[]){0xF0, 0x01, 0x90, 0x3C, 0x40, 0x02, 0x03, 0xF7, 0x04, 0x05}, 10);
    describe(midi, text);
    // 0xF7 ends the message that was interrupted, of which nothing is left, and the running status.
    EXPECT(strcmp(text, "3:F001 3:903C40 3:900203 ") == 0);
    midi_stage_close(midi);
}

TEST(messages_have_the_frames_of_their_events) {
    midi_stage_t *midi = midi_stage_open(64, false);
    char text[TEXT];
    midi_stage_cycle(midi, 100);
    receive(midi, 0, (const uint8_t[]){0x90, 0x3C}, 2);
    receive(midi, 99, (const uint8_t[]){0x40}, 1);
    midi_stage_cycle(midi, 100);
    receive(midi, 7, (const uint8_t[]){0x3C, 0x00}, 2);
    describe(midi, text);
    EXPECT(strcmp(text, "199:903C40 207:903C00 ") == 0);
    midi_stage_close(midi);
}

/// A message that is recorded wakes the thread that waits for work, in the cycle of its arrival.
TEST(a_recorded_message_is_work) {
    midi_stage_t *midi = midi_stage_open(64, false);
    while (rcore_try_wait(midi->stage.core)) {
    }
    midi_stage_cycle(midi, 64);
    EXPECT(!rcore_try_wait(midi->stage.core));
    receive(midi, 0, (const uint8_t[]){0xF8}, 1);
    midi_stage_cycle(midi, 64);
    EXPECT(rcore_try_wait(midi->stage.core));
    midi_stage_close(midi);
}

TEST(messages_beyond_the_capacity_are_dropped_and_counted) {
    midi_stage_t *midi = midi_stage_open(4, false);
    char text[TEXT];
    for (uint8_t key = 0; key < 6; key++) {
        receive(midi, 0, (const uint8_t[]){0x90, key, 0x40}, 3);
    }
    EXPECT_EQUAL(rcore_midi_input_dropped(midi->input), 2);
    describe(midi, text);
    EXPECT(strcmp(text, "0:900040 0:900140 0:900240 0:900340 ") == 0);
    // Of an exclusive message that does not fit, nothing follows what was lost.
    receive(midi, 0, (const uint8_t[]){0xF8}, 1);
    receive(midi, 0, (const uint8_t[]){0xF8}, 1);
    receive(midi, 0, (const uint8_t[]){0xF8}, 1);
    uint8_t exclusive[32] = {0xF0};
    exclusive[29] = 0xF7;
    receive(midi, 0, exclusive, 20);
    describe(midi, text);
    EXPECT(strcmp(text, "0:F8 0:F8 0:F8 0:F00000000000 ") == 0);
    receive(midi, 0, exclusive + 20, 10);
    receive(midi, 0, (const uint8_t[]){0xF0, 0x01, 0xF7}, 3);
    describe(midi, text);
    EXPECT(strcmp(text, "0:F001F7 ") == 0);
    EXPECT_EQUAL(rcore_midi_input_dropped(midi->input), 3);
    midi_stage_close(midi);
}

TEST(recording_can_be_turned_off) {
    midi_stage_t *midi = midi_stage_open(8, false);
    rcore_midi_message_t message;
    rcore_midi_input_record(midi->input, false);
    while (rcore_try_wait(midi->stage.core)) {
    }
    receive(midi, 0, (const uint8_t[]){0xF8}, 1);
    midi_stage_cycle(midi, 64);
    EXPECT(!rcore_midi_input_next(midi->input, &message) && !rcore_try_wait(midi->stage.core));
    rcore_midi_input_record(midi->input, true);
    receive(midi, 0, (const uint8_t[]){0xF8}, 1);
    EXPECT(rcore_midi_input_next(midi->input, &message));
    midi_stage_close(midi);
}

TEST(an_input_without_a_capacity_records_nothing) {
    midi_stage_t *midi = midi_stage_open(0, true);
    rcore_midi_message_t message;
    receive(midi, 5, (const uint8_t[]){0x90, 0x3C, 0x40}, 3);
    midi_stage_cycle(midi, 64);
    EXPECT(!rcore_midi_input_next(midi->input, &message));
    EXPECT_EQUAL(rcore_midi_input_dropped(midi->input), 0);
    EXPECT(midi_stage_sent(midi, 0, 5, (const uint8_t[]){0x90, 0x3C, 0x40}, 3));
    midi_stage_close(midi);
}

TEST(ports_without_an_input_are_ignored) {
    midi_stage_t *midi = midi_stage_open(8, true);
    rcore_midi_message_t message;
    rcore_midi_receive(midi->stage.core, 1, 0, (const uint8_t[]){0xF8}, 1);
    rcore_midi_receive(midi->stage.core, RCORE_MAX_MIDI_PORTS, 0, (const uint8_t[]){0xF8}, 1);
    rcore_midi_receive(midi->stage.core, UINT32_MAX, 0, (const uint8_t[]){0xF8}, 1);
    midi_stage_cycle(midi, 64);
    EXPECT(!rcore_midi_input_next(midi->input, &message) && midi->count == 0);
    midi_stage_close(midi);
}

TEST(arguments_of_inputs_are_checked) {
    rcore_status_t status;
    EXPECT(rcore_midi_input_create((1u << 20) + 1, &status) == NULL && status == RCORE_BAD_ARGUMENT);
    rcore_midi_input_destroy(NULL);
}

int main(void) {
    RUN(bytes_are_split_into_messages);
    RUN(running_status_repeats_the_last_channel_status);
    RUN(real_time_messages_interrupt_no_message);
    RUN(incomplete_and_undefined_bytes_are_ignored);
    RUN(exclusive_messages_of_any_length_are_recorded_whole);
    RUN(another_status_ends_an_exclusive_message);
    RUN(messages_have_the_frames_of_their_events);
    RUN(a_recorded_message_is_work);
    RUN(messages_beyond_the_capacity_are_dropped_and_counted);
    RUN(recording_can_be_turned_off);
    RUN(an_input_without_a_capacity_records_nothing);
    RUN(ports_without_an_input_are_ignored);
    RUN(arguments_of_inputs_are_checked);
    return test_result();
}
