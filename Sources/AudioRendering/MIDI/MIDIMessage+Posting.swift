internal import CRenderCore

extension MIDIMessage {
    func checkRange() throws(AudioEngineError) {
        guard isValid else { throw .invalidArgument(what: "the MIDI message \(self), which has a value out of range") }
    }

    var isExclusive: Bool {
        if case .systemExclusive = self { true } else { false }
    }

    /// Posts the message, in segments if it is long.
    func post(to target: UInt32, _ queue: OpaquePointer, at time: UInt64) -> rcore_status_t {
        let bytes = bytes
        return bytes.withUnsafeBufferPointer { buffer in
            for first in stride(from: 0, to: buffer.count, by: Int(RCORE_MIDI_BYTES)) {
                let count = min(Int(RCORE_MIDI_BYTES), buffer.count - first)
                let status = rcore_post_midi(
                    queue, target, buffer.baseAddress.map { $0 + first }, UInt32(count), time)
                guard status == RCORE_OK else { return status }
            }
            return RCORE_OK
        }
    }
}
