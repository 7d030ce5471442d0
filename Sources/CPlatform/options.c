#include "platform_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

platform_options_result_t platform_parse_options(int argc, char **argv, const struct option *table,
                                                 platform_store_option_t store, void *options, platform_error_t error) {
    while (optind < argc) {
        const char *argument = argv[optind];
        // "+": stops at the first argument that is no option. ":": reports a missing value as ':'.
        const int option = getopt_long(argc, argv, "+:", table, NULL);
        if (option == PLATFORM_OPTION_HELP) {
            return OPTIONS_HELP;
        }
        if (option == PLATFORM_OPTION_VERSION) {
            return OPTIONS_VERSION;
        }
        if (option == -1 || option == '?') {
            snprintf(error.text, error.size, "Unknown option '%.60s'; --help lists the options.", argument);
            return OPTIONS_BAD;
        }
        if (option == ':') {
            snprintf(error.text, error.size, "%.60s needs a value; see --help.", argument);
            return OPTIONS_BAD;
        }
        if (!store(options, option, optarg, error)) {
            return OPTIONS_BAD;
        }
    }
    return OPTIONS_RUN;
}

bool platform_parse_number(const char *option, const char *text, unsigned long least, unsigned long most,
                           unsigned long *number, platform_error_t error) {
    char *end = NULL;
    errno = 0;
    *number = strtoul(text, &end, 10);
    const bool is_decimal = text[0] >= '0' && text[0] <= '9' && *end == '\0';
    if (is_decimal && errno == 0 && *number >= least && *number <= most) {
        return true;
    }
    snprintf(error.text, error.size, "%s takes a whole number from %lu to %lu, not '%.40s'.", option, least, most,
             text);
    return false;
}
