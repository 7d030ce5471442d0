internal import Dispatch

/// The clock for the sessions' limits, the I/O buffer tuner and the wait for devices. Tests supply
/// one that they advance manually.
package protocol SessionClock: Sendable {
    /// The time since an arbitrary origin.
    var now: Duration { get }
    /// Calls `body` once, after `delay`, on any thread. A call cannot be cancelled: `body` must
    /// recognize that it is out of date.
    func call(after delay: Duration, _ body: @escaping @Sendable () -> Void)
}

/// The machine's monotonic clock.
struct DispatchClock: SessionClock {
    private let queue = DispatchQueue(label: "audio-session.clock")

    var now: Duration { .nanoseconds(DispatchTime.now().uptimeNanoseconds) }

    func call(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        let (seconds, attoseconds) = delay.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: body)
    }
}
