/// The kernel's event interfaces (epoll, eventfd, signalfd), which Swift's module of the C library
/// does not include.
#ifndef SESSION_EVENTS_H
#define SESSION_EVENTS_H

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

#endif
