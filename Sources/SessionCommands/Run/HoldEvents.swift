internal import Dispatch
internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// What happens to a command that holds a session.
enum HoldEvent: Sendable {
    case signal(SignalReceiver.Signal)
    /// The session is registered, and activated unless the activation waits.
    case opened(SessionID)
    case failed(CommandError)
    case notice(SessionNotice)
}

/// The events of a command that holds a session, from all threads, for its main thread.
final class HoldEvents: Sendable {
    private let queue = Mutex<[HoldEvent]>([])
    private let count = DispatchSemaphore(value: 0)

    func send(_ event: HoldEvent) {
        queue.withLock { $0.append(event) }
        count.signal()
    }

    /// Waits for the next event; returns nil at the deadline.
    func next(before deadline: DispatchTime = .distantFuture) -> HoldEvent? {
        guard count.wait(timeout: deadline) == .success else { return nil }
        return queue.withLock { $0.removeFirst() }
    }
}
