@testable import AudioPlayback
import AudioRendering
import Foundation
import TestSupport
import Testing

/// The gains that bring sounds to one loudness.
@Suite struct LoudnessNormalizationTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Writes a stereo sine of 1 kHz; by EBU Tech 3341, one of -23 dB of full scale in each channel
    /// has -23 LUFS.
    private func sine(_ level: Double, seconds: Double = 5, rate: Int = 48_000) throws -> PlaybackSource {
        let amplitude = Float(pow(10, level / 20))
        let plane = Signal.sine(
            frequency: 1_000, sampleRate: rate, frames: Int(seconds * Double(rate)), amplitude: amplitude)
        let path = directory.file("\(level)-\(seconds)-\(rate).wav")
        try SoundFile.write([plane, plane], sampleRate: rate, to: path)
        return .file(path)
    }

    private func decibels(_ gain: Float) -> Double { 20 * log10(Double(gain)) }

    @Test(
        "A sine of -23 LUFS is raised to the target, one of -10 LUFS is lowered", arguments: [44_100, 48_000, 96_000])
    func target(rate: Int) throws {
        let normalization = LoudnessNormalization()
        #expect(abs(decibels(try normalization.gain(for: sine(-23, rate: rate))) - 5) < 0.1)
        #expect(abs(decibels(try normalization.gain(for: sine(-10, rate: rate))) + 8) < 0.1)
        #expect(abs(decibels(try LoudnessNormalization(target: -23).gain(for: sine(-23, rate: rate)))) < 0.1)
    }

    @Test("A peak limits the gain, so that nothing clips")
    func peak() throws {
        var plane = Signal.sine(frequency: 1_000, sampleRate: 48_000, frames: 480_000, amplitude: 0.01)
        plane[1_000] = 0.8
        try SoundFile.write([plane, plane], sampleRate: 48_000, to: directory.file("peak.wav"))
        let gain = try LoudnessNormalization().gain(for: .file(directory.file("peak.wav")))
        #expect(abs(decibels(gain) - (-1 - 20 * log10(0.8))) < 1e-3)
        let looser = LoudnessNormalization(maximumPeak: 12)
        #expect(decibels(try looser.gain(for: .file(directory.file("peak.wav")))) > 10)
    }

    @Test("An album keeps the differences of its tracks, also at different sample rates")
    func album() throws {
        let (loud, soft) = (try sine(-20), try sine(-30, rate: 44_100))
        let normalization = LoudnessNormalization()
        let gain = decibels(try normalization.gain(forAll: [loud, soft]))
        // The relative gate of EBU R 128 excludes what is more than 10 LU below the loudness.
        #expect(gain > decibels(try normalization.gain(for: loud)) - 0.1)
        #expect(gain < decibels(try normalization.gain(for: soft)))
    }

    @Test("Silence, a sound that is too short, near silence and odd settings give a usable gain")
    func limits() throws {
        let silence = [Float](repeating: 0, count: 48_000)
        try SoundFile.write([silence], sampleRate: 48_000, to: directory.file("silence.wav"))
        let normalization = LoudnessNormalization()
        #expect(try normalization.gain(for: .file(directory.file("silence.wav"))) == 1)
        #expect(try normalization.gain(for: sine(-20, seconds: 0.1)) == 1)
        #expect(abs(decibels(try normalization.gain(for: sine(-65))) - 24) < 1e-3)
        #expect(LoudnessNormalization(target: .nan).gain(loudness: -20, peak: 0.5) == 1)
        #expect(abs(decibels(LoudnessNormalization(maximumPeak: .nan).gain(loudness: -20, peak: 0.5)) - 2) < 1e-3)
        #expect(throws: AudioFileError.notFound(path: "/none.wav")) { try normalization.gain(for: .file("/none.wav")) }
        #expect(try normalization.gain(forAll: []) == 1)
        #expect(normalization.gain(loudness: -20, peak: .infinity) == 1)
        let buffers = try AudioBufferQueue(channels: 1, sampleRate: 48_000)
        #expect(throws: AudioEngineError.self) { try normalization.gain(for: .queue(buffers)) }
    }

    @Test("A queue plays its items at one loudness")
    func queue() throws {
        let fixture = try StereoFixture()
        let queue = try fixture.queue()
        for source in [try sine(-30), try sine(-12)] {
            queue.append(source, gain: try LoudnessNormalization().gain(for: source))
        }
        try queue.play()
        let output = try fixture.render(480_000)[0]
        let (first, second) = (Signal.rms(output[48_000..<96_000]), Signal.rms(output[288_000..<336_000]))
        #expect(abs(20 * log10(first / second)) < 0.1)
    }
}
