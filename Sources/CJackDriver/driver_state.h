/// Internals of the JACK driver: its state, and the functions that its files share.
#ifndef RCORE_JACK_DRIVER_STATE_H
#define RCORE_JACK_DRIVER_STATE_H

#include "missed_frames.h"
#include "rcore_jack.h"
#include "transport_reading.h"

#include <jack/jack.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/types.h>

/// Written by libjack's notification threads and by the cycle, read by any thread.
struct rcore_jack_monitor {
    /// An eventfd, readable from the time a change is recorded until the next wait.
    int change_fd;
    /// An eventfd, readable while `lost` is set.
    int loss_fd;
    /// Held while `server_fd` is set and checked, so that it is not closed meanwhile.
    pthread_mutex_t server_lock;
    /// A connection to the server's socket that ends with the server; -1: none. The client owns it
    /// (see server_end.c).
    int server_fd;
    atomic_uint changes;
    atomic_uint sample_rate;
    atomic_uint period_frames;
    atomic_uint_fast64_t xruns;
    atomic_uint_fast64_t cycles;
    /// Written only by the cycle (see load.c).
    _Atomic float cycle_load;
    /// Set by the first of the two shutdown callbacks.
    atomic_bool loss_claimed;
    atomic_bool lost;
    /// Written once, before `lost` is set.
    char reason[128];
};

/// The client's ports by direction and channel. A table never changes once the cycle can see it; a
/// new one replaces it (see ports.c).
struct port_table {
    /// By rcore_jack_direction_t: one more than the highest channel that has a port.
    uint32_t nchannels[RCORE_JACK_DIRECTIONS];
    /// NULL: no port has this channel.
    jack_port_t *ports[RCORE_JACK_DIRECTIONS][RCORE_JACK_MAX_PORTS];
};

/// A thread waits here until the cycle no longer uses an object that was removed from it (see
/// cycle.c).
struct grace_period {
    atomic_bool has_waiter;
    /// Posted when the cycle is over.
    sem_t left;
};

/// The highest load of a cycle in the current second (see load.c).
struct load_window {
    /// Frames in this window so far.
    uint64_t nframes;
    /// The cycle's share of its period.
    float longest;
};

/// The server's transport (see transport.c and transport_client.c).
struct transport {
    bool is_pipewire;
    atomic_bool follows;
    /// Set before activation: the cycle then has no predecessor.
    atomic_bool is_restarted;
    /// Until another client is.
    atomic_bool is_leader;
    /// Number of times that the server has asked for beats.
    atomic_uint requests_for_beats;
    /// A thread waits for the next such call.
    atomic_bool awaits_call;
    sem_t called;
    // Used only by the cycle.
    struct transport_reading reading;
    /// Frames for which the server has waited for the core.
    uint64_t waited_frames;
    unsigned seen_calls;
    unsigned missed_calls;
};

enum { RENEWED_CAPACITY = 256 };

struct rcore_jack {
    jack_client_t *client;
    rcore_jack_monitor_t *monitor;
    bool ports_registered;

    // Shared by the control thread and the cycle: see cycle.c and ports.c.
    _Atomic(rcore_t *) core;
    _Atomic(const struct port_table *) table;
    atomic_bool in_cycle;
    struct grace_period core_grace;
    struct grace_period table_grace;
    /// Held while latencies are passed on, by the latency callback or by the control thread, and by
    /// the control thread while it replaces the table. Of the calls of libjack, only queries of
    /// latencies and connections are made meanwhile, which may wait for a period with jackd2, and
    /// latencies are set, which does not wait.
    pthread_mutex_t table_lock;
    /// Set while the control thread makes several connections at once: the latency callback does
    /// nothing until after the last one.
    atomic_bool latencies_held;
    /// The client's own latency, by output channel: minimum << 32 | maximum.
    _Atomic(uint64_t) own_latencies[RCORE_JACK_MAX_PORTS];
    atomic_bool freewheeling;
    /// A connection to PipeWire's socket; -1: none.
    int server_fd;
    // For polls; used only by the control thread.
    bool is_active;
    /// The server's rate when the client was active last; 0 before.
    uint32_t active_rate;
    /// A hash of the names of the server's ports at the last poll; 0: unknown.
    uint64_t polled_ports;
    /// Does not change while the client is active; may be NULL.
    void (*prepare)(void *context);
    void *prepare_context;
    /// Used only by the cycle.
    struct load_window load;
    struct missed_frames missed;
    struct transport transport;
    /// Set before activation: the cycle then has no predecessor.
    atomic_bool is_restarted;

    // Ports that were registered or renamed, for the control thread: see devices.c.
    /// The id of the n-th such port, at n modulo the capacity.
    atomic_uint renewed[RENEWED_CAPACITY];
    /// Number of such ports so far.
    atomic_uint nrenewed;
    /// Number of them that were read. Used only by the control thread.
    unsigned renewed_read;

    // The list of the process's open clients, and their threads: see open_clients.c.
    rcore_jack_t *next_open;
    /// The id of the thread on which libjack handles the server's notifications; 0: unknown.
    pid_t notification_thread;
    /// When another client of the process had lost its server, in milliseconds of the monotonic
    /// clock; 0: never.
    uint64_t suspected_at;

    // The threads that reported the server's shutdown: see shutdown.c.
    /// Set by the callback that only jackd2's libjack calls.
    atomic_bool notified_by_info;
    /// Thread id of libjack's notification thread, once it has reported the shutdown; 0 before.
    atomic_int notifier;
    /// Thread id of the audio thread, if it reported the shutdown.
    atomic_int failed_cycle;
};

/// Returns whether the server was lost. [any]
static inline bool rcore_jack_is_lost(const rcore_jack_t *jack) { return atomic_load(&jack->monitor->lost); }

/// Passes what the MIDI ports received in this cycle to the core, before `rcore_process`. [render]
void rcore_jack_receive_midi(rcore_t *core, const struct port_table *table, uint32_t nframes) RCORE_RT;
/// Writes the core's messages of this cycle to the MIDI ports, after `rcore_process`; NULL: none.
/// [render]
void rcore_jack_send_midi(rcore_t *core, const struct port_table *table, uint32_t nframes) RCORE_RT;

/// Reports the server's transport to the core, before `rcore_process`, if the driver follows it;
/// NULL: this cycle has no core. [render]
void rcore_jack_report_transport(rcore_jack_t *jack, rcore_t *core, const struct cycle_start *start) RCORE_RT;
/// Has the server's transport wait for the core; before the client is activated. [control] Returns
/// whether that succeeded.
bool rcore_jack_register_sync(rcore_jack_t *jack);

/// The process callback. [render]
int rcore_jack_cycle(jack_nframes_t nframes, void *argument) RCORE_RT;

/// Marks the end of the cycle and wakes the threads that wait for it. [render, or control when no
/// cycle can run any longer]
void rcore_jack_leave_cycle(rcore_jack_t *jack) RCORE_RT;

/// Returns the monotonic clock in nanoseconds. [render]
uint64_t rcore_jack_clock(void) RCORE_RT;

/// Records the load of a cycle that began at `begin` and ends now. [render] Not while freewheeling.
void rcore_jack_record_load(rcore_jack_t *jack, uint64_t begin, uint32_t nframes) RCORE_RT;

/// Waits until the cycle no longer uses an object that was just removed from it: at most for the
/// rest of one `rcore_process`. [control or watch]
void rcore_jack_synchronize(rcore_jack_t *jack, struct grace_period *grace);

/// Returns whether a range of channels is valid. [any]
static inline bool rcore_jack_is_range(uint32_t first, uint32_t count) {
    return count > 0 && count <= RCORE_JACK_MAX_PORTS && first <= RCORE_JACK_MAX_PORTS - count;
}

/// Returns the current ports. [control]
static inline const struct port_table *rcore_jack_table(const rcore_jack_t *jack) { return atomic_load(&jack->table); }

/// Records that a port was registered or renamed. [notification]
void rcore_jack_record_renewed(rcore_jack_t *jack, uint32_t port);

/// While the server freewheels: lets the app fill its streams. [render, without a deadline] Marked
/// like the cycle's functions so that the cycle may call it; the app's callback may block, because
/// the thread has no deadline then.
void rcore_jack_prepare(rcore_jack_t *jack) RCORE_RT;

/// Records a change and wakes the waiting thread. [any but render]
void rcore_jack_record_change(rcore_jack_monitor_t *monitor, unsigned change);

/// Records that the server was lost; NULL: it gave no reason. Only the first call for a client
/// counts. [any but render]
void rcore_jack_record_loss(rcore_jack_monitor_t *monitor, const char *reason);

/// Records another rate or period of the server; ignores 0. [any but render]
void rcore_jack_record_format(rcore_jack_monitor_t *monitor, uint32_t sample_rate, uint32_t period_frames);

/// Connects to the socket of the PipeWire server that a client uses which was opened at the server
/// `server_name` (NULL: the default one); returns -1 if that fails. [control] The connection sends
/// nothing. The caller closes it.
int rcore_jack_connect_to_pipewire(const char *server_name);

/// Connects to a socket; returns -1 and sets `errno` if that fails. [any]
int rcore_jack_connect_to_socket(const char *path);

/// Returns the name of the server that is used if `server_name` is requested; NULL: the default
/// one. [any]
const char *rcore_jack_server_name(const char *server_name);

/// Returns whether a client may be requested from a server: false if it is known that none of that
/// name listens. True with PipeWire, and until a client was opened. [control]
bool rcore_jack_may_be_running(const char *server_name);

/// Learns from a server, at which a client was opened, where servers listen. [control]
void rcore_jack_learn_location(const char *server_name);

/// Watches a connection to the server, whose end counts as the loss of the server; -1: none.
/// [control] The caller owns the descriptor, and closes it after the watch has ended.
void rcore_jack_watch_server(rcore_jack_monitor_t *monitor, int server_fd);

/// Resets the monitor for a new client, with the server's sample rate and period; keeps its counts.
/// [control]
void rcore_jack_monitor_reset(rcore_jack_monitor_t *monitor, uint32_t sample_rate, uint32_t period_frames);

/// The latency callback: passes latencies through the client and adds its own latency, which is
/// usually 0; with PipeWire, leaves that to the control thread. Does nothing while latencies are
/// held. (Without this callback, JACK also passes latencies through, but sends no notification.)
/// [notification]
void rcore_jack_on_latency(jack_latency_callback_mode_t mode, void *argument);

/// Returns the names of the audio ports that belong to devices and have the flags `side`
/// (JackPortIsInput, JackPortIsOutput, or 0), in libjack's order and terminated by NULL; NULL if
/// there are none. [control]
const char **rcore_jack_device_ports(rcore_jack_t *jack, unsigned long side);

/// With PipeWire's libjack, makes it report the aliases of ports, by a property in PIPEWIRE_PROPS;
/// those that the user has set stay, and take precedence. Runs once, when the program is loaded.
void rcore_jack_request_aliases(void);

/// Reads a port's aliases. Stores both in one allocation, at `aliases[0]`; stores none without
/// memory. [control]
void rcore_jack_read_aliases(jack_port_t *port, rcore_jack_port_t *description);

/// Registers all callbacks, before activation. Returns false if libjack refuses one that the driver
/// needs. [control]
bool rcore_jack_register_callbacks(rcore_jack_t *jack);

/// Adds a client that was opened to the process's open clients. [control]
void rcore_jack_enlist(rcore_jack_t *jack);

/// Removes a client that was closed; does nothing if it was not added. [control]
void rcore_jack_delist(rcore_jack_t *jack);

/// Waits until all clients of the process that have lost their server are closed, for about 3 s at
/// most. Returns whether they are. [control]
bool rcore_jack_await_dead_clients(void);
/// Opening a client of the process: begins when no other one is being opened or closed. [control]
void rcore_jack_begin_opening(void);
void rcore_jack_end_opening(void);

/// Returns the id of the thread that libjack has created last on the calling thread, since the last
/// call of this function; 0: none. [control]
pid_t rcore_jack_take_created_thread(void);

/// Waits until a thread of the process waits for data or has ended, for about 2 s at most; if the
/// system does not show that, or `thread` is 0, for 10 ms. [control]
void rcore_jack_await_idle(pid_t thread);

/// Closes the libjack client, when no other one of the process is being opened or closed. [control]
void rcore_jack_close_client(rcore_jack_t *jack);

/// Unregisters all ports, also if the server is lost. When PipeWire has ended, closing a client
/// frees the memory of the ports that are left twice, in PipeWire's libjack (1.4.2). [control]
void rcore_jack_unregister_all(rcore_jack_t *jack);

/// Records that the calling thread of libjack reported the server's shutdown. [notification, or an
/// audio thread that exits]
void rcore_jack_record_thread(rcore_jack_t *jack);

/// If jackd2 reported its shutdown: waits, for about 2 s at most, until the threads that reported
/// it have exited. Otherwise returns at once. [control]
void rcore_jack_await_shutdown(const rcore_jack_t *jack);

#endif
