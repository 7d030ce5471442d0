/// Reports whether a session that lowers others only while it is audible, a key, is so (DUCK-2).
///
/// The gate states it in the keys page, for the sessions that read that, in the cycle in which it
/// changes. The arbiter needs a message as well, for all others. The audio thread can wake nobody
/// without a system call, so the owner looks every 50 ms while the session is a key.
#include "gate_object.h"
#include "session_gate_page.h"
#include "session_state.h"

enum {
    INTERVAL_MS = 50,
    /// How long no cycle may apply the gate of a key that is audible, beyond its hold time. After
    /// that, the program has stopped its audio, and is silent.
    STILL_LIMIT_MS = 100,
};

/// Returns how the session is detected; not enabled, unless the arbiter says so: it is active.
static sgate_detection_t detection_of(const asession_t *session) {
    return session->phase == CONNECTED && session->page != NULL
               ? sgate_word_to_detection(sgate_page_load_detection(session->page->content.page))
               : (sgate_detection_t){.enabled = false};
}

/// Returns whether the session is audible, and the gate is still applied.
static bool is_audible(asession_t *session, uint32_t hold_ms) {
    const uint64_t frames = gate_key_frames(&session->gate), now = clock_ms();
    if (frames != session->frames) {
        session->frames = frames;
        session->frames_since = now;
    }
    return gate_is_audible(&session->gate) && now - session->frames_since <= hold_ms + STILL_LIMIT_MS;
}

void report_audibility(asession_t *session) {
    const sgate_detection_t detection = detection_of(session);
    // Called in any case: it observes whether cycles apply the gate.
    const bool is_audible_now = is_audible(session, detection.hold_ms) && detection.enabled;
    json_object *state = member(member(session->status, "status"), "session");
    const bool is_key = session->phase == CONNECTED && flag_member(state, "ducksOnlyWhileAudible");
    if (is_key && is_audible_now != flag_member(state, "isAudible") && session->audible_serial == 0) {
        json_object *message = new_action("setAudible");
        set_flag(message, "isAudible", is_audible_now);
        session->audible_serial = send_request(session, message);
    }
    if (detection.enabled) {
        schedule(session, INTERVAL_MS);
    }
}
