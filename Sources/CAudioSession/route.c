/// The ports of a session's route, and the permission to record.
#include "session_state.h"

#include <stdio.h>
#include <string.h>

// ---- The route ----------------------------------------------------------------------------------

static json_object *ports_of(const asession_t *session, asession_ports_t list) {
    json_object *status = session != NULL ? member(session->status, "status") : NULL;
    switch (list) {
    case ASESSION_ROUTE_INPUTS:
        return member(member(status, "route"), "inputs");
    case ASESSION_ROUTE_OUTPUTS:
        return member(member(status, "route"), "outputs");
    case ASESSION_AVAILABLE_INPUTS:
        return member(status, "availableInputs");
    default:
        return NULL;
    }
}

bool asession_get_port(const asession_t *session, asession_ports_t list, uint32_t index, asession_port_t *port) {
    json_object *ports = ports_of(session, list);
    const bool exists = json_object_is_type(ports, json_type_array) && index < json_object_array_length(ports);
    json_object *entry = exists ? json_object_array_get_idx(ports, index) : NULL;
    *port = (asession_port_t){.channels = (uint32_t)unsigned_member(entry, "channels")};
    snprintf(port->uid, sizeof port->uid, "%s", text_member(entry, "uid"));
    snprintf(port->name, sizeof port->name, "%s", text_member(entry, "name"));
    snprintf(port->type, sizeof port->type, "%s", text_member(entry, "type"));
    return exists;
}

asession_status_t asession_prefer_input(asession_t *session, const char *uid, asession_error_t *error) {
    json_object *message = new_action("preferInput");
    set_optional_text(message, "uid", uid);
    return submit_text_setting(session, message, error);
}

// Not a setting: the next change of the route ends it.
asession_status_t asession_override_output_to_speaker(asession_t *session, bool overrides, asession_error_t *error) {
    return submit_flag(session, "overrideOutput", "toSpeaker", overrides, error);
}

asession_status_t asession_prefer_interruption_on_route_disconnect(asession_t *session, bool prefers,
                                                                   asession_error_t *error) {
    return submit_flag_setting(session, "preferInterruptionOnRouteDisconnect", "prefers", prefers, error);
}

// ---- Recording ----------------------------------------------------------------------------------

asession_permission_t asession_record_permission(const asession_t *session) {
    const char *name = session != NULL ? text_member(session->application, "recordPermission") : "";
    return strcmp(name, "granted") == 0  ? ASESSION_PERMISSION_GRANTED
           : strcmp(name, "denied") == 0 ? ASESSION_PERMISSION_DENIED
                                         : ASESSION_PERMISSION_UNDETERMINED;
}

asession_status_t asession_answer_record_permission(asession_t *session, bool is_granted, asession_error_t *error) {
    // The user may have answered elsewhere: receives whatever the arbiter has to report.
    const asession_status_t status = submit(session, new_request("synchronise"), error);
    if (status != ASESSION_OK || asession_record_permission(session) != ASESSION_PERMISSION_UNDETERMINED) {
        return status;
    }
    json_object *message = new_app_action("setRecordPermission");
    set_text(message, "permission", is_granted ? "granted" : "denied");
    return submit(session, message, error);
}

// Not a setting of this session: `hello` states it to the next arbiter, with the program's state.
asession_status_t asession_set_input_muted(asession_t *session, bool is_muted, asession_error_t *error) {
    json_object *message = new_app_action("setInputMuted");
    set_flag(message, "isMuted", is_muted);
    return submit(session, message, error);
}
