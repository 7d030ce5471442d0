/// What all peers have in common: a process that opens a library's stream and does as the benchmark says.
///
/// Descriptor 3 is a SOCK_SEQPACKET socket; a packet is a line, its fields are parted by tabs. The benchmark says `play`, `status`,
/// `reopen` or `quit`; the peer answers `opened LIBRARY BACKEND RATE PERIOD`, `failed WHY`, `playing NANOSECONDS`, `status runs|stands`, and says
/// `notice WHAT` whenever its library tells it something.
#ifndef PEER_PROTOCOL_H
#define PEER_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum peer_task {
    PEER_SOUND,   ///< silent until told to play a short sound
    PEER_COUNT,   ///< plays a signal that counts its frames, from the beginning
    PEER_THROUGH, ///< plays what comes in
} peer_task_t;

typedef struct peer_options {
    peer_task_t task;
    const char *name; ///< of the JACK client, where the library lets an app choose
    const char *way;  ///< of playing, where the library has more than one; else ""
    uint32_t rate, period;
} peer_options_t;

/// What an open stream is.
typedef struct peer_opened {
    char library[96]; ///< name and version, as the library itself tells at run time
    char backend[64]; ///< by what it reaches the server
    uint32_t rate, period;
} peer_opened_t;

typedef struct peer {
    /// Opens and starts a stream of two channels each way that is needed. False after `peer_fail` or `peer_refuse`.
    bool (*open)(const peer_options_t *options, peer_opened_t *opened);
    /// Has the sound played; NULL: `peer_trigger`.
    void (*play)(void);
    /// Whether the stream runs, by what the library says.
    bool (*is_running)(void);
    void (*close)(void);
} peer_t;

/// Runs a peer: `--task sound|count|through --name NAME --rate HZ --period FRAMES [--way WAY]`. Returns the exit code.
int peer_run(int argc, char **argv, const peer_t *peer);

/// Fills in the names of what is open.
void peer_describe(peer_opened_t *opened, const char *library, const char *backend);
/// Says why `open` could not.
void peer_refuse(const char *why);
/// The same, in parts.
void peer_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// Tells the benchmark what the library told. [any thread, not the audio thread]
void peer_notice(const char *text);

enum {
    PEER_SOUND_FRAMES = 480,    ///< length of the sound: all its samples are PEER_SOUND_LEVEL
    PEER_COUNT_LENGTH = 1 << 20 ///< sample n of the count is (n + 1) / PEER_COUNT_LENGTH; then it begins anew
};
#define PEER_SOUND_LEVEL 0.5f

/// Frame `n` of the count.
float peer_count_sample(uint32_t n);

/// Has the next cycle begin the sound. [any thread]
void peer_trigger(void);
/// The next frames of the sound, or silence, or of the count, the same on all channels, interleaved. [audio thread]
void peer_fill(float *samples, uint32_t nframes, uint32_t nchannels);

#ifdef __cplusplus
}
#endif

#endif
