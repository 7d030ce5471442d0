/* An app in C or C++ that uses the installed JACK driver: without a server, the driver reports an error. */
#include <rcore/rcore_jack.h>

#include <stdio.h>

int main(void) {
    rcore_jack_status_t status = RCORE_JACK_OK;
    rcore_jack_monitor_t *update = rcore_jack_monitor_create();
    rcore_jack_t *jack = rcore_jack_open("t-none", "refusal", update, &status);
    const bool refused = jack == NULL && status == RCORE_JACK_NO_SERVER;
    printf("%s\n", rcore_jack_status_text(status));
    rcore_jack_close(jack);
    rcore_jack_monitor_destroy(update);
    return refused ? 0 : 1;
}
