/// A JACK client that drives a render core: ports, the process callback, and what the server tells.
///
/// Tags as in rcore_base.h, and here [control] may block for as long as the server does: keep such calls on a thread of their
/// own. [watch] is one thread that waits for news. The notification threads of libjack only count, note and wake; none of
/// them calls the app.
#ifndef RCORE_JACK_H
#define RCORE_JACK_H

#include "render_core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rcore_jack rcore_jack_t;

/// What became of a call. Nothing but RCORE_JACK_OK changes anything.
typedef enum rcore_jack_status {
    RCORE_JACK_OK = 0,
    RCORE_JACK_BAD_ARGUMENT = 1,   ///< an argument is out of the range its comment gives
    RCORE_JACK_NO_MEMORY = 2,      ///< memory or descriptors are short
    RCORE_JACK_NO_SERVER = 3,      ///< no server of that name runs
    RCORE_JACK_REFUSED = 4,        ///< the server said no
    RCORE_JACK_LOST = 5,           ///< the server died, or gave this client up; only close is left
    RCORE_JACK_NO_DESCRIPTORS = 6, ///< fewer than RCORE_JACK_MIN_DESCRIPTORS file descriptors are free
} rcore_jack_status_t;

/// One clause for a status, static storage. [any]
const char *rcore_jack_status_text(rcore_jack_status_t status);

/// Names the calling thread (the first 15 bytes count), for those who list threads. [any but render]
void rcore_jack_name_thread(const char *name);

/// Most ports in either direction, over all blocks.
#define RCORE_JACK_MAX_PORTS 64u
/// Most bytes in the names of a block's ports, before their number.
#define RCORE_JACK_MAX_PREFIX 64u
/// Most bytes in a server's name.
#define RCORE_JACK_MAX_SERVER_NAME 127u

/// Which way audio goes.
typedef enum rcore_jack_direction {
    RCORE_JACK_PLAYBACK = 0, ///< out of the core, towards the device
    RCORE_JACK_CAPTURE = 1,  ///< from the device, into the core
} rcore_jack_direction_t;

// ---- News ---------------------------------------------------------------------------------------------------------------------

/// What the server tells, across the clients of a driver's life: one client at a time writes, one thread waits.
typedef struct rcore_jack_news rcore_jack_news_t;

/// No news yet. [control] NULL when memory or descriptors are short. The caller owns it.
rcore_jack_news_t *rcore_jack_news_create(void);
/// Frees it; NULL does nothing. [control] No client uses it any longer, and nobody waits.
void rcore_jack_news_destroy(rcore_jack_news_t *news);

/// What may have changed since the last wait.
typedef enum rcore_jack_change {
    RCORE_JACK_CHANGED_FORMAT = 1,      ///< sample rate or period
    RCORE_JACK_CHANGED_LATENCY = 2,     ///< latencies of ports
    RCORE_JACK_CHANGED_CONNECTIONS = 4, ///< connections of some ports
    RCORE_JACK_CHANGED_XRUNS = 8,       ///< the server was late
    RCORE_JACK_CHANGED_LOST = 16,       ///< the server is gone
    RCORE_JACK_CHANGED_WAKE = 32,       ///< `rcore_jack_wake` was called
    RCORE_JACK_CHANGED_DEVICES = 64,    ///< ports or clients came, went, or have other names or metadata
    RCORE_JACK_CHANGED_GRAPH = 128,     ///< the order in which clients are called
} rcore_jack_change_t;

/// Waits until something changed, at most `timeout_ms` (negative: without limit), and returns a mask of rcore_jack_change_t; 0 when
/// the time is over. [watch]
uint32_t rcore_jack_wait(rcore_jack_news_t *news, int timeout_ms);
/// Waits until the server's end was told, at most `timeout_ms`, and returns whether it was. [any but render]
bool rcore_jack_await_loss(const rcore_jack_news_t *news, int timeout_ms);
/// Ends a wait, or the next one. [any but render]
void rcore_jack_wake(rcore_jack_news_t *news);

/// What the server said last.
typedef struct rcore_jack_snapshot {
    uint32_t sample_rate;   ///< Hz
    uint32_t period_frames; ///< frames per cycle
    uint64_t xruns;         ///< cycles the server could not finish in time, since the news were created
    uint64_t cycles;        ///< process callbacks, likewise
    float cycle_load; ///< the client's longest cycle in the last one to two seconds, as a share of its period, 0…
    bool lost;        ///< the server is gone
} rcore_jack_snapshot_t;

/// A snapshot; asks no one. [any]
rcore_jack_snapshot_t rcore_jack_read_snapshot(const rcore_jack_news_t *news) RCORE_RT;
/// What the server said when it left, for people; "" if it said nothing. Valid until the next client is opened. [watch]
const char *rcore_jack_lost_reason(const rcore_jack_news_t *news);

// ---- Life: open → register ports → activate → close ---------------------------------------------------------------------------

/// File descriptors that must be free when a client is opened. With about ten, libjack 1.9.21 crashes
/// and can leave the metadata database of the user's JACK servers locked: they hang until it is removed.
#define RCORE_JACK_MIN_DESCRIPTORS 32u
/// Counts the file descriptors that this process may still open below its soft limit
/// (RLIMIT_NOFILE), up to `most`. [any but render] Needs none itself.
uint32_t rcore_jack_free_descriptors(uint32_t most);

/// Raises the calling thread's timer slack to 10 ms, so that libjack waits for about ten seconds instead of one for each thread that it
/// starts. If one starts later, the process crashes (see Documentation/Servers.md). [any but render] Returns the previous slack in
/// nanoseconds. Call it before jack_client_open and jack_activate, and restore the slack right after: threads created in between inherit it.
/// rcore_jack_open and rcore_jack_activate do so themselves.
int rcore_jack_raise_timer_slack(void);
/// Sets the calling thread's timer slack to what `rcore_jack_raise_timer_slack` returned. [any but render]
void rcore_jack_restore_timer_slack(int nanoseconds);

/// Connects to the server `server_name` (1…RCORE_JACK_MAX_SERVER_NAME bytes; NULL: the default one, whose name in
/// JACK_DEFAULT_SERVER is held to the same) as `client_name` (1…jack_client_name_size() characters; the server may append a number).
/// [control] Never starts a server, prints nothing. `news` is kept by the caller until the client is closed; its
/// loss is forgotten, its counts go on. NULL with RCORE_JACK_BAD_ARGUMENT, _NO_MEMORY,
/// _NO_DESCRIPTORS (libjack was not called), _NO_SERVER (within some 5 ms) or _REFUSED; `status` may be NULL. The caller owns it.
rcore_jack_t *rcore_jack_open(const char *server_name, const char *client_name, rcore_jack_news_t *news,
                              rcore_jack_status_t *status);
/// Gives the client up and frees it, also after the server's death. NULL does nothing. [control] On return no thread is within the
/// core and no callback is on its way.
void rcore_jack_close(rcore_jack_t *jack);

/// Registers `out_1…` and `in_1…` (0…RCORE_JACK_MAX_PORTS each) at the channels from 0 on, once. [control & !active]
/// RCORE_JACK_BAD_ARGUMENT: out of range, or done before; _NO_MEMORY; _REFUSED: the server has no more ports: close the client. _LOST.
rcore_jack_status_t rcore_jack_register_ports(rcore_jack_t *jack, uint32_t noutputs, uint32_t ninputs);
/// Registers `prefix`_1… (1…RCORE_JACK_MAX_PREFIX bytes) at the channels `first`…, whether cycles run or not: all or none. [control] The
/// core is given them from the next cycle on; a channel without a port is NULL there. _BAD_ARGUMENT: out of 0…RCORE_JACK_MAX_PORTS, or a
/// channel is taken; _NO_MEMORY; _REFUSED: the server has no more ports, or one of that name is there. _LOST.
rcore_jack_status_t rcore_jack_register_block(rcore_jack_t *jack, rcore_jack_direction_t direction, uint32_t first,
                                              uint32_t count, const char *prefix);
/// Takes ports back, with their connections. [control] Waits for the rest of one `rcore_process`, then for the server. Channels without a
/// port are fine. _BAD_ARGUMENT: out of range; _NO_MEMORY: nothing changed; _LOST: the channels are free all the same.
rcore_jack_status_t rcore_jack_unregister_block(rcore_jack_t *jack, rcore_jack_direction_t direction, uint32_t first,
                                                uint32_t count);
/// Lets the server call the client each cycle; without a core it puts out silence. [control] _REFUSED, _LOST.
rcore_jack_status_t rcore_jack_activate(rcore_jack_t *jack);
/// Ends the cycles; connections are gone, ports stay. [control] _REFUSED, _LOST.
rcore_jack_status_t rcore_jack_deactivate(rcore_jack_t *jack);

/// Has `prepare` called before each cycle while the server freewheels, on the cycle's thread, which has no deadline then: it may block and
/// read files, so that streams play without gaps however fast the server goes. [control & !active] NULL: nothing is called.
void rcore_jack_set_prepare(rcore_jack_t *jack, void (*prepare)(void *context), void *context);

/// Renders with `core` from the next cycle on. [any, one at a time] The caller keeps it until it is detached.
void rcore_jack_attach_core(rcore_jack_t *jack, rcore_t *core);
/// Puts out silence from now on. [control or watch, one at a time] On return no thread is within the core; waits at most for the
/// rest of one `rcore_process`, never for the server.
void rcore_jack_detach_core(rcore_jack_t *jack);

// ---- Asking the server ---------------------------------------------------------------------------------------------------------

/// The name the server gave the client. Valid until close. [any]
const char *rcore_jack_client_name(const rcore_jack_t *jack);
/// The version of the JACK library that the loader chose: "1.9.21", "3.0.0.0 (using PipeWire …)". Static storage. [any]
const char *rcore_jack_version(void);
/// Asks for a period of `nframes` (1…RCORE_MAX_PERIOD). [control] What came of it is in the snapshot: some servers round, some answer
/// later. _BAD_ARGUMENT, _REFUSED, _LOST.
rcore_jack_status_t rcore_jack_set_period(rcore_jack_t *jack, uint32_t nframes);
/// The server's load, 0…1; 0 when lost. [control]
float rcore_jack_cpu_load(rcore_jack_t *jack);

/// Range of latencies, in frames.
typedef struct rcore_jack_latency {
    uint32_t minimum;
    uint32_t maximum;
} rcore_jack_latency_t;

/// From the client's ports `first`… to the air, or from the air to them; 0 without any. [control]
rcore_jack_latency_t rcore_jack_read_latency(rcore_jack_t *jack, rcore_jack_direction_t direction, uint32_t first,
                                             uint32_t count);

/// Leaves latencies as they are until they are released; before all but the last of several connections that are made at once. [control]
/// jackd2 has latencies passed on after each change of its graph, and nobody's request is answered meanwhile; libjack then sleeps for a
/// period, since the next change is on its way already.
void rcore_jack_hold_latencies(rcore_jack_t *jack, bool held);
/// Passes latencies on now; where the last of several connections, for which they were held, was not made. [control]
void rcore_jack_pass_latencies(rcore_jack_t *jack);

/// What the client itself delays at an output's channel, at least and at most: 0 to begin with. [control] Told with the next recomputation.
void rcore_jack_set_own_latency(rcore_jack_t *jack, uint32_t channel, rcore_jack_latency_t latency);
/// Has the server pass latencies through its whole graph anew. [control] Waits until every client has answered. _REFUSED, _LOST.
rcore_jack_status_t rcore_jack_recompute_latencies(rcore_jack_t *jack);

/// How many audio ports of devices there are in a direction. [control] 0 when lost.
uint32_t rcore_jack_device_port_count(rcore_jack_t *jack, rcore_jack_direction_t direction);
/// Connects the client's ports to the device's, first to first, and returns how many are. [control & active]
uint32_t rcore_jack_connect_device(rcore_jack_t *jack, rcore_jack_direction_t direction);
/// Connects two ports by full name. [control & active] Connected before is fine. _REFUSED: one of them does not exist; _LOST.
rcore_jack_status_t rcore_jack_connect(rcore_jack_t *jack, const char *source, const char *destination);
/// Takes a connection apart. [control & active] _REFUSED: there is none; _LOST.
rcore_jack_status_t rcore_jack_disconnect(rcore_jack_t *jack, const char *source, const char *destination);
/// Whether a port of that full name exists. [control]
bool rcore_jack_port_exists(rcore_jack_t *jack, const char *name);

/// Full name of the port at channel `index` (0-based) of a direction; NULL without one. Valid until it is unregistered. [control]
const char *rcore_jack_port_name(const rcore_jack_t *jack, rcore_jack_direction_t direction, uint32_t index);
/// Full names of what the port at channel `index` is connected to, ended by NULL; NULL when nothing is. [control] Free with
/// `rcore_jack_free_names`.
const char **rcore_jack_connections(rcore_jack_t *jack, rcore_jack_direction_t direction, uint32_t index);
/// Frees a list of names; NULL does nothing. [any but render]
void rcore_jack_free_names(const char **names);

// ---- Devices -------------------------------------------------------------------------------------------------------------------

/// What JACK says of somebody's audio port.
typedef struct rcore_jack_port {
    const char *name;                 ///< in full
    const char *aliases[2];           ///< "" or NULL without one
    rcore_jack_direction_t direction; ///< where the audio of a client that is connected to it goes
    bool is_physical;
    bool is_terminal;
    rcore_jack_latency_t latency; ///< from it to the air, or from the air to it
} rcore_jack_port_t;

/// Lists the audio ports that are physical or terminal, or whose full name matches the regular expression `pattern` (NULL: no others), each
/// once, without the client's own; in the server's order. [control] NULL: none, or memory is short. A port that goes meanwhile is not in
/// it. Free with `rcore_jack_free_ports`.
rcore_jack_port_t *rcore_jack_list_ports(rcore_jack_t *jack, const char *pattern, uint32_t *count);
/// Frees a list of ports; NULL does nothing. [any but render]
void rcore_jack_free_ports(rcore_jack_port_t *ports, uint32_t count);

/// The next one of the ports that were registered, or renamed, since the last call, by full name; NULL when there are no more. [control] `missed` becomes
/// true when there were more than are kept (256). Valid until the next call.
const char *rcore_jack_next_renewed(rcore_jack_t *jack, bool *missed);

#ifdef __cplusplus
}
#endif
#endif
