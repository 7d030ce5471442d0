/// What the files of the fake JACK share: one server, its clients and ports, all within the process.
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
#include <jack/uuid.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    MAX_CLIENTS =
        4096, ///< over the life of a script: none is freed before the next begins, so that late calls are seen
    MAX_PORTS = 65536,
    MAX_LINKS = 8192,
    MAX_RULES = 256,
    MAX_NAME = 320,
    MAX_FRAMES = 65536,
};

// ---- Notices ------------------------------------------------------------------------------------------------------------------

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

/// How the server's end is told, by whom.
enum farewell {
    FAREWELL_INFO = 1,    ///< the notification thread calls jack_on_info_shutdown's
    FAREWELL_PLAIN = 2,   ///< it calls jack_on_shutdown's
    FAREWELL_TWICE = 4,   ///< each of them twice
    FAREWELL_CYCLE = 8,   ///< the audio thread tells, too
    FAREWELL_LINGER = 16, ///< the notification thread does not end then
    FAREWELL_PROCESS = 32 ///< cycles go on
};

// ---- Server, clients, ports ---------------------------------------------------------------------------------------------------

struct _jack_client {
    char name[MAX_NAME];
    bool is_open, is_active, is_dead;
    bool ends;       ///< its threads are to end
    bool cycle_ends; ///< its audio thread is
    bool has_notifier, has_cycle;
    unsigned farewell; ///< once dead
    pthread_t notifier, cycle;
    notice_t *notices;
    uint64_t posted, told;
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
    JackShutdownCallback plain_end;
    JackInfoShutdownCallback info_end;
    void *process_arg, *thread_init_arg, *rate_arg, *period_arg, *xrun_arg, *freewheel_arg, *link_arg, *port_arg,
        *renamed_arg, *registration_arg, *order_arg, *latency_arg, *property_arg, *plain_end_arg, *info_end_arg;
};

struct _jack_port {
    char *name; ///< the full one, as long as it likes
    char *aliases[2];
    const char *type;
    unsigned long flags;
    uint32_t id;
    jack_client_t *owner; ///< NULL: a device's
    bool exists;
    jack_latency_range_t latency[2];
    float *room; ///< MAX_FRAMES long, behind it a page that nobody may touch
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
    uint64_t nth; ///< 0: each
    int way;
    double milliseconds;
    char action[256];
} rule_t;

typedef struct fake {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool runs, is_pipewire, freewheels, buffers_are_null;
    uint32_t rate, period, next_frames;
    double pace; ///< milliseconds from cycle to cycle
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
} fake_t;

extern fake_t fake;

/// Which thread of the fake's own runs here.
typedef enum role { ROLE_CALLER, ROLE_NOTIFIER, ROLE_CYCLE } role_t;
extern _Thread_local role_t fake_role;

static inline void fake_lock(void) { pthread_mutex_lock(&fake.lock); }
static inline void fake_unlock(void) { pthread_mutex_unlock(&fake.lock); }

// ---- Faults: faults.c ---------------------------------------------------------------------------------------------------------

/// A call under way.
typedef struct visit {
    call_t call;
    uint64_t nth, nth_of_all;
    int way; ///< in which it is to fail; -1: it is not
} visit_t;

/// Begins a call: counts it, and does to it what the script says. `client` may be NULL.
visit_t fake_enter(call_t call, const jack_client_t *client);
void fake_leave(const visit_t *visit);
#define VISIT(name, client) __attribute__((cleanup(fake_leave))) const visit_t visit = fake_enter(CALL_##name, client)
/// What a function that returns a status returns when it fails.
int fake_failure(const visit_t *visit);
/// Notes that the app did what it must not. With the lock.
void fake_note_misuse(const char *what, const char *where);
/// The function's name; "any" for CALL_ANY.
const char *fake_call_name(call_t call);
int fake_call_ways(call_t call);
/// Waits as long, whoever signals meanwhile. Without the lock.
void fake_pass(double milliseconds);

// ---- Clients and their threads: client.c, notify.c, cycle.c -------------------------------------------------------------------

/// Whether the server hears this client. With the lock.
static inline bool fake_is_heard(const jack_client_t *client) {
    return client && client->is_open && !client->is_dead && fake.runs;
}
bool fake_start_notifier(jack_client_t *client);
bool fake_start_cycle(jack_client_t *client);
/// Ends and joins one of its threads; without the lock.
void fake_end_cycle(jack_client_t *client);
void fake_end_notifier(jack_client_t *client);
/// Has a client told; with the lock.
void fake_notify(jack_client_t *client, notice_t notice);
/// The same, all clients.
void fake_notify_all(notice_t notice);
/// Waits until a client has been told all so far, 2 s at most; with the lock, from a caller's thread.
void fake_await_told(jack_client_t *client);
/// Calls the client's callback for this notice. Without the lock.
void fake_tell(jack_client_t *client, const notice_t *notice);
void fake_tell_end(jack_client_t *client, unsigned farewell);
void fake_drop_notices(jack_client_t *client);

// ---- Ports: ports.c, links.c --------------------------------------------------------------------------------------------------

/// Makes a port; NULL when there are too many. With the lock.
jack_port_t *fake_add_port(jack_client_t *owner, const char *name, const char *type, unsigned long flags);
/// Takes it away, and its links with it, and tells. With the lock.
void fake_remove_port(jack_port_t *port);
jack_port_t *fake_find_port(const char *name);
bool fake_owns(const jack_client_t *client, const char *name);
const char **fake_list(char **names, size_t count);
/// All ends of a port's links.
const char **fake_links_of(const jack_port_t *port);
void fake_unlink_port(jack_port_t *port);

// ---- Scripts: script.c, actions.c ---------------------------------------------------------------------------------------------

/// Carries out an action: its words. Without the lock.
int fake_act(const char *action);
/// Has the server end. Without the lock.
void fake_die(unsigned farewell, bool here);
int fake_read_script(const char *script);
/// Begins a server as it is without a script. With the lock.
void fake_set_defaults(void);

#endif
