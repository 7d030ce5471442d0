/// Explanations, and requests of the protocol for which the library has no function.
/// `audiosession.h` includes this header.
#ifndef AUDIOSESSION_PROTOCOL_H
#define AUDIOSESSION_PROTOCOL_H

#include "audiosession/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Explains, in English sentences, why the session is as it is: paused, lowered, without input;
/// because of which program, and by which rule (ACT-13). [owner] Sends a request. Returns NULL, and
/// the error, if it fails or for a session that is NULL. The caller frees the text with
/// `asession_free`.
char *asession_why(asession_t *session, asession_error_t *error);

/// Sends a request of the protocol, an object in JSON, and returns the reply to it. [owner] For
/// all that has no function here: the log, the report of all sessions, the switches of the
/// device. `Documentation/Protocol.md` describes the requests. The library fills in `serial`;
/// where `session` or `app` is 0, it fills in the number of this session or program. It refuses,
/// with ASESSION_BAD_ARGUMENT, requests that concern the connection ("hello", "register",
/// "restore", "join", "keys", "pong"), a log that `follows`, and the action "unregister". It
/// repeats `setDevices` and `describe` to the next arbiter; whatever else a request has set is
/// lost if that one does not know the session. Returns NULL on an error, or for a session that is
/// NULL; the caller frees the reply with `asession_free`.
char *asession_request(asession_t *session, const char *json, asession_error_t *error);

/// Frees a text that this library has returned; NULL does nothing. [any thread]
void asession_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
