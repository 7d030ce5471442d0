/// What the program has set, for an arbiter that does not know the session.
#include "session_state.h"

#include <stdio.h>
#include <string.h>

void remember(asession_t *session, json_object *message) {
    char name[96];
    snprintf(name, sizeof name, "%s%s %s", text_member(message, "action"), text_member(message, "request"),
             text_member(message, "preference"));
    add_member(session->settings, name, message);
}

/// Returns whether a restored session has to send a setting as well: it is not in its record.
static bool is_unrestored(json_object *message) {
    return strcmp(text_member(message, "action"), "setDevices") == 0 ||
           strcmp(text_member(message, "request"), "describe") == 0;
}

void remember_request(asession_t *session, json_object *message) {
    if (is_unrestored(message)) {
        remember(session, json_object_get(message));
    }
}

void keep_position(asession_t *session) {
    json_object *state = member(member(session->status, "status"), "session"), *playing = member(state, "nowPlaying"),
                *info = member(playing, "info"), *remembered = member(session->settings, "setNowPlaying ");
    double position = number_member(info, "position");
    // Otherwise it stands still, and the arbiter has advanced it before (REMOTE-3).
    if (strcmp(text_member(member(state, "activity"), "state"), "active") == 0 &&
        strcmp(text_member(info, "playbackState"), "playing") == 0) {
        const uint64_t since = unsigned_member(playing, "time") / 1000000, now = clock_ms();
        position += (double)(since < now ? now - since : 0) / 1000 * number_member(info, "rate");
    }
    if (info != NULL && member(remembered, "info") != NULL) {
        set_number(member(remembered, "info"), "position", position);
    }
}

/// Sends a setting to an arbiter that has other numbers for the session and the program.
static void send_again(asession_t *session, json_object *message) {
    static const char *const subjects[] = {"session", "app"};
    for (size_t i = 0; i < COUNT(subjects); i++) {
        if (member(message, subjects[i]) != NULL) {
            set_unsigned(message, subjects[i], 0);
        }
    }
    (void)send_request(session, json_object_get(message));
}

void send_settings(asession_t *session, bool was_restored) {
    // The category comes first: it determines which of the others are accepted.
    json_object *configuration = member(session->settings, "configure ");
    if (configuration != NULL && !was_restored) {
        send_again(session, configuration);
    }
    json_object_object_foreach(session->settings, name, message) {
        (void)name;
        if (message != configuration && (!was_restored || is_unrestored(message))) {
            send_again(session, message);
        }
    }
}
