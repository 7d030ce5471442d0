/// What hears latencies: bare JACK clients, on libjack alone, that emit, pass on, listen and note when they were called.
///
/// Times are those of libjack's own clock, in microseconds; frames those of `jack_last_frame_time`, which wrap. Calls belong on one thread, and
/// none of them while its server is dead: libjack may never return. All memory is there before a client is activated.
#ifndef LATENCY_PROBE_H
#define LATENCY_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/// Now, by libjack's clock.
uint64_t latency_time_us(void);
/// Returns so much later, to the microsecond where the machine allows it.
void latency_rest_us(double time_us);

// ---- The probe: one client emits, another listens -------------------------------------------------------------------------------

typedef struct latency_probe latency_probe_t;

/// Inputs of the listening client.
enum { LATENCY_INPUTS = 5 };

/// Opens and activates `latency-emitter` with `out` and `latency-listener` with `in_1`…, at the server `server` (NULL: the default one). NULL when
/// there is none or it says no. With `is_device`, `out` is a device's: sessions then have an input.
latency_probe_t *latency_probe_open(const char *server, bool is_device);
/// Ends both; NULL does nothing.
void latency_probe_close(latency_probe_t *probe);

/// Connects two ports by their full names; true where they are connected already.
bool latency_probe_connect(latency_probe_t *probe, const char *source, const char *destination);
/// Takes all connections of a port apart.
void latency_probe_disconnect(latency_probe_t *probe, const char *port);

/// Whether a port of that full name exists.
bool latency_probe_sees(latency_probe_t *probe, const char *port);

/// Has one sample of `value` emitted, `offset` frames (modulo the period) into one of the next cycles.
void latency_probe_emit(latency_probe_t *probe, float value, uint32_t offset);
/// Whether the last order was carried out; then `frame` is where.
bool latency_probe_emitted(const latency_probe_t *probe, uint32_t *frame);

/// The first frame of the cycle that has begun last, as the emitter saw it. Whoever is connected behind the emitter has not begun the next one.
uint32_t latency_probe_cycle(const latency_probe_t *probe);

/// The frame that it is at that time, as the server reckons.
uint32_t latency_probe_frame(const latency_probe_t *probe, uint64_t time_us);
/// How often the server was late since the opening: xruns that it told, and gaps between cycles.
uint64_t latency_probe_xruns(const latency_probe_t *probe);

/// A sample that differs from the one before.
typedef struct latency_change {
    uint32_t frame;
    float value;
    double time_us; ///< of that frame, as the server reckons the cycle's beginning
} latency_change_t;

/// The next change at input `input` (0-based); false: none yet.
bool latency_probe_next(latency_probe_t *probe, uint32_t input, latency_change_t *change);
/// Changes that found no room since the opening, over all inputs.
uint64_t latency_probe_lost(const latency_probe_t *probe);
/// The last sample of an input.
float latency_probe_level(const latency_probe_t *probe, uint32_t input);

// ---- When a client was called ---------------------------------------------------------------------------------------------------

/// One callback.
typedef struct latency_wake {
    uint32_t frame;    ///< first of its cycle
    uint64_t time_us;  ///< when it began
    uint64_t ideal_us; ///< when the cycle should have begun, as the server reckons; 0: not noted
} latency_wake_t;

typedef struct latency_wakes latency_wakes_t;

/// Room for `capacity` callbacks.
latency_wakes_t *latency_wakes_create(uint32_t capacity);
void latency_wakes_destroy(latency_wakes_t *wakes);
/// Notes callbacks from now on, or no more.
void latency_wakes_note(latency_wakes_t *wakes, bool notes);
/// How many were noted.
uint32_t latency_wakes_count(const latency_wakes_t *wakes);
latency_wake_t latency_wakes_at(const latency_wakes_t *wakes, uint32_t index);

// ---- A client that passes on what comes in --------------------------------------------------------------------------------------

typedef struct latency_pass latency_pass_t;

/// Longest delay of one.
enum { LATENCY_MAX_DELAY = 65535 };

/// Opens and activates a client with `in` and `out`, which delays by `delay` frames and notes in `wakes` (or NULL) when it was called.
latency_pass_t *latency_pass_open(const char *server, const char *name, uint32_t delay, latency_wakes_t *wakes);
void latency_pass_close(latency_pass_t *pass);
/// Connects `out` to a port; true where it is connected already.
bool latency_pass_connect(latency_pass_t *pass, const char *destination);
/// From now on: another delay, a gain (negative: reversed polarity), and white noise of that magnitude, as a cable between converters has.
void latency_pass_set(latency_pass_t *pass, uint32_t delay, float gain, float noise);

/// A source of another engine that is silent and notes when it is called first in each cycle.
typedef struct latency_stamp latency_stamp_t;

/// `pass` is a client of the same server and process that tells the cycle; `period` is the server's.
latency_stamp_t *latency_stamp_create(latency_pass_t *pass, uint32_t period, latency_wakes_t *wakes);
void latency_stamp_destroy(latency_stamp_t *stamp);
/// The function to be called; `context` is the stamp.
uint32_t latency_stamp_render(void *context, float *const *planes, uint32_t channels, uint32_t nframes);

// ---- A client at both ends of a cable -------------------------------------------------------------------------------------------

typedef struct latency_cable latency_cable_t;

/// Opens and activates `latency-cable`, which plays `sequence` over and over, silent as yet; it will record `frames` frames. NULL: no server, or it says no.
latency_cable_t *latency_cable_open(const char *server, const float *sequence, uint32_t length, uint32_t frames);
void latency_cable_close(latency_cable_t *cable);
/// Connects it; false: there is no such port, or it is no audio port of that direction.
bool latency_cable_connect(latency_cable_t *cable, const char *output, const char *input);
/// Plays from the next cycle on and records beside it.
void latency_cable_start(latency_cable_t *cable);
/// Whether all is recorded.
bool latency_cable_done(const latency_cable_t *cable);
/// What came in: frame i came in in the cycle, and at the place in it, at which `sequence[i % length]` went out.
const float *latency_cable_record(const latency_cable_t *cable);
/// Cycles that the server did not finish in time, since the opening.
uint64_t latency_cable_xruns(const latency_cable_t *cable);
uint32_t latency_cable_sample_rate(const latency_cable_t *cable);
uint32_t latency_cable_period(const latency_cable_t *cable);
/// What the server says, in frames: from `output` to the air, and from the air to `input`.
uint32_t latency_cable_output_latency(latency_cable_t *cable, const char *output);
uint32_t latency_cable_input_latency(latency_cable_t *cable, const char *input);
/// Names of the audio ports that lead to a device (or come from one), ended by NULL; free with `latency_free_names`.
const char **latency_cable_ports(latency_cable_t *cable, bool outputs);
void latency_free_names(const char **names);

#endif
