internal import AudioRendering
internal import AudioSessionTypes
internal import Platform

/// One delivered event, with data that belongs to it but is not comparable.
struct DeliveredEvent: Sendable {
    var event: AudioSessionEvent
    /// The previous route, with `routeChanged` (ROUTE-3).
    var previousRoute: Route?
}

/// The delivery of a session's events: its listeners, the activity that was last reported, and the
/// resumption that follows a notification. Any thread.
final class SessionEvents: Sendable {
    /// The activity that was last reported to the app, so that each change is reported once,
    /// whatever its source.
    private struct ReportedActivity {
        var isActive = false
        /// The cause, while the library itself ends the activity.
        var pendingCause: AudioSessionDeactivationCause?
    }
    private let listeners = Broadcaster<DeliveredEvent>()
    private let activity = Mutex(ReportedActivity())
    /// The number of the last resumption, and whether it is due.
    private struct Resumption {
        var number: UInt64 = 0
        var isDue = false
    }
    private let resumption = Mutex(Resumption())

    /// The number of unread elements that a stream buffers before the oldest is dropped.
    private static let bufferLimit = 1_024

    // MARK: Listeners

    /// Returns a stream of the results of `pick` for all events from now on, without the nil ones.
    func stream<Element: Sendable>(_ pick: @escaping @Sendable (DeliveredEvent) -> Element?) -> AsyncStream<Element> {
        stream(.bufferingNewest(Self.bufferLimit), pick)
    }

    /// Returns a stream that yields when any number of events have been delivered since the last
    /// read.
    func signals() -> AsyncStream<Void> { stream(.bufferingNewest(1)) { _ in () } }

    private func stream<Element: Sendable>(
        _ policy: AsyncStream<Element>.Continuation.BufferingPolicy,
        _ pick: @escaping @Sendable (DeliveredEvent) -> Element?
    ) -> AsyncStream<Element> {
        AsyncStream(bufferingPolicy: policy) { continuation in
            let end = listeners.add(
                { delivered in if let element = pick(delivered) { continuation.yield(element) } },
                finish: { continuation.finish() })
            continuation.onTermination = { _ in end() }
        }
    }

    /// Calls `body` for each delivered event, on the delivering thread, until the returned closure
    /// is called.
    func observe(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void { listeners.add { _ in body() } }

    /// Delivers an event to every listener, in the order of their registration.
    func yield(_ event: AudioSessionEvent, from previousRoute: Route? = nil) {
        listeners.send(DeliveredEvent(event: event, previousRoute: previousRoute))
    }

    // MARK: Activity

    /// Records that the session's activity has started. Returns whether that is to be reported.
    func recordActive() -> Bool {
        activity.withLock { reported in
            defer { reported = ReportedActivity(isActive: true) }
            return !reported.isActive
        }
    }

    /// Records that the session's activity has ended. Returns the cause to report, or nil if the
    /// end was already reported. If `cause` is the app, the actual cause may be a limit that the
    /// app set.
    func recordInactive(_ cause: AudioSessionDeactivationCause) -> AudioSessionDeactivationCause? {
        activity.withLock { reported in
            guard reported.isActive else { return nil }
            defer { reported = ReportedActivity() }
            return cause == .app ? reported.pendingCause ?? .app : cause
        }
    }

    /// Sets the cause to report for the next end of the activity, which the library requests.
    func setPendingCause(_ cause: AudioSessionDeactivationCause) { activity.withLock { $0.pendingCause = cause } }

    // MARK: Resumption

    /// Records that participants resume once the app has been notified. Returns the number of this
    /// resumption; an earlier one is no longer due.
    func beginResumption() -> UInt64 {
        resumption.withLock { resumption in
            resumption = Resumption(number: resumption.number + 1, isDue: true)
            return resumption.number
        }
    }

    /// Records that no resumption is due: the session was interrupted or deactivated meanwhile.
    func cancelResumption() { resumption.withLock { $0.isDue = false } }

    /// Returns whether a resumption is still due; it then no longer is.
    func takeResumption(_ number: UInt64) -> Bool {
        resumption.withLock { resumption in
            guard resumption.isDue, resumption.number == number else { return false }
            resumption.isDue = false
            return true
        }
    }
}
