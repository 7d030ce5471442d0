internal import Foundation

/// A lock among processes: whoever holds it has locked its file. It ends with the process at the latest.
package struct FileLock: Sendable {
    /// The lock file.
    package let path: String
    private let descriptor: Int32

    /// Waits for the lock and takes it.
    package init(path: String) throws(SystemFailure) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw SystemFailure("the lock file '\(path)' cannot be opened: \(systemErrorText(errno))")
        }
        while flock(descriptor, LOCK_EX) != 0 {
            let code = errno
            guard code == EINTR else {
                Glibc.close(descriptor)
                throw SystemFailure("the lock file '\(path)' cannot be locked: \(systemErrorText(code))")
            }
        }
    }

    /// Waits for the lock at most `seconds`, and takes it; throws when another holds it for longer.
    package static func take(path: String, within seconds: Double) throws(SystemFailure) -> FileLock {
        let outcome = Answer<Result<FileLock, SystemFailure>>()
        let isLate = Locked(false)
        // Nothing ends a wait for a file's lock: a thread waits, and what it gets too late it gives back.
        let thread = WorkerThread()
        let isStarted = thread.start(name: "audio-lock") {
            let result = Result { () throws(SystemFailure) in try FileLock(path: path) }
            isLate.withLock { isLate in
                if isLate, case .success(let lock) = result { lock.unlock() }
                outcome.set(result)
            }
        }
        guard isStarted else { throw SystemFailure("the system has no thread to give to wait for '\(path)'") }
        if let result = outcome.wait(seconds: seconds) { return try result.get() }
        let result = isLate.withLock { isLate in
            isLate = true
            return outcome.wait(seconds: 0)
        }
        guard let result else { throw SystemFailure("another process holds the lock file '\(path)' for too long") }
        return try result.get()
    }

    package func unlock() { close(descriptor) }
}
