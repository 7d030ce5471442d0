/// What the system permits in real time.
#ifndef AUDIOSESSION_SERVER_REALTIME_H
#define AUDIOSESSION_SERVER_REALTIME_H

/// The real-time priority the server should run at: 70, or the highest that is permitted, or 0 where none is.
int realtime_priority(void);

#endif
