/// What a script does to calls: count them, make them fail, hang or slow, and run actions around
/// them.
#include "fake.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct {
    const char *name;
    int ways;
} calls[CALL_COUNT + 1] = {
#define FAKE_JACK_CALL(name, ways) {#name, ways},
    FAKE_JACK_CALLS(FAKE_JACK_CALL)
#undef FAKE_JACK_CALL
        {"any", 3},
};

const char *fake_call_name(call_t call) { return calls[call].name; }
int fake_call_ways(call_t call) { return calls[call].ways; }

void fake_note_misuse(const char *what, const char *where) {
    if (fake.misuse++ == 0) {
        snprintf(fake.first_misuse, sizeof fake.first_misuse, "%s: %s", where, what);
    }
}

void fake_sleep(double milliseconds) {
    struct timespec limit;
    clock_gettime(CLOCK_MONOTONIC, &limit);
    int64_t nanoseconds = limit.tv_nsec + (int64_t)(milliseconds * 1e6);
    limit.tv_sec += nanoseconds / 1000000000;
    limit.tv_nsec = nanoseconds % 1000000000;
    fake_lock();
    while (pthread_cond_timedwait(&fake.changed, &fake.lock, &limit) != ETIMEDOUT) {
        continue;
    }
    fake_unlock();
}

/// Detects what libjack forbids: calls on a closed client, and requests to the server from one of
/// libjack's own threads, which would wait for themselves.
static void check_use(call_t call, const jack_client_t *client) {
    // Its own threads may still make calls while the client is being closed.
    if (client != NULL && !client->is_open && fake_role == ROLE_CALLER) {
        fake_note_misuse("the client was closed before", calls[call].name);
    }
    switch (call) {
    case CALL_client_open:
    case CALL_client_close:
    case CALL_activate:
    case CALL_deactivate:
    case CALL_port_register:
    case CALL_port_unregister:
    case CALL_connect:
    case CALL_disconnect:
    case CALL_set_buffer_size:
    case CALL_recompute_total_latencies:
        if (fake_role != ROLE_CALLER) {
            fake_note_misuse("a request on libjack's own thread", calls[call].name);
        }
        break;
    case CALL_port_set_latency_range:
        // PipeWire's libjack would send the latency while another thread may be sending.
        if (fake_role == ROLE_CYCLE || (fake.is_pipewire && fake_role != ROLE_CALLER)) {
            fake_note_misuse("a latency on libjack's own thread", calls[call].name);
        }
        break;
    case CALL_port_get_buffer:
        if (fake_role != ROLE_CYCLE) {
            fake_note_misuse("buffers are there within a cycle only", calls[call].name);
        }
        break;
    default:
        if (fake_role == ROLE_CYCLE && call != CALL_client_thread_id && call != CALL_frame_time &&
            call != CALL_transport_query) {
            fake_note_misuse("within a cycle", calls[call].name);
        }
    }
}

static bool applies(const rule_t *rule, const visit_t *visit) {
    if (rule->at_cycle) {
        return false;
    }
    if (rule->call == CALL_ANY) { // only the app's own calls count
        return fake_role == ROLE_CALLER && (rule->nth == 0 || rule->nth == visit->nth_of_all);
    }
    return rule->call == visit->call && (rule->nth == 0 || rule->nth == visit->nth);
}

static void hang(void) {
    uint64_t before = fake.releases;
    fake.hanging++;
    while (fake.releases == before) {
        pthread_cond_wait(&fake.changed, &fake.lock);
    }
    fake.hanging--;
}

static void apply_rule(const rule_t *rule, visit_t *visit) {
    fake.fired++;
    switch (rule->kind) {
    case RULE_FAIL:
        if (calls[visit->call].ways > 0) {
            visit->way = rule->way % calls[visit->call].ways;
        }
        break;
    case RULE_HANG:
        hang();
        break;
    case RULE_SLOW:
        fake_unlock();
        fake_sleep(rule->milliseconds);
        fake_lock();
        break;
    case RULE_DO:
        fake_unlock();
        fake_act(rule->action);
        fake_lock();
        break;
    }
}

static void apply_rules(visit_t *visit, bool after) {
    for (uint32_t i = 0; i < fake.nrules; i++) {
        rule_t rule = fake.rules[i];
        if (rule.after == after && applies(&rule, visit)) {
            apply_rule(&rule, visit);
        }
    }
}

visit_t fake_enter(call_t call, const jack_client_t *client) {
    fake_lock();
    check_use(call, client);
    visit_t visit = {call, ++fake.counts[call], fake.counts[CALL_ANY], -1};
    if (fake_role == ROLE_CALLER) {
        visit.nth_of_all = ++fake.counts[CALL_ANY];
    }
    fake.under_way++;
    apply_rules(&visit, false);
    fake_unlock();
    return visit;
}

void fake_leave(const visit_t *visit) {
    fake_lock();
    visit_t left = *visit;
    apply_rules(&left, true);
    fake.under_way--;
    fake_unlock();
}

int fake_failure(const visit_t *visit) {
    static const int codes[STATUS] = {-1, ENOMEM, EEXIST};
    return codes[visit->way];
}
