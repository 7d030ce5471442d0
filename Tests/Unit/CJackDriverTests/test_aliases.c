/// The driver makes PipeWire's libjack report the aliases of ports, by an environment variable in
/// which the user's own properties stay.
#define _GNU_SOURCE
#include "driver_state.h"
#include "expect.h"

#include <stdlib.h>
#include <string.h>

static const char *version = "3.0.0.0 (using PipeWire 1.4.2)";
const char *jack_get_version_string(void) { return version; }
int jack_port_name_size(void) { return 8; }
int jack_port_get_aliases(const jack_port_t *port, char *const aliases[2]) {
    (void)port;
    strcpy(aliases[1], "second");
    return 1;
}

/// Returns whether the variable becomes `expected` if the user has set it to `given` (NULL: not).
static bool makes(const char *given, const char *expected) {
    if (given != NULL) {
        setenv("PIPEWIRE_PROPS", given, 1);
    } else {
        unsetenv("PIPEWIRE_PROPS");
    }
    rcore_jack_request_aliases();
    const char *made = getenv("PIPEWIRE_PROPS");
    return made == expected || (made != NULL && expected != NULL && strcmp(made, expected) == 0);
}

TEST(properties_of_the_user_stay) {
    EXPECT(makes(NULL, "jack.fill-aliases = true "));
    EXPECT(makes("", "jack.fill-aliases = true "));
    EXPECT(makes("node.nick = a", "jack.fill-aliases = true node.nick = a"));
    EXPECT(makes(" { node.nick = a }", "{ jack.fill-aliases = true  node.nick = a }"));
    EXPECT(makes("jack.fill-aliases = false", "jack.fill-aliases = false"));
}

TEST(jackd_needs_nothing) {
    version = "1.9.21";
    EXPECT(makes(NULL, NULL));
    EXPECT(makes("node.nick = a", "node.nick = a"));
}

TEST(a_second_alias_alone_is_read) {
    rcore_jack_port_t description = {.name = NULL};
    rcore_jack_read_aliases(NULL, &description);
    EXPECT(description.aliases[0] != NULL && description.aliases[0][0] == '\0');
    EXPECT(description.aliases[1] != NULL && strcmp(description.aliases[1], "second") == 0);
    free((void *)description.aliases[0]);
}

int main(void) {
    // It has run before main.
    const char *loaded = getenv("PIPEWIRE_PROPS");
    EXPECT(loaded != NULL && strstr(loaded, "jack.fill-aliases") != NULL);
    RUN(properties_of_the_user_stay);
    RUN(jackd_needs_nothing);
    RUN(a_second_alias_alone_is_read);
    return test_result();
}
