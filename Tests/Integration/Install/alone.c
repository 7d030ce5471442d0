/// A program that finds no arbiter: it learns why, and plays as if there were no sessions.
#include <audiosession/audiosession.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    asession_error_t error;
    asession_t *session = asession_open("/nowhere/arbiter.socket", &error);
    float samples[4] = {1, -1, 0.5F, 2};
    float *planes[1] = {samples};
    asession_event_t event;
    const bool is_refused = session == NULL && error.status == ASESSION_NO_ARBITER && strlen(error.message) > 20;
    const bool is_open = asession_activate(session, &error) == ASESSION_OK &&
                         asession_gate_apply(asession_gate(session), planes, 1, 4) == 4 && samples[3] == 2 &&
                         !asession_next_event(session, &event);
    asession_dispatch(session);
    asession_close(session);
    printf("%s\n", error.message);
    return is_refused && is_open ? 0 : 1;
}
