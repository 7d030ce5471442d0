/// Requests of the protocol as text, and long replies.
#define _GNU_SOURCE
#include "session_state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    /// Longer than any reply: the arbiter's state and its log are bounded.
    LONGEST_REPLY = 64 * 1024 * 1024,
};

// ---- Long replies -------------------------------------------------------------------------------

/// Reads all of a descriptor. Returns NULL if that fails.
static char *read_all(int descriptor, size_t *length) {
    struct stat file;
    if (fstat(descriptor, &file) != 0 || file.st_size <= 0 || file.st_size > LONGEST_REPLY) {
        return NULL;
    }
    char *text = malloc((size_t)file.st_size);
    size_t done = 0;
    for (ssize_t count = 1; text != NULL && done < (size_t)file.st_size && count > 0; done += (size_t)count) {
        count = pread(descriptor, text + done, (size_t)file.st_size - done, (off_t)done);
        count = count < 0 ? 0 : count;
    }
    if (text != NULL && done != (size_t)file.st_size) {
        free(text);
        return NULL;
    }
    *length = done;
    return text;
}

asession_status_t ask_report(asession_t *session, json_object *message, json_object **reply, asession_error_t *error) {
    int descriptor = -1;
    json_object *short_reply = NULL;
    const asession_status_t status = exchange(session, message, &descriptor, &short_reply, error);
    if (status != ASESSION_OK || !flag_member(short_reply, "long")) {
        close_descriptor(&descriptor);
        *reply = short_reply;
        return status;
    }
    size_t length = 0;
    char *text = read_all(descriptor, &length);
    json_tokener_reset(session->parser);
    *reply = text != NULL ? json_tokener_parse_ex(session->parser, text, (int)length) : NULL;
    free(text);
    close_descriptor(&descriptor);
    json_object_put(short_reply);
    return *reply != NULL ? ASESSION_OK : fail(error, ASESSION_FAILED, "The arbiter's long reply cannot be read.");
}

// ---- Requests as text ---------------------------------------------------------------------------

/// Returns whether a request would change what the library knows of the connection.
static bool is_reserved(json_object *message) {
    static const char *const reserved[] = {"hello", "register", "restore", "join", "keys", "pong"};
    const char *name = text_member(message, "request");
    for (size_t i = 0; i < COUNT(reserved); i++) {
        if (strcmp(name, reserved[i]) == 0) {
            return true;
        }
    }
    // The decisions of a log that follows would have nowhere to go.
    return flag_member(message, "follows") || strcmp(text_member(message, "action"), "unregister") == 0;
}

/// Parses a request. Returns NULL, and the error, if it is none.
static json_object *parse_request(const char *json, asession_error_t *error) {
    const char *fault = NULL;
    json_object *message = parse_object(json, &fault);
    if (message == NULL) {
        (void)fail(error, ASESSION_BAD_ARGUMENT, "The request cannot be sent: %s", fault);
    } else if (is_reserved(message)) {
        (void)fail(
            error, ASESSION_BAD_ARGUMENT,
            "'%s%s' concerns the connection, which belongs to the library: use asession_open and asession_close, "
            "and read the log without 'follows'.",
            text_member(message, "request"), text_member(message, "action"));
        json_object_put(message);
        message = NULL;
    }
    return message;
}

/// Returns a copy for the program; NULL, and the error, without memory.
static char *copy_text(const char *text, asession_error_t *error) {
    char *copy = text != NULL ? strdup(text) : NULL;
    if (copy == NULL) {
        (void)fail(error, ASESSION_NO_MEMORY, "No memory is left for a text.");
    } else {
        (void)succeed(error);
    }
    return copy;
}

char *asession_request(asession_t *session, const char *json, asession_error_t *error) {
    json_object *message = parse_request(json, error);
    if (message == NULL) {
        return NULL;
    }
    if (session == NULL) {
        json_object_put(message);
        (void)fail(error, ASESSION_NO_ARBITER, "There is no session, and so no arbiter to ask.");
        return NULL;
    }
    json_object *reply = NULL;
    char *text = NULL;
    if (ask_report(session, json_object_get(message), &reply, error) == ASESSION_OK) {
        remember_request(session, message);
        text = copy_text(json_object_to_json_string_ext(reply, WIRE_FORMAT), error);
        json_object_put(reply);
    }
    json_object_put(message);
    return text;
}

void asession_free(char *text) { free(text); }
