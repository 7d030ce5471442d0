internal import CRenderCore
internal import Dispatch

/// Changes of the MIDI routing.
extension EngineControl {
    /// Removes something from the MIDI routing. Without memory, the old routing stays in use until
    /// the next change.
    func removeFromMIDI(_ remove: (inout MIDIRouting) -> Void) {
        withState { state in
            remove(&state.midi)
            try? state.midi.post(to: core.handle)
            applyCommandsIfIdle(&state)
        }
    }

    /// Changes the MIDI routing and posts it. On failure, restores the previous one.
    @discardableResult
    func changeMIDI<Value>(
        _ change: (inout MIDIRouting) throws(AudioEngineError) -> Value
    ) throws(AudioEngineError) -> Value {
        try withState { state throws(AudioEngineError) in
            let before = state.midi
            do throws(AudioEngineError) {
                let value = try change(&state.midi)
                try state.midi.post(to: core.handle)
                applyCommandsIfIdle(&state)
                return value
            } catch {
                state.midi = before
                throw error
            }
        }
    }

    /// Removes a port. Does not wait for the driver, which may wait for the server.
    func removeMIDIPort(_ port: MIDIPort) {
        removeFromMIDI { $0.removePort(port) }
        portRemovals.async { [driver] in driver.removeMIDIPort(port) }
    }

    /// Has the outputs end the notes that they have begun, and waits for the cycle that does so:
    /// about two periods, at most 0.1 s. Call it before the driver stops, which misses the
    /// note-offs.
    func silenceMIDIOutputs() {
        guard driver.hasClock, driver.isRendering, withState({ $0.midi.hasOutputs }) else { return }
        rcore_silence_midi_outputs(core.handle)
        // A cycle may be in progress; the next one silences, and is over when the third begins.
        let cycle = rcore_read_counters(core.handle).cycles + 3
        let limit = DispatchTime.now() + .milliseconds(100)
        let pause = DispatchSemaphore(value: 0)
        while rcore_read_counters(core.handle).cycles < cycle, DispatchTime.now() < limit {
            _ = pause.wait(timeout: .now() + .milliseconds(1))
        }
    }
}
