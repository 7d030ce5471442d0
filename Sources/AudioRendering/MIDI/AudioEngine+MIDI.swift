internal import CRenderCore
internal import Dispatch

/// Making MIDI ports and instruments.
extension AudioEngine {
    /// Makes a MIDI input port. Its name is unique among the engine's ports: 1…64 bytes, without a
    /// colon. Throws `invalidArgument` or `outOfMemory`, or a `DriverError` if the driver has no
    /// MIDI, or its client has another port of this name; then there is no port.
    public func makeMIDIInput(name: String) throws -> MIDIInput {
        let core = try CoreMIDIInput()
        let port = try control.changeMIDI { midi throws(AudioEngineError) in try midi.addInput(name, core) }
        try add(port)
        return MIDIInput(port: port, core: core, control: control)
    }

    /// Makes a MIDI output port, named as an input is. With a bus, it obeys the interruptions of
    /// that bus's session; without one, it sends whenever the engine renders. Throws what
    /// `makeMIDIInput` throws.
    public func makeMIDIOutput(name: String, on bus: (any AudioBus)? = nil) throws -> MIDIOutput {
        if let bus, !bus.belongs(to: control) {
            throw AudioEngineError.invalidArgument(what: "a MIDI output on a bus of another engine")
        }
        let core = try CoreMIDIOutput(slot: bus?.session.slot, of: bus)
        let (port, target) = try control.changeMIDI { midi throws(AudioEngineError) in
            try midi.addOutput(name, core)
        }
        try add(port)
        let identity = MIDITargetIdentity(number: target, control: control)
        return MIDIOutput(port: port, identity: identity, core: core, control: control)
    }

    /// Makes an instrument that plays on a session's bus, or on a bus of its mixer. Throws
    /// `invalidArgument` for a zone with a value out of range, `busRemoved` or `outOfMemory`.
    public func makeInstrument(
        _ zones: [InstrumentZone], on bus: any AudioBus,
        configuration: AudioInstrument.Configuration = AudioInstrument.Configuration()
    ) throws(AudioEngineError) -> AudioInstrument {
        guard bus.belongs(to: control) else {
            throw .invalidArgument(what: "an instrument on a bus of another engine")
        }
        let channels = control.read { $0[bus.identity] == nil ? nil : $0.channels(of: bus.identity) }
        guard let channels else { throw bus.identity.removed }
        let core = try CoreInstrument(
            zones, configuration.coreConfiguration(), slot: bus.slot, channels: channels, of: bus, core: control.core,
            pages: pages, retired: retired)
        let target = try control.changeMIDI { $0.addInstrument(core) }
        return AudioInstrument(
            identity: MIDITargetIdentity(number: target, control: control), core: core, control: control)
    }

    /// Adds a port to the driver, after the ports that were removed before are removed there; if
    /// that fails, removes it from the routing.
    private func add(_ port: MIDIPort) throws {
        let result = control.portRemovals.sync {
            Result { () throws(DriverError) in try driver.addMIDIPort(port) }
        }
        do {
            try result.get()
        } catch {
            // The driver's call may have timed out and take effect later.
            control.removeMIDIPort(port)
            throw error
        }
    }

    /// Delivers received messages to the handlers of their inputs.
    func deliverMIDI() {
        for input in control.withState({ $0.midi.inputs.map(\.core) }) { input.deliver() }
    }
}
