import AudioRendering
import Foundation
import TestSupport
import Testing

/// Parameters and results of loudness measurements. EBULoudnessTests checks the values of the EBU
/// test signals.
@Suite struct LoudnessTests {
    private let silence = Loudness.Reading(momentary: -.infinity, shortTerm: -.infinity, integrated: -.infinity)

    @Test func `silence has no loudness, but a duration`() throws {
        var measurement = try LoudnessMeasurement(sampleRate: 48_000, channels: 2)
        #expect(measurement.loudness.reading == silence)
        #expect(measurement.loudness.range == 0 && measurement.loudness.maximumMomentary == -.infinity)
        try measurement.add([[Float](repeating: 0, count: 96_000), [Float](repeating: 0, count: 96_000)])
        #expect(measurement.loudness.reading == silence && measurement.frames == 96_000)
        try measurement.add(tone(decibels: -23, seconds: 1))
        #expect(abs(measurement.momentary + 23) < 0.1)
        // The tone fills a third of the last three seconds.
        #expect(abs(measurement.shortTerm + 23 + 4.77) < 0.1)
        try measurement.add([[Float](repeating: 0, count: 24_000), [Float](repeating: 0, count: 24_000)])
        #expect(measurement.momentary < -70)
        #expect(abs(measurement.loudness.maximumMomentary + 23) < 0.1)
        // Silent blocks of 0.4 s, which start every tenth of a second, are gated: seven blocks
        // contain only the tone, and twice three blocks contain a quarter, a half and three
        // quarters of it.
        #expect(abs(measurement.integrated + 23 - 10 * log10((7 + 2 * 1.5) / 13)) < 0.1)
    }

    @Test func `loudness does not depend on block sizes`() throws {
        let programme = tone(decibels: -20, seconds: 2).map { $0 + tone(decibels: -30, seconds: 2)[0] }
        var whole = try LoudnessMeasurement(sampleRate: 48_000, channels: 2)
        try whole.add(programme)
        for length in [1_000, 37_777, 96_001] {
            var cut = try LoudnessMeasurement(sampleRate: 48_000, channels: 2)
            for first in stride(from: 0, to: programme[0].count, by: length) {
                try cut.add(programme.map { Array($0[first..<min(first + length, $0.count)]) })
            }
            #expect(cut.loudness == whole.loudness)
        }
    }

    @Test func `values that are not finite count as silence and do not affect later ones`() throws {
        var measurement = try LoudnessMeasurement(sampleRate: 48_000, channels: 1)
        try measurement.add([[.nan, .infinity, -.infinity]])
        try measurement.add([tone(decibels: -20, seconds: 4)[0]])
        #expect(abs(measurement.momentary + 23) < 0.1, "a mono program counts once")
    }

    @Test(
        "Channels are weighted as in a WAVE file: surrounds 1.5 dB more, the LFE not at all",
        arguments: [
            (1, [0.0]), (2, [0, 0]), (3, [0, 0, 0]), (4, [0, 0, 1.49, 1.49]), (5, [0, 0, 0, 1.49, 1.49]),
            (6, [0, 0, 0, -.infinity, 1.49, 1.49]), (8, [0, 0, 0, -.infinity, 0, 0, 1.49, 1.49]),
        ] as [(Int, [Double])])
    func weights(channels: Int, expected: [Double]) throws {
        let sine = tone(decibels: -20, seconds: 0.5)[0]
        for (channel, gain) in expected.enumerated() {
            var measurement = try LoudnessMeasurement(sampleRate: 48_000, channels: channels)
            try measurement.add((0..<channels).map { $0 == channel ? sine : sine.map { _ in 0 } })
            let wanted = -23 + gain
            #expect(measurement.momentary == wanted || abs(measurement.momentary - wanted) < 0.05, "channel \(channel)")
        }
    }

    @Test(arguments: [8_000, 11_025, 22_050, 44_100, 96_000, 192_000])
    func `loudness does not depend on the sample rate`(sampleRate: Int) throws {
        var measurement = try LoudnessMeasurement(sampleRate: sampleRate, channels: 2)
        let sine = Signal.sine(frequency: 1000, sampleRate: sampleRate, frames: sampleRate * 4, amplitude: 0.1)
        try measurement.add([sine, sine])
        let loudness = measurement.loudness
        for value in [loudness.momentary, loudness.integrated, loudness.shortTerm, loudness.maximumMomentary] {
            #expect(abs(value + 20) < 0.1)
        }
        #expect(abs(loudness.maximumShortTerm + 20) < 0.1)
    }

    @Test func `buffers of another shape are refused without effect`() throws {
        for (rate, channels) in [(999, 2), (768_001, 2), (48_000, 0), (48_000, 65)] {
            #expect(throws: AudioEngineError.self) { _ = try LoudnessMeasurement(sampleRate: rate, channels: channels) }
        }
        var measurement = try LoudnessMeasurement(sampleRate: 48_000, channels: 2)
        #expect(throws: AudioEngineError.self) { try measurement.add([[0, 0]]) }
        #expect(throws: AudioEngineError.self) { try measurement.add([[0, 0], [0]]) }
        try measurement.add([[], []])
        #expect(measurement.frames == 0)
    }
}

/// Returns a 1 kHz sine at 48 kHz, identical in two channels. Its length is a multiple of a
/// hundredth of a second, and so of whole periods.
func tone(decibels: Double, seconds: Double) -> [[Float]] {
    let amplitude = Float(pow(10, decibels / 20))
    let sine = Signal.sine(
        frequency: 1000, sampleRate: 48_000, frames: Int((seconds * 100).rounded()) * 480, amplitude: amplitude)
    return [sine, sine]
}

extension Loudness {
    /// The current loudness and the integrated loudness.
    struct Reading: Equatable { var momentary, shortTerm, integrated: Double }
    var reading: Reading { Reading(momentary: momentary, shortTerm: shortTerm, integrated: integrated) }
}
