/// Notices the end of PipeWire, which its libjack (0.3.65) does not report to a client that is not
/// active: a connection to the server's socket ends with the server. It sends nothing, so that the
/// server does not list a client for it.
#include "driver_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

static int connect_to(const char *folder, const char *name) {
    char path[sizeof(struct sockaddr_un)];
    int length = snprintf(path, sizeof path, "%s%s%s", folder, folder[0] ? "/" : "", name);
    return length >= 0 && (size_t)length < sizeof path ? rcore_jack_connect_to_socket(path) : -1;
}

/// Returns the value of the first of these environment variables that is set; "" if none is.
static const char *environment(const char *const names[], size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && value[0] != 0) {
            return value;
        }
    }
    return "";
}

/// Looks for the socket where libpipewire does. (A `remote.name` in its configuration is not known
/// here.) Its libjack takes the server name "default" for none.
int rcore_jack_connect_to_pipewire(const char *server_name) {
    static const char *const remotes[] = {"PIPEWIRE_REMOTE"};
    static const char *const folders[] = {"PIPEWIRE_RUNTIME_DIR", "XDG_RUNTIME_DIR", "HOME", "USERPROFILE"};
    const char *name = environment(remotes, 1);
    if (name[0] == 0) {
        name = server_name != NULL && strcmp(server_name, "default") != 0 ? server_name : "pipewire-0";
    }
    if (name[0] == '/') {
        return connect_to("", name);
    }
    const char *folder = environment(folders, sizeof folders / sizeof *folders);
    int fd = folder[0] != 0 ? connect_to(folder, name) : -1;
    return fd != -1 ? fd : connect_to("/run/pipewire", name);
}
