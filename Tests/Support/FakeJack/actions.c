/// The actions of a script: the server's start and end, its devices, and its notifications.
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct words {
    char text[512];
    char *word[10];
    int count;
} words_t;

static void split(words_t *words, const char *text) {
    snprintf(words->text, sizeof words->text, "%s", text);
    words->count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(words->text, " \t", &rest); word != NULL && words->count < 10;
         word = strtok_r(NULL, " \t", &rest)) {
        words->word[words->count++] = word;
    }
}

static const char *word(const words_t *words, int index) { return index < words->count ? words->word[index] : ""; }
static bool is(const words_t *words, int index, const char *text) { return strcmp(word(words, index), text) == 0; }
static uint32_t number(const words_t *words, int index) { return (uint32_t)strtoul(word(words, index), NULL, 0); }
static bool has(const words_t *words, const char *text) {
    for (int i = 1; i < words->count; i++) {
        if (is(words, i, text)) {
            return true;
        }
    }
    return false;
}

// ---- Start and end ------------------------------------------------------------------------------

void fake_die(unsigned shutdown, bool here) {
    jack_client_t *orphans[MAX_CLIENTS];
    uint32_t count = 0;
    fake_lock();
    fake.runs = false;
    for (uint32_t i = 0; i < fake.nclients; i++) {
        jack_client_t *client = fake.clients[i];
        if (!client->is_open || client->is_dead) {
            continue;
        }
        client->is_dead = true;
        client->shutdown = here ? 0 : shutdown;
        orphans[count++] = client;
    }
    pthread_cond_broadcast(&fake.changed);
    fake_unlock();
    for (uint32_t i = 0; here && i < count; i++) {
        fake_notify_end(orphans[i], shutdown);
    }
}

static int die(const words_t *words) {
    unsigned shutdown = 0;
    shutdown |= has(words, "info") ? SHUTDOWN_INFO : 0;
    shutdown |= has(words, "plain") ? SHUTDOWN_PLAIN : 0;
    shutdown |= has(words, "twice") ? SHUTDOWN_TWICE : 0;
    shutdown |= has(words, "cycle") ? SHUTDOWN_CYCLE : 0;
    shutdown |= has(words, "linger") ? SHUTDOWN_LINGER : 0;
    shutdown |= has(words, "process") ? SHUTDOWN_PROCESS : 0;
    fake_die(shutdown, has(words, "here"));
    return 0;
}

static int restart_server(const words_t *words) {
    fake_lock();
    fake.runs = true;
    if (words->count > 1) {
        fake.rate = number(words, 1);
    }
    if (words->count > 2) {
        fake.period = number(words, 2);
    }
    fake_unlock();
    return 0;
}

// ---- Devices ------------------------------------------------------------------------------------

static void add_device_port(const char *name, bool plays, const char *alias) {
    unsigned long flags = JackPortIsPhysical | JackPortIsTerminal | (plays ? JackPortIsInput : JackPortIsOutput);
    jack_port_t *port = fake_add_port(NULL, name, JACK_DEFAULT_AUDIO_TYPE, flags);
    if (port == NULL) {
        return;
    }
    port->latency[plays ? JackPlaybackLatency : JackCaptureLatency] = (jack_latency_range_t){fake.period, fake.period};
    if (alias[0]) {
        port->aliases[0] = strdup(alias);
    }
}

/// plug NAME PLAYBACK CAPTURE [ALIAS]. In the alias, %d stands for the channel.
static int plug(const words_t *words) {
    if (words->count < 4) {
        return -1;
    }
    notice_t notice = {.kind = NOTICE_CLIENT, .flag = 1};
    snprintf(notice.name, sizeof notice.name, "%s", word(words, 1));
    fake_lock();
    fake_notify_all(notice);
    for (uint32_t side = 0; side < 2; side++) {
        for (uint32_t i = 1; i <= number(words, (int)side + 2); i++) {
            char name[MAX_NAME], alias[MAX_NAME] = "";
            snprintf(name, sizeof name, "%s:%s_%u", word(words, 1), side ? "capture" : "playback", i);
            const char *mark = strstr(word(words, 4), "%d");
            if (mark != NULL) {
                snprintf(alias, sizeof alias, "%.*s%u%s", (int)(mark - word(words, 4)), word(words, 4), i, mark + 2);
            }
            add_device_port(name, side == 0, alias);
        }
    }
    fake_unlock();
    return 0;
}

/// Removes the device's ports one by one. Each client is notified of each port twice, as jackd2
/// does.
static int unplug(const words_t *words) {
    size_t length = strlen(word(words, 1));
    notice_t notice = {.kind = NOTICE_CLIENT, .flag = 0};
    snprintf(notice.name, sizeof notice.name, "%s", word(words, 1));
    fake_lock();
    for (uint32_t i = 0; i < fake.nports; i++) {
        jack_port_t *port = fake.ports[i];
        if (port->owner != NULL || !port->exists || strncmp(port->name, word(words, 1), length) != 0) {
            continue;
        }
        fake_remove_port(port);
        fake_notify_all((notice_t){.kind = NOTICE_PORT, .a = port->id, .flag = 0});
    }
    fake_notify_all(notice);
    fake_unlock();
    return 0;
}

static int add_garbage(void) {
    static char longest[4097];
    memset(longest, 'x', sizeof longest - 1);
    const char *const names[] = {"",
                                 ":",
                                 "nocolon",
                                 "client:",
                                 ":port",
                                 "bad\xff\xfe\xc3:\xf0\x28port",
                                 "tab\there:li\nne\x01",
                                 longest,
                                 "a:b:c:d",
                                 "system:",
                                 "%s%n:%d",
                                 "🎧:🎧",
                                 "../../etc:passwd"};
    fake_lock();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        add_device_port(names[i], i % 3 != 2,
                        i % 2 ? names[(i + 5) % (sizeof names / sizeof *names)] : "virtual-device:nothing::x");
    }
    fake_unlock();
    return 0;
}

static int set_latency(const words_t *words) {
    fake_lock();
    for (uint32_t i = 0; i < fake.nports; i++) {
        for (int mode = 0; mode < 2; mode++) {
            fake.ports[i]->latency[mode] = (jack_latency_range_t){number(words, 1), number(words, 2)};
        }
    }
    fake_notify_all((notice_t){.kind = NOTICE_LATENCY, .a = JackCaptureLatency});
    fake_notify_all((notice_t){.kind = NOTICE_LATENCY, .a = JackPlaybackLatency});
    fake_unlock();
    return 0;
}

// ---- Notifications ------------------------------------------------------------------------------

static int notify(const words_t *words) {
    static const struct {
        const char *name;
        notice_kind_t kind;
    } kinds[] = {{"period", NOTICE_PERIOD},       {"rate", NOTICE_RATE},     {"xrun", NOTICE_XRUN},
                 {"port", NOTICE_PORT},           {"client", NOTICE_CLIENT}, {"link", NOTICE_LINK},
                 {"freewheel", NOTICE_FREEWHEEL}, {"order", NOTICE_ORDER},   {"latency", NOTICE_LATENCY},
                 {"property", NOTICE_PROPERTY}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!is(words, 1, kinds[i].name)) {
            continue;
        }
        notice_t notice = {.kind = kinds[i].kind, .a = number(words, 2), .b = number(words, 3)};
        notice.flag = atoi(word(words, words->count - 1));
        snprintf(notice.name, sizeof notice.name, "%s", word(words, 2));
        fake_lock();
        fake_notify_all(notice);
        fake_unlock();
        return 0;
    }
    return -1;
}

/// period N [silently]; rate N [silently]
static int change(const words_t *words, uint32_t *value, notice_kind_t kind) {
    fake_lock();
    *value = number(words, 1);
    if (!has(words, "silently")) {
        fake_notify_all((notice_t){.kind = kind, .a = *value});
    }
    fake_unlock();
    return 0;
}

static void *storm(void *argument) {
    jack_client_t *client = argument;
    fake_role = ROLE_NOTIFIER;
    for (uint32_t i = 0; i < 50; i++) {
        fake_deliver(client, &(notice_t){.kind = NOTICE_PERIOD, .a = 64U << (i % 5)});
        fake_deliver(client, &(notice_t){.kind = NOTICE_LINK, .a = i, .b = i + 1, .flag = i % 2});
        fake_deliver(client, &(notice_t){.kind = NOTICE_LATENCY, .a = i % 2});
        fake_deliver(client, &(notice_t){.kind = NOTICE_PORT, .a = i, .flag = i % 2});
    }
    return NULL;
}

/// Four threads notify one client at the same time.
static int raise_storm(void) {
    static bool rages; // ignores a storm raised from within this storm
    pthread_t threads[4];
    fake_lock();
    bool raged = rages;
    rages = true;
    jack_client_t *client = NULL;
    for (uint32_t i = 0; i < fake.nclients; i++) {
        if (fake_is_served(fake.clients[i])) {
            client = fake.clients[i];
        }
    }
    fake_unlock();
    if (raged) {
        return 0;
    }
    for (int i = 0; client != NULL && i < 4; i++) {
        if (pthread_create(&threads[i], NULL, storm, client) != 0) {
            abort();
        }
    }
    for (int i = 0; client != NULL && i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    fake_lock();
    rages = false;
    fake_unlock();
    return 0;
}

static int set_notify(const words_t *words) {
    static const char *const names[] = {"once", "twice", "reversed", "never"};
    for (int i = 0; i < 4; i++) {
        if (!is(words, 1, names[i])) {
            continue;
        }
        fake_lock();
        fake.notify = i;
        fake_unlock();
        return 0;
    }
    return -1;
}

static int release_calls(void) {
    fake_lock();
    fake.releases++;
    for (uint32_t i = 0; i < fake.nrules; i++) {
        if (fake.rules[i].kind == RULE_HANG) {
            fake.rules[i].kind = RULE_SLOW; // with no delay
        }
    }
    pthread_cond_broadcast(&fake.changed);
    fake_unlock();
    return 0;
}

int fake_act(const char *action) {
    words_t words;
    split(&words, action);
    if (is(&words, 0, "die")) {
        return die(&words);
    }
    if (is(&words, 0, "return")) {
        return restart_server(&words);
    }
    if (is(&words, 0, "plug")) {
        return plug(&words);
    }
    if (is(&words, 0, "unplug")) {
        return unplug(&words);
    }
    if (is(&words, 0, "garbage")) {
        return add_garbage();
    }
    if (is(&words, 0, "latency")) {
        return set_latency(&words);
    }
    if (is(&words, 0, "tell")) {
        return notify(&words);
    }
    if (is(&words, 0, "period")) {
        return change(&words, &fake.period, NOTICE_PERIOD);
    }
    if (is(&words, 0, "rate")) {
        return change(&words, &fake.rate, NOTICE_RATE);
    }
    if (is(&words, 0, "storm")) {
        return raise_storm();
    }
    if (is(&words, 0, "notify")) {
        return set_notify(&words);
    }
    if (is(&words, 0, "release")) {
        return release_calls();
    }
    if (is(&words, 0, "frames")) {
        return fake.next_frames = number(&words, 1) + 1, 0;
    }
    if (is(&words, 0, "pace")) {
        return fake.pace = strtod(word(&words, 1), NULL), 0;
    }
    if (is(&words, 0, "freewheel")) {
        return fake.freewheels = number(&words, 1) != 0,
               fake_act(fake.freewheels ? "tell freewheel 1" : "tell freewheel 0");
    }
    if (is(&words, 0, "buffers")) {
        return fake.buffers_are_null = is(&words, 1, "null"), 0;
    }
    if (is(&words, 0, "aliases")) {
        return fake.aliases = is(&words, 1, "null")   ? ALIASES_NULL
                              : is(&words, 1, "many") ? ALIASES_MANY
                                                      : ALIASES_TRUE,
               0;
    }
    if (is(&words, 0, "pipewire")) {
        return fake.is_pipewire = true, 0;
    }
    return -1;
}
