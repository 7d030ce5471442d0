/// The command line of audiosession-device.
#ifndef AUDIOSESSION_DEVICE_OPTIONS_H
#define AUDIOSESSION_DEVICE_OPTIONS_H

#include "platform_options.h"
#include "virtual_device.h"

/// The parsed command line. Strings point into `argv`.
typedef struct device_options {
    virtual_device_options_t device;
    /// Receives "ready" or the reason for a failure, and is then closed; -1: none.
    int ready_fd;
    /// Continue in a separate process and session.
    bool detach;
    /// When the server ends, plug the device in again once a server is running.
    bool replug;
} device_options_t;

/// Parses the command line into `options`. On OPTIONS_BAD, `error` (of `error_size` bytes) holds
/// one sentence that gives the reason.
platform_options_result_t options_parse(int argc, char **argv, device_options_t *options, char *error,
                                        unsigned long error_size);

/// Writes the help text to standard output.
void options_print_help(void);

#endif
