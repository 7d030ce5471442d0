/// Bare JACK clients, on libjack alone, that emit, pass on, analyse and record signals: the lower
/// bound that sessions are compared with, and the receivers that check their output.
///
/// A probe is a client with one process callback, which runs the detectors that were plugged into
/// it. Its outputs are silent unless a detector writes to them. Calls belong on one thread. None
/// may be made while its server is dead, except those that read results: libjack may never return.
/// The callback neither locks nor allocates; its only system calls read the clock and post a
/// semaphore that somebody waits for.
///
/// Times are in nanoseconds of CLOCK_MONOTONIC. Frames are those of the server, which wrap. Ports
/// and inputs are counted from 0, but for their names: `out_1`…, `in_1`….
#ifndef PROBE_H
#define PROBE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct probe probe_t;
typedef struct probe_detector probe_detector_t;

/// The greatest number of outputs, and of inputs.
enum { PROBE_PORTS = 24 };

uint64_t probe_now(void);
/// Sleeps, as precisely as the machine allows.
void probe_rest(uint64_t nanoseconds);

// ---- The client ---------------------------------------------------------------------------------

/// Opens a client on a running server (NULL: the default one). With `is_device`, its ports belong
/// to a device: sessions then have an input. Returns NULL if no server runs or if it refuses.
probe_t *probe_open(const char *server, const char *name, uint32_t outputs, uint32_t inputs, bool is_device);
/// Makes a probe without a client, for tests of detectors; and runs a cycle of it that begins with
/// the server's frame `frame` at `time_ns`.
probe_t *probe_make(uint32_t outputs, uint32_t inputs);
void probe_run(probe_t *probe, uint32_t frame, uint64_t time_ns, uint32_t nframes, const float *const *inputs,
               float *const *outputs);
/// Starts to take part in the cycle. All detectors must have been plugged in before.
bool probe_activate(probe_t *probe);
bool probe_deactivate(probe_t *probe);
/// Closes the client and frees its detectors. NULL does nothing.
void probe_close(probe_t *probe);

/// Connects two ports by their full names. Also returns true if they are already connected.
bool probe_connect(probe_t *probe, const char *source, const char *destination);
/// Removes all connections of a port.
void probe_disconnect(probe_t *probe, const char *port);
/// Connects each port to one of the device's ports. Returns the number of connections.
uint32_t probe_connect_device(probe_t *probe);
/// Returns the number of connections of a port; 0 if it does not exist.
uint32_t probe_links(probe_t *probe, const char *port);
/// Returns the names of the audio ports that write (or read), of all clients or of devices only,
/// ended by NULL; or NULL. Free them with `probe_free_names`.
const char **probe_ports(probe_t *probe, bool outputs, bool physical);
void probe_free_names(const char **names);
/// Returns the latency that the server reports for a port of a device, in frames: from the port to
/// the terminals for playback, or from the terminals to the port for capture.
uint32_t probe_latency(probe_t *probe, const char *port, bool playback);

uint32_t probe_period(const probe_t *probe);
bool probe_set_period(probe_t *probe, uint32_t nframes);
uint32_t probe_sample_rate(const probe_t *probe);

/// Returns how often the server has reported an xrun.
uint64_t probe_xruns(const probe_t *probe);
/// Returns how often a cycle did not follow the previous one: a late client misses cycles, and so
/// do the clients that wait for it.
uint64_t probe_gaps(const probe_t *probe);
/// Returns the first frame of the cycle that began last. Clients that this one feeds have not begun
/// the next one.
uint32_t probe_cycle(const probe_t *probe);
/// Returns the frame at a recent time, as the server estimates it.
uint32_t probe_frame_at(const probe_t *probe, uint64_t time_ns);
/// Waits for the end of a cycle. Returns false at `limit_ns`.
bool probe_await_cycle(probe_t *probe, uint64_t limit_ns);
/// Waits until libjack has reported the server's end. Returns the time of the report, or 0 after
/// the timeout.
uint64_t probe_await_loss(probe_t *probe, uint32_t milliseconds);

// ---- Detectors ----------------------------------------------------------------------------------

/// Discards what a detector has found. It starts again with the next cycle; until then, it reports
/// nothing.
void probe_reset(probe_detector_t *detector);
/// Waits until a reset has taken effect. Returns false at `limit_ns`.
bool probe_await_reset(probe_t *probe, probe_detector_t *detector, uint64_t limit_ns);

// Each of the following returns NULL if there is no memory.

/// An emitter: writes the same to all outputs.
probe_detector_t *probe_plug_emitter(probe_t *probe);
/// Emits `length` samples of `value`, from `offset` frames (modulo the period) into one of the next
/// cycles on.
void probe_emit(probe_detector_t *emitter, float value, uint32_t offset, uint32_t length);
/// Returns whether the last order was begun; if so, `frame` is the frame of the first sample.
bool probe_emitted(const probe_detector_t *emitter, uint32_t *frame);
/// The length of the counting signal: its sample n is (n + 1) / PROBE_COUNT_LENGTH; after it the
/// count repeats.
enum { PROBE_COUNT_LENGTH = 1 << 20 };
/// Emits the counting signal from the next cycle on.
void probe_emit_count(probe_detector_t *emitter);

/// An emitter of MIDI messages on a port of its own, `notes`; plug it in before the activation.
/// NULL also if the server refuses the port.
probe_detector_t *probe_plug_notes(probe_t *probe);
/// Sends a message of three bytes (status << 16 | first << 8 | second) `count` times within one of
/// the next cycles: evenly from `offset` frames (modulo the period) to the end of the cycle,
/// message i at offset + i * (period - offset) / count.
void probe_send_notes(probe_detector_t *notes, uint32_t message, uint32_t offset, uint32_t count);
/// Returns whether the last order was sent; if so, `frame` is the frame of the first message, and
/// `written` the number of those for which the port had room.
bool probe_sent_notes(const probe_detector_t *notes, uint32_t *frame, uint32_t *written);

/// Starts and stops the server's transport; moves it to a frame. Returns false if the server
/// refuses.
void probe_start_transport(probe_t *probe);
void probe_stop_transport(probe_t *probe);
bool probe_locate_transport(probe_t *probe, uint32_t frame);

/// A reader of the server's transport, in each cycle.
probe_detector_t *probe_plug_transport(probe_t *probe);
typedef struct {
    /// The number of cycles since the reset in which the transport rolled; and of those in which
    /// its frame did not agree with `origin`, because it has jumped.
    uint64_t rolling, moved;
    /// The server's frame at which the transport's frame 0 is, as of the first of these cycles.
    uint32_t origin;
    /// The transport's frame in the last cycle, and whether it was stopped then.
    uint32_t frame;
    bool is_stopped;
} probe_transport_t;
probe_transport_t probe_transport(const probe_detector_t *transport);

/// A follower of the server's transport, with nothing but libjack: writes a sample of 1 to an
/// output at given frames of the transport (at most PROBE_CLICKS), while it rolls.
enum { PROBE_CLICKS = 8 };
probe_detector_t *probe_plug_clicks(probe_t *probe, uint32_t output);
void probe_set_clicks(probe_detector_t *clicks, const uint32_t *frames, uint32_t count);

/// A decoder of the counting signal at an input.
probe_detector_t *probe_plug_count(probe_t *probe, uint32_t input);
/// What it has found. The values may be inconsistent if a cycle writes meanwhile.
typedef struct {
    /// The number of samples that counted.
    uint64_t frames;
    /// The number of samples of 0 after the first that counted.
    uint64_t silent;
    /// The numbers of counts that were left out, and that were repeated.
    uint64_t lost, repeated;
    /// The number of samples that are neither 0 nor counts, such as a count at another gain.
    uint64_t garbled;
    /// The number of times that the count did not continue by one.
    uint64_t breaks;
    /// The number, from 1 on, that the first sample of the cycle in which the count was first heard
    /// had, or would have had; and the last number.
    int64_t first, last;
    /// When that first cycle began; 0: there was no count.
    uint64_t first_ns;
} probe_count_t;
probe_count_t probe_count(const probe_detector_t *count);

/// A detector of the onset of sound at an input after a reset.
probe_detector_t *probe_plug_onset(probe_t *probe, uint32_t input);
/// Returns whether there was sound; if so, `frame` is the frame of the first sample that was not
/// silent.
bool probe_onset(const probe_detector_t *onset, uint32_t *frame);
/// Returns the number of loud samples since the reset.
uint32_t probe_loud(const probe_detector_t *onset);
/// Returns the number of samples since the last one that was not silent.
uint64_t probe_quiet(const probe_detector_t *onset);

/// A check of all inputs for a constant level.
probe_detector_t *probe_plug_level(probe_t *probe, float level, float tolerance);
typedef struct {
    /// The number of frames checked; of those in which an input was further from the level than
    /// allowed; and of runs of the latter.
    uint64_t frames, deviating, gaps;
} probe_level_t;
probe_level_t probe_level(const probe_detector_t *level);

/// A record of the changes at an input, exact to the sample.
probe_detector_t *probe_plug_changes(probe_t *probe, uint32_t input);
/// A sample that differs from the previous one.
typedef struct {
    uint32_t frame;
    float value;
    /// The time of that frame, from the server's estimate of the cycle's beginning.
    double time_ns;
} probe_change_t;
/// Takes the next change. Returns false if there is none yet.
bool probe_next_change(probe_detector_t *changes, probe_change_t *change);
/// Returns the number of changes for which there was no room.
uint64_t probe_lost_changes(const probe_detector_t *changes);
/// Returns the last sample.
float probe_last_sample(const probe_detector_t *changes);

/// A recorder of the first input with room for `capacity` frames. While it records, it repeats
/// `sequence` on the first output (`length` samples; 0: silence). It begins with a reset.
probe_detector_t *probe_plug_recorder(probe_t *probe, uint32_t capacity, const float *sequence, uint32_t length);
typedef struct {
    /// When the server began the cycle, with a resolution of one frame: not later than the call of
    /// any client in it. And when this client was called for it.
    uint64_t begun_ns, heard_ns;
    /// The server's number of its first frame.
    uint32_t frame;
    uint32_t nframes;
    /// The position of its first sample in the recording.
    uint32_t position;
} probe_recorded_t;
/// Returns the number of recorded cycles. They do not change until the next reset.
uint32_t probe_recorded_cycles(const probe_detector_t *recorder);
probe_recorded_t probe_recorded_cycle(const probe_detector_t *recorder, uint32_t index);
/// Returns the number of recorded frames, and their samples. With a sequence, sample i arrived in
/// the cycle, and at the position in it, at which `sequence[i % length]` was sent.
uint32_t probe_recorded_frames(const probe_detector_t *recorder);
const float *probe_recorded_samples(const probe_detector_t *recorder);

/// A path from an input to the output of the same index.
probe_detector_t *probe_plug_path(probe_t *probe, uint32_t port);
/// Sets a delay (below 65,536 frames), a gain (negative: reversed polarity), and white noise of
/// that magnitude, as a cable between converters adds. At first: 0, 1 and 0.
void probe_set_path(probe_detector_t *path, uint32_t delay, float gain, float noise);

/// A record of when the client was called: at most `capacity` calls after a reset.
probe_detector_t *probe_plug_calls(probe_t *probe, uint32_t capacity);
typedef struct {
    /// The first frame of its cycle.
    uint32_t frame;
    uint64_t time_ns;
    /// When the cycle should have begun, as the server estimates it.
    uint64_t ideal_ns;
} probe_call_t;
uint32_t probe_calls(const probe_detector_t *calls);
probe_call_t probe_call(const probe_detector_t *calls, uint32_t index);

/// A record of the last `capacity` frames (a power of two) of the first two inputs.
probe_detector_t *probe_plug_capture(probe_t *probe, uint32_t capacity);
/// Returns the number of the frame after the last one that was captured; 0 before the first cycle.
/// The lower 32 bits are the server's number; the number itself never wraps.
uint64_t probe_captured(const probe_detector_t *capture);
/// Returns how often the server's frame number went back or jumped by more than the capacity. The
/// frames before and after do not belong together.
uint32_t probe_capture_jumps(const probe_detector_t *capture);
/// Copies `count` frames from the frame `first` on. A frame of a cycle in which the client was not
/// called, or that is no longer kept or not yet captured, is NaN. Returns the number of the others.
uint32_t probe_copy_captured(const probe_detector_t *capture, uint64_t first, uint32_t count, float *left,
                             float *right);

/// A render function for another engine in this process: silent, and records in `context`, which
/// `probe_make_stamp` returns, when it is first called in each cycle. `ideal_ns` is 0. `probe` is a
/// client of the same server, and `period` the server's. Read it with `probe_calls`; free it with
/// `free`.
probe_detector_t *probe_make_stamp(probe_t *probe, uint32_t period, uint32_t capacity);
uint32_t probe_stamp(void *context, float *const *planes, uint32_t channels, uint32_t nframes);

#endif
