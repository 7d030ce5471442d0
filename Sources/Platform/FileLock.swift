internal import Foundation

/// A lock between processes, held by locking a file. It ends with the process at the latest.
package struct FileLock: Sendable {
    /// The lock file.
    package let path: String
    private let descriptor: Int32

    /// Opens the lock file without locking it.
    private init(opening path: String) throws(SystemFailure) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw SystemFailure("the lock file '\(path)' cannot be opened: \(systemErrorText(errno))")
        }
    }

    /// Acquires the lock if no other process holds it; otherwise returns nil.
    package init?(ifFree path: String) throws(SystemFailure) {
        try self.init(opening: path)
        guard try acquire(LOCK_EX | LOCK_NB) else {
            unlock()
            return nil
        }
    }

    /// Waits for the lock and acquires it. If another process holds it, calls `onWait` before
    /// waiting.
    package init(path: String, onWait: () -> Void) throws(SystemFailure) {
        try self.init(opening: path)
        guard try !acquire(LOCK_EX | LOCK_NB) else { return }
        onWait()
        _ = try acquire(LOCK_EX)
    }

    /// Waits for the lock for at most `seconds` and acquires it. Throws if another process holds it
    /// for longer.
    package init(path: String, within seconds: Double) throws(SystemFailure) {
        try self.init(opening: path)
        let deadline = DispatchTime.now() + seconds
        // A wait for a file lock cannot time out, so this polls with increasing pauses.
        var pause: Int32 = 1
        while try !acquire(LOCK_EX | LOCK_NB) {
            guard DispatchTime.now() < deadline else {
                unlock()
                throw SystemFailure("another process has held the lock file '\(path)' for too long; find out which one")
            }
            poll(nil, 0, pause)
            pause = min(pause * 2, 32)
        }
    }

    /// Locks the file; returns false if another process holds the lock and `operation` does not
    /// wait. Closes the file and throws if it cannot be locked.
    private func acquire(_ operation: Int32) throws(SystemFailure) -> Bool {
        while flock(descriptor, operation) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return false
            case let code:
                unlock()
                throw SystemFailure("the lock file '\(path)' cannot be locked: \(systemErrorText(code))")
            }
        }
        return true
    }

    /// Returns the processes that may hold the lock at a path, without acquiring it: those that
    /// hold the lock of a file with the same number, on this device or another. The caller checks
    /// which process it is. None if the holder is in another PID namespace.
    package static func possibleHolders(of path: String) -> [Int32] {
        var facts = stat()
        guard lstat(path, &facts) == 0, let data = FileManager.default.contents(atPath: "/proc/locks") else {
            return []
        }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { line in
            // "1: FLOCK  ADVISORY  WRITE 4711 00:2d:123 0 EOF"
            let fields = line.split(separator: " ")
            guard fields.count > 5, fields[1] == "FLOCK", let holder = Int32(fields[4]), holder > 0,
                fields[5].split(separator: ":").last.flatMap({ UInt64($0) }) == UInt64(facts.st_ino)
            else { return nil }
            return holder
        }
    }

    /// Whether the lock file is still at its path: another process cannot acquire the lock there.
    package var isCurrent: Bool {
        var own = stat()
        var found = stat()
        return fstat(descriptor, &own) == 0 && lstat(path, &found) == 0 && own.st_dev == found.st_dev
            && own.st_ino == found.st_ino
    }

    /// Releases the lock. The lock must not be used afterwards.
    package func unlock() { close(descriptor) }
}
