internal import CRenderCore

/// The clock of an engine that is suspended.
extension EngineControl {
    /// The frame at which the next period begins.
    var currentFrame: UInt64 { withState { $0.suspendedClock?.frame() ?? rcore_time(core.handle) } }

    /// Has the clock continue without cycles, once the driver has been suspended. The clock of a
    /// driver whose cycles the app runs stands still. Does nothing if the engine has not been
    /// started, or its server is gone.
    func beginSuspension() {
        withState { state in
            guard state.phase == .rendering || state.phase == .lost else { return }
            state.phase = .open
            rcore_end_received_notes(core.handle)
            rcore_end_keys(core.handle)
            if driver.hasClock {
                state.suspendedClock = SuspendedClock(frame: rcore_time(core.handle), rate: state.sampleRate)
            }
            applyCommandsIfIdle(&state)
        }
    }

    /// Has the core continue at the clock's frame. Call it while no thread is in the core.
    func endSuspension(_ state: inout State) {
        guard let frame = state.suspendedClock.take()?.frame() else { return }
        let time = rcore_time(core.handle)
        if frame > time { rcore_skip(core.handle, frame - time) }
    }
}
