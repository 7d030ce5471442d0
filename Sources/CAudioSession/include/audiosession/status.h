/// A session, and why a call has failed. `audiosession.h` includes this header.
#ifndef AUDIOSESSION_STATUS_H
#define AUDIOSESSION_STATUS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A session.
typedef struct asession asession_t;

typedef enum asession_status {
    ASESSION_OK = 0,
    /// An argument is out of range.
    ASESSION_BAD_ARGUMENT = 1,
    /// Out of memory or file descriptors.
    ASESSION_NO_MEMORY = 2,
    /// No arbiter is running, and none could be started.
    ASESSION_NO_ARBITER = 3,
    /// The arbiter has ended, or does not answer. The request may have been carried out.
    ASESSION_LOST = 4,
    /// A rule refuses the request: see `rule` and `by`.
    ASESSION_REFUSED = 5,
    /// The arbiter cannot carry out the request for another reason, such as a limit.
    ASESSION_FAILED = 6
} asession_status_t;

/// Why a call has failed. A failed call has changed nothing, unless the status is ASESSION_LOST.
typedef struct asession_error {
    asession_status_t status;
    /// What was asked, why it failed and what to do, in English.
    char message[512];
    /// The code of the refusal or error in the protocol, such as "insufficientPriority"; or empty.
    char code[32];
    /// The rule that refuses, such as "ACT-5"; or empty.
    char rule[16];
    /// The session that prevents it; 0: none.
    uint64_t by;
} asession_error_t;

#ifdef __cplusplus
}
#endif
#endif
