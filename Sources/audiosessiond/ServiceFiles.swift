import Foundation
import Platform
import SessionArbiter

/// Where the service's files lie: all beside its socket.
struct ServiceFiles {
    let socket: String

    init(socketPath: String?) throws(ServiceFailure) {
        do throws(ArbiterError) {
            if let socketPath {
                socket = try ArbiterAddress(path: socketPath).path
            } else {
                socket = try ArbiterAddress.standard().path
            }
        } catch {
            throw ServiceFailure(EX_UNAVAILABLE, error.description)
        }
    }

    /// The socket's path without its extension.
    private var base: String { socket.hasSuffix(".socket") ? String(socket.dropLast(7)) : socket }

    /// Held by the one service.
    var runningLock: String { base + ".running" }
    /// Held by who starts a service, and by a service that leaves.
    var startingLock: String { base + ".lock" }
    var state: String { base + ".state.json" }
    var log: String { base + ".log" }
}

/// Held for as long as the service runs: there is one at a time.
struct RunningLock {
    private let descriptor: Int32

    init(path: String) throws(ServiceFailure) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw ServiceFailure(EX_UNAVAILABLE, "The lock file '\(path)' cannot be opened: \(systemErrorText(errno)).")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw ServiceFailure(EX_TEMPFAIL, "An audiosessiond serves there already; it holds '\(path)'.")
        }
    }

    func unlock() { close(descriptor) }
}

/// The lock of those who start services: whoever leaves holds it until the process ends, so that nobody connects to it meanwhile.
final class StartingLock {
    private let path: String
    private var descriptor: Int32 = -1

    init(path: String) { self.path = path }

    /// False while somebody starts a service, or is about to.
    func take() -> Bool {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return true }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        release()
        return false
    }

    /// It stays after all.
    func release() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }
}

/// A socket that systemd listens at, and hands over.
enum HandedOverSocket {
    /// Nil when none is.
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

/// What a service in the background says.
enum LogFile {
    /// Bytes.
    static let limit = 1 << 20

    /// Leads standard error into the file; beyond a MiB the old one is kept aside and a new one is begun.
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
    /// To be called before there is a second thread.
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
