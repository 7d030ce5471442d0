/// Reads scripts, and reports what the fake counted.
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

fake_t fake = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool find_call(const char *name, call_t *call) {
    for (int i = 0; i <= CALL_COUNT; i++) {
        if (strcmp(fake_call_name((call_t)i), name) == 0) {
            *call = (call_t)i;
            return true;
        }
    }
    return false;
}

/// Reads a number, or "every".
static bool read_nth(const char *word, uint64_t *nth) {
    char *end = NULL;
    *nth = strtoull(word, &end, 10);
    if (strcmp(word, "every") == 0) {
        return true;
    }
    return *end == 0 && *nth > 0;
}

/// Reads a rule: fail CALL NTH [WAY]; hang CALL NTH; slow CALL NTH MILLISECONDS;
/// on CALL NTH [after] ACTION; cycle NTH ACTION.
static bool read_rule(const char *line) {
    char verb[16] = "", name[64] = "", nth[24] = "";
    int length = 0;
    rule_t rule = {.call = CALL_ANY};
    if (sscanf(line, "cycle %23s %n", nth, &length) == 1) {
        rule.at_cycle = true;
        rule.kind = RULE_DO;
    } else if (sscanf(line, "%15s %63s %23s %n", verb, name, nth, &length) != 3 || !find_call(name, &rule.call)) {
        return false;
    }
    const char *rest = line + length;
    if (strncmp(rest, "after ", 6) == 0) {
        rule.after = true;
        rest += 6;
    }
    snprintf(rule.action, sizeof rule.action, "%s", rest);
    if (strcmp(verb, "fail") == 0) {
        rule.kind = RULE_FAIL, rule.way = atoi(rest);
    } else if (strcmp(verb, "hang") == 0) {
        rule.kind = RULE_HANG;
    } else if (strcmp(verb, "slow") == 0) {
        rule.kind = RULE_SLOW, rule.milliseconds = strtod(rest, NULL);
    } else if (strcmp(verb, "on") == 0 || rule.at_cycle) {
        rule.kind = RULE_DO;
    } else {
        return false;
    }
    if (!read_nth(nth, &rule.nth) || fake.nrules == MAX_RULES) {
        return false;
    }
    fake_lock();
    fake.rules[fake.nrules++] = rule;
    fake_unlock();
    return true;
}

int fake_read_script(const char *script) {
    int number = 0;
    for (const char *next = script; next != NULL && *next;) {
        size_t length = strcspn(next, "\n");
        char line[512];
        snprintf(line, sizeof line, "%.*s", (int)(length < 511 ? length : 511), next);
        next += length + (next[length] == '\n');
        number++;
        const char *begin = line + strspn(line, " \t");
        if (*begin == 0 || *begin == '#' || read_rule(begin) || fake_act(begin) == 0) {
            continue;
        }
        return number;
    }
    return 0;
}

void fake_set_defaults(void) {
    fake.runs = true;
    fake.rate = 48000;
    fake.period = 256;
    fake.pace = 1;
    fake.is_pipewire = fake.freewheels = fake.buffers_are_null = false;
    fake.next_frames = 0;
    fake.notify = NOTIFY_ONCE;
    fake.aliases = ALIASES_TRUE;
    fake.nlinks = fake.nrules = 0;
    memset(fake.counts, 0, sizeof fake.counts);
    fake.cycles = fake.sounding = fake.garbage = fake.fired = fake.misuse = 0;
    fake.first_misuse[0] = 0;
    fake.transport = JackTransportStopped;
    fake.position = (jack_position_t){0};
    fake.transport_client = fake.leader = NULL;
}

static void forget(void) {
    for (uint32_t i = 0; i < fake.nclients; i++) {
        fake_drop_notices(fake.clients[i]);
        free(fake.clients[i]);
    }
    for (uint32_t i = 0; i < fake.nports; i++) {
        jack_port_t *port = fake.ports[i];
        if (port->room != NULL) {
            munmap(port->room, MAX_FRAMES * sizeof(float) + 4096);
        }
        free(port->name);
        free(port->aliases[0]);
        free(port->aliases[1]);
        free(port);
    }
    fake.nclients = fake.nports = 0;
}

static uint64_t open_clients(void) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < fake.nclients; i++) {
        count += fake.clients[i]->is_open;
    }
    return count;
}

static uint64_t owned_ports(void) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < fake.nports; i++) {
        count += fake.ports[i]->exists && fake.ports[i]->owner != NULL;
    }
    return count;
}

int fake_jack_begin(const char *script) {
    fake_lock();
    bool is_idle = open_clients() == 0 && fake.under_way == 0 && fake.threads == 0;
    if (is_idle) {
        forget();
        fake_set_defaults();
    }
    fake_unlock();
    return is_idle ? fake_read_script(script) : -1;
}

int fake_jack_do(const char *action) { return fake_act(action); }

size_t fake_jack_report(char *text, size_t capacity) {
    char whole[8192];
    int length = 0;
#define LINE(...) length += snprintf(whole + length, sizeof whole - (size_t)length, __VA_ARGS__)
    fake_lock();
    LINE("clients %lu\nports %lu\nlists %lu\nthreads %lu\nhanging %lu\nunderWay %lu\n", open_clients(), owned_ports(),
         fake.lists, fake.threads, fake.hanging, fake.under_way);
    LINE("cycles %lu\nsounding %lu\ngarbage %lu\nfired %lu\nmisuse %lu\nlinks %u\n", fake.cycles, fake.sounding,
         fake.garbage, fake.fired, fake.misuse, fake.nlinks);
    if (fake.misuse) {
        LINE("# %s\n", fake.first_misuse);
    }
    for (int i = 0; i <= CALL_COUNT; i++) {
        if (fake.counts[i]) {
            LINE("%s%s %lu\n", i < CALL_COUNT ? "jack_" : "", i < CALL_COUNT ? fake_call_name((call_t)i) : "calls",
                 fake.counts[i]);
        }
    }
    fake_unlock();
#undef LINE
    snprintf(text, capacity, "%s", whole);
    return (size_t)length;
}

/// Reads the script of a program that knows nothing of the fake from a file.
__attribute__((constructor)) static void begin(void) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&fake.changed, &attributes);
    pthread_condattr_destroy(&attributes);
    fake_set_defaults();
    const char *path = getenv("FAKE_JACK_SCRIPT");
    FILE *file = path != NULL ? fopen(path, "r") : NULL;
    if (path != NULL && file == NULL) {
        fprintf(stderr, "fake libjack: cannot open script '%s'\n", path);
        exit(66);
    }
    static char script[65536];
    size_t length = file != NULL ? fread(script, 1, sizeof script - 1, file) : 0;
    script[length] = 0;
    if (file != NULL) {
        fclose(file);
    }
    int wrong = fake_read_script(file != NULL ? script : "plug system 2 2");
    if (wrong) {
        fprintf(stderr, "fake libjack: line %d of '%s' is invalid\n", wrong, path);
        exit(65);
    }
}
