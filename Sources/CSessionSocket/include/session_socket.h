/// The system calls between arbiter and app that do not import into Swift: gates in shared memory,
/// packets with descriptors, peers. (A gate is the page through which the arbiter controls a
/// session, not a noise gate.)
///
/// All functions that return a value return 0 or more, or a negative errno. They print nothing, and
/// the value of errno itself is not meaningful. Every descriptor that they create or receive is
/// closed on exec; otherwise the caller closes it.
///
/// Thread tags: [any] any thread but the render thread. Two threads may use one socket: a packet is
/// sent or received as a whole.
#ifndef SESSION_SOCKET_H
#define SESSION_SOCKET_H

#include "session_gate.h"
#include "session_keys.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Gates (gate_memory.c) ----------------------------------------------------------------------

/// Creates a gate that another process can read and only the caller can write: [any] one system
/// page of a memfd, initialised by `sgate_page_initialise`, mapped writable, then sealed against
/// growing, shrinking, new writers and further seals. `*page` is the mapping; remove it with
/// `ssocket_gate_unmap`. The descriptor serves only to pass the gate on. Makes a few system calls.
/// Returns the descriptor, or -EMFILE, -ENFILE, -ENOMEM, -EINVAL (before Linux 5.1); then `*page`
/// is NULL.
int ssocket_gate_create(sgate_page_t **page);

/// Maps a gate that was received from another process, read-only and with its page in memory. [any]
/// The caller still owns the descriptor and may close it at once. `*page` is the mapping; remove it
/// with `ssocket_gate_unmap`. It stays readable, with its last values, when the writer exits.
/// Returns 0; -EINVAL if the descriptor is no memfd, a memfd of huge pages, too small, or no gate
/// of this version; -EPERM for a memfd without the seals of `ssocket_gate_create` (one that could
/// shrink would kill the render thread); -EBADF, -ENOMEM. Then `*page` is NULL.
int ssocket_gate_map(int descriptor, const sgate_page_t **page);

/// Removes a mapping made by either function above; NULL does nothing. [any] No render core may
/// still hold the page.
void ssocket_gate_unmap(const sgate_page_t *page);

// ---- Keys pages (keys_memory.c) -----------------------------------------------------------------

/// Creates a keys page that other processes can read and write: [any] one system page of a memfd,
/// initialised by `sgate_keys_initialise`, mapped, then sealed against growing, shrinking and
/// further seals. `*keys` is the mapping; remove it with `ssocket_keys_unmap`. The descriptor
/// serves only to pass the page on. Makes a few system calls. Returns the descriptor, or -EMFILE,
/// -ENFILE,
/// -ENOMEM; then `*keys` is NULL.
int ssocket_keys_create(sgate_keys_t **keys);

/// Maps a keys page that was received from another process, with its page in memory. [any] The
/// caller still owns the descriptor and may close it at once. `*keys` is the mapping; remove it
/// with `ssocket_keys_unmap`. It stays usable when all other processes exit. Returns 0, or the
/// errors of `ssocket_gate_map`; then `*keys` is NULL.
int ssocket_keys_map(int descriptor, sgate_keys_t **keys);

/// Removes a mapping made by either function above; NULL does nothing. [any] No render core may
/// still hold the page.
void ssocket_keys_unmap(sgate_keys_t *keys);

// ---- Sockets (socket.c) -------------------------------------------------------------------------

/// Listens at `path` with a non-blocking SOCK_SEQPACKET socket to which only the user may connect
/// (mode 0600). [any] Does not remove an existing file. A caller that holds a lock, so that no
/// other process listens, removes the socket file of a process that has ended first. Returns the
/// socket, or -EADDRINUSE (something exists at `path`), -ENAMETOOLONG (more than 107 bytes),
/// -ENOENT (no such directory, or an empty path), -EACCES, -EMFILE…
int ssocket_listen(const char *path, int backlog);

/// Accepts the next connection of a listening socket; the connection is non-blocking. [any] Returns
/// the connection, or -EAGAIN (none waits), -EMFILE, -ENFILE, -ENOMEM. A connection that ended
/// while it waited is no error: the caller detects its end when it uses the connection.
int ssocket_accept(int listener);

/// Connects to the socket at `path`, and waits at most `timeout_ms` (1…; less counts as 1) while
/// its backlog is full. [any] Returns a blocking socket, or -ENOENT (there is no socket, or the
/// path is empty), -ECONNREFUSED (no process listens), -ETIMEDOUT, -EPROTOTYPE (another kind of
/// socket), -EACCES, -ENAMETOOLONG, -EMFILE…
int ssocket_connect(const char *path, int timeout_ms);

/// Creates two connected non-blocking sockets, as accept and connect would in one process. [any]
/// Returns 0 or -EMFILE…
int ssocket_pair(int ends[2]);

/// Limits the unread bytes in the peer's queue to about `bytes`. The kernel also counts its own
/// structures, and limits the value. [any] Returns the resulting limit as the kernel counts it, or
/// -EBADF…
int ssocket_send_limit(int socket, size_t bytes);

// ---- Packets (packet.c) -------------------------------------------------------------------------

/// Sends one packet, with a copy of `descriptor` unless that is -1. [any] Never blocks and raises
/// no SIGPIPE. Returns `count`; -EAGAIN when the peer's queue is full, -EPIPE or -ECONNRESET when
/// the peer is gone, -EMSGSIZE for a packet that can never be sent, -EINVAL for an empty packet
/// (the peer would interpret it as the end), -ETOOMANYREFS. In all these cases nothing was sent.
ssize_t ssocket_send(int socket, const void *bytes, size_t count, int descriptor);

/// Receives one packet of at most `capacity` bytes. [any] `wait` selects whether to block until
/// there is one (on a blocking socket). Sets `*descriptor` to the descriptor that came with the
/// packet, which the caller closes, or to -1: none came, or the limit of open files was reached.
/// Closes any further descriptors, and all of them when `descriptor` is NULL, the packet is empty
/// or the call fails. Returns the number of bytes in the packet; 0 when the peer has closed (an
/// empty packet looks the same and counts as that); -ECONNRESET when the peer closed without
/// reading what was sent to it; -EAGAIN when there is no packet; -EMSGSIZE for a longer packet,
/// which is discarded.
ssize_t ssocket_receive(int socket, void *bytes, size_t capacity, bool wait, int *descriptor);

// ---- Peers (peer.c) -----------------------------------------------------------------------------

/// The process at the other end: the one that connected, listened or created the pair, as the
/// kernel recorded it then.
typedef struct ssocket_peer {
    /// 0: a process outside the caller's pid namespace.
    pid_t pid;
    /// Effective user.
    uid_t uid;
    /// Effective group.
    gid_t gid;
} ssocket_peer_t;

/// Gets the peer's identity from the kernel. [any] Returns 0, or -EBADF, -ENOTSOCK; then `*peer` is
/// unchanged.
int ssocket_peer(int socket, ssocket_peer_t *peer);

/// Opens the peer's process: a pidfd, which is readable (POLLIN) once the process has ended. [any]
/// `pid` is that of `ssocket_peer`, and is only needed before Linux 6.5. There, a peer that has
/// already ended may be mistaken for a newer process with the same number: check whether the
/// connection has ended before and after the call. Returns the pidfd, or -ESRCH when the process
/// has ended and was reaped (newer kernels still find it then), -EMFILE…
int ssocket_peer_process(int socket, pid_t pid);

// ---- Processes (process.c) ----------------------------------------------------------------------

/// Opens any process: a pidfd, which is readable (POLLIN) once the process has ended. [any]
/// Identify the process only afterwards: from then on, the pidfd cannot refer to another process.
/// Returns the pidfd, or -ESRCH when there is no such process, -EMFILE…
int ssocket_process_open(pid_t pid);

/// Sends a signal to the process of a pidfd. [any] Returns 0, or -ESRCH when it has ended, -EPERM,
/// -EINVAL.
int ssocket_process_signal(int process, int signal);

// ---- Long messages (message_memory.c) -----------------------------------------------------------

/// Copies `count` bytes into a memfd that can never be changed, for a message longer than a packet.
/// [any] Returns the descriptor, or -EMFILE, -ENFILE, -ENOMEM, -ENOSPC.
int ssocket_memory_create(const void *bytes, size_t count);

/// Returns the number of bytes in such a memfd; the caller limits how much it reads. [any] -EINVAL
/// if the descriptor is no memfd, -EPERM for one whose contents could still change, -EBADF.
ssize_t ssocket_memory_size(int descriptor);

/// Reads all of such a memfd, from its beginning. [any] The caller still owns the descriptor.
/// Returns the number of bytes; -EMSGSIZE when there are more than `capacity`; else as
/// `ssocket_memory_size`.
ssize_t ssocket_memory_read(int descriptor, void *bytes, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
