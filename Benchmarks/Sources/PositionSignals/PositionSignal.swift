internal import Foundation

/// A stereo signal that states its position and, after any gain, that gain: the left channel is
/// constant, the right one a fraction of it that counts frames.
///
/// Samples of 24 bits hold it exactly.
package enum PositionSignal {
    /// The number of frames after which it repeats.
    package static let period = 1 << 19
    package static let amplitude: Float = 0.5
    package static let sampleRate = 48_000

    /// The level of the left channel, about −94 dB, below which a frame counts as silent.
    static let threshold: Float = 1e-5

    /// Writes a WAV file of 24 bits that has the signal `repetitions` times, each of 11 s.
    package static func write(to path: String, repetitions: Int) throws {
        let bytesPerFrame = 6
        var data = Data("RIFF".utf8)
        let size = period * repetitions * bytesPerFrame
        data.append(little: UInt32(36 + size))
        data += Data("WAVEfmt ".utf8)
        data.append(little: UInt32(16))
        data.append(little: UInt16(1))  // integers
        data.append(little: UInt16(2))
        data.append(little: UInt32(sampleRate))
        data.append(little: UInt32(sampleRate * bytesPerFrame))
        data.append(little: UInt16(bytesPerFrame))
        data.append(little: UInt16(24))
        data += Data("data".utf8)
        data.append(little: UInt32(size))
        let full = Int(amplitude * 0x1p23)
        var samples = Data(capacity: period * bytesPerFrame)
        for frame in 0..<period {
            for value in [full, full / period * frame] {
                for shift in [0, 8, 16] { samples.append(UInt8(truncatingIfNeeded: value >> shift)) }
            }
        }
        for _ in 0..<repetitions { data += samples }
        try data.write(to: URL(fileURLWithPath: path))
    }

    /// Returns what each frame of a recording says.
    package static func decode(left: [Float], right: [Float]) -> [HeardFrame] {
        zip(left, right).map { left, right in
            if left.isNaN { return .missed }
            guard left > threshold else { return .silent }
            let position = Int((right / left * Float(period)).rounded())
            return .sound(gain: left / amplitude, position: (position % period + period) % period)
        }
    }

    /// Returns how many frames of the signal lie from one position to another, which is at most
    /// half a period earlier or later.
    package static func distance(from first: Int, to second: Int) -> Int {
        let ahead = ((second - first) % period + period) % period
        return ahead < period / 2 ? ahead : ahead - period
    }
}

/// What a recorded frame says.
package enum HeardFrame: Equatable, Sendable {
    /// The recorder was not called in its cycle.
    case missed
    case silent
    case sound(gain: Float, position: Int)

    /// The gain; nil for a missed frame.
    package var gain: Float? {
        switch self {
        case .missed: nil
        case .silent: 0
        case .sound(let gain, _): gain
        }
    }

    package var position: Int? {
        if case .sound(_, let position) = self { position } else { nil }
    }
}

extension Data {
    fileprivate mutating func append(little value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
