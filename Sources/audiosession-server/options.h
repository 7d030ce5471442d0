/// The command line of audiosession-server.
#ifndef AUDIOSESSION_SERVER_OPTIONS_H
#define AUDIOSESSION_SERVER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/// Limits of a server's rate, in Hz.
#define SERVER_RATE_MIN 8000U
#define SERVER_RATE_MAX 384000U

/// Which JACK driver the server runs.
typedef enum server_driver {
    SERVER_DRIVER_AUTO, ///< ALSA where a card opens, else dummy
    SERVER_DRIVER_ALSA,
    SERVER_DRIVER_DUMMY,
} server_driver_t;

/// What the server was asked to be. Strings point into `argv`.
typedef struct server_options {
    const char *name; ///< of the server, letters, digits, '-', '_' and '.', at most 31
    server_driver_t driver;
    const char *device;       ///< ALSA device, or NULL: that of the first card
    uint32_t sample_rate;     ///< Hz, 8000…384000
    uint32_t period;          ///< frames, 16…8192
    uint32_t idle_exit;       ///< seconds without clients after which the server leaves, 0…86400; 0: never
    int ready_fd;             ///< told "ready" or why not, then closed; -1: nobody
    const char *lock_path;    ///< locked while the server decides to leave, or NULL
    const char *control_path; ///< where the control socket listens, or NULL
    bool sync;                ///< clients run within the period
    bool detach;              ///< go on in a process and a session of its own
} server_options_t;

/// What `options_parse` found.
typedef enum options_result { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_BAD } options_result_t;

/// Reads the command line into `options`. On OPTIONS_BAD, `error` (of `error_size` bytes) holds one sentence that says why.
options_result_t options_parse(int argc, char **argv, server_options_t *options, char *error, unsigned long error_size);

/// Writes the help text to standard output.
void options_print_help(void);

#endif
