import Foundation

/// A name for a test's JACK server, reserved as long as the object lives: another process that runs
/// the same tests takes another one. The pool is small, since a killed server occupies one of
/// JACK's eight server slots until the next one of that name starts.
public final class ServerName: Sendable {
    public let text: String
    /// The file lock on the name. A server that inherits it keeps the name if this process dies.
    let lock: Int32

    private static let pool = (1...5).map { "audio-test-\($0)" }

    /// Takes a free name, or waits for the first one.
    public init() throws {
        var taken: (name: String, lock: Int32)?
        for name in Self.pool where taken == nil {
            let lock = try Self.openLock(name)
            if flock(lock, LOCK_EX | LOCK_NB) == 0 { taken = (name, lock) } else { close(lock) }
        }
        if let taken {
            (text, lock) = taken
            return
        }
        text = Self.pool[0]
        lock = try Self.openLock(text)
        while flock(lock, LOCK_EX) != 0 {
            guard errno == EINTR else { throw TestFailure("Cannot lock the name '\(text)'.") }
        }
    }

    deinit { close(lock) }

    private static func openLock(_ name: String) throws -> Int32 {
        // In the same folder as JACK's registry of server slots: processes that share one share the
        // other.
        let path = "/dev/shm/\(name)-\(getuid()).lock"
        let lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw TestFailure("Cannot open '\(path)': \(String(cString: strerror(errno))).") }
        return lock
    }
}
