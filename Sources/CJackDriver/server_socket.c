/// Whether a jackd is running, found out without libjack.
///
/// jackd2's libjack opens the user's metadata database for the first client of a process before it
/// looks for the server, and creates the database if there is none. A server creates it before it
/// listens for clients, and deletes it, file by file, after it has stopped listening. A client that
/// is opened at that moment crashes or hangs in libdb, and may leave behind a database in which
/// later servers and clients hang (measured). So libjack is not asked for a client while no server
/// listens: a driver that lost its server tries again for as long as the server exits.
#define _GNU_SOURCE
#include "driver_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/// The folder of the servers' sockets, unless libjack was built for another one.
static const char server_folder[] = "/dev/shm";

/// Whether a server of this process was found listening where it was expected. Until then, nothing
/// is known about a server that is not found there.
static atomic_bool is_location_known;

int rcore_jack_connect_to_socket(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (length < 0 || (size_t)length >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd != -1 && connect(fd, (const struct sockaddr *)&address, sizeof address) == -1) {
        int error = errno;
        close(fd);
        errno = error;
        fd = -1;
    }
    return fd;
}

const char *rcore_jack_server_name(const char *server_name) {
    const char *given = getenv("JACK_DEFAULT_SERVER");
    return server_name != NULL ? server_name : given != NULL && given[0] != 0 ? given : "default";
}

/// Connects to a server of that name at the expected place. Returns 0, or the error: ENOENT and
/// ECONNREFUSED if none listens. The server takes the connection for that of a program that asks
/// whether it is running, as libjack itself does.
static int reach(const char *server_name) {
    char name[256], path[512];
    snprintf(name, sizeof name, "%s", rcore_jack_server_name(server_name));
    for (char *character = name; *character != 0; character++) {
        if (*character == '/' || *character == '\\') {
            *character = '_'; // as libjack does
        }
    }
    snprintf(path, sizeof path, "%s/jack_%s_%u_0", server_folder, name, (unsigned)geteuid());
    int fd = rcore_jack_connect_to_socket(path);
    if (fd == -1) {
        return errno;
    }
    close(fd);
    return 0;
}

/// Returns whether the server can be looked for. Users share a server in jackd's promiscuous mode,
/// in which its socket has another name.
static bool is_private_jackd(void) { return !rcore_jack_is_pipewire() && getenv("JACK_PROMISCUOUS_SERVER") == NULL; }

bool rcore_jack_may_be_running(const char *server_name) {
    if (!is_private_jackd() || !atomic_load(&is_location_known)) {
        return true;
    }
    const int error = reach(server_name);
    return error != ENOENT && error != ECONNREFUSED;
}

void rcore_jack_learn_location(const char *server_name) {
    if (is_private_jackd() && !atomic_load(&is_location_known) && reach(server_name) == 0) {
        atomic_store(&is_location_known, true);
    }
}
