internal import Foundation

/// A lock between processes, held by locking a file. It ends with the process at the latest.
package struct FileLock: Sendable {
    /// The lock file.
    package let path: String
    private let descriptor: Int32

    /// Waits for the lock and acquires it. If another process holds it, calls `onWait` before
    /// waiting.
    package init(path: String, onWait: () -> Void) throws(SystemFailure) {
        self.path = path
        descriptor = try Self.open(path)
        var operation = LOCK_EX | LOCK_NB
        while true {
            switch Self.lock(descriptor, operation) {
            case 0: return
            case EINTR: continue
            case EWOULDBLOCK:
                onWait()
                operation = LOCK_EX
            case let code:
                Glibc.close(descriptor)
                throw SystemFailure("the lock file '\(path)' cannot be locked: \(systemErrorText(code))")
            }
        }
    }

    /// Waits for the lock for at most `seconds` and acquires it. Throws if another process holds it
    /// for longer.
    package init(path: String, within seconds: Double) throws(SystemFailure) {
        self.path = path
        descriptor = try Self.open(path)
        let deadline = DispatchTime.now() + seconds
        // A wait for a file lock cannot time out, so this polls with increasing pauses.
        var pause: Int32 = 1
        while true {
            switch Self.lock(descriptor, LOCK_EX | LOCK_NB) {
            case 0: return
            case EINTR: continue
            case EWOULDBLOCK where DispatchTime.now() < deadline:
                poll(nil, 0, pause)
                pause = min(pause * 2, 32)
            case EWOULDBLOCK:
                Glibc.close(descriptor)
                throw SystemFailure("another process has held the lock file '\(path)' for too long; find out which one")
            case let code:
                Glibc.close(descriptor)
                throw SystemFailure("the lock file '\(path)' cannot be locked: \(systemErrorText(code))")
            }
        }
    }

    private static func open(_ path: String) throws(SystemFailure) -> Int32 {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw SystemFailure("the lock file '\(path)' cannot be opened: \(systemErrorText(errno))")
        }
        return descriptor
    }

    /// Returns 0 or an errno.
    private static func lock(_ descriptor: Int32, _ operation: Int32) -> Int32 {
        flock(descriptor, operation) == 0 ? 0 : errno
    }

    /// Releases the lock. The lock must not be used afterwards.
    package func unlock() { close(descriptor) }
}
