/// The real-time priority that the system permits.
#ifndef AUDIOSESSION_SERVER_REALTIME_H
#define AUDIOSESSION_SERVER_REALTIME_H

/// Returns the real-time priority for the server: 70 if it is permitted, otherwise the user's limit
/// (RLIMIT_RTPRIO), or 0 if real-time scheduling is not permitted.
int realtime_priority(void);

#endif
