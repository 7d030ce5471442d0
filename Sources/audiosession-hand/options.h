#ifndef HAND_OPTIONS_H
#define HAND_OPTIONS_H

#include "platform_options.h"

#include <stdbool.h>

typedef struct hand_options {
    /// NULL: the default one.
    const char *journal;
    /// PipeWire's name; NULL: the default one.
    const char *remote;
    bool is_repair;
    bool is_inspection;
} hand_options_t;

/// Describes an invalid command line in `error`.
platform_options_result_t options_parse(int argc, char **argv, hand_options_t *options, char *error,
                                        unsigned long error_size);
void options_print_help(void);

#endif
