/// Detaches the server from its caller.
#ifndef AUDIOSESSION_SERVER_DETACH_H
#define AUDIOSESSION_SERVER_DETACH_H

#include <stdbool.h>

/// Leaves the caller's process, session and working directory, and closes all descriptors except
/// the standard ones and `kept` (-1: none). Returns true in the process that is to serve, and false
/// if the system refuses.
///
/// A second process stays as its parent, forwards SIGTERM and SIGINT to it, and reaps it: JACK
/// considers the name of a killed server in use until the server is reaped, and in many containers
/// no process reaps orphans.
bool detach(int kept);

#endif
