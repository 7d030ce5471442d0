#define _GNU_SOURCE
#include "input.h"

#include <errno.h>
#include <unistd.h>

/// Reads once. Returns false at the end.
static bool read_some(input_t *input) {
    char bytes[4096];
    const ssize_t count = read(input->descriptor, bytes, sizeof bytes);
    if (count > 0) {
        line_reader_feed(&input->reader, bytes, (size_t)count, input->handler, input->context);
    }
    return count > 0 || (count == -1 && (errno == EINTR || errno == EAGAIN));
}

static void on_event(void *data, int descriptor, uint32_t mask) {
    (void)descriptor;
    (void)mask;
    input_t *input = data;
    if (!read_some(input)) {
        input_end(input);
        input->ended(input->context);
    }
}

bool input_begin(input_t *input, struct pw_loop *loop, int descriptor, line_handler_t handler,
                 void (*ended)(void *context), void *context) {
    input->loop = loop;
    input->descriptor = descriptor;
    input->handler = handler;
    input->ended = ended;
    input->context = context;
    input->source = pw_loop_add_io(loop, descriptor, SPA_IO_IN, false, on_event, input);
    if (input->source != NULL) {
        return true;
    }
    if (errno != EPERM) {
        return false;
    }
    while (read_some(input)) {
    }
    ended(context);
    return true;
}

void input_end(input_t *input) {
    if (input->source != NULL) {
        pw_loop_destroy_source(input->loop, input->source);
        input->source = NULL;
    }
}
