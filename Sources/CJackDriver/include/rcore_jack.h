/// A JACK client that drives a render core: ports, the process callback, and the server's
/// notifications.
///
/// The thread tags are those of rcore_base.h. Here, [control] may block for as long as the server
/// does: make such calls on a separate thread. [watch] is the one thread that waits for changes.
/// The notification threads of libjack only count, record, wake and pass latencies on; none of them
/// calls the app.
#ifndef RCORE_JACK_H
#define RCORE_JACK_H

#include "render_core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rcore_jack rcore_jack_t;

/// Result of a call. A call that does not return RCORE_JACK_OK changes nothing, unless its comment
/// says otherwise.
typedef enum rcore_jack_status {
    RCORE_JACK_OK = 0,
    /// An argument is outside the range that its comment gives.
    RCORE_JACK_BAD_ARGUMENT = 1,
    /// Memory or file descriptors could not be allocated.
    RCORE_JACK_NO_MEMORY = 2,
    /// No server of that name is running.
    RCORE_JACK_NO_SERVER = 3,
    /// The server refused the request.
    RCORE_JACK_REFUSED = 4,
    /// The server exited, or dropped this client. The client can only be closed.
    RCORE_JACK_LOST = 5,
    /// Fewer than RCORE_JACK_MIN_DESCRIPTORS file descriptors are free.
    RCORE_JACK_NO_DESCRIPTORS = 6,
} rcore_jack_status_t;

/// Returns a description of a status, one clause in static storage. [any]
const char *rcore_jack_status_text(rcore_jack_status_t status);

/// Names the calling thread (the first 15 bytes count), for tools that list threads.
/// [any but render]
void rcore_jack_name_thread(const char *name);

/// Maximum number of ports in each direction, over all blocks.
#define RCORE_JACK_MAX_PORTS 64u
/// Maximum length in bytes of a block's port names, without the number.
#define RCORE_JACK_MAX_PREFIX 64u
/// Maximum length in bytes of a server's name.
#define RCORE_JACK_MAX_SERVER_NAME 127u

/// The direction and the type of a port. A "channel" of MIDI is a port number of the core's MIDI
/// routing, 0…RCORE_MAX_MIDI_PORTS-1.
typedef enum rcore_jack_direction {
    /// Audio out of the core, towards the device.
    RCORE_JACK_PLAYBACK = 0,
    /// Audio from the device, into the core.
    RCORE_JACK_CAPTURE = 1,
    /// MIDI out of the core.
    RCORE_JACK_MIDI_OUT = 2,
    /// MIDI into the core.
    RCORE_JACK_MIDI_IN = 3,
} rcore_jack_direction_t;
enum { RCORE_JACK_DIRECTIONS = 4 };

// ---- Monitor ------------------------------------------------------------------------------------

/// The server's notifications. A monitor outlives clients: one client at a time writes it, and one
/// thread waits for changes.
typedef struct rcore_jack_monitor rcore_jack_monitor_t;

/// Creates a monitor with no pending notifications. [control] Returns NULL if memory or file
/// descriptors run out. The caller owns it.
rcore_jack_monitor_t *rcore_jack_monitor_create(void);
/// Frees a monitor; NULL does nothing. [control] No client may use it, and no thread may wait.
void rcore_jack_monitor_destroy(rcore_jack_monitor_t *monitor);

/// What may have changed since the last wait.
typedef enum rcore_jack_change {
    /// Sample rate or period changed.
    RCORE_JACK_CHANGED_FORMAT = 1,
    /// Latencies of ports changed.
    RCORE_JACK_CHANGED_LATENCY = 2,
    /// Ports were connected or disconnected.
    RCORE_JACK_CHANGED_CONNECTIONS = 4,
    /// The server missed a deadline.
    RCORE_JACK_CHANGED_XRUNS = 8,
    /// The server was lost.
    RCORE_JACK_CHANGED_LOST = 16,
    /// `rcore_jack_wake` was called.
    RCORE_JACK_CHANGED_WAKE = 32,
    /// Ports or clients were added or removed, or their names or metadata changed.
    RCORE_JACK_CHANGED_DEVICES = 64,
    /// The order in which clients are called changed.
    RCORE_JACK_CHANGED_GRAPH = 128,
} rcore_jack_change_t;

/// Waits for a change, at most `timeout_ms` (negative: without limit). Returns a mask of
/// rcore_jack_change_t; 0 on a timeout, and occasionally earlier if the wait before this one
/// already returned the change. [watch]
uint32_t rcore_jack_wait(rcore_jack_monitor_t *monitor, int timeout_ms);
/// Waits until the server is lost, at most `timeout_ms` (negative: without limit), and returns
/// whether it is. [any but render]
bool rcore_jack_await_loss(const rcore_jack_monitor_t *monitor, int timeout_ms);
/// How long to wait for the loss after the server refused a call, in milliseconds: a server that is
/// exiting refuses calls shortly before its end is reported.
enum { RCORE_JACK_LOSS_REPORT_MS = 250 };
/// Ends the current wait or, if there is none, the next one. [any but render]
void rcore_jack_wake(rcore_jack_monitor_t *monitor);

/// The last values that the server reported.
typedef struct rcore_jack_snapshot {
    /// Hz.
    uint32_t sample_rate;
    /// The period: frames of one process callback.
    uint32_t period_frames;
    /// Cycles that the server could not finish in time, since the monitor was created.
    uint64_t xruns;
    /// Process callbacks since the monitor was created.
    uint64_t cycles;
    /// The client's longest cycle in the last one to two seconds, as a share of its period; 0 or
    /// more. Not measured while the server freewheels.
    float cycle_load;
    /// The server was lost.
    bool lost;
} rcore_jack_snapshot_t;

/// Returns a snapshot, without a request to the server. [any]
rcore_jack_snapshot_t rcore_jack_read_snapshot(const rcore_jack_monitor_t *monitor) RCORE_RT;
/// Returns the reason that the server gave when it shut down, as text for users (at most 127
/// bytes); "" if it gave none, or is not lost. Valid until the next client is opened. [watch]
const char *rcore_jack_lost_reason(const rcore_jack_monitor_t *monitor);

// ---- Life cycle: open → register ports → activate → close ---------------------------------------

/// Number of file descriptors that must be free when a client is opened. With about ten, libjack
/// 1.9.21 crashes and can leave the metadata database of the user's JACK servers locked: they hang
/// until it is removed.
#define RCORE_JACK_MIN_DESCRIPTORS 32u
/// Counts the file descriptors that this process may still open below its soft limit
/// (RLIMIT_NOFILE), up to `most`; 0 if the limit cannot be read. [any but render] Needs none
/// itself.
uint32_t rcore_jack_free_descriptors(uint32_t most);

/// Makes libjack wait until each thread that it starts runs. Otherwise it waits for about a second,
/// and the process crashes if the thread starts later (see Documentation/Servers.md). [any but
/// render] Sets libjack's thread creator (`jack_set_thread_creator`), which all JACK clients of the
/// process share, the first time; later calls do nothing, and neither does the first one with
/// PipeWire's libjack, which needs no such creator. Call it before jack_client_open;
/// rcore_jack_open does so itself.
void rcore_jack_set_thread_creator(void);

/// Connects to the server `server_name` (1…RCORE_JACK_MAX_SERVER_NAME bytes; NULL: the default one,
/// whose name in JACK_DEFAULT_SERVER has the same limit) as `client_name`
/// (1…jack_client_name_size() - 1 bytes; the server may append a number, and a name equal to the
/// server's gets an underscore). [control] Never starts a server and prints nothing. The caller
/// keeps `monitor` until the client is closed; opening a client sets its format and resets its loss
/// and its load, but not its counts. Returns NULL with RCORE_JACK_BAD_ARGUMENT, _NO_MEMORY,
/// _NO_DESCRIPTORS (libjack was not asked for a client), _NO_SERVER (within about 5 ms) or
/// _REFUSED; `status` may be NULL. The caller owns the client. With jackd2, first waits until the
/// process's clients that have lost their server are closed, for about 3 s at most; then _REFUSED.
rcore_jack_t *rcore_jack_open(const char *server_name, const char *client_name, rcore_jack_monitor_t *monitor,
                              rcore_jack_status_t *status);
/// Closes the client and frees it, even after the server was lost. NULL does nothing. [control] On
/// return, no thread is inside the core and no callback is under way.
void rcore_jack_close(rcore_jack_t *jack);

/// Registers `out_1…` and `in_1…` (0…RCORE_JACK_MAX_PORTS each) at the channels from 0 on, once.
/// [control & !active] RCORE_JACK_BAD_ARGUMENT: a count is out of range, or this function was
/// called before; _NO_MEMORY; _REFUSED: the server has no more ports; _LOST. After _NO_MEMORY and
/// _REFUSED, the outputs may be registered without the inputs: close the client.
rcore_jack_status_t rcore_jack_register_ports(rcore_jack_t *jack, uint32_t noutputs, uint32_t ninputs);
/// Registers `prefix`_1… (1…RCORE_JACK_MAX_PREFIX bytes) at the channels `first`…, whether cycles
/// run or not: all or none. [control] A MIDI port, of which a block has only one, is named `prefix`
/// itself. The core receives the ports from the next cycle on; an audio channel without a port is
/// NULL there. _BAD_ARGUMENT: a channel is not below RCORE_JACK_MAX_PORTS or is taken, `count` is 0
/// (for MIDI: not 1), or the prefix is too long or empty; _NO_MEMORY; _REFUSED: the server has no
/// more ports, or already has one of that name. _LOST.
rcore_jack_status_t rcore_jack_register_block(rcore_jack_t *jack, rcore_jack_direction_t direction, uint32_t first,
                                              uint32_t count, const char *prefix);
/// Unregisters ports and removes their connections. [control] Waits for the rest of one
/// `rcore_process`, then for the server. Ignores channels without a port. _BAD_ARGUMENT: out of
/// range; _NO_MEMORY: nothing changed; _LOST: the channels are free nevertheless.
rcore_jack_status_t rcore_jack_unregister_block(rcore_jack_t *jack, rcore_jack_direction_t direction, uint32_t first,
                                                uint32_t count);
/// Activates the client: the server calls it in each cycle. Without a core, or if a period is
/// longer than RCORE_MAX_PERIOD, it outputs silence. [control] _REFUSED, _LOST.
rcore_jack_status_t rcore_jack_activate(rcore_jack_t *jack);
/// Deactivates the client: the process is no longer woken in each cycle. Its connections are
/// removed, its ports stay registered. [control] Detach the core first: libjack may end its thread
/// inside the cycle. _LOST, also if the server refuses: the client can then only be closed.
rcore_jack_status_t rcore_jack_deactivate(rcore_jack_t *jack);
/// Compares the server's format and ports with those of the last poll, and records the changes in
/// the monitor: libjack notifies only active clients. [control] The first poll after a deactivation
/// always records a change of devices. For an active client, compares only the format: call it once
/// when cycles run again, because libjack reports only what differs from its own values. Makes no
/// request to the server. The loss of the server needs no poll. Does nothing when lost.
void rcore_jack_poll(rcore_jack_t *jack);
/// Returns whether the server freewheels. [any] Do not deactivate the client then: libjack may end
/// its thread inside the callback of `rcore_jack_set_prepare`.
bool rcore_jack_freewheels(const rcore_jack_t *jack);

/// Sets a callback that runs before each cycle while the server freewheels, on the cycle's thread.
/// That thread has no deadline then, so the callback may block and read files; streams then play
/// without gaps at any speed of the server. [control & !active] NULL: no callback.
void rcore_jack_set_prepare(rcore_jack_t *jack, void (*prepare)(void *context), void *context);

/// Renders with `core` from the next cycle on. [any, one at a time] The caller keeps the core until
/// it is detached.
void rcore_jack_attach_core(rcore_jack_t *jack, rcore_t *core);
/// Outputs silence from now on. [control or watch, one at a time] On return, no thread is inside
/// the core. Waits at most for the rest of one `rcore_process`, never for the server.
void rcore_jack_detach_core(rcore_jack_t *jack);

// ---- Transport ----------------------------------------------------------------------------------

/// Sets whether each cycle reports the server's transport to the core (`rcore_follow_transport`),
/// and the server's transport waits for the core before it rolls (`rcore_is_prepared`), at most for
/// two seconds. [any] Initially not.
void rcore_jack_follow_transport(rcore_jack_t *jack, bool follows);
/// Returns whether the driver follows it. [any]
bool rcore_jack_follows_transport(const rcore_jack_t *jack);
/// Gives the server's transport the beats of the core's tempo map (`rcore_lead_transport`). The
/// driver must follow the transport. [control] With `replaces`, replaces another leader, which is
/// not notified. _REFUSED: another client is the leader; with PipeWire, which does not say so,
/// after a second. _LOST. While the client has no core, the server has no beats.
rcore_jack_status_t rcore_jack_become_leader(rcore_jack_t *jack, bool replaces);
/// Is no longer the leader; does nothing if another client is. [control]
void rcore_jack_resign_leader(rcore_jack_t *jack);
/// Returns whether the server takes its beats from this client; false soon after another client has
/// replaced it. [any]
bool rcore_jack_is_leader(const rcore_jack_t *jack);
/// Starts the server's transport; does nothing if it rolls or starts. [control] _LOST.
rcore_jack_status_t rcore_jack_start_transport(rcore_jack_t *jack);
/// Stops it. [control] _LOST.
rcore_jack_status_t rcore_jack_stop_transport(rcore_jack_t *jack);
/// Moves it to a frame. [control] _REFUSED, _LOST.
rcore_jack_status_t rcore_jack_locate_transport(rcore_jack_t *jack, uint32_t frame);

// ---- Requests to the server ---------------------------------------------------------------------

/// Returns the name that the server gave the client. Valid until close. [any]
const char *rcore_jack_client_name(const rcore_jack_t *jack);
/// Returns the version of the JACK library that the loader chose: "1.9.21", "3.0.0.0 (using
/// PipeWire …)". Static storage. [any]
const char *rcore_jack_version(void);
/// Returns whether the loader chose PipeWire's JACK library. [any]
bool rcore_jack_is_pipewire(void);
/// Requests a period of `nframes` (1…RCORE_MAX_PERIOD). [control] The snapshot has the result: some
/// servers round the value, and some answer later. _BAD_ARGUMENT, _REFUSED, _LOST.
rcore_jack_status_t rcore_jack_set_period(rcore_jack_t *jack, uint32_t nframes);
/// Returns the server's load, 0…1; 0 when lost. [control]
float rcore_jack_cpu_load(rcore_jack_t *jack);

/// Range of latencies, in frames.
typedef struct rcore_jack_latency {
    uint32_t minimum;
    uint32_t maximum;
} rcore_jack_latency_t;

/// Returns the latency from the client's ports `first`… to the device's terminals (playback), or
/// from the device's terminals to these ports (capture); 0 without ports, and when lost. [control]
rcore_jack_latency_t rcore_jack_read_latency(rcore_jack_t *jack, rcore_jack_direction_t direction, uint32_t first,
                                             uint32_t count);

/// With `held`, stops the client from passing latencies on; otherwise lets it do so again.
/// [control] Returns whether they were held before. To activate the client and make several
/// connections at once, hold latencies first and release them before the last connection: after
/// each change of its graph, jackd2 makes its clients pass latencies on, and answers no request
/// until they have. If the next change is already in progress, libjack then sleeps for a period.
bool rcore_jack_hold_latencies(rcore_jack_t *jack, bool held);
/// Passes latencies on now, unless they are held. [control] Call it after a series of connections
/// with held latencies if the last connection failed. On PipeWire, where the latency callback
/// passes nothing on, also after each RCORE_JACK_CHANGED_LATENCY and after the activation; before,
/// it does nothing there.
void rcore_jack_pass_latencies(rcore_jack_t *jack);

/// Sets the minimum and maximum delay that the client itself adds at an output's channel; 0 by
/// default. [control] Ignores a channel that is not below RCORE_JACK_MAX_PORTS. Takes effect with
/// the next recomputation.
void rcore_jack_set_own_latency(rcore_jack_t *jack, uint32_t channel, rcore_jack_latency_t latency);
/// Requests that the server recompute the latencies of its whole graph. [control] Waits until every
/// client has answered. _REFUSED, _LOST.
rcore_jack_status_t rcore_jack_recompute_latencies(rcore_jack_t *jack);

/// Returns the number of physical audio ports in a direction. [control] 0 when lost. On PipeWire,
/// here and below, the ports of virtual sinks count as physical.
uint32_t rcore_jack_device_port_count(rcore_jack_t *jack, rcore_jack_direction_t direction);
/// Connects the client's ports to the physical ports in order, and returns how many are connected;
/// 0 when lost. [control & active]
uint32_t rcore_jack_connect_device(rcore_jack_t *jack, rcore_jack_direction_t direction);
/// Connects two ports by full name. [control & active] An existing connection is not an error.
/// _REFUSED: one of them does not exist; _LOST.
rcore_jack_status_t rcore_jack_connect(rcore_jack_t *jack, const char *source, const char *destination);
/// Removes a connection. [control & active] _REFUSED: there is none; _LOST.
rcore_jack_status_t rcore_jack_disconnect(rcore_jack_t *jack, const char *source, const char *destination);
/// Waits until the server's cycles use a connection of the port `own` that was made, for at most
/// `milliseconds`. Returns whether they do; false when lost. [control & active] jackd adopts a new
/// graph between two cycles, and only after a cycle that all clients have completed in time.
bool rcore_jack_await_connection(rcore_jack_t *jack, const char *own, const char *far, uint32_t milliseconds);
/// Returns whether a port of that full name exists; false when lost. [control]
bool rcore_jack_port_exists(rcore_jack_t *jack, const char *name);

/// Returns the full name of the port at channel `index` (0-based) of a direction; NULL without one.
/// Valid until the port is unregistered. [control]
const char *rcore_jack_port_name(const rcore_jack_t *jack, rcore_jack_direction_t direction, uint32_t index);
/// Returns the full names of the ports to which the port at channel `index` is connected,
/// terminated by NULL; NULL if there are none, without a port, and when lost. [control] Free with
/// `rcore_jack_free_names`.
const char **rcore_jack_connections(rcore_jack_t *jack, rcore_jack_direction_t direction, uint32_t index);
/// Frees a list of names; NULL does nothing. [any but render]
void rcore_jack_free_names(const char **names);

// ---- Devices ------------------------------------------------------------------------------------

/// What JACK reports about an audio port of another client.
typedef struct rcore_jack_port {
    /// The full name.
    const char *name;
    /// "" or NULL: no alias.
    const char *aliases[2];
    /// The direction of a client's audio when it is connected to the port.
    rcore_jack_direction_t direction;
    bool is_physical;
    bool is_terminal;
    /// From the port to the device's terminals, or from the device's terminals to the port.
    rcore_jack_latency_t latency;
} rcore_jack_port_t;

/// Lists the audio ports that are physical or terminal, or whose full name matches the regular
/// expression `pattern` (NULL: no others). Leaves out the client's own ports. Lists each port once:
/// first the physical ports, then the other terminal ones, then the others that match, each group
/// in the server's order. [control] Without `with_latencies`, all latencies are 0: while the
/// server's graph is about to change, as after a client was opened, jackd2's libjack takes more
/// than a period to read them. Sets `count`, which can be 0 even if the list is not NULL. Returns
/// NULL if the server has no such ports, if memory cannot be allocated, or if the server was lost.
/// A port that is removed in the meantime is not in the list. Free with `rcore_jack_free_ports`.
rcore_jack_port_t *rcore_jack_list_ports(rcore_jack_t *jack, const char *pattern, bool with_latencies, uint32_t *count);
/// Frees a list of ports; NULL does nothing. [any but render]
void rcore_jack_free_ports(rcore_jack_port_t *ports, uint32_t count);

/// Returns the full name of the next port that was registered or renamed since the last call and
/// still exists; NULL when there are no more, and when lost. [control] Sets `missed` to true if
/// there were more than 256, of which only the last 256 are kept; otherwise leaves it unchanged.
/// Valid until the next call.
const char *rcore_jack_next_renewed(rcore_jack_t *jack, bool *missed);

// ---- Metadata -----------------------------------------------------------------------------------

/// Sets a property of a client, or of a port if the name has a colon: a text that other programs
/// can read. NULL removes it. [control] `type` is the value's MIME type, or NULL. _REFUSED: there
/// is no such client or port, or the server has no metadata; jackd counts as such, because its
/// clients hang if another server exits meanwhile. _LOST.
rcore_jack_status_t rcore_jack_set_property(rcore_jack_t *jack, const char *name, const char *key, const char *value,
                                            const char *type);
/// Returns a property of a client or port; NULL if there is none. [control] The value is what
/// another program has set: check it. Free it with `free`.
char *rcore_jack_property(rcore_jack_t *jack, const char *name, const char *key);
/// Returns the full names of the ports of all clients that have this direction and type, seen from
/// their client, terminated by NULL; NULL if there are none, and when lost. [control] Free with
/// `rcore_jack_free_names`.
const char **rcore_jack_port_names(rcore_jack_t *jack, rcore_jack_direction_t direction);

#ifdef __cplusplus
}
#endif
#endif
