/// A server that does not listen is not asked for a client, once it is known where servers listen.
#define _GNU_SOURCE
#include "driver_state.h"
#include "expect.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static bool is_pipewire;
bool rcore_jack_is_pipewire(void) { return is_pipewire; }

static char name[64];

/// Listens as a jackd of this name does; returns the socket.
static int listen_as(const char *server, struct sockaddr_un *address) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf(address->sun_path, sizeof address->sun_path, "/dev/shm/jack_%s_%u_0", server, (unsigned)geteuid());
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT(bind(fd, (const struct sockaddr *)address, sizeof *address) == 0);
    EXPECT(listen(fd, 0) == 0);
    return fd;
}

TEST(an_unknown_location_refuses_nothing) {
    EXPECT(rcore_jack_may_be_running(name));
    rcore_jack_learn_location(name); // it was reached elsewhere
    EXPECT(rcore_jack_may_be_running(name));
}

TEST(a_known_location_refuses_servers_that_do_not_listen) {
    struct sockaddr_un address;
    int server = listen_as(name, &address);
    rcore_jack_learn_location(name);
    // The queue of connections is full now, which is no reason to refuse.
    EXPECT(rcore_jack_may_be_running(name) && rcore_jack_may_be_running(name));
    EXPECT(rcore_jack_connect_to_socket(address.sun_path) == -1 && errno == EAGAIN);
    EXPECT(!rcore_jack_may_be_running("another"));
    close(server); // as if killed: the socket's file stays
    EXPECT(!rcore_jack_may_be_running(name));
    unlink(address.sun_path);
    EXPECT(!rcore_jack_may_be_running(name));
    setenv("JACK_PROMISCUOUS_SERVER", "audio", 1);
    EXPECT(rcore_jack_may_be_running(name));
    unsetenv("JACK_PROMISCUOUS_SERVER");
    is_pipewire = true;
    EXPECT(rcore_jack_may_be_running(name));
    is_pipewire = false;
}

TEST(other_errors_refuse_nothing) {
    struct rlimit limit, none;
    EXPECT(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = limit.rlim_max};
    EXPECT(!rcore_jack_may_be_running(name));
    EXPECT(setrlimit(RLIMIT_NOFILE, &none) == 0);
    bool may_be_running = rcore_jack_may_be_running(name);
    EXPECT(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    EXPECT(may_be_running);
}

TEST(separators_in_a_name_are_replaced) {
    struct sockaddr_un address;
    char given[80], used[80];
    snprintf(given, sizeof given, "%s/a\\b", name);
    snprintf(used, sizeof used, "%s_a_b", name);
    int server = listen_as(used, &address);
    EXPECT(rcore_jack_may_be_running(given));
    close(server);
    unlink(address.sun_path);
    EXPECT(!rcore_jack_may_be_running(given));
}

TEST(the_default_server_has_a_name) {
    unsetenv("JACK_DEFAULT_SERVER");
    EXPECT(strcmp(rcore_jack_server_name(NULL), "default") == 0);
    setenv("JACK_DEFAULT_SERVER", "", 1);
    EXPECT(strcmp(rcore_jack_server_name(NULL), "default") == 0);
    setenv("JACK_DEFAULT_SERVER", "studio", 1);
    EXPECT(strcmp(rcore_jack_server_name(NULL), "studio") == 0);
    EXPECT(strcmp(rcore_jack_server_name("stage"), "stage") == 0);
}

TEST(a_path_that_is_too_long_is_refused) {
    char path[300];
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = 0;
    EXPECT(rcore_jack_connect_to_socket(path) == -1 && errno == ENAMETOOLONG);
}

int main(void) {
    snprintf(name, sizeof name, "test-socket-%d", (int)getpid());
    RUN(an_unknown_location_refuses_nothing);
    RUN(a_known_location_refuses_servers_that_do_not_listen);
    RUN(other_errors_refuse_nothing);
    RUN(separators_in_a_name_are_replaced);
    RUN(the_default_server_has_a_name);
    RUN(a_path_that_is_too_long_is_refused);
    return test_result();
}
