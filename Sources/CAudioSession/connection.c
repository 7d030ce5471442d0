/// The messages of the arbiter, and requests that wait for their reply.
#define _GNU_SOURCE
#include "session_socket.h"
#include "session_state.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

/// The most packets that one dispatch receives.
enum { MOST_PACKETS = 256 };

// ---- Receiving ----------------------------------------------------------------------------------

static void keep(json_object **kept, json_object *value) {
    json_object_put(*kept);
    *kept = json_object_get(value);
}

/// Handles a reply. Returns whether it has taken the descriptor. An error with serial 0 precedes
/// the end of the connection, and answers whatever was asked.
static bool handle_reply(asession_t *session, json_object *message, int descriptor) {
    const uint64_t serial = unsigned_member(message, "reply");
    const bool ends_connection = serial == 0 && member(message, "error") != NULL;
    if (session->awaited != 0 && (serial == session->awaited || ends_connection)) {
        session->reply = json_object_get(message);
        session->reply_descriptor = descriptor;
        session->awaited = 0; // another one with its serial is ignored
        return true;
    }
    if (serial != 0 && serial == session->audible_serial) {
        session->audible_serial = 0;
    }
    const bool joins = session->phase == RESTORING || session->phase == REGISTERING;
    if (joins && serial != 0 && serial == session->joining_serial) {
        finish_joining(session, message, descriptor);
        return true;
    }
    if (serial != 0 && serial == session->keys_serial) {
        session->keys_serial = 0;
        finish_keys(session, descriptor);
        return true;
    }
    if (joins && ((serial != 0 && serial == session->hello_serial) || ends_connection)) {
        handle_welcome(session, message);
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
    const bool is_own =
        session->phase == REGISTERING || unsigned_member(member(status, "session"), "id") == session->id;
    if (ping != NULL) {
        answer_ping(session, ping);
    } else if (status != NULL && is_own) {
        keep(&session->status, message);
        report_audibility(session);
    } else if (notice != NULL && session->phase != REGISTERING && unsigned_member(notice, "session") == session->id) {
        post_notice(session, notice);
    } else if (application != NULL) {
        keep(&session->application, application);
    }
    return false; // a newer arbiter may send others
}

/// Receives and handles one packet. Returns whether there may be more.
static bool receive_one(asession_t *session) {
    int descriptor = -1;
    ssize_t count = ssocket_receive(session->socket, session->packet, sizeof session->packet, false, &descriptor);
    if (count == -ECONNRESET) { // reported before the packets that the arbiter has sent
        count = ssocket_receive(session->socket, session->packet, sizeof session->packet, false, &descriptor);
    }
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
    for (int i = 0; i < MOST_PACKETS && session->socket != -1 && receive_one(session); i++) {
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

/// Sends a request and waits for the reply; NULL: none came. The descriptor is -1 unless there is
/// one. Takes ownership of the request.
static json_object *send_and_wait(asession_t *session, json_object *request, int *descriptor) {
    const uint64_t deadline = clock_ms() + REPLY_LIMIT_MS;
    const int socket = session->socket;
    session->reply_descriptor = -1;
    session->awaited = send_request(session, request);
    while (session->socket == socket && session->reply == NULL && clock_ms() < deadline) {
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
    json_object *message = send_and_wait(session, request, &received);
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
    if (request == NULL) {
        return fail(error, ASESSION_NO_MEMORY, "No memory is left for a request.");
    }
    if (!await_connection(session, clock_ms() + REPLY_LIMIT_MS)) {
        json_object_put(request);
        return session->reason[0] != 0
                   ? fail(error, ASESSION_FAILED, "%s", session->reason)
                   : fail(error, ASESSION_LOST, "There is no arbiter at '%s' now; try again.", session->path);
    }
    return ask(session, request, descriptor, reply, error);
}

asession_status_t open_connection(asession_t *session, asession_error_t *error) {
    asession_status_t status = connect_or_start(session->path, &session->socket, error);
    if (status != ASESSION_OK) {
        return status;
    }
    session->phase = REGISTERING;
    json_object *welcome = NULL, *registered = NULL;
    int gate = -1, keys = -1;
    status = ask(session, new_hello(session), NULL, &welcome, error);
    if (status == ASESSION_OK && !accept_welcome(session, welcome)) {
        status = fail(error, ASESSION_FAILED, OTHER_VERSION);
    }
    if (status == ASESSION_OK) {
        // An older arbiter has none.
        (void)ask(session, new_request("keys"), &keys, NULL, NULL);
        status = ask(session, new_request("register"), &gate, &registered, error);
    }
    if (status == ASESSION_OK) {
        session->id = unsigned_member(registered, "session");
        session->phase = CONNECTED;
        session->connected_since = clock_ms();
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
