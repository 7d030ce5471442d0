/// What a session does: activation, playing, recording.
#include "session_state.h"

asession_status_t asession_activate(asession_t *session, asession_error_t *error) {
    return submit_plain(session, "activate", error);
}

asession_status_t asession_request_activation(asession_t *session, asession_error_t *error) {
    return submit_plain(session, "requestActivation", error);
}

asession_status_t asession_deactivate(asession_t *session, bool notify_others, asession_error_t *error) {
    return submit_flag(session, "deactivate", "notifyOthers", notify_others, error);
}

asession_status_t asession_set_playing(asession_t *session, bool is_playing, asession_error_t *error) {
    return submit_flag_setting(session, "setRunning", "isRunning", is_playing, error);
}

asession_status_t asession_set_paused(asession_t *session, bool is_paused, asession_error_t *error) {
    return submit_flag_setting(session, "setPaused", "isPaused", is_paused, error);
}

// Not a setting: it activates the session (ACT-15), which the next arbiter must not do unasked.
asession_status_t asession_set_recording(asession_t *session, bool is_recording, asession_error_t *error) {
    return submit_flag(session, "setInputRunning", "isRunning", is_recording, error);
}

asession_status_t asession_set_output_muted(asession_t *session, bool is_muted, asession_error_t *error) {
    return submit_flag_setting(session, "setOutputMuted", "isMuted", is_muted, error);
}

asession_status_t asession_set_ducks_only_while_audible(asession_t *session, bool is_on, asession_error_t *error) {
    return submit_flag_setting(session, "setDucksOnlyWhileAudible", "isOn", is_on, error);
}

asession_status_t asession_prefer_no_interruptions_from_system_alerts(asession_t *session, bool prefers,
                                                                      asession_error_t *error) {
    return submit_flag_setting(session, "preferNoInterruptionsFromSystemAlerts", "prefers", prefers, error);
}

asession_status_t asession_user_paused(asession_t *session, asession_error_t *error) {
    return submit_plain(session, "userPaused", error);
}
