internal import CRenderCore

/// The clock of an engine that is suspended.
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
