/// The events that wait for the program, and the state that it reads.
#include "session_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

/// Makes room for one more event, in a larger ring or by dropping the oldest. Returns whether there
/// is any.
static bool make_room(asession_t *session) {
    if (session->nevents < session->event_capacity) {
        return true;
    }
    const uint32_t capacity = session->event_capacity == 0 ? 16 : session->event_capacity * 2;
    asession_event_t *larger = capacity <= MOST_EVENTS ? malloc(capacity * sizeof *larger) : NULL;
    if (larger != NULL) {
        for (uint32_t i = 0; i < session->nevents; i++) {
            larger[i] = session->events[(session->first_event + i) % session->event_capacity];
        }
        free(session->events);
        session->events = larger;
        session->first_event = 0;
        session->event_capacity = capacity;
    } else if (session->nevents > 0) {
        session->first_event = (session->first_event + 1) % session->event_capacity;
        session->nevents--;
    }
    return session->event_capacity > 0;
}

void post_event(asession_t *session, const asession_event_t *event) {
    if (make_room(session)) {
        session->events[(session->first_event + session->nevents) % session->event_capacity] = *event;
        session->nevents++;
        (void)eventfd_write(session->waiting, 1);
    }
}

void post_simple_event(asession_t *session, asession_event_kind_t kind) {
    post_event(session, &(asession_event_t){.kind = kind});
}

bool asession_next_event(asession_t *session, asession_event_t *event) {
    if (session == NULL || session->nevents == 0) {
        return false;
    }
    *event = session->events[session->first_event];
    session->first_event = (session->first_event + 1) % session->event_capacity;
    session->nevents--;
    return true;
}

static uint32_t index_of(const char *name, const char *const *names, uint32_t count) {
    uint32_t index = 0;
    while (index < count && strcmp(name, names[index]) != 0) {
        index++;
    }
    return index;
}

/// Fills in the command of a notice. Returns false if it is one of a newer arbiter.
static bool read_command(json_object *notice, asession_event_t *event) {
    const uint32_t command = index_of(text_member(notice, "command"), command_names, COMMANDS);
    const uint32_t mode = index_of(text_member(notice, "value"), repeat_mode_names, REPEAT_MODES);
    event->command = (asession_command_t)command;
    event->flag = flag_member(notice, "value");
    if (command == ASESSION_COMMAND_SET_REPEAT_MODE) {
        event->value = mode;
    }
    return command < COMMANDS && (command != ASESSION_COMMAND_SET_REPEAT_MODE || mode < REPEAT_MODES);
}

void post_notice(asession_t *session, json_object *notice) {
    static const struct {
        const char *effect;
        asession_event_kind_t kind;
        /// The member with the event's `flag`; NULL: none.
        const char *flag;
    } kinds[] = {
        {"interruptionBegan", ASESSION_EVENT_INTERRUPTION_BEGAN, NULL},
        {"interruptionEnded", ASESSION_EVENT_INTERRUPTION_ENDED, "shouldResume"},
        {"silenceSecondaryAudioHint", ASESSION_EVENT_SILENCE_HINT, "shouldSilence"},
        {"routeChanged", ASESSION_EVENT_ROUTE_CHANGED, NULL},
        {"outputDisconnected", ASESSION_EVENT_OUTPUT_DISCONNECTED, NULL},
        {"outputVolumeChanged", ASESSION_EVENT_VOLUME_CHANGED, NULL},
        {"inputMuteChanged", ASESSION_EVENT_INPUT_MUTE_CHANGED, "isMuted"},
        {"deactivatedBySystem", ASESSION_EVENT_DEACTIVATED, NULL},
        {"activated", ASESSION_EVENT_ACTIVATED, NULL},
        {"remoteCommand", ASESSION_EVENT_REMOTE_COMMAND, NULL},
        {"recordPermissionNeeded", ASESSION_EVENT_RECORD_PERMISSION_NEEDED, NULL},
        {"recordPermissionChanged", ASESSION_EVENT_RECORD_PERMISSION_CHANGED, NULL},
        {"availableInputsChanged", ASESSION_EVENT_AVAILABLE_INPUTS_CHANGED, NULL},
        {"outputMuteChanged", ASESSION_EVENT_OUTPUT_MUTE_CHANGED, "isMuted"},
    };
    const char *effect = text_member(notice, "effect");
    if (strcmp(effect, "activated") == 0 && strcmp(text_member(notice, "rule"), "ACT-14") != 0) {
        return; // the reply to the program's own request says so
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(effect, kinds[i].effect) == 0) {
            asession_event_t event = {
                .kind = kinds[i].kind,
                .flag = kinds[i].flag != NULL && flag_member(notice, kinds[i].flag),
                .value = number_member(notice, "value"),
                .by = unsigned_member(notice, "by"),
            };
            if (event.kind == ASESSION_EVENT_REMOTE_COMMAND && !read_command(notice, &event)) {
                return;
            }
            snprintf(event.reason, sizeof event.reason, "%s", text_member(notice, "reason"));
            snprintf(event.rule, sizeof event.rule, "%s", text_member(notice, "rule"));
            post_event(session, &event);
        }
    }
}

static asession_activity_t activity_of(json_object *record) {
    const char *name = text_member(member(record, "activity"), "state");
    return strcmp(name, "active") == 0    ? ASESSION_ACTIVE
           : strcmp(name, "waiting") == 0 ? ASESSION_INTERRUPTED
                                          : ASESSION_INACTIVE;
}

void asession_state(const asession_t *session, asession_state_t *state) {
    *state = (asession_state_t){.activity = ASESSION_INACTIVE};
    if (session != NULL) {
        json_object *status = member(session->status, "status");
        state->activity = activity_of(member(status, "session"));
        state->is_connected = session->phase == CONNECTED;
        state->is_other_audio_playing = flag_member(status, "isOtherAudioPlaying");
        state->secondary_audio_should_be_silenced = flag_member(status, "secondaryAudioShouldBeSilenced");
        state->is_input_available = flag_member(status, "isInputAvailable");
        state->is_in_call = flag_member(status, "isInCall");
        state->volume = number_member(status, "volume");
    }
}
