/// The aliases of ports, by which the driver recognizes sound cards and virtual devices.
///
/// Since 0.3.71, PipeWire's libjack reports no aliases of other clients' ports unless the property
/// `jack.fill-aliases` is set: in the user's jack.conf, or in PIPEWIRE_PROPS, which it reads when a
/// client is opened. Since `setenv` is safe only while no other thread reads the environment, the
/// variable is set when the program is loaded, before its threads exist.
#define _GNU_SOURCE
#include "driver_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((constructor)) void rcore_jack_request_aliases(void) {
    static const char property[] = "jack.fill-aliases = true";
    // Not `rcore_jack_is_pipewire`, which would keep the answer.
    if (strstr(jack_get_version_string(), "PipeWire") == NULL) {
        return;
    }
    const char *given = getenv("PIPEWIRE_PROPS");
    given = given != NULL ? given + strspn(given, " \t\n") : "";
    if (strstr(given, "jack.fill-aliases") != NULL) {
        return;
    }
    const bool has_brace = *given == '{';
    const size_t size = sizeof property + strlen(given) + 3;
    char *properties = malloc(size);
    if (properties != NULL) {
        snprintf(properties, size, "%s%s %s", has_brace ? "{ " : "", property, given + has_brace);
        setenv("PIPEWIRE_PROPS", properties, 1);
        free(properties);
    }
}

void rcore_jack_read_aliases(jack_port_t *port, rcore_jack_port_t *description) {
    const size_t size = (size_t)jack_port_name_size() + 1;
    char *memory = calloc(2, size);
    if (memory == NULL) {
        return;
    }
    char *aliases[2] = {memory, memory + size};
    int count = jack_port_get_aliases(port, aliases);
    description->aliases[0] = memory;
    description->aliases[1] = memory + size;
    if (count < 1) { // PipeWire's libjack returns 1 if only the second exists
        memory[0] = memory[size] = 0;
    }
}
