/// Joining the next arbiter after a loss.
///
/// The session sends `hello` and `restore` at once, and is connected when the reply to `restore`
/// arrives, which takes up to half a second. If the arbiter does not know the session, it creates
/// another one with the same settings. Nothing of that waits, except starting the arbiter.
#define _GNU_SOURCE
#include "gate_object.h"
#include "session_gate_page.h"
#include "session_state.h"

#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
    PROTOCOL_VERSION = 1,
    /// How long the next arbiter may take to restore the session: it waits for other programs, half
    /// a second as a rule.
    /// The service's setting `rebuild-limit` is shorter.
    JOINING_LIMIT_MS = 5000,
};

static bool can_be_restored(const asession_t *session) {
    return session->status != NULL && session->application != NULL && session->page != NULL;
}

json_object *new_hello(const asession_t *session) {
    json_object *hello = new_request("hello");
    set_unsigned(hello, "version", PROTOCOL_VERSION);
    if (can_be_restored(session)) {
        set_unsigned(hello, "arbiter", session->arbiter);
        set_unsigned(hello, "restoring", 1);
        set_shared(hello, "application", session->application);
    }
    return hello;
}

/// Returns the request that restores the session: its last status, and both words of its page.
static json_object *new_restore(const asession_t *session) {
    json_object *restore = new_request("restore"), *record = json_object_new_object(),
                *words = json_object_new_object();
    json_object *status = member(session->status, "status");
    set_shared(record, "session", member(status, "session"));
    set_shared(record, "standing", member(status, "standing"));
    set_shared(record, "grant", member(session->status, "grant"));
    set_shared(record, "pending", member(session->status, "pending"));
    set_shared(record, "app", session->application);
    set_unsigned(words, "verdict", sgate_page_load_grant(session->page->content.page));
    set_unsigned(words, "volume", sgate_page_load_volume(session->page->content.page));
    add_member(restore, "record", record);
    add_member(restore, "gate", words);
    return restore;
}

bool watch_socket(asession_t *session) {
    struct epoll_event event = {.events = EPOLLIN};
    return epoll_ctl(session->epoll, EPOLL_CTL_ADD, session->socket, &event) == 0;
}

/// Creates another session at an arbiter that does not know this one, which is silent until then.
static void begin_registering(asession_t *session) {
    session->phase = REGISTERING;
    pause_gate(session);
    keep_position(session);
    json_object_put(session->status);
    session->status = NULL;
    session->joining_serial = send_request(session, new_request("register"));
}

/// Starts to restore the session with the next arbiter, which a new connection has reached.
static void begin_joining(asession_t *session) {
    session->phase = RESTORING;
    session->serial = session->keys_serial = 0;
    schedule(session, JOINING_LIMIT_MS);
    if (!watch_socket(session)) {
        handle_loss(session);
        return;
    }
    session->hello_serial = send_request(session, new_hello(session));
    if (can_be_restored(session)) {
        session->joining_serial = send_request(session, new_restore(session));
    } else {
        begin_registering(session);
    }
}

/// Ends the connection to an arbiter that refuses the session, and keeps what it has said.
static void handle_refusal(asession_t *session, json_object *message) {
    const char *text = text_member(member(message, "error"), "message");
    snprintf(session->reason, sizeof session->reason, "%s", text[0] != 0 ? text : OTHER_VERSION);
    handle_loss(session);
}

void finish_joining(asession_t *session, json_object *message, int descriptor) {
    const bool was_restored = session->phase == RESTORING;
    if (member(message, "error") != NULL) {
        close_descriptor(&descriptor);
        if (was_restored) {
            begin_registering(session);
        } else {
            handle_refusal(session, message);
        }
        return;
    }
    close_descriptor(&session->gate_descriptor);
    session->gate_descriptor = descriptor;
    if (!adopt_page(session, descriptor, -1)) {
        handle_loss(session);
        return;
    }
    session->id = unsigned_member(message, "session");
    session->phase = CONNECTED;
    session->audible_serial = 0;
    session->connected_since = clock_ms();
    session->reason[0] = 0;
    schedule(session, 0);
    if (!was_restored) {
        post_simple_event(session, ASESSION_EVENT_DEACTIVATED);
    }
    post_simple_event(session, ASESSION_EVENT_ARBITER_RETURNED);
    send_settings(session, was_restored);
    session->keys_serial = send_request(session, new_request("keys"));
}

void finish_keys(asession_t *session, int keys) {
    if (keys != -1) {
        (void)adopt_page(session, session->gate_descriptor, keys);
    }
    close_descriptor(&session->gate_descriptor);
    close_descriptor(&keys);
}

void reconnect_if_due(asession_t *session) {
    uint64_t expired = 0;
    if (read(session->timer, &expired, sizeof expired) != sizeof expired || session->phase == CONNECTED) {
        return;
    }
    if (session->phase != LOST) { // the arbiter does not answer
        handle_loss(session);
        return;
    }
    int socket = -1;
    if (connect_or_start(session->path, &socket, NULL) == ASESSION_OK) {
        session->socket = socket;
        begin_joining(session);
    } else {
        schedule_next_attempt(session);
    }
}

bool accept_welcome(asession_t *session, json_object *message) {
    json_object *welcome = member(message, "welcome");
    session->arbiter = unsigned_member(welcome, "arbiter");
    return welcome != NULL && unsigned_member(welcome, "version") == PROTOCOL_VERSION;
}

void handle_welcome(asession_t *session, json_object *message) {
    if (!accept_welcome(session, message)) {
        handle_refusal(session, message);
    }
}
