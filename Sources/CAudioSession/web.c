/// The Audio Session API of the W3C, as categories, modes and options.
#include "session_state.h"

#include <string.h>

static const struct {
    const char *name;
    struct web_configuration configuration;
} types[] = {
    // Never used: it is resolved to one of the others.
    [ASESSION_WEB_AUTO] = {"auto", {ASESSION_AMBIENT, ASESSION_MODE_DEFAULT, 0}},
    [ASESSION_WEB_PLAYBACK] = {"playback", {ASESSION_PLAYBACK, ASESSION_MODE_DEFAULT, 0}},
    [ASESSION_WEB_TRANSIENT] = {"transient", {ASESSION_AMBIENT, ASESSION_MODE_DEFAULT, ASESSION_DUCK_OTHERS}},
    [ASESSION_WEB_TRANSIENT_SOLO] = {"transient-solo", {ASESSION_PLAYBACK, ASESSION_VOICE_PROMPT, 0}},
    [ASESSION_WEB_AMBIENT] = {"ambient", {ASESSION_AMBIENT, ASESSION_MODE_DEFAULT, 0}},
    [ASESSION_WEB_PLAY_AND_RECORD] = {"play-and-record",
                                      {ASESSION_PLAY_AND_RECORD, ASESSION_VIDEO_CHAT,
                                       ASESSION_ALLOW_BLUETOOTH_HFP | ASESSION_DEFAULT_TO_SPEAKER |
                                           ASESSION_ALLOW_BLUETOOTH_A2DP}},
};

const char *asession_web_type_name(asession_web_type_t type) {
    return (unsigned)type < COUNT(types) ? types[type].name : NULL;
}

bool asession_web_type_from_name(const char *name, asession_web_type_t *type) {
    for (unsigned i = 0; name != NULL && type != NULL && i < COUNT(types); i++) {
        if (strcmp(name, types[i].name) == 0) {
            *type = (asession_web_type_t)i;
            return true;
        }
    }
    return false;
}

asession_web_type_t asession_web_resolve_type(asession_web_type_t type, unsigned elements) {
    if (type != ASESSION_WEB_AUTO) {
        return type;
    }
    return (elements & ASESSION_WEB_CAPTURES) != 0      ? ASESSION_WEB_PLAY_AND_RECORD
           : (elements & ASESSION_WEB_PLAYS_MEDIA) != 0 ? ASESSION_WEB_PLAYBACK
                                                        : ASESSION_WEB_AMBIENT;
}

bool asession_web_type_is_exclusive(asession_web_type_t type) {
    return type == ASESSION_WEB_PLAYBACK || type == ASESSION_WEB_TRANSIENT_SOLO || type == ASESSION_WEB_PLAY_AND_RECORD;
}

bool find_web_configuration(asession_web_type_t type, struct web_configuration *configuration) {
    if ((unsigned)type >= COUNT(types)) {
        return false;
    }
    *configuration = types[type].configuration;
    return true;
}

asession_status_t asession_set_web_type(asession_t *session, asession_web_type_t type, unsigned elements,
                                        asession_error_t *error) {
    struct web_configuration found;
    if (!find_web_configuration(asession_web_resolve_type(type, elements), &found)) {
        return fail(error, ASESSION_BAD_ARGUMENT, "Type %d of web audio does not exist; use the constants.", (int)type);
    }
    return asession_set_category(session, found.category, found.mode, found.options, error);
}

const char *asession_web_state(const asession_t *session) {
    asession_state_t state;
    asession_state(session, &state);
    return state.activity == ASESSION_ACTIVE        ? "active"
           : state.activity == ASESSION_INTERRUPTED ? "interrupted"
                                                    : "inactive";
}
