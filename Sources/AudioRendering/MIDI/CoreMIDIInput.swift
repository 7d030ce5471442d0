internal import CRenderCore
internal import Platform

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
