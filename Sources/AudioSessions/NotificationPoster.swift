internal import Dispatch
internal import Foundation
internal import Platform

/// Posts the notifications of a host's sessions where the app expects them: on the main queue, or
/// on the library thread that calls. Never waits for the main queue. Any thread.
final class NotificationPoster: Sendable {
    private struct State {
        var thread: AudioSessionNotificationThread
        /// Whether a block on the main queue has run.
        var mainQueueHasRun = false

        var postsOnMainQueue: Bool { thread == .main || thread == .automatic && mainQueueHasRun }
    }
    private let state: Mutex<State>
    private let clock: any SessionClock
    private let mainQueue: NotificationQueue
    private let routeChanges: NotificationQueue

    /// How long the library waits for handlers of the app before it continues without them.
    private static let handlerLimit = Duration.seconds(1)

    init(
        on thread: AudioSessionNotificationThread, clock: any SessionClock,
        warn: @escaping @Sendable (String) -> Void = { StandardStream.writeError($0) }
    ) {
        state = Mutex(State(thread: thread))
        self.clock = clock
        // Operations, not blocks of the dispatch queue: where the main queue does not run on the
        // main thread (`dispatchMain()`, an `async` main function), an observer with `queue: .main`
        // would make such a block wait for an operation that can only run after it.
        mainQueue = NotificationQueue(clock: clock) { body in
            OperationQueue.main.addOperation(body)
        } warn: { warning, waiting, seconds in
            warn(
                """
                audio session: \(waiting) notifications wait for the main queue, which has not run for \(seconds) s\
                \(warning == .loss ? "; older ones are lost" : ""). If the program does not run the main queue, set \
                AudioSessionHost.notificationThread to .library.

                """)
        }
        let queue = DispatchQueue(label: "audio-session.route-changes")
        routeChanges = NotificationQueue(clock: clock) { body in
            queue.async(execute: body)
        } warn: { warning, waiting, seconds in
            warn(
                """
                audio session: \(waiting) route changes wait for an observer of an earlier one, which has not returned \
                for \(seconds) s\(warning == .loss ? "; older ones are lost" : ""). Observers must be short; with queue main, \
                they wait for the main queue.

                """)
        }
        detectMainQueue()
    }

    /// The setting; it applies to notifications from now on.
    var thread: AudioSessionNotificationThread {
        get { state.withLock { $0.thread } }
        set {
            state.withLock { $0.thread = newValue }
            detectMainQueue()
        }
    }

    private var postsOnMainQueue: Bool { state.withLock { $0.postsOnMainQueue } }

    /// Runs `body`, which posts notifications: on the main queue after the earlier ones, or on this
    /// thread before the call returns.
    func post(_ body: @escaping @Sendable () -> Void) {
        if postsOnMainQueue { mainQueue.append(isImportant: true, body) } else { body() }
    }

    /// Runs `body`, which posts a message, on the main actor after the earlier notifications there.
    /// If nothing runs the main queue, only the newest 1,024 are kept.
    func postMessage(_ body: @escaping @MainActor @Sendable () -> Void) {
        mainQueue.append(isImportant: false) { MainActor.assumeIsolated { body() } }
    }

    /// Runs `body`, which posts a route change, on a library thread: this one, or, where
    /// notifications are posted on the main queue, one that may wait for observers with
    /// `queue: .main`. Runs `completion` after it, and at the latest 1 s later (keeps ROUTE-4).
    func postRouteChange(_ body: @escaping @Sendable () -> Void, then completion: @escaping @Sendable () -> Void) {
        guard postsOnMainQueue else {
            body()
            return completion()
        }
        let completion = limited(completion)
        routeChanges.append(isImportant: true) {
            body()
            completion()
        }
    }

    /// Returns true if the app has handled the notifications that this thread has posted.
    /// Otherwise calls `body` once when it has, and at the latest 1 s later, on any thread.
    func haveBeenHandled(then body: @escaping @Sendable () -> Void) -> Bool {
        guard postsOnMainQueue else { return true }
        mainQueue.append(isImportant: false, limited(body))
        return false
    }

    /// Returns a closure that calls `body` once; if it has not run in 1 s, the clock calls `body`.
    private func limited(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let isDue = Mutex(true)
        let once: @Sendable () -> Void = {
            let wasDue = isDue.withLock { isDue in
                defer { isDue = false }
                return isDue
            }
            if wasDue { body() }
        }
        clock.call(after: Self.handlerLimit, once)
        return once
    }

    /// Has the main queue run a block, whose execution proves that the program runs that queue.
    private func detectMainQueue() {
        let isUnknown = state.withLock { $0.thread == .automatic && !$0.mainQueueHasRun }
        guard isUnknown else { return }
        OperationQueue.main.addOperation { [weak self] in self?.state.withLock { $0.mainQueueHasRun = true } }
    }
}
