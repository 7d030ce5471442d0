/// Why a session is as it is, in sentences.
#define _GNU_SOURCE
#include "session_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t length_of(json_object *list) {
    return json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
}

/// Returns the object in a list of programs that is the one of an app; NULL: none.
static json_object *find_program(json_object *list, uint64_t app) {
    for (size_t i = 0; i < length_of(list); i++) {
        json_object *entry = json_object_array_get_idx(list, i);
        if (unsigned_member(entry, "app") == app) {
            return entry;
        }
    }
    return NULL;
}

/// Returns the `status` of a session in a report; NULL: the arbiter does not know it.
static json_object *find_status(json_object *report, uint64_t id) {
    json_object *sessions = member(report, "sessions");
    for (size_t i = 0; i < length_of(sessions); i++) {
        json_object *status = member(json_object_array_get_idx(sessions, i), "status");
        if (unsigned_member(member(status, "session"), "id") == id) {
            return status;
        }
    }
    return NULL;
}

/// Returns the file name of an app's program; NULL: unknown.
static const char *program_name(json_object *report, uint64_t app) {
    json_object *client = find_program(member(report, "clients"), app);
    json_object *program = client != NULL ? client : find_program(member(report, "adopted"), app);
    const char *path = text_member(program, "program"), *slash = strrchr(path, '/');
    return path[0] == 0 ? NULL : slash != NULL ? slash + 1 : path;
}

/// Appends the name of a session: "session 5 (music)", "call 7".
static void append_name(FILE *text, json_object *report, uint64_t id) {
    json_object *session = member(find_status(report, id), "session");
    const char *rank = text_member(session, "rank");
    const char *program = program_name(report, unsigned_member(session, "app"));
    if (session == NULL) {
        fprintf(text, "session %llu, which has ended", (unsigned long long)id);
    } else if (rank[0] != 0 && strcmp(rank, "app") != 0) {
        fprintf(text, "%s %llu", rank, (unsigned long long)id);
    } else if (program != NULL) {
        fprintf(text, "session %llu (%s)", (unsigned long long)id, program);
    } else {
        fprintf(text, "session %llu", (unsigned long long)id);
    }
}

static void append_reason(FILE *text, json_object *report, json_object *reason) {
    const char *kind = text_member(reason, "kind");
    const uint64_t since = unsigned_member(reason, "since") / 1000000, now = clock_ms(),
                   by = unsigned_member(reason, "by");
    const char *phrase = strcmp(kind, "inputSilenced") == 0 ? "without input"
                         : strcmp(kind, "ducked") == 0      ? "lowered"
                                                            : kind;
    fprintf(text, " It has been %s for %.1f s", phrase, (double)(since < now ? now - since : 0) / 1000);
    if (by != 0) {
        fprintf(text, " because of ");
        append_name(text, report, by);
    }
    fprintf(text, ", by rule %s.", text_member(reason, "rule"));
}

static void explain(FILE *text, json_object *report, uint64_t id) {
    json_object *status = find_status(report, id);
    json_object *session = member(status, "session"), *configuration = member(session, "configuration");
    const char *state = text_member(member(session, "activity"), "state");
    json_object *reasons = member(member(status, "standing"), "reasons");
    fprintf(text, "Session %llu is %s, with category %s and mode %s.", (unsigned long long)id,
            strcmp(state, "waiting") == 0 ? "interrupted" : state, text_member(configuration, "category"),
            text_member(configuration, "mode"));
    if (length_of(reasons) == 0) {
        fprintf(text, " No rule restricts it: it runs at full level.");
    }
    for (size_t i = 0; i < length_of(reasons); i++) {
        append_reason(text, report, json_object_array_get_idx(reasons, i));
    }
}

char *asession_why(asession_t *session, asession_error_t *error) {
    if (session == NULL) {
        (void)fail(error, ASESSION_NO_ARBITER, "There is no session, and so nothing to explain.");
        return NULL;
    }
    json_object *reply = NULL;
    if (ask_report(session, new_request("report"), &reply, error) != ASESSION_OK) {
        return NULL;
    }
    char *content = NULL;
    size_t length = 0;
    FILE *text = open_memstream(&content, &length);
    if (text != NULL) {
        explain(text, member(reply, "report"), session->id);
        if (fclose(text) != 0) {
            free(content);
            content = NULL;
        }
    }
    json_object_put(reply);
    (void)(content != NULL ? succeed(error) : fail(error, ASESSION_NO_MEMORY, "No memory is left for a text."));
    return content;
}
