package import Dispatch
internal import Foundation

/// Reports when files change, are replaced, appear or vanish. Editors replace files by renaming, so
/// this watches their folders, and for a symbolic link also the folder of its target. While a
/// folder does not exist, it watches the next one above.
///
/// Unchecked `Sendable`: after `init`, the variables are used on `queue` only.
package final class FileChanges: @unchecked Sendable {
    private let paths: [String]
    private let descriptor: Int32
    private let source: any DispatchSourceRead

    /// What is done to a folder, or to the files in it. A file that is written to counts when it is
    /// closed.
    private static let events = UInt32(
        IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF
            | IN_ONLYDIR)

    /// Calls `body` on `queue` after each change, until this object is released. Reports several
    /// changes as one, and changes of other files in the folders, too. Returns nil if the system
    /// cannot watch folders.
    package init?(of paths: [String], on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        self.paths = paths
        let descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setCancelHandler { close(descriptor) }
        watch()
        source.setEventHandler { [weak self] in
            guard let self else { return }
            discardEvents()
            // Folders may have appeared, or links may have other targets.
            watch()
            body()
        }
        source.resume()
    }

    deinit { source.cancel() }

    private func discardEvents() {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while read(descriptor, &bytes, bytes.count) > 0 {}
    }

    /// Watches the folders. Watching one again changes nothing.
    private func watch() {
        for path in paths {
            watchFolder(of: path)
            let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            if target != path { watchFolder(of: target) }
        }
    }

    private func watchFolder(of path: String) {
        var folder = (path as NSString).deletingLastPathComponent
        var missing: [String] = []
        while inotify_add_watch(descriptor, folder, Self.events) < 0, folder != "/", !folder.isEmpty {
            missing.append(folder)
            folder = (folder as NSString).deletingLastPathComponent
        }
        // One that was made meanwhile has caused no event.
        while let next = missing.popLast(), inotify_add_watch(descriptor, next, Self.events) >= 0 {}
    }
}
