internal import CRenderCore

/// A MIDI output port: sends messages to other programs on their exact frames.
///
/// An output that belongs to a session obeys its interruptions: when the session has been silenced,
/// in the next period at the latest, and even if the app hangs, it sends "all sound off", "all
/// notes off" and "reset all controllers" on the channels that it has used. Then it sends no
/// channel messages until the session resumes. Before the engine stops rendering, every output does
/// so.
///
/// The port exists while the engine is open; it sends while the engine renders. The engine restores
/// the port and its connections to other programs when the server returns (SRV-2). The port is
/// removed when its last reference is released.
public final class MIDIOutput: MIDITarget {
    /// The port's name.
    public let name: String
    public let midiIdentity: MIDITargetIdentity
    let port: MIDIPort
    private let core: CoreMIDIOutput
    private weak let control: EngineControl?

    init(port: MIDIPort, identity: MIDITargetIdentity, core: CoreMIDIOutput, control: EngineControl) {
        name = port.name
        midiIdentity = identity
        self.port = port
        self.core = core
        self.control = control
    }

    deinit { control?.removeMIDIPort(port) }

    /// Connects the port to MIDI ports of other programs, whose full names are "CLIENT:PORT", and
    /// removes its other connections to programs. Connections to ports that do not exist yet are
    /// made when they appear. Waits for the server. Throws `DriverError`.
    public func connect(toPorts ports: [String]) throws(DriverError) {
        guard let control else { throw .notOpen }
        try control.driver.connectPorts(named: port.name, to: [ports])
    }

    /// The number of messages that were not sent because a period had too many.
    public var lostMessages: UInt64 { rcore_midi_output_dropped(core.handle) }
}
