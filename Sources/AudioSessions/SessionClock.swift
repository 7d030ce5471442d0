internal import Dispatch

/// Time for the sessions' limits; tests have one that they move by hand.
package protocol SessionClock: Sendable {
    /// Time since some moment.
    var now: Duration { get }
    /// Calls `body` once, `delay` from now, on any thread. What is not wanted any longer is recognised by `body`.
    func call(after delay: Duration, _ body: @escaping @Sendable () -> Void)
}

/// The machine's steady clock.
struct DispatchClock: SessionClock {
    private let queue = DispatchQueue(label: "audio-session.clock")

    var now: Duration { .nanoseconds(DispatchTime.now().uptimeNanoseconds) }

    func call(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        let (seconds, attoseconds) = delay.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: body)
    }
}
