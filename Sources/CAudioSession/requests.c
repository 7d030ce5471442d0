/// How requests are made.
#include "session_state.h"

json_object *new_request(const char *name) {
    json_object *request = json_object_new_object();
    set_text(request, "request", name);
    return request;
}

static json_object *new_action_of(const char *subject, const char *name) {
    json_object *request = json_object_new_object();
    set_text(request, "action", name);
    set_unsigned(request, subject, 0);
    return request;
}

json_object *new_action(const char *name) { return new_action_of("session", name); }
json_object *new_app_action(const char *name) { return new_action_of("app", name); }
