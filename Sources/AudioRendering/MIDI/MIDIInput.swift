/// A MIDI input port. What it receives plays connected instruments, and passes through connected
/// outputs, on its exact frame, in the cycle in which it arrives; a handler receives the same
/// messages with their times.
///
/// The port exists while the engine is open; it receives while the engine renders. The engine
/// restores the port and its connections to other programs when the server returns (SRV-2). The
/// port is removed when its last reference is released.
public final class MIDIInput: Sendable {
    /// The port's name.
    public let name: String
    let port: MIDIPort
    private let core: CoreMIDIInput
    private weak let control: EngineControl?

    init(port: MIDIPort, core: CoreMIDIInput, control: EngineControl) {
        name = port.name
        self.port = port
        self.core = core
        self.control = control
    }

    deinit { control?.removeMIDIPort(port) }

    /// Connects the input to an instrument, an output, or the transport (`AudioTransport`): it
    /// receives the messages of `channels`, and those without a channel. Replaces the channels of
    /// an existing connection. Throws `invalidArgument` for a target of another engine, or if the
    /// engine has 256 connections; `engineGone`; or `outOfMemory`.
    public func connect(to target: any MIDITarget, channels: MIDIChannels = .all) throws(AudioEngineError) {
        guard let control else { throw .engineGone }
        guard target.midiIdentity.belongs(to: control) else {
            throw .invalidArgument(what: "connecting MIDI to a target of another engine")
        }
        let (port, number) = (port.number, target.midiIdentity.number)
        try control.changeMIDI { midi throws(AudioEngineError) in
            try midi.connect(port: port, to: number, channels: channels)
        }
    }

    /// Removes a connection. All notes of an instrument end, because their note-offs are missed.
    /// Throws `engineGone` or `outOfMemory`.
    public func disconnect(from target: any MIDITarget) throws(AudioEngineError) {
        guard let control else { throw .engineGone }
        let (port, number) = (port.number, target.midiIdentity.number)
        try control.changeMIDI { $0.disconnect(port: port, from: number) }
    }

    /// Sets the handler for received messages; nil removes it. The engine calls it on a thread of
    /// its own, one message at a time, in the order in which they arrived, usually within a few
    /// milliseconds; a driver without a clock calls it between its cycles, on the thread that
    /// renders. Messages that arrive while there is no handler are not delivered.
    ///
    /// The same thread reads files for streams: the handler should return quickly, and must not
    /// wait for the driver: it must neither activate a session nor request preferred values nor
    /// make ports. It may do all that on another thread. The input keeps the handler, so that a
    /// handler that refers to the input should do so weakly.
    public func setHandler(_ handler: (@Sendable (MIDIEvent) -> Void)?) { core.setHandler(handler) }

    /// Connects the port to MIDI ports of other programs, whose full names are "CLIENT:PORT", and
    /// removes its other connections to programs. Connections to ports that do not exist yet are
    /// made when they appear. Waits for the server. Throws `DriverError`.
    public func connect(toPorts ports: [String]) throws(DriverError) {
        guard let control else { throw .notOpen }
        try control.driver.connectPorts(named: port.name, to: [ports])
    }

    /// The number of messages that were not delivered because the handler took too long.
    public var lostMessages: UInt64 { core.lostMessages }
}
