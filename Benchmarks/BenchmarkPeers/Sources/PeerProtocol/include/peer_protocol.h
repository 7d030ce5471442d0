/// The common part of all peers: a process that opens a library's stream and executes the
/// benchmark's commands.
///
/// Descriptor 3 is a SOCK_SEQPACKET socket. A packet is a line of tab-separated fields. The
/// benchmark sends `play`, `status`, `reopen` or `quit`. The peer answers `opened LIBRARY BACKEND
/// RATE PERIOD`, `failed WHY`, `playing NANOSECONDS` or `status runs|stands`, and sends `notice
/// WHAT` for each notification by its library.
#ifndef PEER_PROTOCOL_H
#define PEER_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum peer_task {
    /// Silent until a request to play a short sound.
    PEER_SOUND,
    /// Plays a signal that counts its frames, from the beginning.
    PEER_COUNT,
    /// Plays its input.
    PEER_THROUGH,
} peer_task_t;

typedef struct peer_options {
    peer_task_t task;
    /// The name of the JACK client, if the library lets an app choose it.
    const char *name;
    /// The way of playing, if the library has more than one; otherwise "".
    const char *way;
    uint32_t rate, period;
} peer_options_t;

/// A description of an open stream.
typedef struct peer_opened {
    /// Name and version, as reported by the library itself at run time.
    char library[96];
    /// The backend through which it connects to the server.
    char backend[64];
    uint32_t rate, period;
} peer_opened_t;

typedef struct peer {
    /// Opens and starts a stream, with two channels in each direction that is needed. Returns false
    /// after `peer_fail` or `peer_refuse`.
    bool (*open)(const peer_options_t *options, peer_opened_t *opened);
    /// Plays the sound; NULL: `peer_trigger`.
    void (*play)(void);
    /// Returns whether the stream is running, according to the library.
    bool (*is_running)(void);
    void (*close)(void);
} peer_t;

/// Runs a peer: `--task sound|count|through --name NAME --rate HZ --period FRAMES [--way WAY]`.
/// Returns the exit code.
int peer_run(int argc, char **argv, const peer_t *peer);

/// Fills in the names of the library and its backend.
void peer_describe(peer_opened_t *opened, const char *library, const char *backend);
/// Reports why `open` failed.
void peer_refuse(const char *why);
/// The same, with a format.
void peer_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// Reports a notification of the library to the benchmark. [any thread, not the audio thread]
void peer_notice(const char *text);

enum {
    /// The length of the sound: all its samples are PEER_SOUND_LEVEL.
    PEER_SOUND_FRAMES = 480,
    /// The length of the count: its sample n is (n + 1) / PEER_COUNT_LENGTH; after it the count
    /// repeats.
    PEER_COUNT_LENGTH = 1 << 20
};
#define PEER_SOUND_LEVEL 0.5f

/// Returns frame `n` of the count.
float peer_count_sample(uint32_t n);

/// Starts the sound with the next cycle. [any thread]
void peer_trigger(void);
/// Writes the next frames of the sound or silence, or of the count, equal on all channels,
/// interleaved. [audio thread]
void peer_fill(float *samples, uint32_t nframes, uint32_t nchannels);

#ifdef __cplusplus
}
#endif

#endif
