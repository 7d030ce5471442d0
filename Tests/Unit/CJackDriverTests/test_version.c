/// The driver asks libjack for its version once: PipeWire's libjack writes it into one buffer for
/// all threads, so a thread can read an incomplete string while another one asks.
#include "expect.h"
#include "rcore_jack.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

const char *jack_get_version_string(void);

static char buffer[64];
static atomic_int calls;

/// Like PipeWire's function: writes into the same buffer in each call.
const char *jack_get_version_string(void) {
    atomic_fetch_add(&calls, 1);
    snprintf(buffer, sizeof buffer, "3.0.0.0 (using PipeWire 0.3.65)");
    return buffer;
}

static void *ask(void *count) {
    for (int i = 0; i < 1000; i++) {
        if (rcore_jack_is_pipewire() && strcmp(rcore_jack_version(), "3.0.0.0 (using PipeWire 0.3.65)") == 0) {
            atomic_fetch_add((atomic_int *)count, 1);
        }
    }
    return NULL;
}

TEST(all_threads_get_the_same_answer) {
    pthread_t threads[8];
    atomic_int right = 0;
    for (int i = 0; i < 8; i++) {
        EXPECT_EQUAL(pthread_create(&threads[i], NULL, ask, &right), 0);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
    }
    EXPECT_EQUAL(atomic_load(&right), 8 * 1000);
    EXPECT_EQUAL(atomic_load(&calls), 1);
}

/// Another part of the program asks, and libjack is about to write.
TEST(the_answer_does_not_depend_on_the_buffer_of_libjack) {
    const char *version = rcore_jack_version();
    buffer[0] = '\0';
    EXPECT(strcmp(version, "3.0.0.0 (using PipeWire 0.3.65)") == 0);
    EXPECT(strcmp(rcore_jack_version(), version) == 0);
    EXPECT(rcore_jack_is_pipewire());
}

int main(void) {
    RUN(all_threads_get_the_same_answer);
    RUN(the_answer_does_not_depend_on_the_buffer_of_libjack);
    return test_result();
}
