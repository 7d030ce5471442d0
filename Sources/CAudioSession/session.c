/// Opening and closing a session, and its requests.
#define _GNU_SOURCE
#include "gate.h"
#include "session_state.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { DEEPEST_JSON = 32 };

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
    return session->epoll != -1 && watch(session->epoll, session->waiting) && watch(session->epoll, session->timer) &&
           session->parser != NULL && session->paused_memory != NULL;
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

void asession_close(asession_t *session) {
    if (session == NULL) {
        return;
    }
    if (session->phase == CONNECTED && session->id != 0 && session->process == getpid()) {
        // The arbiter reads it before the end of the connection. No reply is needed.
        (void)send_request(session, new_action(session, "unregister"));
    }
    close_descriptor(&session->socket);
    close_descriptor(&session->gate_descriptor);
    close_descriptor(&session->timer);
    close_descriptor(&session->waiting);
    close_descriptor(&session->epoll);
    release_pages(session, true);
    sgate_page_destroy(session->paused_memory);
    json_object_put(session->application);
    json_object_put(session->status);
    json_object_put(session->configuration);
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
        release_pages(session, false);
        // Even if the program leaves events unread, it is not woken for them again and again.
        eventfd_t count = 0;
        (void)eventfd_read(session->waiting, &count);
    }
}

// ---- Requests -----------------------------------------------------------------------------------

/// Sends a request that has no other result than whether it was carried out. `session` is not NULL.
static asession_status_t request(asession_t *session, json_object *message, asession_error_t *error) {
    const asession_status_t status = exchange(session, message, NULL, NULL, error);
    return status == ASESSION_OK ? succeed(error) : status;
}

/// Sends an action with one flag, or none if `key` is NULL.
static asession_status_t request_flag(asession_t *session, const char *action, const char *key, bool value,
                                      asession_error_t *error) {
    if (session == NULL) {
        return succeed(error);
    }
    json_object *message = new_action(session, action);
    if (key != NULL) {
        set_flag(message, key, value);
    }
    return request(session, message, error);
}

asession_status_t asession_activate(asession_t *session, asession_error_t *error) {
    return request_flag(session, "activate", NULL, false, error);
}

asession_status_t asession_request_activation(asession_t *session, asession_error_t *error) {
    return request_flag(session, "requestActivation", NULL, false, error);
}

asession_status_t asession_deactivate(asession_t *session, bool notify_others, asession_error_t *error) {
    return request_flag(session, "deactivate", "notifyOthers", notify_others, error);
}

asession_status_t asession_set_playing(asession_t *session, bool is_playing, asession_error_t *error) {
    const asession_status_t status = request_flag(session, "setRunning", "isRunning", is_playing, error);
    if (session != NULL && status == ASESSION_OK) {
        session->is_playing = is_playing;
    }
    return status;
}

asession_status_t asession_set_recording(asession_t *session, bool is_recording, asession_error_t *error) {
    return request_flag(session, "setInputRunning", "isRunning", is_recording, error);
}

static const char *const categories[] = {"ambient", "soloAmbient", "playback", "record", "playAndRecord", "multiRoute"};
static const char *const modes[] = {"default",     "voiceChat",     "videoChat",   "gameChat",   "videoRecording",
                                    "measurement", "moviePlayback", "spokenAudio", "voicePrompt"};
/// In the order in which they are looked for: one that includes another comes first.
static const struct {
    unsigned bits;
    const char *name;
} options_by_bits[] = {
    {ASESSION_INTERRUPT_SPOKEN_AUDIO_AND_MIX_WITH_OTHERS, "interruptSpokenAudioAndMixWithOthers"},
    {ASESSION_MIX_WITH_OTHERS, "mixWithOthers"},
    {ASESSION_DUCK_OTHERS, "duckOthers"},
    {ASESSION_ALLOW_BLUETOOTH_HFP, "allowBluetoothHFP"},
    {ASESSION_DEFAULT_TO_SPEAKER, "defaultToSpeaker"},
    {ASESSION_ALLOW_BLUETOOTH_A2DP, "allowBluetoothA2DP"},
    {ASESSION_ALLOW_AIR_PLAY, "allowAirPlay"},
    {ASESSION_OVERRIDE_MUTED_MICROPHONE_INTERRUPTION, "overrideMutedMicrophoneInterruption"},
};

/// Returns the names of the options; NULL if there are unknown bits.
static json_object *option_names(unsigned options) {
    json_object *names = json_object_new_array();
    for (size_t i = 0; i < sizeof options_by_bits / sizeof *options_by_bits; i++) {
        const unsigned bits = options_by_bits[i].bits;
        if (options != 0 && (options & bits) == bits) {
            json_object_array_add(names, json_object_new_string(options_by_bits[i].name));
            options &= ~bits;
        }
    }
    if (options != 0) {
        json_object_put(names);
        return NULL;
    }
    return names;
}

asession_status_t asession_set_category(asession_t *session, asession_category_t category, asession_mode_t mode,
                                        unsigned options, asession_error_t *error) {
    if ((unsigned)category >= sizeof categories / sizeof *categories ||
        (unsigned)mode >= sizeof modes / sizeof *modes) {
        return fail(error, ASESSION_BAD_ARGUMENT, "Category %d or mode %d does not exist; use the constants.",
                    (int)category, (int)mode);
    }
    json_object *names = option_names(options);
    if (names == NULL) {
        return fail(error, ASESSION_BAD_ARGUMENT, "Options 0x%x have unknown bits; use the constants.", options);
    }
    if (session == NULL) {
        json_object_put(names);
        return succeed(error);
    }
    json_object *message = new_action(session, "configure");
    set_text(message, "category", categories[category]);
    set_text(message, "mode", modes[mode]);
    json_object_object_add(message, "options", names);
    set_text(message, "routeSharingPolicy", "default");
    json_object_get(message);
    const asession_status_t status = request(session, message, error);
    if (status == ASESSION_OK) {
        json_object_put(session->configuration);
        session->configuration = message;
    } else {
        json_object_put(message);
    }
    return status;
}

asession_status_t asession_prefer(asession_t *session, asession_preference_t preference, double value,
                                  asession_error_t *error) {
    if ((unsigned)preference >= PREFERENCES || !(value >= 0 && value <= 1e9)) {
        return fail(error, ASESSION_BAD_ARGUMENT, "Preference %d does not exist, or %g is not a value of 0 to 1e9.",
                    (int)preference, value);
    }
    if (session == NULL) {
        return succeed(error);
    }
    const asession_status_t status = request(session, new_preference(session, preference, value), error);
    if (status == ASESSION_OK) {
        session->preferences[preference] = value;
    }
    return status;
}
