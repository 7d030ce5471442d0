internal import CRenderCore
internal import Platform

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
    private let engine: AudioEngine

    init(port: MIDIPort, core: CoreMIDIInput, engine: AudioEngine) {
        name = port.name
        self.port = port
        self.core = core
        self.engine = engine
    }

    deinit { engine.removeMIDIPort(port) }

    /// Connects the input to an instrument or an output: it receives the messages of `channels`,
    /// and those without a channel. Replaces the channels of an existing connection. Throws
    /// `invalidArgument` for a target of another engine, or if the engine has 256 connections.
    public func connect(to target: any MIDITarget, channels: MIDIChannels = .all) throws(AudioEngineError) {
        guard target.midiIdentity.belongs(to: engine.control) else {
            throw .invalidArgument(what: "connecting MIDI to a target of another engine")
        }
        let (port, number) = (port.number, target.midiIdentity.number)
        try engine.control.changeMIDI { midi throws(AudioEngineError) in
            try midi.connect(port: port, to: number, channels: channels)
        }
    }

    /// Removes a connection. Notes that sound keep sounding until they are released or silenced.
    /// Throws `outOfMemory`.
    public func disconnect(from target: any MIDITarget) throws(AudioEngineError) {
        let (port, number) = (port.number, target.midiIdentity.number)
        try engine.control.changeMIDI { $0.disconnect(port: port, from: number) }
    }

    /// Sets the handler for received messages; nil removes it. The engine calls it on a thread of
    /// its own, in the order in which the messages arrived, usually within a few milliseconds; a
    /// driver without a clock calls it between its cycles, on the thread that renders. It should
    /// return quickly: the same thread reads files for streams. Messages that arrived while there
    /// was no handler are not delivered.
    public func setHandler(_ handler: (@Sendable (MIDIEvent) -> Void)?) { core.setHandler(handler) }

    /// The number of messages that were not delivered because the handler took too long.
    public var lostMessages: UInt64 { core.lostMessages }
}

/// The C input of a port, its handler, and the reassembly of system-exclusive messages.
///
/// Unchecked `Sendable`: the handle is immutable; the engine reads it under `reader`.
final class CoreMIDIInput: @unchecked Sendable {
    /// Messages that can wait for the handler: eight periods of 1,000.
    static let capacity: UInt32 = 8_192

    let handle: OpaquePointer
    private let handler = Mutex<(@Sendable (MIDIEvent) -> Void)?>(nil)
    private let reader = Mutex(MIDIAssembler())

    init() throws(AudioEngineError) {
        var status = RCORE_OK
        guard let handle = rcore_midi_input_create(Self.capacity, &status) else {
            throw AudioEngineError(status, "a MIDI input")
        }
        self.handle = handle
    }

    deinit { rcore_midi_input_destroy(handle) }

    func setHandler(_ new: (@Sendable (MIDIEvent) -> Void)?) {
        if new != nil, handler.withLock({ $0 == nil }) { _ = take() }
        handler.withLock { $0 = new }
    }

    var lostMessages: UInt64 { rcore_midi_input_dropped(handle) }

    /// Delivers the messages that have arrived.
    func deliver() {
        let handler = handler.withLock { $0 }
        let events = take()
        if let handler { for event in events { handler(event) } }
    }

    private func take() -> [MIDIEvent] {
        reader.withLock { assembler in
            var events: [MIDIEvent] = []
            var next = rcore_midi_message_t()
            while rcore_midi_input_next(handle, &next) {
                let bytes = withUnsafeBytes(of: next.bytes) { Array($0.prefix(Int(next.size))) }
                if let message = assembler.add(bytes) { events.append(MIDIEvent(message: message, frame: next.frame)) }
            }
            return events
        }
    }
}
