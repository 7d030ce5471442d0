internal import CRenderCore

/// A MIDI output port: sends messages to other programs on their exact frames.
///
/// An output that belongs to a session obeys its interruptions: it sends "all sound off" and "reset
/// all controllers" on the channels that it has used, in the period in which the session is
/// silenced, even if the app hangs, and then sends no channel messages until the session resumes.
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
    private let engine: AudioEngine

    init(port: MIDIPort, identity: MIDITargetIdentity, core: CoreMIDIOutput, engine: AudioEngine) {
        name = port.name
        midiIdentity = identity
        self.port = port
        self.core = core
        self.engine = engine
    }

    deinit { engine.removeMIDIPort(port) }

    /// The number of messages that were not sent because a period had too many.
    public var lostMessages: UInt64 { rcore_midi_output_dropped(core.handle) }
}

/// The C output of a port, and the bus whose session it obeys.
///
/// Unchecked `Sendable`: immutable.
final class CoreMIDIOutput: @unchecked Sendable {
    /// Bytes in a period: those of a JACK port's buffer at 1,024 frames.
    static let capacity: UInt32 = 32_768

    let handle: OpaquePointer
    /// Keeps the slot of the bus from being used for another one.
    private let bus: (any AudioBus)?

    init(bus: (any AudioBus)?) throws(AudioEngineError) {
        var status = RCORE_OK
        let slot = bus.map { UInt32($0.session.slot) } ?? UInt32.max
        guard let handle = rcore_midi_output_create(Self.capacity, slot, &status) else {
            throw AudioEngineError(status, "a MIDI output")
        }
        self.handle = handle
        self.bus = bus
    }

    deinit { rcore_midi_output_destroy(handle) }
}
