// The FIFO of audio frames.
#include "expect.h"
#include "rcore_fifo.h"

#include <pthread.h>
#include <sched.h>

static rcore_fifo_t *fifo_of(uint32_t channels, uint32_t capacity) {
    rcore_status_t status = RCORE_FULL;
    rcore_fifo_t *fifo = rcore_fifo_create(channels, capacity, &status);
    EXPECT_EQUAL(status, RCORE_OK);
    if (fifo == NULL) {
        abort();
    }
    return fifo;
}

TEST(holds_at_least_what_was_asked) {
    const uint32_t asked[] = {1, 2, 3, 64, 65, 1000, 48000};
    for (unsigned i = 0; i < 7; i++) {
        rcore_fifo_t *fifo = fifo_of(2, asked[i]);
        const uint32_t capacity = rcore_fifo_capacity(fifo);
        EXPECT(capacity >= asked[i]);
        EXPECT_EQUAL(capacity & (capacity - 1), 0);
        EXPECT_EQUAL(rcore_fifo_channels(fifo), 2);
        EXPECT_EQUAL(rcore_fifo_writable(fifo), capacity);
        EXPECT_EQUAL(rcore_fifo_readable(fifo), 0);
        EXPECT(!rcore_fifo_drained(fifo));
        rcore_fifo_destroy(fifo);
    }
    rcore_fifo_destroy(NULL);
}

static void expect_refused(uint32_t channels, uint32_t capacity) {
    rcore_status_t status = RCORE_OK;
    EXPECT(rcore_fifo_create(channels, capacity, &status) == NULL);
    EXPECT_EQUAL(status, RCORE_BAD_ARGUMENT);
    EXPECT(rcore_fifo_create(channels, capacity, NULL) == NULL);
}

TEST(refuses_what_is_out_of_range) {
    expect_refused(0, 64);
    expect_refused(RCORE_MAX_CHANNELS + 1, 64);
    expect_refused(1, 0);
    expect_refused(1, (1u << 28) + 1);
    expect_refused(1, UINT32_MAX);
}

TEST(transfers_are_all_or_nothing) {
    rcore_fifo_t *fifo = fifo_of(1, 8);
    const uint32_t capacity = rcore_fifo_capacity(fifo);
    float in[64], out[64];
    for (unsigned i = 0; i < 64; i++) {
        in[i] = (float)i;
        out[i] = -1;
    }
    EXPECT(rcore_fifo_write_interleaved(fifo, in, capacity - 2));
    EXPECT(!rcore_fifo_write_interleaved(fifo, in, 3));
    EXPECT_EQUAL(rcore_fifo_overrun_count(fifo), 1);
    EXPECT_EQUAL(rcore_fifo_readable(fifo), capacity - 2);
    EXPECT(rcore_fifo_write_interleaved(fifo, in + capacity - 2, 2));
    EXPECT_EQUAL(rcore_fifo_writable(fifo), 0);
    EXPECT(!rcore_fifo_write_interleaved(fifo, in, 1));
    // Zero frames always fit.
    EXPECT(rcore_fifo_write_interleaved(fifo, in, 0));

    EXPECT(!rcore_fifo_read_interleaved(fifo, out, capacity + 1));
    EXPECT_NEAR(out[0], -1, 0);
    EXPECT(rcore_fifo_read_interleaved(fifo, out, capacity));
    for (unsigned i = 0; i < capacity; i++) {
        EXPECT_NEAR(out[i], i, 0);
    }
    EXPECT_EQUAL(rcore_fifo_readable(fifo), 0);
    rcore_fifo_destroy(fifo);
}

/// Chunks of every size cross the end of the ring, interleaved and planar, and are read in order.
TEST(wraps_around) {
    enum { channels = 3 };
    rcore_fifo_t *fifo = fifo_of(channels, 16);
    const uint32_t capacity = rcore_fifo_capacity(fifo);
    uint32_t written = 0, read = 0;
    for (uint32_t turn = 0; turn < 2000; turn++) {
        const uint32_t count = 1 + turn * 7 % capacity;
        float frames[64 * channels], planes[channels][64];
        const float *pointers[channels] = {planes[0], planes[1], planes[2]};
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t c = 0; c < channels; c++) {
                frames[i * channels + c] = planes[c][i] = (float)((written + i) * channels + c);
            }
        }
        const bool fits = rcore_fifo_writable(fifo) >= count;
        EXPECT_EQUAL(turn % 2 ? rcore_fifo_write(fifo, pointers, count)
                              : rcore_fifo_write_interleaved(fifo, frames, count),
                     fits);
        written += fits ? count : 0;

        const uint32_t wanted = 1 + turn * 5 % capacity;
        if (rcore_fifo_read_interleaved(fifo, frames, wanted)) {
            for (uint32_t i = 0; i < wanted * channels; i++) {
                EXPECT_NEAR(frames[i], read * channels + i, 0);
            }
            read += wanted;
        }
        EXPECT_EQUAL(rcore_fifo_readable(fifo), written - read);
    }
    EXPECT(read > 5000);
    rcore_fifo_destroy(fifo);
}

TEST(peeks_without_taking) {
    rcore_fifo_t *fifo = fifo_of(2, 8);
    const uint32_t capacity = rcore_fifo_capacity(fifo);
    float frames[128];
    const float *samples = NULL;
    EXPECT_EQUAL(rcore_fifo_peek(fifo, 0, 0, 4, &samples), 0);

    // Advance by three quarters, so that the contents wrap around the end of the ring.
    for (unsigned i = 0; i < 128; i++) {
        frames[i] = 0;
    }
    EXPECT(rcore_fifo_write_interleaved(fifo, frames, capacity * 3 / 4));
    rcore_fifo_consume(fifo, capacity * 3 / 4);
    for (unsigned i = 0; i < capacity * 2; i++) {
        frames[i] = (float)(i + 1);
    }
    EXPECT(rcore_fifo_write_interleaved(fifo, frames, capacity));
    for (uint32_t channel = 0; channel < 2; channel++) {
        for (uint32_t offset = 0; offset < capacity;) {
            const uint32_t count = rcore_fifo_peek(fifo, channel, offset, capacity - offset, &samples);
            EXPECT(count > 0 && count <= capacity - offset);
            if (count == 0) {
                break;
            }
            for (uint32_t i = 0; i < count; i++) {
                EXPECT_NEAR(samples[i], (offset + i) * 2 + channel + 1, 0);
            }
            offset += count;
        }
    }
    EXPECT_EQUAL(rcore_fifo_peek(fifo, 0, capacity, 1, &samples), 0);
    // Not more than requested.
    EXPECT_EQUAL(rcore_fifo_peek(fifo, 0, 0, 1, &samples), 1);
    EXPECT_EQUAL(rcore_fifo_readable(fifo), capacity);
    rcore_fifo_consume(fifo, capacity + 100); // at most the readable frames
    EXPECT_EQUAL(rcore_fifo_readable(fifo), 0);
    EXPECT_EQUAL(rcore_fifo_writable(fifo), capacity);
    rcore_fifo_destroy(fifo);
}

TEST(silences_and_counts_what_is_no_number) {
    rcore_fifo_t *fifo = fifo_of(2, 8);
    const float frames[] = {NAN, 1, 2, -INFINITY}, plane[] = {INFINITY, 3};
    const float *planes[] = {plane, NULL};
    float out[8];
    EXPECT(rcore_fifo_write_interleaved(fifo, frames, 2));
    EXPECT(rcore_fifo_write(fifo, planes, 2));
    EXPECT_EQUAL(rcore_fifo_nonfinite_count(fifo), 3);
    EXPECT(rcore_fifo_read_interleaved(fifo, out, 4));
    const float expected[] = {0, 1, 2, 0, 0, 0, 3, 0};
    for (unsigned i = 0; i < 8; i++) {
        EXPECT_NEAR(out[i], expected[i], 0);
    }
    rcore_fifo_destroy(fifo);
}

TEST(an_empty_ring_is_drained_only_once_finished) {
    rcore_fifo_t *fifo = fifo_of(1, 8);
    const float frames[] = {1, 2};
    float out[2];
    EXPECT(rcore_fifo_write_interleaved(fifo, frames, 2));
    rcore_fifo_finish(fifo);
    EXPECT(!rcore_fifo_drained(fifo));
    // Finished: no further frames are accepted.
    EXPECT(!rcore_fifo_write_interleaved(fifo, frames, 1));
    EXPECT_EQUAL(rcore_fifo_readable(fifo), 2);
    EXPECT(rcore_fifo_read_interleaved(fifo, out, 2));
    EXPECT(rcore_fifo_drained(fifo));
    rcore_fifo_destroy(fifo);
}

enum { total = 1000000, segment = 61 };

static void *produce(void *argument) {
    float frames[segment * 2];
    for (uint32_t written = 0; written < total;) {
        const uint32_t count = total - written < segment ? total - written : segment;
        for (uint32_t i = 0; i < count; i++) {
            frames[i * 2] = (float)(written + i);
            frames[i * 2 + 1] = -(float)(written + i);
        }
        while (!rcore_fifo_write_interleaved(argument, frames, count)) {
            sched_yield();
        }
        written += count;
    }
    rcore_fifo_finish(argument);
    return NULL;
}

TEST(a_million_frames_cross_between_threads) {
    rcore_fifo_t *fifo = fifo_of(2, 1024);
    pthread_t producer;
    EXPECT_EQUAL(pthread_create(&producer, NULL, produce, fifo), 0);
    uint32_t next = 0, wrong = 0, turn = 0;
    float frames[128];
    while (!rcore_fifo_drained(fifo)) {
        uint32_t count = rcore_fifo_readable(fifo);
        count = count > 64 ? 1 + turn++ % 64 : count;
        if (count == 0) {
            sched_yield();
            continue;
        }
        wrong += !rcore_fifo_read_interleaved(fifo, frames, count);
        for (uint32_t i = 0; i < count; i++, next++) {
            wrong += frames[i * 2] != (float)next || frames[i * 2 + 1] != -(float)next;
        }
    }
    pthread_join(producer, NULL);
    EXPECT_EQUAL(next, total);
    EXPECT_EQUAL(wrong, 0);
    rcore_fifo_destroy(fifo);
}

/// A ring is low once a quarter is free and not all has been written, and is filling once half of
/// it is filled, whatever its size.
TEST(shows_when_it_is_time_to_write_and_to_read) {
    static const float frames[1024] = {0.0f};
    for (uint32_t capacity = 1; capacity <= 1024; capacity *= 2) {
        rcore_fifo_t *fifo = fifo_of(1, capacity);
        for (uint32_t filled = 0; filled <= capacity; filled++) {
            EXPECT_EQUAL(rcore_fifo_is_low(fifo), (capacity - filled) * 4 >= capacity);
            EXPECT_EQUAL(rcore_fifo_is_filling(fifo), filled * 2 >= capacity);
            (void)rcore_fifo_write_interleaved(fifo, frames, filled < capacity ? 1 : 0);
        }
        rcore_fifo_consume(fifo, capacity);
        EXPECT(rcore_fifo_is_low(fifo));
        rcore_fifo_finish(fifo);
        EXPECT(!rcore_fifo_is_low(fifo));
        rcore_fifo_destroy(fifo);
    }
}

TEST(wakes_the_engine_at_a_frame) {
    const float frames[64] = {0};
    rcore_fifo_t *fifo = fifo_of(1, 64);
    EXPECT(rcore_fifo_write_interleaved(fifo, frames, 60));
    EXPECT(!rcore_fifo_is_due(fifo)); // as initially: not low
    rcore_fifo_wake_at(fifo, 10);
    rcore_fifo_consume(fifo, 9);
    EXPECT(!rcore_fifo_is_due(fifo));
    rcore_fifo_consume(fifo, 1);
    EXPECT(rcore_fifo_is_due(fifo));
    EXPECT_EQUAL(rcore_fifo_frames_read(fifo), 10);
    rcore_fifo_wake_at(fifo, RCORE_FIFO_NEVER);
    rcore_fifo_consume(fifo, 50);
    EXPECT(!rcore_fifo_is_due(fifo) && rcore_fifo_is_low(fifo));
    rcore_fifo_wake_at(fifo, RCORE_FIFO_WHEN_LOW);
    EXPECT(rcore_fifo_is_due(fifo));
    rcore_fifo_destroy(fifo);
}

int main(void) {
    RUN(holds_at_least_what_was_asked);
    RUN(refuses_what_is_out_of_range);
    RUN(transfers_are_all_or_nothing);
    RUN(wraps_around);
    RUN(peeks_without_taking);
    RUN(silences_and_counts_what_is_no_number);
    RUN(an_empty_ring_is_drained_only_once_finished);
    RUN(a_million_frames_cross_between_threads);
    RUN(shows_when_it_is_time_to_write_and_to_read);
    RUN(wakes_the_engine_at_a_frame);
    return test_result();
}
