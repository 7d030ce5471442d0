/// The command line of audiosession-server.
#ifndef AUDIOSESSION_SERVER_OPTIONS_H
#define AUDIOSESSION_SERVER_OPTIONS_H

#include "platform_options.h"

#include <stdbool.h>
#include <stdint.h>

/// Limits of a server's sample rate, in Hz.
#define SERVER_RATE_MIN 8000U
#define SERVER_RATE_MAX 384000U

/// The JACK driver that the server runs.
typedef enum server_driver {
    /// ALSA if a card can be opened, else dummy.
    SERVER_DRIVER_AUTO,
    SERVER_DRIVER_ALSA,
    SERVER_DRIVER_DUMMY,
} server_driver_t;

/// The parsed command line. Strings point into `argv`.
typedef struct server_options {
    /// Name of the server: letters, digits, '-', '_' and '.', at most 31.
    const char *name;
    server_driver_t driver;
    /// ALSA device, or NULL: that of the first card.
    const char *device;
    /// Hz, 8000…384000.
    uint32_t sample_rate;
    /// Frames, 16…8192.
    uint32_t period;
    /// Seconds without clients after which the server exits, 0…86400; 0: never.
    uint32_t idle_exit;
    /// Receives "ready" or the reason for a failure, and is then closed; -1: none.
    int ready_fd;
    /// A file that is locked while the server decides to exit, or NULL.
    const char *lock_path;
    /// Path of the control socket, or NULL.
    const char *control_path;
    /// Clients run within the period.
    bool sync;
    /// Continue in a separate process and session.
    bool detach;
} server_options_t;

/// Parses the command line into `options`. On OPTIONS_BAD, `error` (of `error_size` bytes) holds
/// one sentence that gives the reason.
platform_options_result_t options_parse(int argc, char **argv, server_options_t *options, char *error,
                                        unsigned long error_size);

/// Writes the help text to standard output.
void options_print_help(void);

#endif
