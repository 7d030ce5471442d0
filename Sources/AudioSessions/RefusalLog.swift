internal import Foundation
internal import Platform
internal import SessionPolicy

/// The last refused request of a session (ACT-13). Any thread.
final class RefusalLog: Sendable {
    private let last = Mutex<(refusal: AudioSessionRefusal, state: SessionState?)?>(nil)

    /// Records a refusal, and the session's state at the arbiter at that time.
    func record(_ error: AudioSessionError, in state: SessionState?) {
        let by = (error.underlying as? Refusal)?.by
        let refusal = AudioSessionRefusal(error: error, by: by?.rawValue, date: Date())
        last.withLock { $0 = (refusal, state) }
    }

    /// Returns the last refusal, unless the session's state has changed since. A refusal of an
    /// earlier state is discarded, so that it does not return with that state.
    func current(in state: @autoclosure () -> SessionState?) -> AudioSessionRefusal? {
        guard let (refusal, refusedState) = last.withLock({ $0 }) else { return nil }
        if refusedState == state() { return refusal }
        last.withLock { last in if last?.refusal.error === refusal.error { last = nil } }
        return nil
    }
}
