internal import CSessionSocket
internal import Foundation
package import Platform

/// The files of a running service: its socket, through which clients reach it, and its lock, which
/// keeps a second service from starting.
///
/// If one of them is removed or replaced, clients start another service although this one runs, and
/// the apps of a user are arbitrated by two. The service therefore watches the folder and makes the
/// files again; if another service has taken the lock meanwhile, this one ends.
package final class SocketWatch {
    /// What has become of the files.
    enum State {
        case intact
        /// The files were made again; clients connect to this listening socket.
        case rebound(listener: Int32)
        /// Another service holds the lock.
        case replaced
        /// The files cannot be made again at present.
        case failed(reason: String)
    }

    /// Readable when something in the folder has changed; -1 if the system cannot watch folders.
    let descriptor: Int32
    /// Whether the folder is watched: the system limits the number of watched files of a user.
    private(set) var isWatching = false
    /// The listening socket. The server that uses it closes it.
    package let listener: Int32
    private let path: String
    private var lock: FileLock
    private var socket: FileIdentity?

    private var folder: String { (path as NSString).deletingLastPathComponent }

    /// Listens at `path`. The caller holds `lock`, so that no other service listens there: a file
    /// at the path was left by a service that died.
    package init(path: String, lock: FileLock) throws(SystemFailure) {
        self.path = path
        self.lock = lock
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        do throws(SystemFailure) {
            listener = try Self.listen(at: path)
        } catch {
            close(descriptor)
            throw error
        }
        socket = FileIdentity(path)
        watchFolder()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Removes the socket file unless it belongs to another service. Without the file, a process
    /// that is about to connect finds no service and starts another.
    package func removeSocket() { if let socket, FileIdentity(path) == socket { unlink(path) } }

    /// Reads what has happened in the folder. Returns whether the files may be concerned; the
    /// service itself replaces its other files.
    func readEvents() -> Bool {
        var isConcerned = false
        let names = Set([path, lock.path].map { ($0 as NSString).lastPathComponent })
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return isConcerned }
            let changed = FolderEvents.names(in: bytes[..<count])
            isConcerned = isConcerned || changed.contains { $0.isEmpty || names.contains($0) }
        }
    }

    /// Makes the files again if they are not those of this service any longer.
    func restore() -> State {
        do throws(SystemFailure) {
            // The folder is watched first, so that a later change is noticed.
            let isFolderNew = mkdir(folder, 0o700) == 0
            watchFolder()
            if isFolderNew || !lock.isCurrent {
                guard let next = try FileLock(ifFree: lock.path) else { return .replaced }
                lock.unlock()
                lock = next
            } else if let socket, FileIdentity(path) == socket {
                return .intact
            }
            let listener = try Self.listen(at: path)
            socket = FileIdentity(path)
            return .rebound(listener: listener)
        } catch {
            return .failed(reason: error.reason)
        }
    }

    private func watchFolder() {
        guard descriptor >= 0 else { return }
        let events = UInt32(IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
        isWatching = inotify_add_watch(descriptor, folder, events) >= 0
    }

    private static func listen(at path: String) throws(SystemFailure) -> Int32 {
        unlink(path)
        let listener = ssocket_listen(path, 128)
        guard listener >= 0 else {
            throw SystemFailure("it cannot listen at '\(path)' (\(systemErrorText(-listener)))")
        }
        return listener
    }
}

/// Identifies a file among all that have had the same path.
private struct FileIdentity: Equatable {
    private let device: UInt64
    private let file: UInt64

    /// Identifies the file at a path; nil if there is none.
    init?(_ path: String) {
        var facts = stat()
        guard lstat(path, &facts) == 0 else { return nil }
        device = UInt64(facts.st_dev)
        file = UInt64(facts.st_ino)
    }
}
