/// The Audio Session API of the W3C, for browser engines. `audiosession.h` includes this header.
///
/// A browser has one session for each top-level page that is audible, and implements
/// `navigator.audioSession` on it: a type sets the category, the mode and the options; the states
/// of the API are those of the session. `Documentation/WebAudioSession.md` has the table of types,
/// what a browser does at which event, and where the mapping differs from the W3C's draft
/// (https://www.w3.org/TR/audio-session/).
#ifndef AUDIOSESSION_WEB_H
#define AUDIOSESSION_WEB_H

#include "audiosession/status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The enumeration `AudioSessionType` of the draft.
typedef enum asession_web_type {
    /// "auto": the browser chooses by what the page does (`asession_web_resolve_type`).
    ASESSION_WEB_AUTO = 0,
    /// "playback": music, videos; interrupts other such sound.
    ASESSION_WEB_PLAYBACK = 1,
    /// "transient": a short notification; lowers others meanwhile.
    ASESSION_WEB_TRANSIENT = 2,
    /// "transient-solo": a spoken direction; interrupts others, which resume afterwards.
    ASESSION_WEB_TRANSIENT_SOLO = 3,
    /// "ambient": mixes with others; silenced by the silent switch.
    ASESSION_WEB_AMBIENT = 4,
    /// "play-and-record": a conversation while the page captures (ACT-18).
    ASESSION_WEB_PLAY_AND_RECORD = 5
} asession_web_type_t;

/// Returns the name of a type in the draft, such as "transient-solo"; NULL for a value that is
/// none. [any thread]
const char *asession_web_type_name(asession_web_type_t type);

/// Stores the type of this name. [any thread] Returns false, and stores nothing, if there is none
/// or an argument is NULL: a browser ignores such an assignment to `AudioSession.type`.
bool asession_web_type_from_name(const char *name, asession_web_type_t *type);

/// Bits: the elements of a page that are audible, or would be. Others, such as an `AudioContext`,
/// have none.
enum {
    /// A media element plays.
    ASESSION_WEB_PLAYS_MEDIA = 0x1,
    /// The page captures from a microphone.
    ASESSION_WEB_CAPTURES = 0x2
};

/// Computes the type of a page from its elements, a combination of the bits above. [any thread]
/// ASESSION_WEB_AUTO becomes play-and-record if the page captures, otherwise playback if it plays
/// media, otherwise ambient. Returns other types as they are. In the draft: "compute the audio
/// session type".
asession_web_type_t asession_web_resolve_type(asession_web_type_t type, unsigned elements);

/// Returns whether the draft calls the type exclusive: playback, transient-solo and
/// play-and-record. [any thread] False for ASESSION_WEB_AUTO: resolve it first.
bool asession_web_type_is_exclusive(asession_web_type_t type);

/// Sets the category, the mode and the options of the type, which is computed as by
/// `asession_web_resolve_type`. [owner] Call it when the page assigns `AudioSession.type`, and, for
/// ASESSION_WEB_AUTO, when `elements` change. Fails as `asession_set_category` does.
asession_status_t asession_set_web_type(asession_t *session, asession_web_type_t type, unsigned elements,
                                        asession_error_t *error);

/// Returns `AudioSession.state` of the draft, as of the last `asession_dispatch` or request:
/// "inactive", "active" or "interrupted", as `activity` of `asession_state`; "inactive" for NULL.
/// [owner] Dispatch, handle all events, which includes the activation after an interruption, and
/// compare only then: fire `statechange` if it is another one than before.
const char *asession_web_state(const asession_t *session);

#ifdef __cplusplus
}
#endif
#endif
