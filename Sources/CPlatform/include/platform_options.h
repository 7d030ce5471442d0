/// Command lines with long options, for the programs of this package.
#ifndef PLATFORM_OPTIONS_H
#define PLATFORM_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Where a function describes an error, in one sentence.
typedef struct platform_error {
    char *text;
    unsigned long size;
} platform_error_t;

typedef enum platform_options_result {
    OPTIONS_RUN,
    OPTIONS_HELP,
    OPTIONS_VERSION,
    OPTIONS_BAD
} platform_options_result_t;

/// The values of `--help` and `--version` in a table of options. Others are greater, and below '?'.
enum { PLATFORM_OPTION_HELP = 1, PLATFORM_OPTION_VERSION = 2 };

/// Stores an option other than --help and --version in `options`. `value` is NULL for an option
/// without one. Returns false and describes the error if the value is invalid.
typedef bool (*platform_store_option_t)(void *options, int option, const char *value, platform_error_t error);

/// Parses a command line, which has only the options of `table` (see getopt_long(3)), and stores
/// each one in their order. Call it once per process. Returns OPTIONS_HELP at --help,
/// OPTIONS_VERSION at --version, and OPTIONS_BAD with a description at the first unknown or invalid
/// argument.
platform_options_result_t platform_parse_options(int argc, char **argv, const struct option *table,
                                                 platform_store_option_t store, void *options, platform_error_t error);

/// Parses the decimal number of an option, `least` to `most`. Returns false and describes the error
/// for any other text.
bool platform_parse_number(const char *option, const char *text, unsigned long least, unsigned long most,
                           unsigned long *number, platform_error_t error);

#ifdef __cplusplus
}
#endif
#endif
