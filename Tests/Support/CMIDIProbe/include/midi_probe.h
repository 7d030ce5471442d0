/// Two JACK clients that test a program's MIDI: a sender of MIDI events on given frames, and a
/// listener that records audio and MIDI with their frames.
///
/// The listener is connected behind the program, so that all three run in one cycle: a program that
/// adds no frames is heard on the frame of the event.
#ifndef MIDI_PROBE_H
#define MIDI_PROBE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct midi_probe midi_probe_t;

/// An event and its frame, counted from the start of `midi_probe_play`.
typedef struct midi_probe_event {
    uint32_t frame;
    uint32_t size;
    uint8_t bytes[16];
} midi_probe_event_t;

/// Opens the clients `NAME-sender` (port `out`) and `NAME-listener` (ports `audio` and `midi`) at a
/// server; NULL: the default one. Returns NULL if that fails.
midi_probe_t *midi_probe_open(const char *server, const char *name);
void midi_probe_close(midi_probe_t *probe);
/// Connects two ports by full name.
bool midi_probe_connect(midi_probe_t *probe, const char *source, const char *destination);

/// Sends `count` events, ordered by frame, and records for `nframes`, from one of the next cycles
/// on. Call it again only after `midi_probe_is_done`.
void midi_probe_play(midi_probe_t *probe, const midi_probe_event_t *events, uint32_t count, uint32_t nframes);
/// Returns whether the first cycle is recorded.
bool midi_probe_has_begun(const midi_probe_t *probe);
/// Returns the number of frames recorded so far, from the first sample that is not 0 on.
uint32_t midi_probe_heard(const midi_probe_t *probe);
/// Returns whether everything is recorded.
bool midi_probe_is_done(const midi_probe_t *probe);
/// Returns the number of frames of the recording that are missing, because a client was late, or
/// because the clients did not run in one cycle.
uint32_t midi_probe_missed(const midi_probe_t *probe);
/// Copies the recorded audio, whose frame 0 is the start.
void midi_probe_copy_audio(const midi_probe_t *probe, float *samples, uint32_t nframes);
/// Where the server's transport was at the first frame of a cycle, as the listener saw it.
typedef struct midi_probe_transport {
    /// Counted from the start of the recording.
    uint32_t offset;
    uint32_t frame;
    bool is_rolling;
    bool has_beats;
    /// Beats per minute, and beats from the start.
    double tempo;
    double beat;
} midi_probe_transport_t;

/// Copies the transport of the recorded cycles, at most `most`; returns their number.
uint32_t midi_probe_copy_transport(const midi_probe_t *probe, midi_probe_transport_t *cycles, uint32_t most);
/// Copies the received events, at most `most`; returns their number.
uint32_t midi_probe_copy_events(const midi_probe_t *probe, midi_probe_event_t *events, uint32_t most);

#endif
