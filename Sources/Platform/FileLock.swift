internal import Foundation

/// A lock among processes: whoever holds it has locked its file. It ends with the process at the latest.
package struct FileLock: Sendable {
    /// The lock file.
    package let path: String
    private let descriptor: Int32

    /// Waits for the lock and takes it; calls `onWait` first if others hold it.
    package init(path: String, onWait: () -> Void) throws(SystemFailure) {
        self.path = path
        descriptor = try Self.open(path)
        var how = LOCK_EX | LOCK_NB
        while true {
            switch Self.lock(descriptor, how) {
            case 0: return
            case EINTR: continue
            case EWOULDBLOCK:
                onWait()
                how = LOCK_EX
            case let code:
                Glibc.close(descriptor)
                throw SystemFailure("the lock file '\(path)' cannot be locked: \(systemErrorText(code))")
            }
        }
    }

    /// Waits for the lock at most `seconds`, and takes it; throws when others hold it for longer.
    package init(path: String, within seconds: Double) throws(SystemFailure) {
        self.path = path
        descriptor = try Self.open(path)
        let deadline = DispatchTime.now() + seconds
        // Nothing ends a wait for a file's lock in time, so it is tried again after pauses that grow.
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
                throw SystemFailure("another process holds the lock file '\(path)' for too long; look who has it open")
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

    /// 0 or why not.
    private static func lock(_ descriptor: Int32, _ how: Int32) -> Int32 {
        flock(descriptor, how) == 0 ? 0 : errno
    }

    package func unlock() { close(descriptor) }
}
