/// The system calls between arbiter and app that do not import into Swift: gates in shared memory, packets with descriptors, peers.
///
/// One word for all functions: what they return is 0 or more, or a negative errno; nothing is printed and errno holds nothing of use.
/// Every descriptor made or received here closes on exec and is the caller's to close.
///
/// Thread tags: [any] any thread but the render thread. Two threads may use one socket: a packet is sent or received as a whole.
#ifndef SESSION_SOCKET_H
#define SESSION_SOCKET_H

#include "session_gate.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Gates (gate_memory.c) ----------------------------------------------------------------------------------------------------

/// Makes a gate that another process can read and nobody but the caller can write: [any] one system page of a memfd, initialised as
/// `sgate_page_initialise` does, mapped writable, then sealed against growing, shrinking, new writers and other seals.
/// `*page` is the mapping, which ends with `ssocket_gate_unmap`; the descriptor is only for handing on. A few system calls.
/// Returns the descriptor, or -EMFILE, -ENFILE, -ENOMEM, -EINVAL (before Linux 5.1); then `*page` is NULL.
int ssocket_gate_create(sgate_page_t **page);

/// Maps a gate that came from elsewhere, read-only and with its page in memory. [any] The descriptor stays the caller's, and may be
/// closed at once. `*page` ends with `ssocket_gate_unmap`; it stays readable, with the last words, when the writer dies.
/// Returns 0; -EINVAL for what is no memfd, too small, or no gate of this version; -EPERM for a memfd without the seals of
/// `ssocket_gate_create` (one that could shrink would kill the render thread); -EBADF, -ENOMEM. Then `*page` is NULL.
int ssocket_gate_map(int descriptor, const sgate_page_t **page);

/// Ends a mapping of either function above; NULL does nothing. [any] No render core may hold the page any longer.
void ssocket_gate_unmap(const sgate_page_t *page);

// ---- Sockets (socket.c) -------------------------------------------------------------------------------------------------------

/// Listens at `path` with a SOCK_SEQPACKET socket that does not block, and that only the user may connect to (mode 0600). [any]
/// It unlinks nothing: a caller that knows by its lock that no other listens removes what a dead one left there first.
/// Returns the socket, or -EADDRINUSE (something is at `path`), -ENAMETOOLONG (more than 107 bytes), -ENOENT, -EACCES, -EMFILE…
int ssocket_listen(const char *path, int backlog);

/// Takes the next connection of a listening socket; what it returns does not block. [any]
/// Returns the connection, or -EAGAIN (none waits), -EMFILE, -ENFILE, -ENOMEM. A connection that ended while it waited
/// is no error: its end is found on it.
int ssocket_accept(int listener);

/// Connects to the socket at `path`, and waits at most `timeout_ms` (1…; less counts as 1) while its backlog is full. [any]
/// Returns a socket that blocks, or -ENOENT (never was one), -ECONNREFUSED (nobody listens any more), -ETIMEDOUT, -EPROTOTYPE
/// (another kind of socket), -EACCES, -ENAMETOOLONG, -EMFILE…
int ssocket_connect(const char *path, int timeout_ms);

/// Makes two connected sockets that do not block, as if by accept and connect in one process. [any] Returns 0 or -EMFILE…
int ssocket_pair(int ends[2]);

/// Limits what may lie unread in the peer's queue to about `bytes`; the kernel counts its own structures too, and has a maximum of
/// its own. [any] Returns the limit that holds now, in the kernel's count, or -EBADF…
int ssocket_send_limit(int socket, size_t bytes);

// ---- Packets (packet.c) -------------------------------------------------------------------------------------------------------

/// Sends one packet, and with it a copy of `descriptor` unless that is -1. [any] Never blocks and raises no SIGPIPE.
/// Returns `count`; -EAGAIN when the peer's queue is full, -EPIPE or -ECONNRESET when it is gone, -EMSGSIZE for a packet that can
/// never be sent, -EINVAL for an empty one (the peer would take it for the end), -ETOOMANYREFS. Then nothing was sent.
ssize_t ssocket_send(int socket, const void *bytes, size_t count, int descriptor);

/// Receives one packet of at most `capacity` bytes; `wait` says whether to block until there is one (on a socket that blocks). [any]
/// `*descriptor` is the one that came with it, the caller's to close, or -1: none came, or the limit of open files left no room.
/// Descriptors beyond the first are closed unseen, and all of them when `descriptor` is NULL or the call fails.
/// Returns the bytes of the packet; 0 when the peer has closed (an empty packet reads the same and counts as that);
/// -ECONNRESET when it closed without reading what was sent to it; -EAGAIN when there is none; -EMSGSIZE for a longer packet, which
/// is thrown away.
ssize_t ssocket_receive(int socket, void *bytes, size_t capacity, bool wait, int *descriptor);

// ---- Peers (peer.c) -----------------------------------------------------------------------------------------------------------

/// Who is at the other end: who connected, listened or made the pair, as the kernel saw it then.
typedef struct ssocket_peer {
    pid_t pid; ///< 0: a process outside the caller's pid namespace
    uid_t uid; ///< effective user
    gid_t gid; ///< effective group
} ssocket_peer_t;

/// Asks the kernel who the peer is. [any] Returns 0, or -EBADF, -ENOTSOCK; then `*peer` is untouched.
int ssocket_peer(int socket, ssocket_peer_t *peer);

/// Opens the peer's process: a pidfd, readable (POLLIN) once it has ended. [any] `pid` is that of `ssocket_peer`, and is only needed
/// before Linux 6.5, where a peer that ended already may be mistaken for a newer process of the same number: look for the
/// connection's end first and afterwards.
/// Returns the pidfd, or -ESRCH when the process has ended and was reaped (newer kernels still find it then), -EMFILE…
int ssocket_peer_process(int socket, pid_t pid);

// ---- Processes (process.c) ----------------------------------------------------------------------------------------------------

/// Opens any process: a pidfd, readable (POLLIN) once it has ended. [any] Look at what it is only afterwards: from then on nobody else can be meant.
/// Returns the pidfd, or -ESRCH when there is no such process, -EMFILE…
int ssocket_process_open(pid_t pid);

/// Sends a signal to the process of a pidfd. [any] Returns 0, or -ESRCH when it has ended, -EPERM, -EINVAL.
int ssocket_process_signal(int process, int signal);

// ---- Long messages (message_memory.c) -----------------------------------------------------------------------------------------

/// Copies `count` bytes into a memfd that nobody can ever change, for a message longer than a packet. [any]
/// Returns the descriptor, or -EMFILE, -ENFILE, -ENOMEM, -ENOSPC.
int ssocket_memory_create(const void *bytes, size_t count);

/// How many bytes lie in such a memfd; the caller bounds what it takes. [any]
/// Returns them; -EINVAL for what is no memfd, -EPERM for one whose contents could still change, -EBADF.
ssize_t ssocket_memory_size(int descriptor);

/// Reads all of such a memfd, from its beginning. [any] The descriptor stays the caller's.
/// Returns the bytes; -EMSGSIZE when there are more than `capacity`; else as `ssocket_memory_size`.
ssize_t ssocket_memory_read(int descriptor, void *bytes, size_t capacity);

// ---- The background (detach.c) ------------------------------------------------------------------------------------------------

/// Goes on in a process and a session of its own, in `/`, with no signal blocked and no descriptor but the standard ones (as they
/// are) and `kept` (-1: none). Only before the process has a second thread. The caller's process exits with 0 meanwhile, and no
/// output buffer is flushed there.
/// Returns 0 in the new process, or a negative errno: in the old process when there is no new one, else in the new one.
int ssocket_detach(int kept);

#ifdef __cplusplus
}
#endif
#endif
