internal import CRenderCore

extension MIDIMessage {
    func checkRange() throws(AudioEngineError) {
        guard isValid else { throw .invalidArgument(what: "the MIDI message \(self), which has a value out of range") }
    }

    var isExclusive: Bool {
        if case .systemExclusive = self { true } else { false }
    }

    /// Posts the message; a system-exclusive one in segments. Allocates memory only for that.
    func post(to target: UInt32, _ queue: OpaquePointer, at time: UInt64) -> rcore_status_t {
        guard let (bytes, count) = shortBytes else { return postExclusive(to: target, queue, at: time) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 3) { buffer in
            (buffer[0], buffer[1], buffer[2]) = bytes
            return rcore_post_midi(queue, target, buffer.baseAddress, count, time)
        }
    }

    private func postExclusive(to target: UInt32, _ queue: OpaquePointer, at time: UInt64) -> rcore_status_t {
        bytes.withUnsafeBufferPointer { buffer in
            for first in stride(from: 0, to: buffer.count, by: Int(RCORE_MIDI_BYTES)) {
                let count = min(Int(RCORE_MIDI_BYTES), buffer.count - first)
                let status = rcore_post_midi(
                    queue, target, buffer.baseAddress.map { $0 + first }, UInt32(count), time)
                guard status == RCORE_OK else { return status }
            }
            return RCORE_OK
        }
    }

    /// The bytes of a message of at most three; nil for a system-exclusive one. The message is
    /// valid.
    private var shortBytes: ((UInt8, UInt8, UInt8), UInt32)? {
        switch self {
        case .noteOff(let channel, let key, let velocity): ((0x80 | channel, key, velocity), 3)
        case .noteOn(let channel, let key, let velocity): ((0x90 | channel, key, velocity), 3)
        case .keyPressure(let channel, let key, let pressure): ((0xA0 | channel, key, pressure), 3)
        case .controlChange(let channel, let controller, let value): ((0xB0 | channel, controller, value), 3)
        case .programChange(let channel, let program): ((0xC0 | channel, program, 0), 2)
        case .channelPressure(let channel, let pressure): ((0xD0 | channel, pressure, 0), 2)
        case .pitchBend(let channel, let value): ((0xE0 | channel, UInt8(value & 127), UInt8(value >> 7)), 3)
        case .systemExclusive: nil
        case .timeCodeQuarterFrame(let piece): ((0xF1, piece, 0), 2)
        case .songPosition(let beats): ((0xF2, UInt8(beats & 127), UInt8(beats >> 7)), 3)
        case .songSelect(let song): ((0xF3, song, 0), 2)
        case .tuneRequest: ((0xF6, 0, 0), 1)
        case .clock: ((0xF8, 0, 0), 1)
        case .start: ((0xFA, 0, 0), 1)
        case .continue: ((0xFB, 0, 0), 1)
        case .stop: ((0xFC, 0, 0), 1)
        case .activeSensing: ((0xFE, 0, 0), 1)
        case .reset: ((0xFF, 0, 0), 1)
        }
    }
}
