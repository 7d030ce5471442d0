/// Measures latencies: minimal JACK clients, on libjack alone, that emit, pass on and record
/// signals, and note when they were called.
///
/// Times are those of libjack's own clock, in microseconds. Frames are those of
/// `jack_last_frame_time`, which wrap. Calls belong on one thread. None may be made while its
/// server is dead: libjack may never return. All memory is allocated before a client is activated.
#ifndef LATENCY_PROBE_H
#define LATENCY_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/// Returns the current time of libjack's clock.
uint64_t latency_time_us(void);
/// Sleeps for `time_us` microseconds, as precisely as the machine allows.
void latency_rest_us(double time_us);

// ---- The probe: one client emits, another records -----------------------------------------------

typedef struct latency_probe latency_probe_t;

/// The number of inputs of the recording client.
enum { LATENCY_INPUTS = 5 };

/// Opens and activates `latency-emitter` with `out` and `latency-listener` with `in_1`…, on the
/// server `server` (NULL: the default one). Returns NULL if no server runs or if it refuses. With
/// `is_device`, `out` belongs to a device: sessions then have an input.
latency_probe_t *latency_probe_open(const char *server, bool is_device);
/// Closes both clients. NULL does nothing.
void latency_probe_close(latency_probe_t *probe);

/// Connects two ports by their full names. Also returns true if they are already connected.
bool latency_probe_connect(latency_probe_t *probe, const char *source, const char *destination);
/// Removes all connections of a port.
void latency_probe_disconnect(latency_probe_t *probe, const char *port);

/// Returns whether a port of that full name exists.
bool latency_probe_sees(latency_probe_t *probe, const char *port);

/// Makes the emitter emit one sample of `value`, `offset` frames (modulo the period) into one of
/// the next cycles.
void latency_probe_emit(latency_probe_t *probe, float value, uint32_t offset);
/// Returns whether the last order was carried out; if so, `frame` is the frame of the sample.
bool latency_probe_emitted(const latency_probe_t *probe, uint32_t *frame);

/// Returns the first frame of the cycle that began last, as the emitter saw it. Clients that the
/// emitter feeds have not begun the next one.
uint32_t latency_probe_cycle(const latency_probe_t *probe);

/// Returns the frame at that time, as the server estimates it.
uint32_t latency_probe_frame(const latency_probe_t *probe, uint64_t time_us);
/// Returns how often the server was late since the opening: reported xruns, and gaps between
/// cycles.
uint64_t latency_probe_xruns(const latency_probe_t *probe);

/// A sample that differs from the previous one.
typedef struct latency_change {
    uint32_t frame;
    float value;
    /// The time of that frame, from the server's estimate of the cycle's beginning.
    double time_us;
} latency_change_t;

/// Takes the next change at input `input` (0-based). Returns false if there is none yet.
bool latency_probe_next(latency_probe_t *probe, uint32_t input, latency_change_t *change);
/// Returns the number of changes since the opening for which there was no room, over all inputs.
uint64_t latency_probe_lost(const latency_probe_t *probe);
/// Returns the last sample of an input.
float latency_probe_level(const latency_probe_t *probe, uint32_t input);

// ---- When a client was called -------------------------------------------------------------------

/// One callback.
typedef struct latency_wake {
    /// The first frame of its cycle.
    uint32_t frame;
    /// When the callback began.
    uint64_t time_us;
    /// When the cycle should have begun, as the server estimates it; 0: not recorded.
    uint64_t ideal_us;
} latency_wake_t;

typedef struct latency_wakes latency_wakes_t;

/// Allocates room for `capacity` callbacks.
latency_wakes_t *latency_wakes_create(uint32_t capacity);
void latency_wakes_destroy(latency_wakes_t *wakes);
/// Starts or stops recording callbacks.
void latency_wakes_note(latency_wakes_t *wakes, bool notes);
/// Returns the number of recorded callbacks.
uint32_t latency_wakes_count(const latency_wakes_t *wakes);
latency_wake_t latency_wakes_at(const latency_wakes_t *wakes, uint32_t index);

// ---- A client that passes on its input ----------------------------------------------------------

typedef struct latency_pass latency_pass_t;

/// The longest delay of such a client, in frames.
enum { LATENCY_MAX_DELAY = 65535 };

/// Opens and activates a client with `in` and `out`, which delays by `delay` frames, and records in
/// `wakes` (or NULL) when it was called.
latency_pass_t *latency_pass_open(const char *server, const char *name, uint32_t delay, latency_wakes_t *wakes);
void latency_pass_close(latency_pass_t *pass);
/// Connects `out` to a port. Also returns true if they are already connected.
bool latency_pass_connect(latency_pass_t *pass, const char *destination);
/// Sets another delay, a gain (negative: reversed polarity), and white noise of that magnitude, as
/// a cable between converters adds.
void latency_pass_set(latency_pass_t *pass, uint32_t delay, float gain, float noise);

/// A render source for another engine that is silent and records when it is first called in each
/// cycle.
typedef struct latency_stamp latency_stamp_t;

/// Creates a stamp. `pass` is a client of the same server and process that provides the cycle's
/// frame; `period` is the server's.
latency_stamp_t *latency_stamp_create(latency_pass_t *pass, uint32_t period, latency_wakes_t *wakes);
void latency_stamp_destroy(latency_stamp_t *stamp);
/// The render function; `context` is the stamp.
uint32_t latency_stamp_render(void *context, float *const *planes, uint32_t channels, uint32_t nframes);

// ---- A client at both ends of a cable -----------------------------------------------------------

typedef struct latency_cable latency_cable_t;

/// Opens and activates `latency-cable`, which is silent at first. After its start it plays
/// `sequence` repeatedly and records `frames` frames. Returns NULL if no server runs or if it
/// refuses.
latency_cable_t *latency_cable_open(const char *server, const float *sequence, uint32_t length, uint32_t frames);
void latency_cable_close(latency_cable_t *cable);
/// Connects the client. Returns false if there is no such port, or if it is not an audio port of
/// that direction.
bool latency_cable_connect(latency_cable_t *cable, const char *output, const char *input);
/// Starts to play and to record with the next cycle.
void latency_cable_start(latency_cable_t *cable);
/// Returns whether the recording is complete.
bool latency_cable_done(const latency_cable_t *cable);
/// Returns the recording: frame i arrived in the cycle, and at the position in it, at which
/// `sequence[i % length]` was sent.
const float *latency_cable_record(const latency_cable_t *cable);
/// Returns the number of cycles since the opening that the server did not finish in time.
uint64_t latency_cable_xruns(const latency_cable_t *cable);
uint32_t latency_cable_sample_rate(const latency_cable_t *cable);
uint32_t latency_cable_period(const latency_cable_t *cable);
/// Return the latency that the server reports, in frames: from `output` to the device's terminals,
/// and from the device's terminals to `input`.
uint32_t latency_cable_output_latency(latency_cable_t *cable, const char *output);
uint32_t latency_cable_input_latency(latency_cable_t *cable, const char *input);
/// Returns the names of the physical audio ports for playback (or for capture), ended by NULL. Free
/// them with `latency_free_names`.
const char **latency_cable_ports(latency_cable_t *cable, bool outputs);
void latency_free_names(const char **names);

#endif
