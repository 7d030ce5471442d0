internal import Foundation

/// The level of a channel: linear, full scale is 1.
public struct AudioLevel: Equatable, Sendable {
    /// The greatest magnitude of a sample.
    public var peak: Float
    /// The root mean square; a sine at full scale has 0.707.
    public var rms: Float

    public init(peak: Float = 0, rms: Float = 0) {
        self.peak = peak
        self.rms = rms
    }

    /// The peak in dBFS; -infinity for silence.
    public var peakDecibels: Float { 20 * log10(peak) }
    /// The root mean square in dBFS: a sine at full scale has -3.01; -infinity for silence.
    public var rmsDecibels: Float { 20 * log10(rms) }
}

/// The levels of what a stream has written, so that those of what is being played can be found.
/// They are measured in windows of 512 frames.
struct LevelHistory {
    private static let window: UInt64 = 512
    private let channels: Int
    /// The number of each window that is kept, and its frames so far.
    private var numbers: [UInt64]
    private var frames: [Int]
    /// [window * channels + channel]
    private var peaks: [Float]
    private var sums: [Float]

    /// Keeps at least the last `frames` frames.
    init(channels: Int, frames: Int) {
        self.channels = channels
        let count = frames / Int(Self.window) + 32
        numbers = Array(repeating: .max, count: count)
        self.frames = Array(repeating: 0, count: count)
        peaks = Array(repeating: 0, count: count * channels)
        sums = Array(repeating: 0, count: count * channels)
    }

    /// Measures interleaved frames, the first of which is frame `begin` of the stream.
    mutating func measure(_ samples: [Float], frames: Int, from begin: UInt64) {
        var done = 0
        while done < frames {
            let frame = begin + UInt64(done)
            let count = min(frames - done, Int(Self.window - frame % Self.window))
            measure(samples, done..<(done + count), window: frame / Self.window)
            done += count
        }
    }

    private mutating func measure(_ samples: [Float], _ range: Range<Int>, window number: UInt64) {
        let slot = Int(number % UInt64(numbers.count))
        let isNew = numbers[slot] != number
        numbers[slot] = number
        frames[slot] = (isNew ? 0 : frames[slot]) + range.count
        let channels = channels
        for channel in 0..<channels {
            let (peak, sum) = samples.withUnsafeBufferPointer { samples in
                var (peak, sum): (Float, Float) = (0, 0)
                for frame in range {
                    let sample = samples[frame * channels + channel]
                    peak = max(peak, abs(sample))
                    sum += sample * sample
                }
                return (peak, sum)
            }
            let index = slot * channels + channel
            peaks[index] = isNew ? peak : max(peaks[index], peak)
            sums[index] = (isNew ? 0 : sums[index]) + sum
        }
    }

    /// Returns the level of each channel in the windows that the `length` frames before frame `end`
    /// of the stream touch.
    func levels(before end: UInt64, length: UInt64) -> [AudioLevel] {
        var levels = Array(repeating: AudioLevel(), count: channels)
        guard end > 0 else { return levels }
        var measured = 0
        for number in (end - min(end, length)) / Self.window...(end - 1) / Self.window {
            let slot = Int(number % UInt64(numbers.count))
            guard numbers[slot] == number else { continue }
            measured += frames[slot]
            for channel in 0..<channels {
                levels[channel].peak = max(levels[channel].peak, peaks[slot * channels + channel])
                levels[channel].rms += sums[slot * channels + channel]
            }
        }
        for channel in 0..<channels where measured > 0 {
            levels[channel].rms = (levels[channel].rms / Float(measured)).squareRoot()
        }
        return levels
    }
}
