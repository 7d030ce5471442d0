import AudioRendering
import TestSupport
import Testing

/// Loudness of session buses and outputs, measured off the render thread from the taps of their
/// meters.
@Suite struct LoudnessMeterTests {
    private let output = OutputRoute(firstChannel: 0, channels: 2)

    /// Five seconds at -20 LUFS.
    private var sound: VoiceSource {
        get throws { .buffer(try AudioBuffer(tone(decibels: -20, seconds: 5))) }
    }

    @Test func `a meter measures loudness only on request`() throws {
        #expect(try AudioMeter().loudness == nil)
        let meter = try AudioMeter(loudness: true)
        #expect(meter.measuresLoudness && meter.loudness?.integrated == -.infinity)
        meter.resetLoudness()
    }

    @Test func `the loudness equals that of the device's samples bit by bit`() throws {
        let stage = try EngineFixture(periodFrames: 441)
        let meter = try AudioMeter(loudness: true)
        try stage.engine.setMeter(meter, of: output)
        try stage.engine.play(sound, on: stage.bus)
        var measurement = try LoudnessMeasurement(sampleRate: 48_000, channels: 2)
        for frames in [10_000, 96_000, 5] {
            try measurement.add(stage.driver.render(frames: frames))
            #expect(meter.loudness == measurement.loudness)
        }
        #expect(abs(measurement.momentary + 20) < 0.1)
    }

    @Test func `ducking lowers bus and output by the same amount; a pause silences both`() throws {
        let stage = try EngineFixture()
        let (bus, whole) = (try AudioMeter(loudness: true), try AudioMeter(loudness: true))
        try stage.bus.setMeter(bus)
        try stage.engine.setMeter(whole, of: output)
        try stage.engine.play(sound, on: stage.bus)
        for (decibels, wanted) in [(0.0, -20.0), (-14.0, -34.0), (0.0, -20.0)] {
            stage.gate.set(decibels: decibels)
            try stage.driver.render(frames: 24_000)
            for meter in [bus, whole] { #expect(abs(try #require(meter.loudness).momentary - wanted) < 0.1) }
        }
        let before = try #require(bus.loudness)
        stage.gate.set(paused: true)
        try stage.driver.render(frames: 24_000)
        for meter in [bus, whole] {
            let loudness = try #require(meter.loudness)
            #expect(loudness.momentary < -70)
            #expect(loudness.maximumMomentary == before.maximumMomentary)
        }
    }

    @Test func `a reset begins a new programme`() throws {
        let stage = try EngineFixture()
        let meter = try AudioMeter(loudness: true)
        try stage.bus.setMeter(meter)
        try stage.engine.play(sound, on: stage.bus)
        try stage.driver.render(frames: 96_000)
        #expect(abs(try #require(meter.loudness).integrated + 20) < 0.1)
        meter.resetLoudness()
        let fresh = try #require(meter.loudness)
        #expect(fresh.integrated == -.infinity && fresh.momentary == -.infinity && fresh.maximumShortTerm == -.infinity)
        try stage.bus.setGain(0.1, rampFrames: 0)
        try stage.driver.render(frames: 48_000)
        #expect(abs(try #require(meter.loudness).integrated + 40) < 0.1)
    }

    @Test func `a change of rate or channels continues the programme without losing a frame`() throws {
        let stage = try EngineFixture(channels: 4)
        let meter = try AudioMeter(loudness: true)
        try stage.bus.setMeter(meter)
        try stage.bus.setOutputs([OutputRoute(firstChannel: 2, channels: 2)])
        let sound = try AudioBuffer(tone(decibels: -20, seconds: 6), sampleRate: 48_000)
        try stage.engine.play(.buffer(sound), on: stage.bus)
        try stage.driver.render(frames: 96_000)
        stage.driver.setSampleRate(96_000)
        try stage.bus.setGain(0.5, rampFrames: 0)
        // Frames that are still in the tap when the plan changes are measured before later ones.
        try stage.driver.render(frames: 192_000)
        let loudness = try #require(meter.loudness)
        #expect(abs(loudness.momentary + 26) < 0.1)
        #expect(abs(loudness.maximumMomentary + 20) < 0.1)
        // Two seconds at -20 and two at -26 LUFS.
        #expect(abs(loudness.integrated + 22.04) < 0.2)
        try stage.bus.setOutputs([OutputRoute(firstChannel: 0, channels: 4)])
        try stage.driver.render(frames: 48_000)
        #expect(meter.channels == 4)
        #expect(abs(try #require(meter.loudness).momentary + 26) < 0.1)
        #expect(abs(try #require(meter.loudness).integrated + 22.5) < 0.4)
        #expect(meter.loudness?.droppedFrames == 0)
    }

    @Test func `a detached meter keeps its measurement`() throws {
        let stage = try EngineFixture()
        let meter = try AudioMeter(loudness: true)
        try stage.bus.setMeter(meter)
        try stage.engine.play(sound, on: stage.bus)
        try stage.driver.render(frames: 48_000)
        try stage.bus.setMeter(nil)
        try stage.driver.render(frames: 48_000)
        let loudness = meter.loudness
        try stage.driver.render(frames: 48_000)
        #expect(meter.loudness == loudness && abs((loudness?.momentary ?? 0) + 20) < 0.1)
    }
}
