internal import Foundation

/// A lock among processes: whoever holds it has locked its file. It ends with the process at the latest.
package struct FileLock {
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

    package func unlock() { close(descriptor) }
}
