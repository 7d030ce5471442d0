// Plays in a session of the C library until SIGTERM, and resumes after interruptions. For
// audiosession-conformance; it makes no sound.
#include <audiosession/audiosession.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t stops;

static void stop(int number) {
    (void)number;
    stops = 1;
}

static void report(asession_status_t status, const asession_error_t *error) {
    if (status != ASESSION_OK) {
        fprintf(stderr, "c-session-client: %s\n", error->message);
    }
}

static void play(asession_t *session) {
    asession_error_t error;
    const asession_status_t status = asession_activate(session, &error);
    report(status, &error);
    if (status == ASESSION_OK) {
        report(asession_set_playing(session, true, &error), &error);
    }
}

static void handle_events(asession_t *session) {
    asession_event_t event;
    asession_dispatch(session);
    while (asession_next_event(session, &event)) {
        const bool is_lost = event.kind == ASESSION_EVENT_DEACTIVATED;
        if (is_lost || (event.kind == ASESSION_EVENT_INTERRUPTION_ENDED && event.flag)) {
            play(session);
        }
    }
}

int main(void) {
    signal(SIGTERM, stop);
    asession_error_t error;
    asession_t *session = asession_open(NULL, &error);
    if (session == NULL) {
        fprintf(stderr, "c-session-client: %s\n", error.message);
        return 1;
    }
    report(asession_set_category(session, ASESSION_PLAYBACK, ASESSION_MODE_DEFAULT, 0, &error), &error);
    play(session);
    while (!stops) {
        struct pollfd watched = {.fd = asession_fd(session), .events = POLLIN};
        poll(&watched, 1, 100);
        handle_events(session);
    }
    asession_close(session);
    return 0;
}
