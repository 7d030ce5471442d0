import AudioRendering
import Foundation
import TestSupport
import Testing

/// The test signals of EBU Tech 3341 and EBU Tech 3342. Cases 7 and 8 of Tech 3341 are recordings
/// and are not included. Cases 15 to 23 concern the true peak: see test_true_peak.c.
@Suite struct EBULoudnessTests {
    /// A segment of a 1 kHz sine with this peak level and this duration in seconds; nil: silence.
    struct Part: Sendable {
        var decibels: Double?
        var seconds: Double
        static func at(_ decibels: Double, for seconds: Double) -> Part { Part(decibels: decibels, seconds: seconds) }
        static func silence(_ seconds: Double) -> Part { Part(decibels: nil, seconds: seconds) }
    }

    /// Adds the parts to a stereo measurement, and calls `look` every `step` hundredths of a
    /// second.
    private func measure(
        _ parts: [Part], into measurement: inout LoudnessMeasurement, each step: Int = 100,
        look: (Double, borrowing LoudnessMeasurement) -> Void = { _, _ in }
    ) throws {
        for part in parts {
            // A period of 1 kHz has 48 frames, so a hundredth of a second contains whole periods.
            let sine = tone(decibels: part.decibels ?? -200, seconds: Double(step) / 100)
            let block = part.decibels == nil ? sine.map { $0.map { _ in 0 } } : sine
            var left = Int((part.seconds * 48_000).rounded())
            while left > 0 {
                let frames = min(left, block[0].count)
                try measurement.add(block.map { frames == $0.count ? $0 : Array($0[..<frames]) })
                left -= frames
                look(Double(measurement.frames) / 48_000, measurement)
            }
        }
    }

    private func measure(_ parts: [Part]) throws -> Loudness {
        var measurement = try LoudnessMeasurement(sampleRate: 48_000, channels: 2)
        try measure(parts, into: &measurement)
        return measurement.loudness
    }

    private func isNear(_ value: Double, _ wanted: Double, within tolerance: Double = 0.1) -> Bool {
        abs(value - wanted) <= tolerance
    }

    @Test("Tech 3341, cases 1 and 2: a steady tone has one loudness on all three scales", arguments: [-23.0, -33.0])
    func steady(level: Double) throws {
        let loudness = try measure([.at(level, for: 20)])
        #expect(isNear(loudness.momentary, level) && isNear(loudness.shortTerm, level))
        #expect(isNear(loudness.integrated, level))
    }

    @Test(
        "Tech 3341, cases 3, 4 and 5: the gates exclude quiet passages",
        arguments: [
            [.at(-36, for: 10), .at(-23, for: 60), .at(-36, for: 10)],
            [.at(-72, for: 10), .at(-36, for: 10), .at(-23, for: 60), .at(-36, for: 10), .at(-72, for: 10)],
            [.at(-26, for: 20), .at(-20, for: 20.1), .at(-26, for: 20)],
        ] as [[Part]])
    func gates(parts: [Part]) throws {
        #expect(isNear(try measure(parts).integrated, -23))
    }

    @Test("Tech 3341, case 6: five channels, the surrounds weighted", arguments: [5, 6])
    func surround(channels: Int) throws {
        var measurement = try LoudnessMeasurement(sampleRate: 48_000, channels: channels)
        let levels = [-28.0, -28, -24] + (channels == 6 ? [-200] : []) + [-30, -30]
        let planes = levels.map { tone(decibels: $0, seconds: 1)[0] }
        for _ in 0..<20 { try measurement.add(planes) }
        #expect(isNear(measurement.integrated, -23))
    }

    @Test("Tech 3341, case 9: short-term loudness is constant for a repeating pattern of 3 s")
    func shortTerm() throws {
        var measurement = try LoudnessMeasurement(sampleRate: 48_000, channels: 2)
        let pattern = [Part.at(-20, for: 1.34), .at(-30, for: 1.66)]
        try measure((0..<5).flatMap { _ in pattern }, into: &measurement, each: 1) { time, measurement in
            if time >= 3 { #expect(isNear(measurement.shortTerm, -23), "at \(time) s") }
        }
    }

    @Test("Tech 3341, case 10: maximum short-term loudness, wherever 3 s of tone begin", arguments: 0..<20)
    func greatestShortTerm(segment: Int) throws {
        let loudness = try measure([.silence(Double(segment) * 0.15), .at(-23, for: 3), .silence(1)])
        #expect(isNear(loudness.maximumShortTerm, -23))
    }

    @Test("Tech 3341, case 11: maximum short-term loudness, live, for increasingly loud tones")
    func greatestShortTermLive() throws {
        var measurement = try LoudnessMeasurement(sampleRate: 48_000, channels: 2)
        for segment in 0..<20 {
            let (level, late) = (Double(segment) - 38, Double(segment) * 0.15)
            try measure([.silence(late), .at(level, for: 3), .silence(3 - late)], into: &measurement)
            #expect(isNear(measurement.loudness.maximumShortTerm, level), "segment \(segment)")
        }
    }

    @Test("Tech 3341, case 12: momentary loudness is constant for a repeating pattern of 0.4 s")
    func momentary() throws {
        var measurement = try LoudnessMeasurement(sampleRate: 48_000, channels: 2)
        let pattern = [Part.at(-20, for: 0.18), .at(-30, for: 0.22)]
        try measure((0..<25).flatMap { _ in pattern }, into: &measurement, each: 1) { time, measurement in
            if time >= 1 { #expect(isNear(measurement.momentary, -23), "at \(time) s") }
        }
    }

    @Test("Tech 3341, case 13: maximum momentary loudness, wherever 0.4 s of tone begin", arguments: 0..<20)
    func greatestMomentary(segment: Int) throws {
        let loudness = try measure([.silence(Double(segment) * 0.02), .at(-23, for: 0.4), .silence(1)])
        #expect(isNear(loudness.maximumMomentary, -23))
    }

    @Test("Tech 3341, case 14: maximum momentary loudness, live, for increasingly loud tones, on an output's meter")
    func greatestMomentaryLive() throws {
        let stage = try EngineFixture()
        let meter = try AudioMeter(truePeak: false, loudness: true)
        try stage.engine.setMeter(meter, of: OutputRoute(firstChannel: 0, channels: 2))
        for segment in 0..<20 {
            let (level, late) = (Double(segment) - 38, segment * 960)
            try stage.driver.render(frames: late)
            try stage.engine.play(.buffer(AudioBuffer(tone(decibels: level, seconds: 0.4))), on: stage.bus)
            try stage.driver.render(frames: 67_200 - late)
            let loudness = try #require(meter.loudness)
            #expect(isNear(loudness.maximumMomentary, level), "segment \(segment)")
            #expect(loudness.droppedFrames == 0)
        }
    }

    @Test(
        "Tech 3342, cases 1 to 4: loudness range",
        arguments: [([-20, -30], 10), ([-20, -15], 5), ([-40, -20], 20), ([-50, -35, -20, -35, -50], 15)]
            as [([Double], Double)])
    func range(levels: [Double], expected: Double) throws {
        #expect(isNear(try measure(levels.map { .at($0, for: 20) }).range, expected, within: 1))
    }
}
