/// Declarations shared by the files of the fake JACK: one server, its clients and ports, all within
/// the process.
#ifndef FAKE_JACK_FAKE_H
#define FAKE_JACK_FAKE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "calls.h"
#include "fake_jack.h"

#include <jack/jack.h>
#include <jack/metadata.h>
#include <jack/statistics.h>
#include <jack/thread.h>
#include <jack/transport.h>
#include <jack/uuid.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    /// Over the life of a script: the fake frees no client before the next script begins, so that
    /// it detects late calls.
    MAX_CLIENTS = 4096,
    MAX_PORTS = 65536,
    MAX_LINKS = 8192,
    MAX_RULES = 256,
    MAX_NAME = 320,
    MAX_FRAMES = 65536,
};

// ---- Notifications ------------------------------------------------------------------------------

typedef enum notice_kind {
    NOTICE_PERIOD,
    NOTICE_RATE,
    NOTICE_XRUN,
    NOTICE_FREEWHEEL,
    NOTICE_PORT,
    NOTICE_CLIENT,
    NOTICE_LINK,
    NOTICE_ORDER,
    NOTICE_LATENCY,
    NOTICE_PROPERTY,
} notice_kind_t;

typedef struct notice {
    notice_kind_t kind;
    uint32_t a, b;
    int flag;
    char name[64];
    struct notice *next;
} notice_t;

/// How the server's end is reported, and by which thread.
enum shutdown {
    /// The notification thread calls the callback of jack_on_info_shutdown.
    SHUTDOWN_INFO = 1,
    /// The notification thread calls the callback of jack_on_shutdown.
    SHUTDOWN_PLAIN = 2,
    /// It calls each of them twice.
    SHUTDOWN_TWICE = 4,
    /// The audio thread reports the end, too.
    SHUTDOWN_CYCLE = 8,
    /// The notification thread does not end after that.
    SHUTDOWN_LINGER = 16,
    /// Cycles continue.
    SHUTDOWN_PROCESS = 32
};

// ---- Server, clients, ports ---------------------------------------------------------------------

struct _jack_client {
    char name[MAX_NAME];
    bool is_open, is_active, is_dead;
    /// Its threads are to end.
    bool ends;
    /// Its audio thread is to end.
    bool cycle_ends;
    bool has_notifier, has_cycle;
    /// Once dead: how the end was reported.
    unsigned shutdown;
    pthread_t notifier, cycle;
    notice_t *notices;
    uint64_t posted, notified;
    uint64_t cycles;

    JackProcessCallback process;
    JackThreadInitCallback thread_init;
    JackSampleRateCallback rate;
    JackBufferSizeCallback period;
    JackXRunCallback xrun;
    JackFreewheelCallback freewheel;
    JackPortConnectCallback link;
    JackPortRegistrationCallback port;
    JackPortRenameCallback renamed;
    JackClientRegistrationCallback registration;
    JackGraphOrderCallback order;
    JackLatencyCallback latency;
    JackPropertyChangeCallback property;
    JackSyncCallback sync;
    JackTimebaseCallback timebase;
    JackShutdownCallback plain_end;
    JackInfoShutdownCallback info_end;
    void *process_arg, *thread_init_arg, *rate_arg, *period_arg, *xrun_arg, *freewheel_arg, *link_arg, *port_arg,
        *renamed_arg, *registration_arg, *order_arg, *latency_arg, *property_arg, *plain_end_arg, *info_end_arg,
        *sync_arg, *timebase_arg;
    /// The last answer of the sync callback.
    bool ready;
};

struct _jack_port {
    /// The full name, of any length.
    char *name;
    char *aliases[2];
    const char *type;
    unsigned long flags;
    uint32_t id;
    /// NULL: the port belongs to a device.
    jack_client_t *owner;
    bool exists;
    jack_latency_range_t latency[2];
    /// MAX_FRAMES samples, followed by an inaccessible page.
    float *room;
    bool was_asked;
};

typedef struct link {
    jack_port_t *source, *destination;
} link_t;

typedef enum rule_kind { RULE_FAIL, RULE_HANG, RULE_SLOW, RULE_DO } rule_kind_t;

typedef struct rule {
    rule_kind_t kind;
    call_t call;
    bool at_cycle, after;
    /// 0: every call.
    uint64_t nth;
    int way;
    double milliseconds;
    char action[256];
} rule_t;

typedef struct fake {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool runs, is_pipewire, freewheels, buffers_are_null;
    uint32_t rate, period, next_frames;
    /// Milliseconds between cycles.
    double pace;
    enum { NOTIFY_ONCE, NOTIFY_TWICE, NOTIFY_REVERSED, NOTIFY_NEVER } notify;
    enum { ALIASES_TRUE, ALIASES_NULL, ALIASES_MANY } aliases;
    jack_client_t *clients[MAX_CLIENTS];
    jack_port_t *ports[MAX_PORTS];
    link_t links[MAX_LINKS];
    rule_t rules[MAX_RULES];
    uint32_t nclients, nports, nlinks, nrules;

    uint64_t counts[CALL_COUNT + 1];
    uint64_t cycles, sounding, garbage, fired, misuse, lists, threads, under_way, hanging, releases;
    char first_misuse[128];

    jack_transport_state_t transport;
    jack_position_t position;
    /// Who started the transport, and its leader; NULL: nobody.
    jack_client_t *transport_client, *leader;
} fake_t;

extern fake_t fake;

/// The kind of thread that runs: the app's, or one of the fake's own.
typedef enum role { ROLE_CALLER, ROLE_NOTIFIER, ROLE_CYCLE } role_t;
extern _Thread_local role_t fake_role;

static inline void fake_lock(void) { pthread_mutex_lock(&fake.lock); }
static inline void fake_unlock(void) { pthread_mutex_unlock(&fake.lock); }

// ---- Transport: transport.c ---------------------------------------------------------------------

/// Both with the lock held.
void fake_sync(jack_client_t *client);
void fake_advance(jack_client_t *client, uint32_t nframes);

// ---- Faults: faults.c ---------------------------------------------------------------------------

/// A call in progress.
typedef struct visit {
    call_t call;
    uint64_t nth, nth_of_all;
    /// The way in which it is to fail; -1: it is not to fail.
    int way;
} visit_t;

/// Begins a call: counts it and applies the script's rules to it. `client` may be NULL.
visit_t fake_enter(call_t call, const jack_client_t *client);
void fake_leave(const visit_t *visit);
#define VISIT(name, client) __attribute__((cleanup(fake_leave))) const visit_t visit = fake_enter(CALL_##name, client)
/// Returns the failure value of a function that returns a status.
int fake_failure(const visit_t *visit);
/// Records a misuse by the app. With the lock.
void fake_note_misuse(const char *what, const char *where);
/// Returns the function's name; "any" for CALL_ANY.
const char *fake_call_name(call_t call);
int fake_call_ways(call_t call);
/// Sleeps for the whole time, even when the condition is signalled meanwhile. Without the lock.
void fake_sleep(double milliseconds);

// ---- Clients and their threads: client.c, notify.c, cycle.c -------------------------------------

/// Returns whether the server serves this client. With the lock.
static inline bool fake_is_served(const jack_client_t *client) {
    return client && client->is_open && !client->is_dead && fake.runs;
}
/// Creates a thread by the app's thread creator, or by pthread_create. Returns an errno.
int fake_create_thread(pthread_t *thread, void *(*run)(void *), jack_client_t *client);
bool fake_start_notifier(jack_client_t *client);
bool fake_start_cycle(jack_client_t *client);
/// Ends and joins one of the client's threads. Without the lock.
void fake_end_cycle(jack_client_t *client);
void fake_end_notifier(jack_client_t *client);
/// Queues a notification for a client. With the lock.
void fake_notify(jack_client_t *client, notice_t notice);
/// Queues a notification for all clients. With the lock.
void fake_notify_all(notice_t notice);
/// Waits until a client has received all notifications so far, at most 2 s. With the lock, from a
/// caller's thread.
void fake_await_notified(jack_client_t *client);
/// Calls the client's callback for this notification. Without the lock.
void fake_deliver(jack_client_t *client, const notice_t *notice);
void fake_notify_end(jack_client_t *client, unsigned shutdown);
void fake_drop_notices(jack_client_t *client);

// ---- Ports: ports.c, links.c --------------------------------------------------------------------

/// Adds a port. Returns NULL when there are too many. With the lock.
jack_port_t *fake_add_port(jack_client_t *owner, const char *name, const char *type, unsigned long flags);
/// Removes a port and its connections, and notifies the clients. With the lock.
void fake_remove_port(jack_port_t *port);
jack_port_t *fake_find_port(const char *name);
bool fake_owns(const jack_client_t *client, const char *name);
const char **fake_list(char **names, size_t count);
/// Returns the names of all ports connected to a port.
const char **fake_links_of(const jack_port_t *port);
void fake_unlink_port(jack_port_t *port);

// ---- Scripts: script.c, actions.c ---------------------------------------------------------------

/// Carries out an action of the script's language. Without the lock.
int fake_act(const char *action);
/// Ends the server. Without the lock.
void fake_die(unsigned shutdown, bool here);
int fake_read_script(const char *script);
/// Sets up the server as it is without a script. With the lock.
void fake_set_defaults(void);

#endif
