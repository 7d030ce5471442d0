/// Opening, closing and dispatching a session.
#define _GNU_SOURCE
#include "gate_object.h"
#include "session_state.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

// ---- Opening and closing ------------------------------------------------------------------------

static bool watch(int epoll, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN};
    return descriptor != -1 && epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

static bool create_descriptors(asession_t *session) {
    session->epoll = epoll_create1(EPOLL_CLOEXEC);
    session->waiting = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    session->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    session->parser = json_tokener_new_ex(DEEPEST_JSON);
    session->settings = json_object_new_object();
    return session->epoll != -1 && watch(session->epoll, session->waiting) && watch(session->epoll, session->timer) &&
           session->parser != NULL && session->settings != NULL && session->paused_memory != NULL;
}

asession_t *asession_open(const char *socket_path, asession_error_t *error) {
    asession_t *session = calloc(1, sizeof *session);
    if (session == NULL) {
        (void)fail(error, ASESSION_NO_MEMORY, "No memory is left for a session.");
        return NULL;
    }
    session->socket = session->epoll = session->waiting = session->timer = session->gate_descriptor = -1;
    session->process = getpid();
    gate_initialise(&session->gate);
    session->paused_memory = sgate_page_create();
    session->paused.page = session->paused_memory;
    asession_status_t status = find_arbiter_path(socket_path, session->path, sizeof session->path, error);
    if (status == ASESSION_OK && !create_descriptors(session)) {
        status = fail(error, ASESSION_NO_MEMORY, "Too few file descriptors or too little memory is left.");
    }
    if (status == ASESSION_OK) {
        status = open_connection(session, error);
    }
    if (status != ASESSION_OK) {
        asession_close(session);
        return NULL;
    }
    (void)succeed(error);
    return session;
}

/// Ends the connection; the arbiter ends the session with it.
static void disconnect(asession_t *session) {
    if (session->phase == CONNECTED && session->id != 0 && session->process == getpid()) {
        // The arbiter reads it before the end of the connection. No reply is needed.
        (void)send_request(session, new_action("unregister"));
    }
    session->phase = LOST;
    close_descriptor(&session->socket);
    close_descriptor(&session->gate_descriptor);
    close_descriptor(&session->timer);
    close_descriptor(&session->waiting);
    close_descriptor(&session->epoll);
}

void asession_end(asession_t *session) {
    if (session != NULL && session->process == getpid()) {
        pause_gate(session); // first: the arbiter changes the page of a session that has ended
        disconnect(session);
    }
}

void asession_close(asession_t *session) {
    if (session == NULL) {
        return;
    }
    disconnect(session);
    release_pages(session, true);
    sgate_page_destroy(session->paused_memory);
    json_object_put(session->application);
    json_object_put(session->status);
    json_object_put(session->settings);
    json_object_put(session->reply);
    if (session->parser != NULL) {
        json_tokener_free(session->parser);
    }
    free(session->events);
    free(session);
}

uint64_t asession_id(const asession_t *session) { return session != NULL ? session->id : 0; }
int asession_fd(const asession_t *session) { return session != NULL ? session->epoll : -1; }
asession_gate_t *asession_gate(asession_t *session) { return session != NULL ? &session->gate : NULL; }

void asession_dispatch(asession_t *session) {
    if (session != NULL) {
        reconnect_if_due(session);
        receive_all(session);
        report_audibility(session);
        release_pages(session, false);
        // Even if the program leaves events unread, it is not woken for them again and again.
        eventfd_t count = 0;
        (void)eventfd_read(session->waiting, &count);
    }
}
