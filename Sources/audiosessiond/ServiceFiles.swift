import ArbiterService
import Foundation
import Platform
import SessionArbiter

/// The paths of the service's files, all next to its socket.
struct ServiceFiles {
    private let address: ArbiterAddress

    init(socketPath: String?) throws(ServiceFailure) {
        do throws(ArbiterError) {
            if let socketPath {
                address = try ArbiterAddress(path: socketPath)
            } else {
                address = try ArbiterAddress.standard()
            }
        } catch {
            throw ServiceFailure(EX_UNAVAILABLE, "Cannot start: \(error.reason).")
        }
    }

    var socket: String { address.path }
    /// Held by the running service.
    var runningLock: String { address.runningLock }
    /// Held by a process that starts a service, and by a service that exits.
    var startingLock: String { address.startingLock }
    var state: String { address.base + ".state.json" }
    var log: String { address.base + ".log" }
}

/// The lock that a process holds while it starts a service. A service that exits also holds it
/// until its process has ended, so that no client connects to it meanwhile.
final class StartingLock {
    private let path: String
    private var lock: FileLock?

    init(path: String) { self.path = path }

    /// Tries to acquire the lock; returns false if another process holds it, because it starts a
    /// service. Returns true if the lock file cannot be used.
    func acquire() -> Bool {
        do throws(SystemFailure) {
            lock = try FileLock(ifFree: path)
            return lock != nil
        } catch {
            return true
        }
    }

    /// Releases the lock because the service continues to run.
    func release() {
        lock?.unlock()
        lock = nil
    }
}

/// A socket at which systemd listens and which it passes to the service.
enum HandedOverSocket {
    /// Returns the socket, made non-blocking; nil if none was passed to this process, more than one
    /// was passed, or it cannot be used.
    static func take() -> Int32? {
        let environment = ProcessInfo.processInfo.environment
        guard environment["LISTEN_PID"] == String(getpid()), environment["LISTEN_FDS"] == "1" else { return nil }
        let first: Int32 = 3
        let flags = fcntl(first, F_GETFL)
        guard flags >= 0, fcntl(first, F_SETFL, flags | O_NONBLOCK) == 0 else { return nil }
        _ = fcntl(first, F_SETFD, FD_CLOEXEC)
        return first
    }
}

/// The log file of a service in the background.
enum LogFile {
    /// The maximum size in bytes.
    static let limit = 1 << 20

    /// Redirects standard error to the file. If the file exceeds 1 MiB, renames it and starts a new
    /// one.
    static func receiveStandardError(path: String) {
        var facts = stat()
        if lstat(path, &facts) == 0, facts.st_size > limit { rename(path, path + ".old") }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return }
        dup2(descriptor, STDERR_FILENO)
        close(descriptor)
    }
}

/// The signals that end the service.
enum EndingSignals {
    /// Stops the server when SIGTERM, SIGINT or SIGHUP arrives, and ignores SIGPIPE. Call it before
    /// there is a second thread, so that every thread inherits the signal mask.
    static func stop(_ server: ArbiterServer) {
        signal(SIGPIPE, SIG_IGN)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGHUP)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let awaited = signals
        let thread = Thread {
            var number: Int32 = 0
            var signals = awaited
            while sigwait(&signals, &number) != 0 {}
            server.stop()
        }
        thread.start()
    }
}

/// Why the service cannot run.
struct ServiceFailure: Error {
    /// The exit status, as in sysexits.h.
    var status: Int32
    /// States what was requested, why it failed, and what to do.
    var message: String

    init(_ status: Int32, _ message: String) {
        self.status = status
        self.message = message
    }
}
