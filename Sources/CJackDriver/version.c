/// The version of libjack, and whose libjack it is.
///
/// PipeWire's libjack (0.3.65) writes the version in each call, into one buffer for all threads.
/// While one thread writes, another reads an empty or incomplete string, and would take PipeWire
/// for jackd. The driver therefore asks once and keeps a copy.
#include "rcore_jack.h"

#include <jack/jack.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char version[128];
static bool is_pipewire;

static void read_version(void) {
    snprintf(version, sizeof version, "%s", jack_get_version_string());
    is_pipewire = strstr(version, "PipeWire") != NULL;
}

static void read_version_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_version);
}

const char *rcore_jack_version(void) {
    read_version_once();
    return version;
}

bool rcore_jack_is_pipewire(void) {
    read_version_once();
    return is_pipewire;
}
