/// The ports that a session plays to and takes input from, and whether the program may record.
/// `audiosession.h` includes this header.
///
/// The arbiter routes each session to the newest suitable device, or to the one that the user has
/// chosen (group ROUTE of the rules), of those that the program sees: those that `audiosession
/// device plug` adds, and those of its audio server, if it reports them by the request
/// `setDevices` (`asession_request`), which the library repeats to the next arbiter. The program
/// connects its own audio, and learns here where to.
#ifndef AUDIOSESSION_ROUTE_H
#define AUDIOSESSION_ROUTE_H

#include "audiosession/status.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- The route ----------------------------------------------------------------------------------

typedef enum asession_ports {
    /// What the session takes input from.
    ASESSION_ROUTE_INPUTS = 0,
    /// What it plays to.
    ASESSION_ROUTE_OUTPUTS = 1,
    /// What `asession_prefer_input` accepts.
    ASESSION_AVAILABLE_INPUTS = 2
} asession_ports_t;

/// A port of an audio device. The arbiter limits uids and names to 128 bytes.
typedef struct asession_port {
    /// Identifies the port, also after the next start of the computer.
    char uid[256];
    /// What the device is called, for people.
    char name[256];
    /// What it is, as the protocol names it: "headphones", "builtInSpeaker", "usbAudio" …
    char type[32];
    uint32_t channels;
} asession_port_t;

/// Copies the port number `index`, 0 for the first, of a list, as of the last `asession_dispatch`
/// or request. [owner] Returns false if the list has no such port. ASESSION_EVENT_ROUTE_CHANGED and
/// ASESSION_EVENT_AVAILABLE_INPUTS_CHANGED report changes.
bool asession_get_port(const asession_t *session, asession_ports_t list, uint32_t index, asession_port_t *port);

/// Prefers an input, by its uid, to newer ones while it is available (ROUTE-6); NULL: the arbiter
/// chooses. [owner] Refused if no available input has this uid. An arbiter that does not know the
/// session (ASESSION_EVENT_DEACTIVATED) may not know the input yet: prefer it again when it is
/// available.
asession_status_t asession_prefer_input(asession_t *session, const char *uid, asession_error_t *error);

/// Plays to the speaker instead of the receiver or headphones, until the route changes or the
/// session is interrupted (ROUTE-5); false ends that. [owner] For category playAndRecord.
asession_status_t asession_override_output_to_speaker(asession_t *session, bool overrides, asession_error_t *error);

/// States that the session should be interrupted when the output that it plays to is unplugged
/// (ROUTE-4), which is so initially, or else go on elsewhere. [owner]
asession_status_t asession_prefer_interruption_on_route_disconnect(asession_t *session, bool prefers,
                                                                   asession_error_t *error);

// ---- Recording ----------------------------------------------------------------------------------

typedef enum asession_permission {
    /// The user has not been asked. Input is silent.
    ASESSION_PERMISSION_UNDETERMINED = 0,
    /// Input is silent.
    ASESSION_PERMISSION_DENIED = 1,
    ASESSION_PERMISSION_GRANTED = 2
} asession_permission_t;

/// Returns whether the program may record, as of the last `asession_dispatch` or request (PERM-1).
/// [owner] Undetermined for NULL. The arbiter keeps the answer for each program;
/// ASESSION_EVENT_RECORD_PERMISSION_CHANGED reports that the user has changed it.
asession_permission_t asession_record_permission(const asession_t *session);

/// States what the user has answered; does nothing if the arbiter has an answer already (PERM-2).
/// [owner]
/// A program that does not ask its user answers true, before it records or when
/// ASESSION_EVENT_RECORD_PERMISSION_NEEDED asks for it.
asession_status_t asession_answer_record_permission(asession_t *session, bool is_granted, asession_error_t *error);

/// Silences the input of all sessions of the program, without an interruption (PERM-4). [owner]
asession_status_t asession_set_input_muted(asession_t *session, bool is_muted, asession_error_t *error);

#ifdef __cplusplus
}
#endif
#endif
