import AudioRendering
import Foundation

/// One of the four stems to mix.
struct Stem {
    var source: VoiceSource
    /// When the voice sings; nil for other stems, and for a silent voice.
    var words: Words?

    /// Creates a stem from a file, which streams during playback. Only the voice's file is also
    /// read in advance, to find its words.
    init(path: String, rate: Int, hasWords: Bool) throws {
        source = .stream(try AudioStream(reader: AudioFile(path: path), sampleRate: rate))
        guard hasWords else { return }
        let file = try AudioFile(path: path)
        var (block, samples): ([Float], [Float]) = ([], [])
        while case let count = file.read(into: &block, maximumFrames: 65_536), count > 0 {
            samples += block.prefix(count * file.channels)
        }
        words = Words(samples, perSecond: file.sampleRate * file.channels)
    }

    /// Creates a stem of twelve seconds. `sample` returns the value at a time, in seconds, of a
    /// channel.
    init(rate: Int, channels: Int = 1, hasWords: Bool = false, _ sample: (_ time: Double, _ channel: Int) -> Double)
        throws
    {
        let planes = (0..<channels).map { channel in
            (0..<(12 * rate)).map { Float(sample(Double($0) / Double(rate), channel)) }
        }
        source = .buffer(try AudioBuffer(planes, sampleRate: rate))
        if hasWords { words = Words(planes[0], perSecond: rate) }
    }
}

/// When the voice sings: the start of the first word, the start of the last word and its end, in
/// seconds.
struct Words {
    var begin, last, end: Double

    /// Finds the words: passages above -40 dB after more than 0.15 s of silence. Returns nil if
    /// there are none.
    init?(_ samples: [Float], perSecond: Int) {
        var loud = samples.indices.lazy.filter { abs(samples[$0]) > 0.01 }.makeIterator()
        guard let first = loud.next() else { return nil }
        var (start, previous) = (first, first)
        while let next = loud.next() {
            if next - previous > perSecond * 3 / 20 { start = next }
            previous = next
        }
        let seconds = { (index: Int) in Double(index) / Double(perSecond) }
        (begin, last, end) = (seconds(first), seconds(start), seconds(previous))
    }
}

extension Stem {
    /// Synthesizes drums, bass, pad and voice: Am, F, C and G at 120 beats per minute.
    static func made(rate: Int) throws -> [Stem] {
        func root(_ time: Double) -> Double { [55, 43.65, 65.41, 49][Int(time / 2) % 4] }
        /// Returns the sum of sines at these multiples of a pitch.
        func tone(_ hertz: Double, _ time: Double, _ parts: [(multiple: Double, gain: Double)]) -> Double {
            parts.reduce(0) { sum, part in sum + part.gain * sin(2 * .pi * hertz * part.multiple * time) }
        }
        var noise: UInt32 = 1  // the same in every run
        let drums = try Stem(rate: rate) { time, _ in
            let (kick, snare, hat) = (time.since(0.5), (time + 0.5).since(1), (time + 0.25).since(0.5))
            noise = noise &* 1_664_525 &+ 1_013_904_223
            let hiss = Double(Int32(bitPattern: noise)) / 2_147_483_648
            return 0.8 * sin(2 * .pi * (48 * kick + 4 * (1 - exp(-30 * kick)))) * exp(-9 * kick)
                + 0.3 * hiss * exp(-18 * snare) + 0.12 * hiss * exp(-60 * hat)
        }
        let bass = try Stem(rate: rate) { time, _ in
            let pluck = time.since(0.25)
            return tone(root(time), time, [(1, 0.4), (2, 0.1), (3, 0.05)]) * exp(-5 * pluck) * min(1, pluck * 200)
        }
        let pad = try Stem(rate: rate, channels: 2) { time, channel in
            let third = root(time) == 55 ? 1.189 : 1.26  // the chord on A is minor
            let swell = min(1, time.since(2) * 20, (2 - time.since(2)) * 20)
            let hertz = root(time) * (channel == 0 ? 3.992 : 4.008)  // detuned, for stereo width
            return swell * tone(hertz, time, [(1, 0.11), (third, 0.11), (1.498, 0.11), (2, 0.08)])
        }
        let melody: [(begin: Double, end: Double, hertz: Double)] = [
            (4, 4.7, 220), (5, 5.4, 261.6), (5.6, 6.7, 246.9), (7, 7.5, 329.6), (7.75, 8.75, 293.7), (9, 9.6, 220),
        ]
        let voice = try Stem(rate: rate, hasWords: true) { time, _ in
            guard let word = melody.first(where: { ($0.begin..<$0.end).contains(time) }) else { return 0 }
            let vibrato = 0.0002 * sin(2 * .pi * 5.5 * time)
            let vowel = tone(
                word.hertz, time + vibrato, [(1, 0.2), (2, 0.35), (3, 0.4), (4, 0.2), (5, 0.15), (6, 0.05)])
            return vowel * min(1, (time - word.begin) * 25, (word.end - time) * 12)
        }
        return [drums, bass, pad, voice]
    }
}

extension Double {
    /// Returns the time since the last multiple of a period.
    fileprivate func since(_ period: Double) -> Double { truncatingRemainder(dividingBy: period) }
}
