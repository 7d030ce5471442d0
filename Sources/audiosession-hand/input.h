/// Standard input, from the loop.
#ifndef HAND_INPUT_H
#define HAND_INPUT_H

#include "lines.h"
#include "pipewire_headers.h"

typedef struct input {
    struct pw_loop *loop;
    struct spa_source *source;
    int descriptor;
    line_reader_t reader;
    line_handler_t handler;
    void (*ended)(void *context);
    void *context;
} input_t;

/// Calls `handler` for each line and `ended` at the end, from the loop; for a file that cannot be
/// watched, such as a regular one, at once. Returns false if the loop fails.
bool input_begin(input_t *input, struct pw_loop *loop, int descriptor, line_handler_t handler,
                 void (*ended)(void *context), void *context);
void input_end(input_t *input);

#endif
