/// Errors as the program sees them.
#include "session_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

asession_status_t fail(asession_error_t *error, asession_status_t status, const char *format, ...) {
    if (error != NULL) {
        *error = (asession_error_t){.status = status};
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

asession_status_t fail_by_reply(asession_error_t *error, json_object *reply_error) {
    const bool is_refusal = strcmp(text_member(reply_error, "code"), "refused") == 0;
    json_object *reason = is_refusal ? member(reply_error, "refusal") : reply_error;
    const asession_status_t status = is_refusal ? ASESSION_REFUSED : ASESSION_FAILED;
    (void)fail(error, status, "%s", text_member(reply_error, "message"));
    if (error != NULL) {
        snprintf(error->code, sizeof error->code, "%s", text_member(reason, "code"));
        snprintf(error->rule, sizeof error->rule, "%s", text_member(reason, "rule"));
        error->by = unsigned_member(reason, "by");
    }
    return status;
}

asession_status_t succeed(asession_error_t *error) {
    if (error != NULL) {
        *error = (asession_error_t){.status = ASESSION_OK};
    }
    return ASESSION_OK;
}
