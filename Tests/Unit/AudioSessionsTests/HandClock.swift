import AudioRendering
import AudioSessions
import Platform

/// A clock that a test advances by hand.
final class HandClock: SessionClock {
    private struct State {
        var now = Duration.zero
        var calls: [(due: Duration, body: @Sendable () -> Void)] = []
    }
    private let state = Mutex(State())

    var now: Duration { state.withLock { $0.now } }

    func call(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.calls.append(($0.now + delay, body)) }
    }

    /// Advances the clock. Calls everything that is due by then, in order, on this thread.
    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now += duration
            let now = state.now
            defer { state.calls.removeAll { $0.due <= now } }
            return state.calls.filter { $0.due <= now }.sorted { $0.due < $1.due }
        }
        for (_, body) in due { body() }
    }
}
