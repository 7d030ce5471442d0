package import Dispatch
internal import Foundation

/// Reports when files change, are replaced, appear or vanish. Editors replace files by renaming, so
/// this watches their folders and, for a symbolic link, the folder of its target. All folders above
/// are watched, too: any of them may be moved, or appear later.
///
/// Unchecked `Sendable`: after `init`, the variables are used on `queue` only.
package final class FileChanges: @unchecked Sendable {
    private let paths: [String]
    private let descriptor: Int32
    private let source: any DispatchSourceRead
    private let timer: any DispatchSourceTimer
    private let report: @Sendable (String) -> Void
    /// What matters in each folder, by the number of its watch.
    private var folders: [Int32: Folder] = [:]
    /// The folders that could not be watched, which are reported once.
    private var failed: Set<String> = []
    /// When the first change occurred that has not been reported.
    private var changed: DispatchTime?

    private struct Folder {
        /// Names of watched files, and of the next folders on the way to one.
        var files: Set<String> = []
        var folders: Set<String> = []
    }

    /// What is done to a folder's entries. A file that is written to counts when it is closed.
    private static let moves = UInt32(IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE)
    private static let writes = UInt32(IN_CLOSE_WRITE | IN_ATTRIB)
    /// Milliseconds without a further change after which a change is reported, and the maximum.
    private static let (pause, limit) = (150, 1_000)

    /// Calls `body` on `queue` when the files have changed, until this object is released. Reports
    /// several changes as one, 150 ms after the last one, and within 1 s. Calls `report` on the
    /// thread of the caller or on `queue` with the reason if a folder cannot be watched. Returns
    /// nil
    /// if the system cannot watch folders.
    package init?(
        of paths: [String], on queue: DispatchQueue, report: @escaping @Sendable (String) -> Void = { _ in },
        _ body: @escaping @Sendable () -> Void
    ) {
        self.paths = paths
        self.report = report
        let descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setCancelHandler { close(descriptor) }
        timer = DispatchSource.makeTimerSource(queue: queue)
        watch()
        timer.setEventHandler { [weak self] in
            self?.changed = nil
            body()
        }
        source.setEventHandler { [weak self] in self?.readEvents() }
        timer.resume()
        source.resume()
    }

    deinit {
        source.cancel()
        timer.cancel()
    }

    // MARK: Events

    private func readEvents() {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        var matters = false
        while case let count = read(descriptor, &bytes, bytes.count), count > 0 {
            bytes.withUnsafeBytes { buffer in
                var rest = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                while let (event, name) = Self.takeEvent(&rest) { matters = self.matters(event, name) || matters }
            }
        }
        guard matters else { return }
        // Folders may have appeared, or links may have other targets.
        watch()
        let now = DispatchTime.now()
        let first = changed ?? now
        changed = first
        timer.schedule(deadline: min(now + .milliseconds(Self.pause), first + .milliseconds(Self.limit)))
    }

    private static func takeEvent(_ bytes: inout UnsafeRawBufferPointer) -> (inotify_event, name: String)? {
        let size = MemoryLayout<inotify_event>.size
        guard bytes.count >= size else { return nil }
        let event = bytes.loadUnaligned(as: inotify_event.self)
        let name = bytes.dropFirst(size).prefix(Int(event.len)).prefix { $0 != 0 }
        bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(size + Int(event.len)))
        return (event, String(decoding: name, as: UTF8.self))
    }

    private func matters(_ event: inotify_event, _ name: String) -> Bool {
        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
        guard let folder = folders[event.wd] else { return false }
        // Without a name, it is the folder itself that may have become readable.
        if folder.files.contains(name) || (name.isEmpty && !folder.files.isEmpty) {
            return event.mask & (Self.moves | Self.writes) != 0
        }
        return folder.folders.contains(name) && event.mask & Self.moves != 0
    }

    // MARK: Folders

    /// Watches what is now on the way to the files, and nothing else. From the top: what appears
    /// below a folder after it is watched causes an event.
    private func watch() {
        let before = folders
        folders = [:]
        for path in paths {
            watchFolders(of: path)
            let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            if target != path { watchFolders(of: target) }
        }
        for number in before.keys where folders[number] == nil { inotify_rm_watch(descriptor, number) }
    }

    private func watchFolders(of path: String) {
        var folder = "/"
        let names = path.split(separator: "/").map(String.init)
        for (index, name) in names.enumerated() {
            let isLast = index == names.count - 1
            let events = Self.moves | (isLast ? Self.writes : 0) | UInt32(IN_ONLYDIR | IN_MASK_ADD)
            let number = inotify_add_watch(descriptor, folder, events)
            if number >= 0 {
                if isLast { folders[number, default: Folder()].files.insert(name) }
                folders[number, default: Folder()].folders.insert(name)
            } else {
                let code = errno
                if code == ENOENT || code == ENOTDIR { return }
                if isLast || code == ENOSPC { reportFailure(folder, path, code) }
            }
            folder += (folder == "/" ? "" : "/") + name
        }
    }

    private func reportFailure(_ folder: String, _ path: String, _ code: Int32) {
        guard failed.insert(folder).inserted else { return }
        report(
            "The folder '\(folder)' cannot be watched: \(String(cString: strerror(code))). "
                + "Changes of '\(path)' may need a restart.")
    }
}
