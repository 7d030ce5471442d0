import AudioRendering
import TestSupport
import Testing

/// Meters of session buses and outputs.
@Suite struct MeterTests {
    private func constant(_ level: Float, frames: Int = 96_000) throws -> VoiceSource {
        .buffer(try AudioBuffer([[Float](repeating: level, count: frames), [Float](repeating: level, count: frames)]))
    }

    @Test func `a bus is measured after its gain and gate, an output at the device`() throws {
        let stage = try EngineFixture()
        let (bus, output) = (try AudioMeter(holdTime: 0.01), try AudioMeter(holdTime: 0.01))
        #expect(bus.channels == 0 && bus.levels.isEmpty && bus.correlation == 0)
        try stage.bus.setMeter(bus)
        try stage.engine.setMeter(output, of: OutputRoute(firstChannel: 0, channels: 2))
        try stage.bus.setGain(0.5, rampFrames: 0)
        try stage.engine.play(constant(0.5), on: stage.bus)
        _ = try stage.driver.render(frames: 4_800)
        #expect(bus.levels.map(\.peak) == [0.25, 0.25])
        #expect(output.levels.map(\.peak) == [0.25, 0.25])
        #expect(abs(bus.correlation - 1) < 1e-4)
        #expect(bus.level(channel: 0).truePeak ?? 0 >= 0.25)
        #expect(bus.level(channel: 9) == bus.level(channel: -1))

        stage.gate.set(paused: true)
        _ = try stage.driver.render(frames: 4_800)
        #expect(bus.levels.map(\.peak) == [0, 0])
        #expect(bus.level(channel: 0).greatestPeak == 0.25)
        bus.reset()
        _ = try stage.driver.render(frames: 256)
        #expect(bus.level(channel: 0).greatestPeak == 0)
    }

    @Test func `a meter follows its bus to an output with other channels, and to another rate`() throws {
        let stage = try EngineFixture(channels: 6)
        let meter = try AudioMeter(holdTime: 0.01, truePeak: false)
        try stage.bus.setMeter(meter)
        #expect(meter.channels == 6)
        try stage.bus.setOutputs([OutputRoute(firstChannel: 2, channels: 2)])
        #expect(meter.channels == 2)
        try stage.engine.play(constant(0.5), on: stage.bus)
        _ = try stage.driver.render(frames: 1_024)
        #expect(meter.level(channel: 1).peak == 0.5)
        #expect(meter.level(channel: 1).truePeak == nil)
        // At twice the rate the hold time is twice as many frames: 10 ms are 960 frames.
        stage.driver.setSampleRate(96_000)
        _ = try stage.driver.render(frames: 960)
        try stage.bus.setGain(0, rampFrames: 0)
        _ = try stage.driver.render(frames: 959)
        #expect(meter.level(channel: 1).peak == 0.5)
        _ = try stage.driver.render(frames: 1_024)
        #expect(meter.level(channel: 1).peak == 0)
        try stage.bus.setGain(1, rampFrames: 0)
        _ = try stage.driver.render(frames: 1_024)
        try stage.bus.setMeter(nil)
        _ = try stage.driver.render(frames: 1_024)
        #expect(meter.level(channel: 1).peak == 0.5, "a detached meter keeps its values")
    }

    @Test func `clipped samples are counted on the output`() throws {
        let stage = try EngineFixture()
        let meter = try AudioMeter()
        try stage.engine.setMeter(meter, of: OutputRoute(firstChannel: 0, channels: 2))
        try stage.engine.play(constant(1.25, frames: 480), on: stage.bus)
        _ = try stage.driver.render(frames: 1_024)
        #expect(meter.levels.map(\.clippedSamples) == [480, 480])
    }

    @Test func `a meter belongs to one engine for that engine's lifetime`() throws {
        let meter = try AudioMeter()
        let other = try EngineFixture()
        weak var engine: AudioEngine?
        do {
            let first = try EngineFixture()
            engine = first.engine
            try first.bus.setMeter(meter)
            try first.bus.setMeter(nil)
            #expect(throws: AudioEngineError.self) { try other.bus.setMeter(meter) }
            #expect(throws: AudioEngineError.self) {
                try other.engine.setMeter(meter, of: OutputRoute(firstChannel: 0, channels: 2))
            }
            try first.bus.setMeter(meter)
            first.engine.close()
        }
        // The meter's own thread may have kept the engine alive.
        #expect(eventually { engine == nil })
        try other.bus.setMeter(meter)
        try other.engine.play(constant(0.5), on: other.bus)
        _ = try other.driver.render(frames: 480)
        #expect(meter.level(channel: 0).peak == 0.5)
    }

    @Test func `invalid values and a meter in two places are refused without effect`() throws {
        #expect(throws: AudioEngineError.self) { try AudioMeter(holdTime: 0) }
        #expect(throws: AudioEngineError.self) { try AudioMeter(holdTime: .nan) }
        #expect(throws: AudioEngineError.self) { try AudioMeter(integrationTime: 61) }
        let stage = try EngineFixture()
        let meter = try AudioMeter(holdTime: 0.01)
        let output = OutputRoute(firstChannel: 0, channels: 2)
        try stage.bus.setMeter(meter)
        #expect(throws: AudioEngineError.self) { try stage.engine.setMeter(meter, of: output) }
        #expect(throws: AudioEngineError.self) {
            try stage.engine.setMeter(AudioMeter(), of: OutputRoute(firstChannel: -1, channels: 2))
        }
        try stage.bus.setMeter(meter)  // setting it again on the same bus is allowed
        try stage.engine.play(constant(0.5), on: stage.bus)
        _ = try stage.driver.render(frames: 480)
        #expect(meter.level(channel: 0).peak == 0.5)
    }
}
