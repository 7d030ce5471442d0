/// The types and states of the W3C's Audio Session API: names, and what each type sets.
#include "expect.h"
#include "session_state.h"

#include <string.h>

static const struct {
    asession_web_type_t type;
    const char *name;
    bool is_exclusive;
    struct web_configuration configuration;
} expected[] = {
    {ASESSION_WEB_PLAYBACK, "playback", true, {ASESSION_PLAYBACK, ASESSION_MODE_DEFAULT, 0}},
    {ASESSION_WEB_TRANSIENT, "transient", false, {ASESSION_AMBIENT, ASESSION_MODE_DEFAULT, ASESSION_DUCK_OTHERS}},
    {ASESSION_WEB_TRANSIENT_SOLO, "transient-solo", true, {ASESSION_PLAYBACK, ASESSION_VOICE_PROMPT, 0}},
    {ASESSION_WEB_AMBIENT, "ambient", false, {ASESSION_AMBIENT, ASESSION_MODE_DEFAULT, 0}},
    {ASESSION_WEB_PLAY_AND_RECORD, "play-and-record", true, {ASESSION_PLAY_AND_RECORD, ASESSION_VIDEO_CHAT, 0x2c}},
};

TEST(each_type_has_its_name_and_configuration) {
    for (size_t i = 0; i < COUNT(expected); i++) {
        struct web_configuration found = {0};
        EXPECT(find_web_configuration(expected[i].type, &found));
        EXPECT_EQUAL(found.category, expected[i].configuration.category);
        EXPECT_EQUAL(found.mode, expected[i].configuration.mode);
        EXPECT_EQUAL(found.options, expected[i].configuration.options);
        EXPECT_EQUAL(asession_web_type_is_exclusive(expected[i].type), expected[i].is_exclusive);
        EXPECT(strcmp(asession_web_type_name(expected[i].type), expected[i].name) == 0);
        asession_web_type_t type = ASESSION_WEB_AUTO;
        EXPECT(asession_web_type_from_name(expected[i].name, &type));
        EXPECT_EQUAL(type, expected[i].type);
    }
    EXPECT(strcmp(asession_web_type_name(ASESSION_WEB_AUTO), "auto") == 0);
    EXPECT(!asession_web_type_is_exclusive(ASESSION_WEB_AUTO));
}

TEST(other_names_and_values_are_no_types) {
    const char *const names[] = {NULL, "", "Playback", "playback ", "play", "transient_solo", "playAndRecord"};
    for (size_t i = 0; i < COUNT(names); i++) {
        asession_web_type_t type = ASESSION_WEB_AMBIENT;
        EXPECT(!asession_web_type_from_name(names[i], &type));
        EXPECT_EQUAL(type, ASESSION_WEB_AMBIENT);
    }
    EXPECT(!asession_web_type_from_name("ambient", NULL));
    EXPECT(asession_web_type_name((asession_web_type_t)6) == NULL);
    asession_error_t error;
    EXPECT_EQUAL(asession_set_web_type(NULL, (asession_web_type_t)6, 0, &error), ASESSION_BAD_ARGUMENT);
    EXPECT(strstr(error.message, "Type 6") != NULL);
}

TEST(auto_follows_what_the_page_does) {
    EXPECT_EQUAL(asession_web_resolve_type(ASESSION_WEB_AUTO, 0), ASESSION_WEB_AMBIENT);
    EXPECT_EQUAL(asession_web_resolve_type(ASESSION_WEB_AUTO, ASESSION_WEB_PLAYS_MEDIA), ASESSION_WEB_PLAYBACK);
    EXPECT_EQUAL(asession_web_resolve_type(ASESSION_WEB_AUTO, ASESSION_WEB_CAPTURES), ASESSION_WEB_PLAY_AND_RECORD);
    EXPECT_EQUAL(asession_web_resolve_type(ASESSION_WEB_AUTO, ASESSION_WEB_CAPTURES | ASESSION_WEB_PLAYS_MEDIA),
                 ASESSION_WEB_PLAY_AND_RECORD);
    for (size_t i = 0; i < COUNT(expected); i++) {
        EXPECT_EQUAL(asession_web_resolve_type(expected[i].type, ASESSION_WEB_CAPTURES | ASESSION_WEB_PLAYS_MEDIA),
                     expected[i].type);
    }
}

/// Returns the state of a session of which the arbiter says that its activity is `activity`.
static const char *state_of(const char *activity) {
    static char text[128];
    (void)snprintf(text, sizeof text, "{\"status\":{\"session\":{\"activity\":{\"state\":\"%s\"}}}}", activity);
    static asession_t session;
    session = (asession_t){.status = json_tokener_parse(text)};
    const char *state = asession_web_state(&session);
    json_object_put(session.status);
    return state;
}

TEST(states_are_those_of_the_session) {
    EXPECT(strcmp(state_of("active"), "active") == 0);
    EXPECT(strcmp(state_of("waiting"), "interrupted") == 0);
    EXPECT(strcmp(state_of("inactive"), "inactive") == 0);
    EXPECT(strcmp(asession_web_state(NULL), "inactive") == 0);
    EXPECT_EQUAL(asession_set_web_type(NULL, ASESSION_WEB_PLAYBACK, 0, NULL), ASESSION_OK);
}

/// The code of Documentation/WebAudioSession.md and SessionsInC.md. NULL is a session without an
/// arbiter.
TEST(the_code_of_the_pages) {
    asession_t *const session = NULL;
    asession_error_t error;
    // [type]
    asession_web_type_t type = ASESSION_WEB_AUTO;
    // The page has assigned the name, and has a video.
    if (asession_web_type_from_name("transient-solo", &type)) {
        asession_set_web_type(session, type, ASESSION_WEB_PLAYS_MEDIA, &error);
    }
    // [end]
    EXPECT_EQUAL(type, ASESSION_WEB_TRANSIENT_SOLO);
    // [permission]
    asession_answer_record_permission(session, true, &error);
    asession_set_recording(session, true, &error);
    // [end]
    EXPECT_EQUAL(asession_set_recording(session, true, &error), ASESSION_OK);
}

int main(void) {
    RUN(each_type_has_its_name_and_configuration);
    RUN(other_names_and_values_are_no_types);
    RUN(auto_follows_what_the_page_does);
    RUN(states_are_those_of_the_session);
    RUN(the_code_of_the_pages);
    return test_result();
}
