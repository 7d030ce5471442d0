/// Going on in the background.
#ifndef AUDIOSESSION_SERVER_DETACH_H
#define AUDIOSESSION_SERVER_DETACH_H

#include <stdbool.h>

/// Leaves the caller's process, session, folder and descriptors behind, but for the standard ones and `kept` (-1: none). Returns in
/// the process that is to serve; false when the system refuses.
///
/// A second process stays as its parent, passes SIGTERM and SIGINT on, and reaps it: JACK takes the name of a killed server as in use
/// for as long as nobody has reaped it, and in many containers nobody reaps orphans.
bool detach(int kept);

#endif
