/// The kernel's event queues, which Swift's own module of the C library leaves out.
#ifndef SESSION_EVENTS_H
#define SESSION_EVENTS_H

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

#endif
