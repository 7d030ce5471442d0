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
        midiPorts.async { [driver] in driver.removeMIDIPort(port) }
    }
}
