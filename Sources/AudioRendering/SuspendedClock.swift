internal import CRenderCore

/// The engine's clock while the server does not call the engine: frames pass at the sample rate, as
/// if they were rendered. It stops while the machine sleeps, as a server's clock does.
struct SuspendedClock: Sendable {
    /// The frame at `begin`.
    private var frame: UInt64
    private var begin: SuspendingClock.Instant
    /// In Hz.
    private var rate: Int

    init(frame: UInt64, rate: Int, now: SuspendingClock.Instant = .now) {
        (self.frame, self.rate, begin) = (frame, rate, now)
    }

    /// Returns the frame that begins at `now`, or before it.
    func frame(at now: SuspendingClock.Instant = .now) -> UInt64 {
        let (seconds, attoseconds) = (now - begin).components
        guard seconds >= 0, attoseconds >= 0 else { return frame }
        let fraction = Double(attoseconds) / 1e18 * Double(rate)
        return frame + UInt64(seconds) * UInt64(rate) + UInt64(fraction)
    }

    /// Continues at another rate.
    mutating func setRate(_ rate: Int, now: SuspendingClock.Instant = .now) {
        self = SuspendedClock(frame: frame(at: now), rate: rate, now: now)
    }
}

extension EngineControl {
    /// The frame at which the next period begins.
    var currentFrame: UInt64 { withState { $0.suspendedClock?.frame() ?? rcore_time(core.handle) } }

    /// Has the clock continue without cycles, once the driver has been suspended.
    func beginSuspension() {
        withState { state in
            guard state.phase == .rendering || state.phase == .lost else { return }
            state.phase = .open
            state.suspendedClock = SuspendedClock(frame: rcore_time(core.handle), rate: state.sampleRate)
            applyCommandsIfIdle(&state)
        }
    }

    /// Has the core continue at the clock's frame. Call it before a thread enters the core.
    func endSuspension(_ state: inout State) {
        guard let frame = state.suspendedClock.take()?.frame() else { return }
        rcore_skip(core.handle, frame - rcore_time(core.handle))
    }
}
