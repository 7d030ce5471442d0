import Foundation

/// Test signals, and measurements of the output.
public enum Signal {
    /// A sine of `frequency` Hz at `amplitude`.
    public static func sine(frequency: Double, sampleRate: Int, frames: Int, amplitude: Float = 0.5) -> [Float] {
        (0..<frames).map { amplitude * Float(sin(2 * .pi * frequency * Double($0) / Double(sampleRate))) }
    }

    /// Returns the signal with raised-cosine fades of `frames` at both ends, which avoid the corner
    /// of an abrupt start or end.
    public static func rounded(_ samples: [Float], frames: Int) -> [Float] {
        let gains = (0..<frames).map { Float(0.5 - 0.5 * cos(Double.pi * Double($0) / Double(frames))) }
        var samples = samples
        for (index, gain) in gains.enumerated() {
            samples[index] *= gain
            samples[samples.count - 1 - index] *= gain
        }
        return samples
    }

    /// Returns the first and the last frame above `threshold`, or nil if there is none.
    public static func extent(of samples: [Float], above threshold: Float) -> (first: Int, last: Int)? {
        guard let first = samples.firstIndex(where: { abs($0) > threshold }) else { return nil }
        return (first, samples.lastIndex { abs($0) > threshold } ?? first)
    }

    /// Returns a signal in which every frame encodes its index: (i + 1) / 2^20, exact in a float
    /// for a million frames.
    public static func counting(frames: Int) -> [Float] {
        (0..<frames).map { Float($0 + 1) / 1_048_576 }
    }

    /// Returns the frames that are not followed by their successor in a looped `counting` signal of
    /// `period` frames. A cycle that the server missed is silent and yields two of them.
    public static func breaks(inCounting samples: some Collection<Float>, period: Int) -> [Int] {
        let numbers = samples.map { Int(($0 * 1_048_576).rounded()) }
        return zip(numbers, numbers.dropFirst()).enumerated().filter { _, pair in pair.1 != pair.0 % period + 1 }
            .map(\.offset)
    }

    /// Describes the first break in a `counting` signal that may begin at any number, or returns
    /// nil if there is none. With `mayMissCycles`, whole cycles may be missing, and up to half of
    /// them silent: PipeWire skips a late client, while a synchronous jackd waits for it. Before
    /// missing cycles, the rest of a cycle may be that of a later one, in one of a hundred cycles
    /// and in one more: a client that is late while it reads a buffer reads what the sender has
    /// written there for a later cycle.
    public static func firstBreak(
        inCounting samples: some RandomAccessCollection<Float>, cycle frames: Int, mayMissCycles: Bool
    ) -> String? {
        let numbers = samples.map { Int(($0 * 1_048_576).rounded()) }
        var next = numbers.first ?? 0
        var (silent, overwritten) = (0, 0)
        for begin in stride(from: 0, to: numbers.count, by: frames) {
            let cycle = numbers[begin..<min(begin + frames, numbers.count)]
            if mayMissCycles {
                if cycle.allSatisfy({ $0 == 0 }) {
                    silent += cycle.count
                    continue
                }
                let skipped = (cycle.first ?? next) - next
                if skipped > 0, skipped.isMultiple(of: frames) { next += skipped }
            }
            func firstWrong(from index: Int, ahead: Int = 0) -> Int? {
                (index..<cycle.endIndex).first { cycle[$0] != next + ahead + $0 - begin }
            }
            if let wrong = firstWrong(from: begin) {
                let expected = next + wrong - begin
                let ahead = cycle[wrong] - expected
                let isLater = ahead > 0 && ahead.isMultiple(of: frames) && firstWrong(from: wrong, ahead: ahead) == nil
                let following = cycle.endIndex < numbers.endIndex ? numbers[cycle.endIndex] : next
                let isFollowed = following == 0 || following >= next + max(ahead, 2 * frames)
                overwritten += 1
                guard mayMissCycles, isLater, isFollowed, overwritten * 100 <= numbers.count / frames + 100 else {
                    return "frame \(wrong): \(cycle[wrong]) is not \(expected)"
                }
            }
            next += cycle.count
        }
        return silent * 2 > numbers.count ? "\(silent) of \(numbers.count) frames are silent" : nil
    }

    /// Converts a linear gain to decibels.
    public static func decibels(_ gain: Float) -> Double { 20 * log10(Double(gain)) }

    /// Describes the first difference between two signals, or returns nil if all bits are equal. A
    /// failed expectation then names the position instead of printing both signals.
    public static func firstDifference(_ a: some Collection<Float>, _ b: some Collection<Float>) -> String? {
        if let first = zip(a, b).enumerated().first(where: { $0.element.0.bitPattern != $0.element.1.bitPattern }) {
            return "frame \(first.offset): \(first.element.0) is not \(first.element.1)"
        }
        return a.count == b.count ? nil : "\(a.count) frames are not \(b.count)"
    }

    /// Returns the root mean square.
    public static func rms(_ samples: some Collection<Float>) -> Double {
        guard !samples.isEmpty else { return 0 }
        return (samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(samples.count)).squareRoot()
    }

    /// Returns the largest step from one sample to the next, in which a click stands out.
    public static func largestStep(_ samples: some Collection<Float>) -> Float {
        zip(samples, samples.dropFirst()).reduce(0) { max($0, abs($1.1 - $1.0)) }
    }

    /// Returns the largest magnitude.
    public static func peak(_ samples: some Collection<Float>) -> Float {
        samples.reduce(0) { max($0, abs($1)) }
    }

    /// Returns the frequency in Hz of a clean sine, from the phases of a windowed correlation at
    /// two positions: exact to far below 0.1 cent.
    public static func frequency(of samples: [Float], near guess: Double, sampleRate: Int) -> Double {
        let length = samples.count / 2
        let first = phase(samples[0..<length], frequency: guess, sampleRate: sampleRate, offset: 0)
        let second = phase(samples[length..<(2 * length)], frequency: guess, sampleRate: sampleRate, offset: length)
        var turn = second - first
        turn -= 2 * .pi * (turn / (2 * .pi)).rounded()
        return guess + turn / (2 * .pi) * Double(sampleRate) / Double(length)
    }

    private static func phase(
        _ samples: ArraySlice<Float>, frequency: Double, sampleRate: Int, offset: Int
    ) -> Double {
        var real = 0.0
        var imaginary = 0.0
        for (index, sample) in samples.enumerated() {
            let window = 0.5 - 0.5 * cos(2 * .pi * (Double(index) + 0.5) / Double(samples.count))
            let angle = 2 * .pi * frequency * Double(index + offset) / Double(sampleRate)
            real += Double(sample) * window * cos(angle)
            imaginary -= Double(sample) * window * sin(angle)
        }
        return atan2(imaginary, real)
    }

    /// Returns the difference of two frequencies in cents.
    public static func cents(_ a: Double, _ b: Double) -> Double { abs(1200 * log2(a / b)) }
}

/// A directory that is removed with the object.
public final class TemporaryDirectory: Sendable {
    public let path: String

    /// Creates the directory in `parent`; nil: where the system wants temporary files.
    public init(in parent: String? = nil) throws {
        let folder = parent.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        let url = folder.appendingPathComponent("audio-session-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the path of a file in the directory.
    public func file(_ name: String) -> String { path + "/" + name }
}
