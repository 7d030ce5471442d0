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
    private let isDelivering = Mutex(false)

    init() throws(AudioEngineError) {
        var status = RCORE_OK
        guard let handle = rcore_midi_input_create(Self.capacity, &status) else {
            throw AudioEngineError(status, "a MIDI input")
        }
        self.handle = handle
        rcore_midi_input_record(handle, false)  // until there is a handler
    }

    deinit { rcore_midi_input_destroy(handle) }

    func setHandler(_ new: (@Sendable (MIDIEvent) -> Void)?) {
        var old = new
        handler.withLock { handler in
            // What arrived while there was no handler is not delivered.
            if handler == nil { _ = take() }
            swap(&handler, &old)
            rcore_midi_input_record(handle, new != nil)
        }
        withExtendedLifetime(old) {}  // not released under the lock: what it owns may call this
    }

    var lostMessages: UInt64 { rcore_midi_input_dropped(handle) }

    /// Delivers the messages that have arrived, unless another call does that already: that one
    /// delivers them all, in order.
    func deliver() {
        var isDone = false
        while !isDone {
            let begins = isDelivering.withLock { isDelivering in
                defer { isDelivering = true }
                return !isDelivering
            }
            guard begins else { return }
            let events = take()
            for event in events { handler.withLock { $0 }?(event) }
            isDelivering.withLock { $0 = false }
            isDone = events.isEmpty
        }
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
