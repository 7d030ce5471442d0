/// The requests that more than one file sends.
#include "session_state.h"

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

json_object *new_preference(const asession_t *session, asession_preference_t preference, double value) {
    static const char *const names[PREFERENCES] = {"sampleRate", "ioBufferDuration", "inputChannels", "outputChannels"};
    json_object *message = new_action(session, "prefer");
    set_text(message, "preference", names[preference]);
    json_object_object_add(message, "value", json_object_new_double(value));
    return message;
}
