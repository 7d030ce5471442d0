/// The connection to the arbiter: requests, replies, pushed messages, and the next arbiter after a
/// loss.
///
/// After a loss, the session sends `hello` and `restore` to the next arbiter at once, and is
/// connected when the reply to `restore` arrives, which takes up to half a second. If the arbiter
/// does not know the session, it creates another one with the same configuration. Nothing of that
/// waits, except starting the arbiter.
#define _GNU_SOURCE
#include "gate.h"
#include "session_gate_page.h"
#include "session_socket.h"
#include "session_state.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum {
    PROTOCOL_VERSION = 1,
    /// Between two attempts to connect.
    SHORTEST_PAUSE_MS = 10,
    LONGEST_PAUSE_MS = 1000,
    /// How long the next arbiter may take to restore the session: it waits for other programs, half
    /// a second as a rule.
    JOINING_LIMIT_MS = 5000,
};

// ---- Pages --------------------------------------------------------------------------------------

bool adopt_page(asession_t *session, int gate, int keys) {
    struct page *page = calloc(1, sizeof *page);
    const bool is_mapped = page != NULL && gate != -1 && ssocket_gate_map(gate, &page->content.page) == 0;
    if (!is_mapped) {
        free(page);
        return false;
    }
    if (keys != -1) {
        // Without it, the grant lowers the session a little later.
        (void)ssocket_keys_map(keys, &page->keys);
        page->content.keys = page->keys;
    }
    page->older = session->page;
    session->page = page;
    gate_set_page(&session->gate, &page->content);
    return true;
}

void release_pages(asession_t *session, bool all) {
    if (session->page == NULL || (!all && !gate_uses_last_page(&session->gate))) {
        return;
    }
    struct page **place = all ? &session->page : &session->page->older;
    while (*place != NULL) {
        struct page *page = *place;
        *place = page->older;
        ssocket_gate_unmap(page->content.page);
        ssocket_keys_unmap(page->keys);
        free(page);
    }
}

static void close_descriptor(int *descriptor) {
    if (*descriptor != -1) {
        close(*descriptor);
        *descriptor = -1;
    }
}

// ---- The end of a connection --------------------------------------------------------------------

/// Has the timer expire after this time, once; 0: never.
static void schedule_attempt(asession_t *session, uint32_t pause_ms) {
    const struct itimerspec time = {
        .it_value = {.tv_sec = pause_ms / 1000, .tv_nsec = (long)(pause_ms % 1000) * 1000000}};
    (void)timerfd_settime(session->timer, 0, &time, NULL);
}

static void schedule_next_attempt(asession_t *session) {
    schedule_attempt(session, session->pause_ms);
    session->pause_ms = session->pause_ms * 2 < LONGEST_PAUSE_MS ? session->pause_ms * 2 : LONGEST_PAUSE_MS;
}

static void handle_loss(asession_t *session) {
    if (session->phase == LOST) {
        return;
    }
    const bool was_connected = session->phase == CONNECTED;
    close_descriptor(&session->socket); // which also removes it from the epoll instance
    close_descriptor(&session->gate_descriptor);
    session->phase = LOST;
    if (was_connected) {
        session->pause_ms = SHORTEST_PAUSE_MS;
        post_simple_event(session, ASESSION_EVENT_ARBITER_LOST);
    }
    schedule_next_attempt(session);
}

// ---- Sending ------------------------------------------------------------------------------------

json_object *new_request(const char *name) {
    json_object *request = json_object_new_object();
    set_text(request, "request", name);
    return request;
}

json_object *new_action(const asession_t *session, const char *name) {
    json_object *request = json_object_new_object();
    set_text(request, "action", name);
    set_unsigned(request, "session", session->id);
    return request;
}

uint64_t send_request(asession_t *session, json_object *request) {
    set_unsigned(request, "serial", ++session->serial);
    size_t length = 0;
    const char *text = json_object_to_json_string_length(request, JSON_C_TO_STRING_PLAIN, &length);
    ssize_t sent = text != NULL ? -EAGAIN : -ENOMEM;
    const uint64_t deadline = clock_ms() + REPLY_LIMIT_MS;
    while (sent == -EAGAIN && clock_ms() < deadline) {
        sent = ssocket_send(session->socket, text, length, -1);
        if (sent == -EAGAIN) { // the arbiter has not read the requests before
            struct pollfd watched = {.fd = session->socket, .events = POLLOUT};
            (void)poll(&watched, 1, 10);
        }
    }
    json_object_put(request);
    if (sent < 0) {
        handle_loss(session);
    }
    return sent < 0 ? 0 : session->serial;
}

// ---- The next arbiter ---------------------------------------------------------------------------

static bool can_be_restored(const asession_t *session) {
    return session->status != NULL && session->application != NULL && session->page != NULL;
}

static json_object *new_hello(const asession_t *session) {
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
    json_object_object_add(restore, "record", record);
    json_object_object_add(restore, "gate", words);
    return restore;
}

static bool watch_socket(asession_t *session) {
    struct epoll_event event = {.events = EPOLLIN};
    return epoll_ctl(session->epoll, EPOLL_CTL_ADD, session->socket, &event) == 0;
}

/// Creates another session at an arbiter that does not know this one.
static void begin_registering(asession_t *session) {
    session->phase = REGISTERING;
    session->id = 0;
    session->joining_serial = send_request(session, new_request("register"));
}

/// Starts to restore the session with the next arbiter, which a new connection has reached.
static void begin_joining(asession_t *session) {
    session->phase = RESTORING;
    session->serial = 0;
    schedule_attempt(session, JOINING_LIMIT_MS);
    if (!watch_socket(session) || send_request(session, new_hello(session)) == 0) {
        handle_loss(session);
    } else if (can_be_restored(session)) {
        session->joining_serial = send_request(session, new_restore(session));
    } else {
        begin_registering(session);
    }
}

/// Completes the connection: the reply to `restore` or `register` has arrived.
static void finish_joining(asession_t *session, json_object *message, int descriptor) {
    const bool was_restored = session->phase == RESTORING;
    if (was_restored && member(message, "error") != NULL) {
        close_descriptor(&descriptor);
        begin_registering(session);
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
    schedule_attempt(session, 0);
    if (!was_restored) {
        if (session->configuration != NULL) {
            json_object *request = NULL;
            if (json_object_deep_copy(session->configuration, &request, NULL) == 0) {
                set_unsigned(request, "session", session->id);
                (void)send_request(session, request);
            }
        }
        post_simple_event(session, ASESSION_EVENT_DEACTIVATED);
    }
    post_simple_event(session, ASESSION_EVENT_ARBITER_RETURNED);
    session->keys_serial = send_request(session, new_request("keys"));
}

/// Has the gate read the keys page of the next arbiter as well; -1: it has none.
static void finish_keys(asession_t *session, int keys) {
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

// ---- Receiving ----------------------------------------------------------------------------------

static void keep(json_object **kept, json_object *value) {
    json_object_put(*kept);
    *kept = json_object_get(value);
}

/// Handles a reply. Returns whether it has taken the descriptor.
static bool handle_reply(asession_t *session, json_object *message, int descriptor) {
    const uint64_t serial = unsigned_member(message, "reply");
    if (serial != 0 && serial == session->awaited) {
        session->reply = json_object_get(message);
        session->reply_descriptor = descriptor;
        session->awaited = 0; // another one with its serial is ignored
        return true;
    }
    const bool joins = session->phase == RESTORING || session->phase == REGISTERING;
    if (joins && serial == session->joining_serial) {
        finish_joining(session, message, descriptor);
        return true;
    }
    if (serial != 0 && serial == session->keys_serial) {
        session->keys_serial = 0;
        finish_keys(session, descriptor);
        return true;
    }
    if (member(message, "welcome") != NULL) {
        session->arbiter = unsigned_member(member(message, "welcome"), "arbiter");
    }
    return false;
}

static void answer_ping(asession_t *session, json_object *ping) {
    json_object *pong = new_request("pong");
    set_shared(pong, "ping", ping);
    (void)send_request(session, pong);
}

/// Handles a message. Returns whether it has taken the descriptor.
static bool handle_message(asession_t *session, json_object *message, int descriptor) {
    if (member(message, "reply") != NULL) {
        return handle_reply(session, message, descriptor);
    }
    json_object *ping = member(message, "ping"), *status = member(message, "status"),
                *notice = member(message, "notice"), *application = member(message, "application");
    // The first status of a session precedes the reply with its number.
    const uint64_t id = unsigned_member(member(status, "session"), "id");
    if (ping != NULL) {
        answer_ping(session, ping);
    } else if (status != NULL && (session->id == 0 || session->id == id)) {
        keep(&session->status, message);
    } else if (notice != NULL && session->id == unsigned_member(notice, "session")) {
        post_notice(session, notice);
    } else if (application != NULL) {
        keep(&session->application, application);
    }
    return false; // a newer arbiter may send others
}

/// Receives and handles one packet. Returns whether there may be more.
static bool receive_one(asession_t *session) {
    int descriptor = -1;
    const ssize_t count = ssocket_receive(session->socket, session->packet, sizeof session->packet, false, &descriptor);
    if (count == -EAGAIN) {
        return false;
    }
    if (count <= 0) {
        handle_loss(session);
        return false;
    }
    json_tokener_reset(session->parser);
    json_object *message = json_tokener_parse_ex(session->parser, session->packet, (int)count);
    const bool is_valid = json_object_is_type(message, json_type_object);
    if ((!is_valid || !handle_message(session, message, descriptor)) && descriptor != -1) {
        close(descriptor);
    }
    json_object_put(message);
    if (!is_valid) {
        handle_loss(session);
    }
    return is_valid && session->socket != -1;
}

void receive_all(asession_t *session) {
    while (session->socket != -1 && receive_one(session)) {
    }
}

// ---- Requests with a reply ----------------------------------------------------------------------

/// Waits until the socket, or while there is none the timer, has something to do.
static void await_activity(const asession_t *session, uint64_t deadline) {
    const uint64_t now = clock_ms();
    struct pollfd watched = {.fd = session->socket != -1 ? session->socket : session->timer, .events = POLLIN};
    (void)poll(&watched, 1, now < deadline ? (int)(deadline - now) : 0);
}

static bool await_connection(asession_t *session, uint64_t deadline) {
    receive_all(session); // which may find that the arbiter has ended
    while (session->phase != CONNECTED && clock_ms() < deadline) {
        await_activity(session, deadline);
        reconnect_if_due(session);
        receive_all(session);
    }
    return session->phase == CONNECTED;
}

/// Waits for the reply to a request that was sent. The descriptor is -1 unless there is one.
static json_object *await_reply(asession_t *session, uint64_t serial, int *descriptor) {
    const uint64_t deadline = clock_ms() + REPLY_LIMIT_MS;
    const int socket = session->socket;
    session->awaited = serial;
    session->reply_descriptor = -1;
    while (serial != 0 && session->socket == socket && session->reply == NULL && clock_ms() < deadline) {
        if (!receive_one(session) && session->socket == socket) {
            await_activity(session, deadline);
        }
    }
    json_object *reply = session->reply;
    *descriptor = session->reply_descriptor;
    session->reply = NULL;
    session->awaited = 0;
    return reply;
}

static asession_status_t ask(asession_t *session, json_object *request, int *descriptor, json_object **reply,
                             asession_error_t *error) {
    int received = -1;
    json_object *message = await_reply(session, send_request(session, request), &received);
    json_object *reply_error = member(message, "error");
    asession_status_t status = ASESSION_OK;
    if (message == NULL) {
        status =
            fail(error, ASESSION_LOST, "The arbiter at '%s' has ended or does not answer; try again.", session->path);
    } else if (reply_error != NULL) {
        status = fail_by_reply(error, reply_error);
    }
    if (descriptor != NULL && status == ASESSION_OK) {
        *descriptor = received;
    } else if (received != -1) {
        close(received);
    }
    if (reply != NULL && status == ASESSION_OK) {
        *reply = message;
    } else {
        json_object_put(message);
    }
    return status;
}

asession_status_t exchange(asession_t *session, json_object *request, int *descriptor, json_object **reply,
                           asession_error_t *error) {
    if (!await_connection(session, clock_ms() + REPLY_LIMIT_MS)) {
        json_object_put(request);
        return fail(error, ASESSION_LOST, "There is no arbiter at '%s' now; try again.", session->path);
    }
    // After a loss, the session may have another number.
    if (member(request, "session") != NULL) {
        set_unsigned(request, "session", session->id);
    }
    return ask(session, request, descriptor, reply, error);
}

asession_status_t open_connection(asession_t *session, asession_error_t *error) {
    asession_status_t status = connect_or_start(session->path, &session->socket, error);
    if (status != ASESSION_OK) {
        return status;
    }
    session->phase = CONNECTED;
    json_object *welcome = NULL, *registered = NULL;
    int gate = -1, keys = -1;
    status = ask(session, new_hello(session), NULL, &welcome, error);
    if (status == ASESSION_OK) {
        session->arbiter = unsigned_member(member(welcome, "welcome"), "arbiter");
        // An older arbiter has none.
        (void)ask(session, new_request("keys"), &keys, NULL, NULL);
        status = ask(session, new_request("register"), &gate, &registered, error);
    }
    if (status == ASESSION_OK) {
        session->id = unsigned_member(registered, "session");
        if (!adopt_page(session, gate, keys) || !watch_socket(session)) {
            status = fail(error, ASESSION_NO_MEMORY, "Too few file descriptors or too little memory is left.");
        }
    }
    close_descriptor(&gate);
    close_descriptor(&keys);
    json_object_put(welcome);
    json_object_put(registered);
    return status;
}
