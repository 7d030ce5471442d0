internal import CSessionSocket
internal import Dispatch
internal import Foundation
internal import Platform

/// Looks for the arbiter of all apps, on behalf of a process that arbitrates for itself.
///
/// After each attempt it pauses: a second at first, then twice as long each time, up to a minute. A
/// pause ends when the arbiter's socket appears in its folder. An arbiter that hangs shows nothing
/// there, but accepts the connection: the attempt then waits for the reply to hello as long as it
/// would have paused, and succeeds when the arbiter continues.
package final class ArbiterSearch: Sendable {
    package typealias Address = @Sendable () throws(ArbiterError) -> ArbiterAddress

    enum Outcome {
        /// The search has ended.
        case end
        case goOn
    }

    /// The first and the longest pause, in seconds.
    package static let pauses = 1.0...60.0

    private let address: Address
    private let pauses: ClosedRange<Double>
    /// Readable once the search has been ended; -1 if the system has no descriptor for it.
    private let ending = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))

    init(at address: @escaping Address, pauses: ClosedRange<Double>) {
        self.address = address
        self.pauses = pauses
    }

    deinit { if ending >= 0 { close(ending) } }

    /// Starts the thread, which calls `attempt` until it returns `end` or the search is ended. If
    /// the system has no resources for a thread, the process continues to arbitrate for itself.
    func start(_ attempt: @escaping @Sendable (ArbiterAddress, ArbiterLaunch.Attempt) -> Outcome) {
        guard ending >= 0 else { return }
        _ = WorkerThread().start(name: "audio-join") { [self] in run(attempt) }
    }

    /// Ends the search; an attempt in progress may still finish. Idempotent. [any thread]
    func end() {
        var one: UInt64 = 1
        _ = write(ending, &one, MemoryLayout<UInt64>.size)
    }

    // MARK: The thread

    private func run(_ attempt: (ArbiterAddress, ArbiterLaunch.Attempt) -> Outcome) {
        let folder = SocketFolder()
        var pause = pauses.lowerBound
        // The caller has just found that there is no arbiter.
        if let address = try? address() { folder.watch(address) }
        guard wait(pause, folder, attempt) == .goOn else { return }
        while true {
            let next = Deadline(seconds: pause)
            if let address = try? address() {
                // Watched before the attempt, so that no socket appears unnoticed after it.
                folder.watch(address)
                let limit = max(pause, ArbiterProtocol.replyTimeout)
                guard attempt(address, .once(replyTimeout: limit, starts: true)) == .goOn else { return }
            }
            guard wait(next.seconds, folder, attempt) == .goOn else { return }
            pause = min(pause * 2, pauses.upperBound)
        }
    }

    /// Seconds from the first to the second attempt to connect to a socket that has appeared.
    private static let secondLookDelay = 1.0

    /// Waits for some seconds. If a socket appears meanwhile, tries to connect to it, and once more
    /// a second later, because a service creates the socket before it listens. These attempts start
    /// no arbiter: one that crashes would otherwise be started again and again.
    private func wait(
        _ seconds: Double, _ folder: SocketFolder, _ attempt: (ArbiterAddress, ArbiterLaunch.Attempt) -> Outcome
    ) -> Outcome {
        let end = Deadline(seconds: seconds)
        var secondLook: Deadline?
        while true {
            let limit = min(end.seconds, secondLook?.seconds ?? .infinity)
            var watched = [
                pollfd(fd: ending, events: Int16(POLLIN), revents: 0),
                pollfd(fd: folder.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&watched, 2, Deadline(seconds: limit).milliseconds)
            if watched[0].revents != 0 { return .end }
            let hasAppeared = count > 0 && folder.readEvents()
            if hasAppeared || secondLook?.hasPassed == true {
                secondLook = hasAppeared ? Deadline(seconds: Self.secondLookDelay) : nil
                if let address = try? address(),
                    attempt(address, .once(replyTimeout: ArbiterProtocol.replyTimeout, starts: false)) == .end
                {
                    return .end
                }
            }
            if end.hasPassed { return .goOn }
        }
    }
}

/// The folder in which an arbiter's socket appears. Used on one thread.
private final class SocketFolder {
    /// Readable when a file has appeared in the folder; -1 if the system cannot watch folders.
    let descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    private var socketName = ""

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Watches the folder of the socket, if it exists.
    func watch(_ address: ArbiterAddress) {
        guard descriptor >= 0 else { return }
        let path = address.path as NSString
        socketName = path.lastPathComponent
        let folder = path.deletingLastPathComponent
        let events = UInt32(IN_CREATE | IN_MOVED_TO | IN_ONLYDIR)
        _ = inotify_add_watch(descriptor, folder.isEmpty ? "." : folder, events)
    }

    /// Reads what has happened in the folder. Returns whether the socket has appeared.
    func readEvents() -> Bool {
        var hasAppeared = false
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return hasAppeared }
            hasAppeared = hasAppeared || FolderEvents.names(in: bytes[..<count]).contains(socketName)
        }
    }
}
