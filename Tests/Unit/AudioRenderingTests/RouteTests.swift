import AudioRendering
import Foundation
import TestSupport
import Testing

/// Several outputs at once, and inputs.
@Suite struct RouteTests {
    @Test("Every bus is connected to every route, with the standard map or its own")
    func routes() throws {
        let stage = try EngineFixture(channels: 5)
        try stage.engine.setRoutes([
            OutputRoute(firstChannel: 0, channels: 2), OutputRoute(firstChannel: 3, channels: 2),
            OutputRoute(firstChannel: 2, channels: 1),
        ])
        try stage.bus.setMap(ChannelMap.gains([[0, 1], [0.5, 0]]), route: 1)
        let buffer = try AudioBuffer([[Float](repeating: 0.5, count: 1000), [Float](repeating: -0.25, count: 1000)])
        try stage.engine.play(.buffer(buffer), on: stage.bus)
        let output = try stage.driver.render(frames: 100).map { $0[50] }
        #expect(output[0] == 0.5 && output[1] == -0.25)
        #expect(abs(output[2] - 0.125) < 1e-6)
        #expect(output[3] == -0.25 && output[4] == 0.25)
        #expect(stage.engine.takeOutputPeak(channel: 1, route: 1) == 0.25)
        #expect(stage.engine.takeOutputPeak(channel: 0, route: 9) == 0)
    }

    @Test("Routes change during playback: a crossfade without click or gap")
    func changes() throws {
        let stage = try EngineFixture(channels: 4)
        let sine = Signal.sine(frequency: 100, sampleRate: 48_000, frames: 48_000)
        try stage.engine.play(.buffer(AudioBuffer([sine, sine])), on: stage.bus)
        var heard = try stage.driver.render(frames: 1000)
        try stage.engine.setRoutes([OutputRoute(firstChannel: 2, channels: 2)])
        for (channel, plane) in try stage.driver.render(frames: 1000).enumerated() { heard[channel] += plane }
        try stage.engine.setRoutes(nil)
        for (channel, plane) in try stage.driver.render(frames: 1000).enumerated() { heard[channel] += plane }
        for channel in [0, 2] {
            #expect(Signal.largestStep(heard[channel]) < 0.02)
        }
        #expect(Signal.peak(heard[2][1300..<2000]) > 0.4 && Signal.peak(heard[0][1300..<2000]) == 0)
        #expect(Signal.peak(heard[0][2300..<3000]) > 0.4)
    }

    @Test(
        "MULTI-3, MULTI-4: a DJ's main mix and cue have separate outputs; removing one leaves the other bit-identical"
    )
    func dj() throws {
        let stage = try EngineFixture(channels: 4)
        let (main, phones) = (OutputRoute(firstChannel: 0, channels: 2), OutputRoute(firstChannel: 2, channels: 2))
        let sine = Signal.sine(frequency: 100, sampleRate: 48_000, frames: 8_000)
        let other = Signal.sine(frequency: 300, sampleRate: 48_000, frames: 8_000)
        try stage.engine.setRoutes([main, phones])
        let gate = try TestGate()
        let cue = try stage.engine.makeSessionBus(gate: gate.page, owner: gate)
        let (pass, silence) = (try ChannelMap.gains([[1, 0], [0, 1]]), try ChannelMap.gains([[0, 0], [0, 0]]))
        try stage.bus.setMap(pass, route: 0)
        try stage.bus.setMap(silence, route: 1)
        try cue.setMap(silence, route: 0)
        try cue.setMap(pass, route: 1)
        try stage.engine.play(.buffer(AudioBuffer([sine, sine])), on: stage.bus)
        try stage.engine.play(.buffer(AudioBuffer([other, other])), on: cue)
        var heard = try stage.driver.render(frames: 2_000)
        #expect(heard[2] == heard[3] && Array(heard[2]) == Array(other[..<2_000]), "the cue is in the phones only")
        try stage.engine.setRoutes([main])
        for (channel, plane) in try stage.driver.render(frames: 2_000).enumerated() { heard[channel] += plane }
        try stage.engine.setRoutes([main, phones])
        for (channel, plane) in try stage.driver.render(frames: 2_000).enumerated() { heard[channel] += plane }
        #expect(heard[0] == Array(sine[..<6_000]) && heard[1] == heard[0])
        #expect(heard[2][3_000..<4_000].allSatisfy { $0 == 0 } && heard[2][5_000...].contains { $0 != 0 })
    }

    @Test("Invalid routes and maps: a clear error, and nothing changes")
    func badRoutes() throws {
        let stage = try EngineFixture()
        let before = stage.engine.routes
        for routes in [
            [], [OutputRoute(firstChannel: -1, channels: 2)], [OutputRoute(firstChannel: 0, channels: 0)],
            [OutputRoute(firstChannel: 0, channels: 65)],
            [OutputRoute(firstChannel: 0, channels: 1), OutputRoute(firstChannel: 0, channels: 1)],
            (0..<9).map { OutputRoute(firstChannel: $0, channels: 1) },
        ] {
            #expect(throws: AudioEngineError.self) { try stage.engine.setRoutes(routes) }
        }
        #expect(throws: AudioEngineError.self) { try stage.bus.setMap(nil, route: 1) }
        #expect(throws: AudioEngineError.self) { try stage.bus.setMap(ChannelMap.gains([[1]]), route: 0) }
        #expect(stage.engine.routes == before)
    }

    @Test("A bus's gain and its stop apply to all voices that play on it")
    func buses() throws {
        let stage = try EngineFixture()
        let buffer = try AudioBuffer([[Float](repeating: 0.5, count: 5000)])
        let voices = try (0..<3).map { _ in try stage.engine.play(.buffer(buffer), on: stage.bus, gain: 0.5) }
        try stage.bus.setGain(0.5, rampFrames: 0, at: 100)
        try stage.bus.stopAll(fadeFrames: 100, at: 200)
        let output = try stage.driver.render(frames: 400)[0]
        #expect(output[99] == 0.75 && output[100] == 0.375)
        #expect(output[299] == 0)
        #expect(voices.allSatisfy { $0.endReason == .stopped })
    }

    @Test(
        "Input: silent without permission, then every frame with its time, gain and peak; heard in the same cycle")
    func input() throws {
        let stage = try EngineFixture(inputs: 2)
        let input = try stage.engine.makeInput(for: stage.bus, channels: 1, firstChannel: 1)
        try stage.engine.play(.input(input), on: stage.bus)
        let signal = Signal.counting(frames: 2000)
        var output = try stage.driver.render(frames: 1000, inputs: [[], signal])[0]
        #expect(Signal.peak(output) == 0)
        var block = try #require(input.read())
        #expect(block.time == 0 && block.samples == [Float](repeating: 0, count: 1000))
        stage.gate.set(rampMilliseconds: 0, inputGranted: true)
        try input.setGain(0.5, rampFrames: 0)
        output = try stage.driver.render(frames: 1000, inputs: [[], signal])[0]
        #expect(output == signal.prefix(1000).map { $0 * 0.5 })
        block = try #require(input.read(maximumFrames: 600))
        #expect(block.time == 1000 && block.samples.count == 600)
        #expect(input.read()?.time == 1600)
        #expect(input.read() == nil)
        #expect(input.takePeak(channel: 0) == signal[999] * 0.5)
        #expect(input.lostFrames == 0)
    }

    @Test("An input of another engine is refused")
    func foreignInput() throws {
        let (stage, other) = (try EngineFixture(), try EngineFixture())
        let input = try other.engine.makeInput(for: other.bus)
        #expect(throws: AudioEngineError.self) { try stage.engine.play(.input(input), on: stage.bus) }
    }

    @Test("Frames that are not read are counted as lost; a released input frees its slot")
    func inputsCome() throws {
        let stage = try EngineFixture(inputs: 1, configuration: AudioEngine.Configuration(maximumInputs: 1))
        for _ in 0..<5 {
            let input = try stage.engine.makeInput(for: stage.bus, captureFrames: 512)
            #expect(throws: AudioEngineError.noFreeInput(limit: 1)) { try stage.engine.makeInput(for: stage.bus) }
            try stage.driver.render(frames: 2000)
            #expect(input.lostFrames == 2000 - 512)
        }
        #expect(throws: AudioEngineError.self) { try stage.engine.makeInput(for: stage.bus, channels: 0) }
        #expect(throws: AudioEngineError.self) { try stage.engine.makeInput(for: stage.bus, captureFrames: 0) }
    }
}
