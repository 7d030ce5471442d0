import AudioRendering
import Foundation
import TestSupport
import Testing

/// Limiters of outputs.
@Suite struct LimiterTests {
    private let output = OutputRoute(firstChannel: 0, channels: 2)
    /// -1 dB.
    private let ceiling: Float = pow(10, -1 / 20)

    private func tone(_ level: Float, frames: Int = 96_000) throws -> VoiceSource {
        let samples = (0..<frames).map { level * sin(2 * .pi * 997 * Float($0) / 48_000) }
        return .buffer(try AudioBuffer([samples, samples]))
    }

    @Test func `an output stays below its ceiling and reports gain reduction and latency`() throws {
        let stage = try EngineFixture()
        let limiter = try AudioLimiter()
        #expect(limiter.latencyFrames == 0 && limiter.gainReduction == 0)
        try stage.engine.setLimiter(limiter, of: output)
        #expect(limiter.latencyFrames == 96 + 143)
        _ = try stage.driver.render(frames: 1_024)  // the limiter fades in with a crossfade
        try stage.engine.play(tone(4), on: stage.bus)
        let rendered = try stage.driver.render(frames: 24_000)
        for channel in rendered {
            let peak = channel.map(abs).max() ?? 0
            #expect(peak < ceiling && peak > ceiling * 0.95)
        }
        // From 12 dB above full scale to a quarter of a decibel below the ceiling.
        #expect(abs(limiter.gainReduction - (12.04 + 1.25)) < 0.1)
    }

    @Test func `a signal below the ceiling is only delayed by the latency`() throws {
        let (plain, limited) = (try EngineFixture(), try EngineFixture())
        let limiter = try AudioLimiter()
        try limited.engine.setLimiter(limiter, of: output)
        var rendered: [[Float]] = []
        for stage in [plain, limited] {
            _ = try stage.driver.render(frames: 1_024)
            try stage.engine.play(tone(0.5), on: stage.bus)
            rendered.append(try #require(stage.driver.render(frames: 4_800).first))
        }
        let latency = limiter.latencyFrames
        #expect(Signal.firstDifference(Array(rendered[1][latency...]), Array(rendered[0].dropLast(latency))) == nil)
        #expect(rendered[1][..<latency].allSatisfy { $0 == 0 })
        #expect(limiter.gainReduction == 0)
    }

    @Test func `the meter and the capture receive the limited signal`() throws {
        let stage = try EngineFixture()
        let meter = try AudioMeter()
        try stage.engine.setMeter(meter, of: output)
        try stage.engine.setLimiter(AudioLimiter(ceilingDecibels: -6), of: output)
        _ = try stage.driver.render(frames: 1_024)  // the limiter fades in with a crossfade
        try stage.engine.play(tone(1), on: stage.bus)
        _ = try stage.driver.render(frames: 9_600)
        let peak = try #require(meter.level(channel: 0).greatestTruePeak)
        #expect(peak <= pow(10, -6 / 20) && peak > pow(10, -6.4 / 20))
    }

    @Test func `the limiter follows its output's rate, and is removed without a click`() throws {
        let stage = try EngineFixture()
        let limiter = try AudioLimiter(ceilingDecibels: -6, lookahead: 0.004)
        try stage.engine.setLimiter(limiter, of: output)
        #expect(limiter.latencyFrames == 192 + 143)
        stage.driver.setSampleRate(96_000)
        #expect(limiter.latencyFrames == 384 + 143)
        stage.driver.setSampleRate(48_000)
        try stage.engine.play(tone(1), on: stage.bus)
        let before = try #require(stage.driver.render(frames: 9_600).first)
        #expect(limiter.gainReduction > 5)
        try stage.engine.setLimiter(nil, of: output)
        #expect(limiter.latencyFrames == 0 && limiter.gainReduction == 0)
        let after = try #require(stage.driver.render(frames: 9_600).first)
        #expect(Signal.largestStep(before.suffix(4_800) + after) < 0.15)
        #expect(after.suffix(4_800).map(abs).max() ?? 0 > 0.99)
    }

    @Test func `a limiter without a connected bus neither limits nor delays`() throws {
        let stage = try EngineFixture(channels: 4)
        let limiter = try AudioLimiter()
        try stage.engine.setLimiter(limiter, of: OutputRoute(firstChannel: 2, channels: 2))
        #expect(limiter.latencyFrames == 0)
        try stage.bus.setOutputs([OutputRoute(firstChannel: 2, channels: 2)])
        #expect(limiter.latencyFrames > 0)
        try stage.bus.setOutputs([OutputRoute(firstChannel: 0, channels: 2)])
        #expect(limiter.latencyFrames == 0)
    }

    @Test func `invalid values, a limiter for two outputs and one of another engine are refused without effect`()
        throws
    {
        for ceiling: Float in [0.1, -61, .nan, .infinity] {
            #expect(throws: AudioEngineError.self) { try AudioLimiter(ceilingDecibels: ceiling) }
        }
        for lookahead: Double in [0, 0.0004, 0.021, .nan] {
            #expect(throws: AudioEngineError.self) { try AudioLimiter(lookahead: lookahead) }
        }
        for release: Double in [0, 5.1, -.infinity] {
            #expect(throws: AudioEngineError.self) { try AudioLimiter(release: release) }
        }
        let (stage, other) = (try EngineFixture(channels: 4), try EngineFixture())
        // The limits of the ranges are accepted.
        for limiter in [
            try AudioLimiter(ceilingDecibels: -60, lookahead: 0.0005, release: 0.001),
            try AudioLimiter(ceilingDecibels: 0, lookahead: 0.02, release: 5),
        ] {
            try other.engine.setLimiter(limiter, of: output)
            #expect(limiter.latencyFrames > 0)
        }
        let limiter = try AudioLimiter()
        let whole = OutputRoute(firstChannel: 0, channels: 4)
        try stage.engine.setLimiter(limiter, of: whole)
        #expect(throws: AudioEngineError.self) { try stage.engine.setLimiter(limiter, of: output) }
        #expect(throws: AudioEngineError.self) { try other.engine.setLimiter(limiter, of: output) }
        #expect(throws: AudioEngineError.self) {
            try stage.engine.setLimiter(AudioLimiter(), of: OutputRoute(firstChannel: -1, channels: 2))
        }
        #expect(limiter.latencyFrames > 0)
        // Setting it again for the same output is allowed.
        try stage.engine.setLimiter(limiter, of: whole)
        try stage.engine.setLimiter(nil, of: whole)
        try stage.engine.setLimiter(limiter, of: output)
    }
}
