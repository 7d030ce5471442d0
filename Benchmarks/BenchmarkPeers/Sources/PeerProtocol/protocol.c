#define _GNU_SOURCE
#include "peer_protocol.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BENCHMARK = 3, LINE = 512 };

static char failure[256];

// ---- The signal ---------------------------------------------------------------------------------

static atomic_bool triggered;
static bool counts;
/// Used by the audio thread: the remaining frames of the sound, and the position of the count.
static uint32_t left, position;

void peer_trigger(void) { atomic_store(&triggered, true); }

float peer_count_sample(uint32_t n) { return (float)(n % PEER_COUNT_LENGTH + 1) / PEER_COUNT_LENGTH; }

void peer_fill(float *samples, uint32_t nframes, uint32_t nchannels) {
    if (atomic_exchange(&triggered, false)) {
        left = PEER_SOUND_FRAMES;
    }
    for (uint32_t i = 0; i < nframes; i++) {
        float sample = 0;
        if (counts) {
            sample = peer_count_sample(position);
            position = (position + 1) % PEER_COUNT_LENGTH;
        } else if (left > 0) {
            sample = PEER_SOUND_LEVEL;
            left--;
        }
        for (uint32_t c = 0; c < nchannels; c++) {
            *samples++ = sample;
        }
    }
}

// ---- The protocol -------------------------------------------------------------------------------

static void say(const char *line) {
    while (send(BENCHMARK, line, strlen(line), MSG_NOSIGNAL) == -1 && errno == EINTR) {
    }
}

/// Replaces tabs and line ends in a library's texts, which the protocol uses as separators.
static void flatten(char *text) {
    for (; *text; text++) {
        if ((unsigned char)*text < ' ') {
            *text = ' ';
        }
    }
}

void peer_describe(peer_opened_t *opened, const char *library, const char *backend) {
    snprintf(opened->library, sizeof opened->library, "%s", library);
    snprintf(opened->backend, sizeof opened->backend, "%s", backend);
    flatten(opened->library);
    flatten(opened->backend);
}

void peer_refuse(const char *why) { peer_fail("%s", why); }

void peer_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure, sizeof failure, format, arguments);
    va_end(arguments);
    flatten(failure);
}

void peer_notice(const char *text) {
    char kept[256], line[LINE];
    snprintf(kept, sizeof kept, "%s", text);
    flatten(kept);
    snprintf(line, sizeof line, "notice\t%s", kept);
    say(line);
}

static bool open_stream(const peer_t *peer, const peer_options_t *options) {
    peer_opened_t opened = {0};
    char line[LINE];
    failure[0] = 0;
    bool is_open = peer->open(options, &opened);
    if (is_open) {
        snprintf(line, sizeof line, "opened\t%s\t%s\t%u\t%u", opened.library, opened.backend, opened.rate,
                 opened.period);
    } else {
        snprintf(line, sizeof line, "failed\t%s", failure[0] ? failure : "no reason given");
    }
    say(line);
    return is_open;
}

static void play(const peer_t *peer) {
    struct timespec time;
    char line[LINE];
    clock_gettime(CLOCK_MONOTONIC, &time);
    if (peer->play) {
        peer->play();
    } else {
        peer_trigger();
    }
    snprintf(line, sizeof line, "playing\t%lld", (long long)time.tv_sec * 1000000000 + time.tv_nsec);
    say(line);
}

static bool read_options(int argc, char **argv, peer_options_t *options) {
    const char *task = "";
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--task") == 0) {
            task = argv[i + 1];
        } else if (strcmp(argv[i], "--name") == 0) {
            options->name = argv[i + 1];
        } else if (strcmp(argv[i], "--way") == 0) {
            options->way = argv[i + 1];
        } else if (strcmp(argv[i], "--rate") == 0) {
            options->rate = (uint32_t)strtoul(argv[i + 1], NULL, 10);
        } else if (strcmp(argv[i], "--period") == 0) {
            options->period = (uint32_t)strtoul(argv[i + 1], NULL, 10);
        } else {
            return false;
        }
    }
    const char *tasks[] = {[PEER_SOUND] = "sound", [PEER_COUNT] = "count", [PEER_THROUGH] = "through"};
    for (int i = PEER_SOUND; i <= PEER_THROUGH; i++) {
        if (strcmp(task, tasks[i]) == 0) {
            options->task = (peer_task_t)i;
            return options->name != NULL && options->rate > 0 && options->period > 0;
        }
    }
    return false;
}

int peer_run(int argc, char **argv, const peer_t *peer) {
    peer_options_t options = {.way = ""};
    if (!read_options(argc, argv, &options)) {
        fprintf(stderr,
                "usage: %s --task sound|count|through --name NAME --rate HZ --period FRAMES [--way WAY]\n"
                "The benchmark runs it, with a socket as descriptor 3.\n",
                argv[0]);
        return 64;
    }
    counts = options.task == PEER_COUNT;
    if (!open_stream(peer, &options)) {
        return 69;
    }
    char order[64];
    ssize_t length;
    while ((length = recv(BENCHMARK, order, sizeof order - 1, 0)) > 0 || (length == -1 && errno == EINTR)) {
        order[length > 0 ? length : 0] = 0;
        if (strcmp(order, "play") == 0) {
            play(peer);
        } else if (strcmp(order, "status") == 0) {
            say(peer->is_running() ? "status\truns" : "status\tstands");
        } else if (strcmp(order, "reopen") == 0) {
            peer->close();
            (void)open_stream(peer, &options);
        } else if (strcmp(order, "quit") == 0) {
            break;
        }
    }
    peer->close();
    return 0;
}
