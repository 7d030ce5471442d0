/// Requests of which only matters whether they are carried out.
#include "session_state.h"

asession_status_t submit(asession_t *session, json_object *message, asession_error_t *error) {
    if (session == NULL) {
        json_object_put(message);
        return succeed(error);
    }
    const asession_status_t status = exchange(session, message, NULL, NULL, error);
    return status == ASESSION_OK ? succeed(error) : status;
}

asession_status_t submit_plain(asession_t *session, const char *action, asession_error_t *error) {
    return submit(session, new_action(action), error);
}

asession_status_t submit_flag(asession_t *session, const char *action, const char *key, bool value,
                              asession_error_t *error) {
    json_object *message = new_action(action);
    set_flag(message, key, value);
    return submit(session, message, error);
}

// ---- Settings -----------------------------------------------------------------------------------

asession_status_t submit_setting(asession_t *session, json_object *message, asession_error_t *error) {
    json_object_get(message);
    const asession_status_t status = submit(session, message, error);
    if (session != NULL && status == ASESSION_OK) {
        remember(session, message);
    } else {
        json_object_put(message);
    }
    return status;
}

asession_status_t submit_flag_setting(asession_t *session, const char *action, const char *key, bool value,
                                      asession_error_t *error) {
    json_object *message = new_action(action);
    set_flag(message, key, value);
    return submit_setting(session, message, error);
}

asession_status_t submit_text_setting(asession_t *session, json_object *message, asession_error_t *error) {
    const char *fault = NULL;
    json_object *parsed = parse_object(json_object_to_json_string_ext(message, WIRE_FORMAT), &fault);
    if (parsed == NULL) {
        const asession_status_t status = fail(error, ASESSION_BAD_ARGUMENT, "The request '%s' cannot be sent: %s",
                                              text_member(message, "action"), fault);
        json_object_put(message);
        return status;
    }
    json_object_put(parsed);
    return submit_setting(session, message, error);
}
