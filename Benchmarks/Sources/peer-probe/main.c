/// The receivers of the peers benchmark. Executes commands from packets over descriptor 3, and
/// answers each with `ok …` or `failed WHY`, in tab-separated fields. Runs in a separate process,
/// which ends when its server dies, since libjack may never return.
#define _GNU_SOURCE
#include "probe.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BENCHMARK = 3, MAX_WORDS = 6, ANSWER = 16384 };

static struct probe probe;
static char answer[ANSWER];

static bool say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static bool say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(answer, sizeof answer, format, arguments);
    va_end(arguments);
    return true;
}

/// The parameters of a wait.
typedef struct awaited {
    const peer_tap_t *tap;
    uint64_t wanted;
    uint32_t onset;
} awaited_t;

/// Polls every half millisecond.
static bool await(bool (*is_so)(awaited_t *), awaited_t *awaited, uint64_t milliseconds) {
    uint64_t end = probe_now() + milliseconds * 1000000;
    while (!is_so(awaited)) {
        if (probe_now() > end) {
            return false;
        }
        ppoll(NULL, 0, &(struct timespec){.tv_nsec = 500000}, NULL);
    }
    return true;
}

static bool has_onset(awaited_t *awaited) { return peer_tap_onset(awaited->tap, &awaited->onset); }
static bool is_quiet(awaited_t *awaited) { return peer_tap_quiet(awaited->tap) >= awaited->wanted; }
static bool has_counted(awaited_t *awaited) { return peer_tap_count(awaited->tap).frames >= awaited->wanted; }
static bool impulse_is_out(awaited_t *awaited) {
    (void)awaited;
    return probe_impulse_is_out(&probe);
}

/// Replies with the names of all ports of a direction.
static bool print_ports(unsigned long side) {
    const char **names = jack_get_ports(probe.listener, NULL, JACK_DEFAULT_AUDIO_TYPE, side);
    size_t length = (size_t)snprintf(answer, sizeof answer, "ok");
    for (int i = 0; names != NULL && names[i] != NULL && length < sizeof answer; i++) {
        length += (size_t)snprintf(answer + length, sizeof answer - length, "\t%s", names[i]);
    }
    if (names != NULL) {
        jack_free(names);
    }
    return true;
}

static bool connect_ports(const char *from, const char *to) {
    int result = jack_connect(probe.listener, from, to);
    return result == 0 || result == EEXIST || say("failed\tcannot connect '%s' to '%s'", from, to);
}

static bool set_period(const char *frames) {
    jack_nframes_t wanted = (jack_nframes_t)strtoul(frames, NULL, 10);
    return jack_set_buffer_size(probe.listener, wanted) == 0 ||
           say("failed\tthe server refused a period of %s", frames);
}

static bool send_impulse(uint32_t offset) {
    probe_impulse(&probe, offset);
    if (!await(impulse_is_out, NULL, 1000)) {
        return say("failed\tthe server runs no cycles");
    }
    return say("ok\t%" PRIu32, atomic_load(&probe.impulse_frame));
}

static bool print_count(const peer_tap_t *tap) {
    peer_tap_count_t count = peer_tap_count(tap);
    uint64_t values[] = {count.frames, count.silent,          count.lost,           count.repeated, count.garbled,
                         count.breaks, (uint64_t)count.first, (uint64_t)count.last, count.first_ns};
    size_t length = (size_t)snprintf(answer, sizeof answer, "ok");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        length += (size_t)snprintf(answer + length, sizeof answer - length, "\t%" PRId64, (int64_t)values[i]);
    }
    return true;
}

/// Executes the commands of a receiver: `arm E`, `onset E MS`, `loud E`, `quiet E FRAMES MS`,
/// `count E` (restarts the count), `await E FRAMES MS`, `heard E`.
static bool obey_tap(char **words, peer_tap_t *tap) {
    uint64_t first = strtoull(words[2], NULL, 10), second = strtoull(words[3], NULL, 10);
    awaited_t awaited = {.tap = tap, .wanted = first};
    if (strcmp(words[0], "arm") == 0) {
        peer_tap_arm(tap);
    } else if (strcmp(words[0], "onset") == 0) {
        return await(has_onset, &awaited, first) ? say("ok\t%" PRIu32, awaited.onset) : say("ok");
    } else if (strcmp(words[0], "loud") == 0) {
        return say("ok\t%" PRIu32, peer_tap_loud(tap));
    } else if (strcmp(words[0], "quiet") == 0) {
        return say("ok\t%d", await(is_quiet, &awaited, second));
    } else if (strcmp(words[0], "count") == 0) {
        peer_tap_forget_count(tap);
    } else if (strcmp(words[0], "await") == 0) {
        return say("ok\t%d", await(has_counted, &awaited, second));
    } else if (strcmp(words[0], "heard") == 0) {
        return print_count(tap);
    } else {
        return say("failed\tunknown command of the probe");
    }
    return true;
}

static bool obey(char **words) {
    if (strcmp(words[0], "open") == 0) {
        return probe_open(&probe, words[1], (uint32_t)strtoul(words[2], NULL, 10)) ||
               say("failed\tcannot open the clients");
    }
    if (probe.listener == NULL) {
        return say("failed\tno clients are open");
    }
    if (strcmp(words[0], "outputs") == 0) {
        return print_ports(JackPortIsOutput);
    }
    if (strcmp(words[0], "inputs") == 0) {
        return print_ports(JackPortIsInput);
    }
    if (strcmp(words[0], "connect") == 0) {
        return connect_ports(words[1], words[2]);
    }
    if (strcmp(words[0], "period") == 0) {
        return set_period(words[1]);
    }
    if (strcmp(words[0], "impulse") == 0) {
        return send_impulse((uint32_t)strtoul(words[1], NULL, 10));
    }
    if (strcmp(words[0], "frame") == 0) {
        return say("ok\t%" PRIu32, probe_frame_at(&probe, strtoull(words[1], NULL, 10)));
    }
    if (strcmp(words[0], "pause") == 0) {
        return ppoll(NULL, 0, &(struct timespec){.tv_nsec = strtol(words[1], NULL, 10)}, NULL) == 0;
    }
    unsigned long tap = strtoul(words[1], NULL, 10);
    return tap < probe.ntaps ? obey_tap(words, probe.taps[tap]) : say("failed\tunknown receiver");
}

int main(void) {
    char order[512];
    ssize_t length;
    while ((length = recv(BENCHMARK, order, sizeof order - 1, 0)) > 0 || (length == -1 && errno == EINTR)) {
        order[length > 0 ? length : 0] = 0;
        char *words[MAX_WORDS] = {"", "", "", "", "", ""}, *rest = order;
        for (int i = 0; i < MAX_WORDS && rest != NULL; i++) {
            words[i] = strsep(&rest, "\t");
        }
        if (strcmp(words[0], "quit") == 0) {
            probe_close(&probe);
            break;
        }
        say("ok");
        (void)obey(words);
        if (send(BENCHMARK, answer, strlen(answer), MSG_NOSIGNAL) == -1) {
            break;
        }
    }
    // Skips libjack's destructors: its server may be dead.
    _exit(0);
}
