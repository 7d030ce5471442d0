#define _GNU_SOURCE
#include "output.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Enough for 400 streams with long names that a slow reader has not read.
enum { QUEUE_BYTES = 1 << 20 };

static void fail(output_t *output, output_failure_t failure) {
    if (output->has_failed) {
        return;
    }
    output->has_failed = true;
    output->count = 0;
    if (output->source != NULL) {
        // Left in the loop, it would report a closed pipe for ever.
        pw_loop_destroy_source(output->loop, output->source);
        output->source = NULL;
    }
    if (output->failed != NULL) {
        output->failed(output->context, failure);
    }
}

/// Writes to the descriptor while that cannot block. A pipe that poll(2) reports as writable takes
/// PIPE_BUF bytes, so the descriptor, which other processes may share, need not be non-blocking.
static void flush(output_t *output) {
    while (output->count > 0) {
        struct pollfd watched = {.fd = output->descriptor, .events = POLLOUT};
        if (poll(&watched, 1, 0) <= 0) {
            return;
        }
        const size_t count = output->count < PIPE_BUF ? output->count : PIPE_BUF;
        const ssize_t written = write(output->descriptor, output->queue + output->begin, count);
        if (written >= 0) {
            output->begin += (size_t)written;
            output->count -= (size_t)written;
        } else if (errno != EINTR && errno != EAGAIN) {
            fail(output, OUTPUT_CLOSED);
        } else if (errno == EAGAIN) {
            return;
        }
    }
    output->begin = 0;
}

static void watch(output_t *output) {
    if (output->source != NULL && !output->has_failed) {
        pw_loop_update_io(output->loop, output->source, output->count > 0 ? SPA_IO_OUT : 0);
    }
}

static void on_event(void *data, int descriptor, uint32_t mask) {
    (void)descriptor;
    output_t *output = data;
    if ((mask & (SPA_IO_ERR | SPA_IO_HUP)) != 0) {
        fail(output, OUTPUT_CLOSED);
        return;
    }
    flush(output);
    watch(output);
}

bool output_begin(output_t *output, struct pw_loop *loop, int descriptor) {
    *output = (output_t){.loop = loop, .descriptor = descriptor, .queue = malloc(QUEUE_BYTES)};
    // A regular file cannot be watched, and is always writable.
    output->source = pw_loop_add_io(loop, descriptor, 0, false, on_event, output);
    return output->queue != NULL;
}

void output_write(output_t *output, line_t *line) {
    if (output->has_failed) {
        return;
    }
    const size_t count = line->count + 1;
    line->bytes[line->count] = '\n';
    if (output->begin + output->count + count > QUEUE_BYTES) {
        memmove(output->queue, output->queue + output->begin, output->count);
        output->begin = 0;
    }
    if (output->count + count > QUEUE_BYTES) {
        fail(output, OUTPUT_OVERFLOW);
    } else {
        memcpy(output->queue + output->begin + output->count, line->bytes, count);
        output->count += count;
        flush(output);
        watch(output);
    }
    line->bytes[line->count] = '\0';
}

void output_end(output_t *output) {
    if (output->queue == NULL) {
        return;
    }
    output->failed = NULL;
    flush(output);
    if (output->source != NULL) {
        pw_loop_destroy_source(output->loop, output->source);
    }
    free(output->queue);
    output->queue = NULL;
}
