/// The command line of audiosession-device.
#ifndef AUDIOSESSION_DEVICE_OPTIONS_H
#define AUDIOSESSION_DEVICE_OPTIONS_H

#include <stand_in_device.h>

/// What the program was asked to do. Strings point into `argv`.
typedef struct device_options {
    stand_in_options_t device;
    int ready_fd;    ///< told "ready" or why not, then closed; -1: nobody
    bool detach;     ///< go on in a process and a session of its own
    bool comes_back; ///< when the server dies, plug in again once there is one
} device_options_t;

/// What `options_parse` found.
typedef enum options_result { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_BAD } options_result_t;

/// Reads the command line into `options`. On OPTIONS_BAD, `error` (of `error_size` bytes) holds one sentence that says why.
options_result_t options_parse(int argc, char **argv, device_options_t *options, char *error, unsigned long error_size);

/// Writes the help text to standard output.
void options_print_help(void);

#endif
