internal import Foundation
internal import Platform

/// Posts the notifications of a host's sessions where the app expects them: on the main queue, or
/// on the library thread that calls. Never waits for the main queue. Any thread.
///
/// Entries run as operations of `OperationQueue.main` and not as blocks of the dispatch queue: an
/// observer with `queue: .main` would otherwise be called by an operation that waits for the block
/// it is posted from, wherever the main queue does not run on the main thread (`dispatchMain()`, an
/// `async` main function).
final class NotificationPoster: Sendable {
    /// A notification or message that waits for the main queue.
    private struct Entry {
        let body: @MainActor @Sendable () -> Void
        let time: Duration
        let isNotification: Bool
    }
    private struct State {
        var thread: AudioSessionHost.NotificationThread
        /// Whether a block on the main queue has run.
        var mainQueueHasRun = false
        var entries: [Entry] = []
        /// Whether the main queue has an operation that will run the entries.
        var isScheduled = false
        /// The warnings given since the main queue last ran the entries.
        var warnings: Set<Warning> = []

        var postsOnMainQueue: Bool { thread == .main || thread == .automatic && mainQueueHasRun }
    }
    private enum Warning { case waiting, lost }

    private let state: Mutex<State>
    private let clock: any SessionClock
    private let warn: @Sendable (String) -> Void

    /// The number of entries that wait at most, and the time after which a warning says so.
    private static let limit = 1_024
    private static let patience = Duration.seconds(5)

    init(
        on thread: AudioSessionHost.NotificationThread, clock: any SessionClock,
        warn: @escaping @Sendable (String) -> Void = { StandardStream.writeError($0) }
    ) {
        state = Mutex(State(thread: thread))
        self.clock = clock
        self.warn = warn
        detectMainQueue()
    }

    /// The setting; it applies to notifications from now on.
    var thread: AudioSessionHost.NotificationThread {
        get { state.withLock { $0.thread } }
        set {
            state.withLock { $0.thread = newValue }
            detectMainQueue()
        }
    }

    /// Runs `body`, which posts notifications: on the main queue after the earlier ones, or on this
    /// thread before the call returns.
    func post(_ body: @escaping @Sendable () -> Void) {
        if !append(isNotification: true, unlessPostedHere: true, { body() }) { body() }
    }

    /// Runs `body`, which posts a message, on the main actor after the earlier entries. If nothing
    /// runs the main queue, only the newest 1,024 are kept.
    func postMessage(_ body: @escaping @MainActor @Sendable () -> Void) {
        _ = append(isNotification: false, unlessPostedHere: false, body)
    }

    /// Returns true if the notifications posted so far on this thread have been handled. Otherwise
    /// calls `body` on the main queue when they have been.
    func haveBeenHandled(then body: @escaping @Sendable () -> Void) -> Bool {
        !append(isNotification: false, unlessPostedHere: true, { body() })
    }

    /// Has the main queue run a block, whose execution proves that the program runs that queue.
    private func detectMainQueue() {
        let isUnknown = state.withLock { $0.thread == .automatic && !$0.mainQueueHasRun }
        guard isUnknown else { return }
        OperationQueue.main.addOperation { [weak self] in self?.state.withLock { $0.mainQueueHasRun = true } }
    }

    /// Appends an entry and schedules it. Returns false, and does nothing, if notifications are
    /// posted on the calling thread and `unlessPostedHere` is set. Drops the oldest entry beyond
    /// the limit.
    private func append(
        isNotification: Bool, unlessPostedHere: Bool, _ body: @escaping @MainActor @Sendable () -> Void
    ) -> Bool {
        let now = clock.now
        let (isAppended, isFirst, warning) = state.withLock { state -> (Bool, Bool, String?) in
            if unlessPostedHere, !state.postsOnMainQueue { return (false, false, nil) }
            state.entries.append(Entry(body: body, time: now, isNotification: isNotification))
            let isLost = state.entries.count > Self.limit && state.entries.removeFirst().isNotification
            defer { state.isScheduled = true }
            return (true, !state.isScheduled, isNotification ? Self.warning(isLost, now, &state) : nil)
        }
        if let warning { warn(warning) }
        if isFirst { OperationQueue.main.addOperation { [weak self] in self?.runEntries() } }
        return isAppended
    }

    private func runEntries() {
        let entries = state.withLock { state in
            defer {
                state.entries = []
                state.isScheduled = false
                state.warnings = []
            }
            return state.entries
        }
        MainActor.assumeIsolated {
            for entry in entries { entry.body() }
        }
    }

    /// Returns the warning to give, each kind once until the main queue runs again.
    private static func warning(_ isLost: Bool, _ now: Duration, _ state: inout State) -> String? {
        guard let oldest = state.entries.first, isLost || now - oldest.time >= patience else { return nil }
        guard state.warnings.insert(isLost ? .lost : .waiting).inserted else { return nil }
        let waiting = state.entries.count(where: \.isNotification)
        return """
            audio session: \(waiting) notifications wait for the main queue, which has not run for \
            \((now - oldest.time).components.seconds) s\(isLost ? "; older ones are lost" : ""). If the program does not \
            run the main queue, set AudioSessionHost.notificationThread to .library.

            """
    }
}
