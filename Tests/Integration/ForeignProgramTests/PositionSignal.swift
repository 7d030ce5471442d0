import AudioRendering
import Foundation
import Platform
import TestSupport

/// A stereo signal that states its position and, after any gain, that gain: the left channel is
/// constant, the right one a fraction of it that counts frames.
enum PositionSignal {
    static let period = 524_288
    static let amplitude: Float = 0.5

    static func write(to path: String) throws {
        let writer = try AudioFileWriter(path: path, channels: 2, sampleRate: 48_000)
        let block = (0..<period).flatMap { frame in [amplitude, amplitude * Float(frame) / Float(period)] }
        for _ in 0..<25 { try writer.write(block, frameCount: period) }
        writer.close()
    }
}

/// A recording in progress of a position signal. Its frames are the clock of tests that must wait
/// for PipeWire.
final class PositionRecording: Sendable {
    private let child: ChildProcess
    private let path: String

    init(_ child: ChildProcess, path: String) {
        self.child = child
        self.path = path
    }

    struct Frame: Equatable {
        /// 0 is silence.
        var gain: Float
        /// The position in the signal, modulo its period; -1 in silence.
        var position: Int
        var isSilent: Bool { position < 0 }
    }

    /// Bytes before the samples; 0 until the header is written.
    private let header = Mutex(0)

    private func samples(from frame: Int) -> [Float] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        let offset = header.withLock { header in
            if header == 0 {
                var start = [UInt8](repeating: 0, count: 4096)
                let count = pread(descriptor, &start, start.count, 0)
                if count > 100, let data = Data(start[..<count]).range(of: Data("data".utf8)) {
                    header = data.upperBound + 4
                }
            }
            return header
        }
        var facts = stat()
        guard offset > 0, fstat(descriptor, &facts) == 0 else { return [] }
        let begin = offset + frame * 8
        let count = (Int(facts.st_size) - begin) / 8
        guard count > 0 else { return [] }
        return [Float](unsafeUninitializedCapacity: count * 2) { buffer, used in
            used = max(0, pread(descriptor, buffer.baseAddress, count * 8, begin)) / 8 * 2
        }
    }

    /// The number of frames so far.
    var count: Int {
        var facts = stat()
        _ = samples(from: 0).count
        guard stat(path, &facts) == 0 else { return 0 }
        return max(0, (Int(facts.st_size) - header.withLock { $0 }) / 8)
    }

    /// The frames so far, from this one on.
    func frames(from first: Int = 0) -> [Frame] {
        let samples = samples(from: first)
        return stride(from: 0, to: samples.count - 1, by: 2).map { index in
            let (left, right) = (samples[index], samples[index + 1])
            guard left > 1e-6 else { return Frame(gain: 0, position: -1) }
            let position = Int((right / left * Float(PositionSignal.period)).rounded())
            return Frame(gain: left / PositionSignal.amplitude, position: position)
        }
    }

    func frames(last count: Int) -> [Frame] { frames(from: max(0, self.count - count)) }

    /// The samples of the left channel from a frame on, for other signals.
    func left(from first: Int) -> [Float] {
        let samples = samples(from: first)
        return stride(from: 0, to: samples.count - 1, by: 2).map { samples[$0] }
    }

    func left(last frames: Int) -> [Float] { left(from: max(0, count - frames)) }

    /// Waits until this many more frames have been recorded. Returns false if none arrive.
    func waits(frames: Int, seconds: Double = 60) -> Bool {
        let end = count + frames
        return eventually(seconds: seconds) { count >= end }
    }

    /// Waits until 4,096 frames in a row have a property.
    func waits(seconds: Double = 30, until all: (Frame) -> Bool) -> Bool {
        eventually(seconds: seconds) {
            let frames = frames(from: max(0, count - 4_096))
            return frames.count >= 4_096 && frames.allSatisfy(all)
        }
    }

    func waitsForUnity() -> Bool { waits { $0.gain == 1 } }
    func waitsForSilence() -> Bool { waits(until: \.isSilent) }
}

extension [PositionRecording.Frame] {
    /// The frames at which sound goes on at another position than the next one. Cycles that
    /// PipeWire skips are such frames too.
    var breaks: [Int] {
        zip(indices, zip(self, dropFirst())).compactMap { index, pair in
            guard !pair.0.isSilent, !pair.1.isSilent else { return nil }
            return pair.1.position == (pair.0.position + 1) % PositionSignal.period ? nil : index
        }
    }

    /// Frames of the signal that passed from before the silence to after it.
    func advance(across silence: Range<Int>) -> Int? {
        guard silence.lowerBound > 0, silence.upperBound < count else { return nil }
        let passed = self[silence.upperBound].position - self[silence.lowerBound - 1].position - 1
        return (passed + PositionSignal.period) % PositionSignal.period
    }

    /// The longest silence.
    var longestSilence: Range<Int> {
        var (longest, begin) = (0..<0, 0)
        for index in indices {
            if !self[index].isSilent { begin = index + 1 }
            if index + 1 - begin > longest.count { longest = begin..<index + 1 }
        }
        return longest
    }
}
