/// Standard output, which never blocks: what its reader has not taken waits in a queue.
#ifndef HAND_OUTPUT_H
#define HAND_OUTPUT_H

#include "lines.h"
#include "pipewire_headers.h"

typedef enum output_failure { OUTPUT_CLOSED, OUTPUT_OVERFLOW } output_failure_t;

typedef struct output {
    struct pw_loop *loop;
    /// Watches the descriptor while something waits.
    struct spa_source *source;
    int descriptor;
    char *queue;
    size_t begin;
    size_t count;
    bool has_failed;
    /// Called once, from within output_write or the loop.
    void (*failed)(void *context, output_failure_t failure);
    void *context;
} output_t;

/// Returns false if memory or the loop fails.
bool output_begin(output_t *output, struct pw_loop *loop, int descriptor);
/// Writes a line and its line feed, or queues it.
void output_write(output_t *output, line_t *line);
/// Writes what the reader takes at once, and frees the queue.
void output_end(output_t *output);

#endif
