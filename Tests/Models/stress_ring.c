// Stress test of the rings on real threads and the machine's own memory: every message arrives
// once, whole and in order.
//
//     stress_ring MESSAGES
#include "expect.h"
#include "queue/command.h"
#include "queue/ring.h"
#include "rcore_fifo.h"

#include <pthread.h>
#include <sched.h>

// Two 64-bit words that belong together, so that a torn message shows.
struct message {
    uint64_t number, seal;
};

struct stress {
    struct ring ring;
    struct message *slots;
    rcore_fifo_t *fifo;
    uint64_t messages, largest_batch;
    /// The sum of what the producer wrote.
    uint64_t sent;
    uint64_t waits;
};

static uint64_t sealed(uint64_t number) { return (number ^ number >> 7) * UINT64_C(0x9e3779b97f4a7c15); }

// Sizes 1…largest, the same in every run.
static uint64_t next_size(uint64_t *seed, uint64_t largest) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return 1 + (*seed >> 33) % largest;
}

static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

static void *send_messages(void *argument) {
    struct stress *stress = argument;
    uint64_t seed = 1, sum = 0, waits = 0;
    for (uint64_t next = 0; next < stress->messages;) {
        const uint64_t count = smaller(next_size(&seed, stress->largest_batch), stress->messages - next);
        while (ring_writable(&stress->ring, count) < count) {
            waits++;
            sched_yield();
        }
        for (uint64_t i = 0; i < count; i++) {
            const struct message message = {next + i, sealed(next + i)};
            stress->slots[ring_write_slot(&stress->ring, i)] = message;
            sum += message.seal;
        }
        ring_did_write(&stress->ring, count);
        next += count;
    }
    stress->sent = sum;
    stress->waits = waits;
    return NULL;
}

// Takes at most `count` waiting messages, and looks at the last of them first, as a peek does.
// Returns the number of bad ones.
static uint64_t receive(struct stress *stress, uint64_t next, uint64_t count, uint64_t *sum) {
    uint64_t bad = stress->slots[ring_read_slot(&stress->ring, count - 1)].number != next + count - 1;
    for (uint64_t i = 0; i < count; i++) {
        const struct message message = stress->slots[ring_read_slot(&stress->ring, i)];
        bad += message.number != next + i || message.seal != sealed(next + i);
        *sum += message.seal;
    }
    ring_did_read(&stress->ring, count);
    return bad;
}

static void stress_ring(uint64_t capacity, uint64_t largest_batch, uint64_t messages) {
    struct stress stress = {.messages = messages, .largest_batch = largest_batch};
    ring_init(&stress.ring, capacity);
    stress.slots = calloc(capacity, sizeof *stress.slots);
    pthread_t producer;
    EXPECT(stress.slots != NULL);
    if (stress.slots == NULL || pthread_create(&producer, NULL, send_messages, &stress) != 0) {
        EXPECT(!"a thread");
        free(stress.slots);
        return;
    }
    uint64_t seed = 2, sum = 0, bad = 0, waits = 0;
    for (uint64_t next = 0; next < messages;) {
        const uint64_t wanted = next_size(&seed, largest_batch);
        const uint64_t waiting = ring_readable(&stress.ring, wanted);
        EXPECT(waiting <= capacity && waiting <= messages - next);
        if (waiting == 0) {
            waits++;
            sched_yield();
        } else {
            const uint64_t count = smaller(waiting, wanted);
            bad += receive(&stress, next, count, &sum);
            next += count;
        }
    }
    pthread_join(producer, NULL);
    EXPECT_EQUAL(bad, 0);
    EXPECT_EQUAL(sum, stress.sent);
    EXPECT_EQUAL(ring_readable(&stress.ring, capacity), 0);
    EXPECT_EQUAL(ring_writable(&stress.ring, capacity), capacity);
    printf("ring of %" PRIu64 ", batches up to %" PRIu64 ": %" PRIu64 " messages; waits %" PRIu64 " and %" PRIu64 "\n",
           capacity, largest_batch, messages, stress.waits, waits);
    free(stress.slots);
}

// ---- A command ring -----------------------------------------------------------------------------

// All words of a command belong together, so that a torn one shows. Sometimes yields halfway, so
// that the consumer also runs there if both threads share a core.
static void write_command(struct command *command, uint64_t number) {
    command->when = number;
    command->voice = sealed(number);
    if (number % 64 == 1) {
        sched_yield();
    }
    command->frame = sealed(~number);
    command->ramp_frames = (uint32_t)number;
    command->kind = (uint8_t)number;
    command->queue = (uint8_t)(number >> 8);
    command->curve = (uint8_t)(number >> 16);
}

static bool is_whole(const struct command *command, uint64_t number) {
    return command->when == number && command->voice == sealed(number) && command->frame == sealed(~number) &&
           command->ramp_frames == (uint32_t)number && command->kind == (uint8_t)number &&
           command->queue == (uint8_t)(number >> 8) && command->curve == (uint8_t)(number >> 16);
}

struct command_stress {
    struct command_ring ring;
    uint64_t messages, largest_batch;
    uint64_t waits;
};

// Numbers begin at 1; the last command of a batch has its highest bit set in its number.
static uint64_t marked(uint64_t number, bool last) { return number | (uint64_t)last << 63; }

static void *send_commands(void *argument) {
    struct command_stress *stress = argument;
    uint64_t seed = 5, waits = 0;
    for (uint64_t next = 0; next < stress->messages;) {
        const uint64_t count = smaller(next_size(&seed, stress->largest_batch), stress->messages - next);
        while (command_ring_writable(&stress->ring, count) < count) {
            waits++;
            sched_yield();
        }
        for (uint64_t i = 0; i < count; i++) {
            // What was not published, and is written again, is no message.
            write_command(command_ring_write_slot(&stress->ring, i), ~UINT64_C(0));
            write_command(command_ring_write_slot(&stress->ring, i), marked(next + i, i + 1 == count));
        }
        command_ring_did_write(&stress->ring, count);
        next += count;
    }
    stress->waits = waits;
    return NULL;
}

// Takes everything, as the cycle does. Returns how many, and counts the bad ones.
static uint64_t receive_commands(struct command_ring *ring, uint64_t next, uint64_t *bad) {
    uint64_t count = 0;
    bool whole_batch = true;
    for (const struct command *command; (command = command_ring_read_slot(ring, count)) != NULL; count++) {
        whole_batch = command->when >> 63 != 0;
        *bad += !is_whole(command, marked(next + count, whole_batch));
    }
    *bad += !whole_batch || count > ring->read_capacity;
    if (count > 0) {
        command_ring_did_read(ring, count);
    }
    return count;
}

static void stress_command_ring(uint64_t capacity, uint64_t largest_batch, uint64_t messages) {
    struct command_stress stress = {.messages = messages, .largest_batch = largest_batch};
    struct command *commands = aligned_alloc(64, (size_t)(capacity + 2) * sizeof *commands);
    pthread_t producer;
    EXPECT(commands != NULL);
    if (commands != NULL) {
        command_ring_init(&stress.ring, commands, capacity);
        EXPECT(command_ring_read_slot(&stress.ring, 0) == NULL);
    }
    if (commands == NULL || pthread_create(&producer, NULL, send_commands, &stress) != 0) {
        EXPECT(!"a thread");
        free(commands);
        return;
    }
    uint64_t bad = 0, waits = 0;
    for (uint64_t next = 0; next < messages;) {
        const uint64_t taken = receive_commands(&stress.ring, next, &bad);
        next += taken;
        if (taken == 0) {
            waits++;
            sched_yield();
        }
    }
    pthread_join(producer, NULL);
    EXPECT_EQUAL(bad, 0);
    EXPECT(command_ring_read_slot(&stress.ring, 0) == NULL);
    EXPECT_EQUAL(command_ring_writable(&stress.ring, capacity), capacity);
    printf("command ring of %" PRIu64 ", batches up to %" PRIu64 ": %" PRIu64 " messages; waits %" PRIu64
           " and %" PRIu64 "\n",
           capacity, largest_batch, messages, stress.waits, waits);
    free(commands);
}

// ---- A fifo -------------------------------------------------------------------------------------

enum { CHANNELS = 2, FRAMES = 64 };

// Exact as a float, and unique within a lap.
static float sample_of(uint64_t frame, unsigned channel) {
    const float value = (float)(frame & 0xffffff);
    return channel == 0 ? value : -value;
}

static void *send_frames(void *argument) {
    struct stress *stress = argument;
    uint64_t seed = 3;
    for (uint64_t next = 0; next < stress->messages;) {
        const uint64_t count = smaller(next_size(&seed, FRAMES), stress->messages - next);
        float frames[FRAMES * CHANNELS];
        for (uint64_t i = 0; i < count * CHANNELS; i++) {
            frames[i] = sample_of(next + i / CHANNELS, (unsigned)(i % CHANNELS));
        }
        while (!rcore_fifo_write_interleaved(stress->fifo, frames, (uint32_t)count)) {
            sched_yield();
        }
        next += count;
    }
    rcore_fifo_finish(stress->fifo);
    return NULL;
}

// Alternates between both ways to read. Returns the number of frames taken, and counts the bad
// samples.
static uint32_t receive_frames(rcore_fifo_t *fifo, uint64_t next, uint32_t wanted, uint64_t *bad) {
    if (wanted % 2 == 0) {
        float frames[FRAMES * CHANNELS];
        if (!rcore_fifo_read_interleaved(fifo, frames, wanted)) {
            return 0;
        }
        for (uint32_t i = 0; i < wanted * CHANNELS; i++) {
            *bad += frames[i] != sample_of(next + i / CHANNELS, i % CHANNELS);
        }
        return wanted;
    }
    uint32_t count = wanted;
    for (unsigned channel = 0; channel < CHANNELS; channel++) {
        const float *samples;
        // The second channel has at least as many frames as the first had.
        count = rcore_fifo_peek(fifo, channel, 0, count, &samples);
        for (uint32_t i = 0; i < count; i++) {
            *bad += samples[i] != sample_of(next + i, channel);
        }
    }
    if (count > 0) {
        rcore_fifo_consume(fifo, count);
    }
    return count;
}

static void stress_fifo(uint32_t capacity, uint64_t frames) {
    struct stress stress = {.messages = frames};
    stress.fifo = rcore_fifo_create(CHANNELS, capacity, NULL);
    pthread_t producer;
    EXPECT(stress.fifo != NULL);
    if (stress.fifo == NULL || pthread_create(&producer, NULL, send_frames, &stress) != 0) {
        EXPECT(!"a thread");
        rcore_fifo_destroy(stress.fifo);
        return;
    }
    uint64_t seed = 4, bad = 0, next = 0;
    while (!rcore_fifo_drained(stress.fifo)) {
        const uint32_t taken = receive_frames(stress.fifo, next, (uint32_t)next_size(&seed, FRAMES), &bad);
        next += taken;
        if (taken == 0) {
            sched_yield();
        }
    }
    pthread_join(producer, NULL);
    EXPECT_EQUAL(bad, 0);
    EXPECT_EQUAL(next, frames);
    EXPECT_EQUAL(rcore_fifo_nonfinite_count(stress.fifo), 0);
    printf("fifo of %" PRIu32 ": %" PRIu64 " frames\n", capacity, frames);
    rcore_fifo_destroy(stress.fifo);
}

static uint64_t messages;

/// On one thread: a command is readable once it is published, and no longer once it is released.
TEST(nothing_is_readable_before_it_is_published) {
    enum { CAPACITY = 4 };
    alignas(64) struct command commands[CAPACITY];
    struct command_ring ring;
    command_ring_init(&ring, commands, CAPACITY);
    uint64_t next = 0;
    for (uint64_t i = 0; i < 20 * CAPACITY; i++) {
        const uint64_t count = i % (CAPACITY + 1);
        EXPECT_EQUAL(command_ring_writable(&ring, CAPACITY), CAPACITY);
        for (uint64_t k = 0; k < count; k++) {
            write_command(command_ring_write_slot(&ring, k), next + k);
        }
        EXPECT(command_ring_read_slot(&ring, 0) == NULL);
        command_ring_did_write(&ring, count);
        EXPECT_EQUAL(command_ring_writable(&ring, CAPACITY), CAPACITY - count);
        for (uint64_t k = 0; k < count; k++) {
            const struct command *command = command_ring_read_slot(&ring, k);
            EXPECT(command != NULL && is_whole(command, next + k));
        }
        EXPECT(command_ring_read_slot(&ring, count) == NULL);
        if (count > 0) {
            command_ring_did_read(&ring, count);
        }
        next += count;
    }
}

TEST(every_message_arrives) {
    stress_ring(2, 1, messages / 10);
    stress_ring(16, 16, messages / 10 * 3);
    stress_ring(4096, 1, messages / 10 * 3);
    stress_ring(4096, 64, messages / 10 * 3);
}

TEST(every_command_arrives) {
    stress_command_ring(2, 1, messages / 10);
    stress_command_ring(16, 16, messages / 10 * 2);
    stress_command_ring(1024, 1, messages / 10 * 2);
    stress_command_ring(1024, 64, messages / 10 * 2);
}

TEST(every_frame_arrives) {
    stress_fifo(FRAMES, messages / 10);
    stress_fifo(4096, messages / 10);
}

int main(int argc, char **argv) {
    messages = argc == 2 ? strtoull(argv[1], NULL, 10) : 0;
    if (messages < 10) {
        fprintf(stderr, "usage: stress_ring MESSAGES (at least 10)\n");
        return EXIT_FAILURE;
    }
    RUN(nothing_is_readable_before_it_is_published);
    RUN(every_message_arrives);
    RUN(every_command_arrives);
    RUN(every_frame_arrives);
    return test_result();
}
