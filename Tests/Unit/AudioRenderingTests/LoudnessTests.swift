import AudioRendering
import Foundation
import TestSupport
import Testing

/// What a measurement of loudness needs to be told and what it tells; the numbers of EBU's test signals are in EBULoudnessTests.
@Suite struct LoudnessTests {
    private let silence = Loudness.Reading(momentary: -.infinity, shortTerm: -.infinity, integrated: -.infinity)

    @Test func `silence is without loudness, and time passes in it`() throws {
        var measurement = try LoudnessMeasurement(sampleRate: 48_000, channels: 2)
        #expect(measurement.loudness.reading == silence)
        #expect(measurement.loudness.range == 0 && measurement.loudness.maximumMomentary == -.infinity)
        try measurement.add([[Float](repeating: 0, count: 96_000), [Float](repeating: 0, count: 96_000)])
        #expect(measurement.loudness.reading == silence && measurement.frames == 96_000)
        try measurement.add(tone(decibels: -23, seconds: 1))
        #expect(abs(measurement.momentary + 23) < 0.1)
        // A third of the last three seconds.
        #expect(abs(measurement.shortTerm + 23 + 4.77) < 0.1)
        try measurement.add([[Float](repeating: 0, count: 24_000), [Float](repeating: 0, count: 24_000)])
        #expect(measurement.momentary < -70)
        #expect(abs(measurement.loudness.maximumMomentary + 23) < 0.1)
        // Of the blocks of 0.4 s, each a tenth later, silent ones are gated: seven hold tone only, and two times three a quarter, a half and three quarters.
        #expect(abs(measurement.integrated + 23 - 10 * log10((7 + 2 * 1.5) / 13)) < 0.1)
    }

    @Test func `it is the same wherever the samples are cut`() throws {
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

    @Test func `what is no number is silence, and spoils nothing that follows`() throws {
        var measurement = try LoudnessMeasurement(sampleRate: 48_000, channels: 1)
        try measurement.add([[.nan, .infinity, -.infinity]])
        try measurement.add([tone(decibels: -20, seconds: 4)[0]])
        #expect(abs(measurement.momentary + 23) < 0.1, "a mono programme counts once")
    }

    @Test(
        "Channels count as a WAVE file's: surrounds 1.5 dB more, the LFE not at all",
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
    func `it is that of the sound, at any rate`(sampleRate: Int) throws {
        var measurement = try LoudnessMeasurement(sampleRate: sampleRate, channels: 2)
        let sine = Signal.sine(frequency: 1000, sampleRate: sampleRate, frames: sampleRate * 4, amplitude: 0.1)
        try measurement.add([sine, sine])
        let loudness = measurement.loudness
        for value in [loudness.momentary, loudness.integrated, loudness.shortTerm, loudness.maximumMomentary] {
            #expect(abs(value + 20) < 0.1)
        }
        #expect(abs(loudness.maximumShortTerm + 20) < 0.1)
    }

    @Test func `other shapes are refused, and change nothing`() throws {
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

/// A sine of 1 kHz at 48 kHz, alike in two channels: so many hundredths of a second as there are, in whole periods.
func tone(decibels: Double, seconds: Double) -> [[Float]] {
    let amplitude = Float(pow(10, decibels / 20))
    let sine = Signal.sine(
        frequency: 1000, sampleRate: 48_000, frames: Int((seconds * 100).rounded()) * 480, amplitude: amplitude)
    return [sine, sine]
}

extension Loudness {
    /// What is told of the moment and of the whole.
    struct Reading: Equatable { var momentary, shortTerm, integrated: Double }
    var reading: Reading { Reading(momentary: momentary, shortTerm: shortTerm, integrated: integrated) }
}
