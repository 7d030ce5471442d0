/// The lines of the protocol (Documentation/ForeignPrograms.md): reading commands, writing events.
#ifndef HAND_LINES_H
#define HAND_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The bytes of the longest line, without its line feed.
enum { LINE_MAX_BYTES = 8192 };

typedef enum command_kind { COMMAND_LEVEL, COMMAND_HOLD, COMMAND_DETECT, COMMAND_DETECT_OFF } command_kind_t;

typedef struct command {
    command_kind_t kind;
    /// The stream's object.serial.
    uint64_t id;
    /// Attenuation in decibels, 0 to 120; INFINITY: silence. Of a detection, the threshold.
    double attenuation;
    unsigned milliseconds;
} command_t;

/// Parses a command. Returns NULL, or why the line is not one.
const char *command_parse(const char *line, command_t *command);

/// Splits what arrives into lines.
typedef struct line_reader {
    char bytes[LINE_MAX_BYTES + 1];
    size_t count;
    /// The line is too long, or contains a zero: skips to its end.
    const char *problem;
} line_reader_t;

/// Receives a line without its line feed, or NULL and why it could not be read.
typedef void (*line_handler_t)(void *context, const char *line, const char *problem);

void line_reader_feed(line_reader_t *reader, const char *data, size_t count, line_handler_t handler, void *context);

/// A line in the making. What does not fit is left out as a whole pair.
typedef struct line {
    char bytes[LINE_MAX_BYTES + 2];
    size_t count;
} line_t;

void line_begin(line_t *line, const char *word);
void line_add_id(line_t *line, uint64_t id);
/// Adds `KEY=VALUE` with the value escaped and, if it is long, cut off. Adds nothing for a NULL or
/// empty value.
void line_add(line_t *line, const char *key, const char *value);

#endif
