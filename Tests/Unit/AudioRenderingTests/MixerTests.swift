import AudioRendering
import TestSupport
import Testing

/// Mixers: buses under session buses, as an app uses them.
@Suite struct MixerTests {
    private func sine(_ hertz: Double, frames: Int = 48_000) throws -> VoiceSource {
        let plane = Signal.sine(frequency: hertz, sampleRate: 48_000, frames: frames, amplitude: 0.2)
        return .buffer(try AudioBuffer([plane, plane]))
    }

    @Test func `a mixer's output equals the computed sum`() throws {
        let stage = try EngineFixture()
        try stage.bus.setGraph(
            BusGraph(
                buses: [
                    .init("snare", to: "drums", gain: 0.5), .init("drums", panLaw: .linear, pan: 0.5),
                    .init("vocals", isMuted: true), .init("reverb", gain: 0.25), .init("gone", isMuted: true),
                ], sends: [.init(from: "vocals", to: "reverb", level: 0.5), .init(from: "drums", to: "reverb")]))
        try stage.bus.bus("vocals").setMuted(false, rampFrames: 0)
        let flat = try EngineFixture()
        // With the linear law, halfway to the right, the left channel has half of its center level
        // and the right channel all of it. Each send adds a quarter, or half of that.
        let sums: [(String, Double, [Float])] = [
            ("snare", 440, [0.5 * 0.5 * 1.25, 0.5 * 1.25]), ("drums", 550, [0.5 * 1.25, 1.25]),
            ("vocals", 660, [1.125, 1.125]), ("reverb", 770, [0.25, 0.25]), ("gone", 880, [0, 0]),
        ]
        for (name, hertz, gains) in sums {
            try stage.engine.play(sine(hertz), on: stage.bus.bus(name))
            try flat.engine.play(
                sine(hertz), on: flat.bus, map: ChannelMap.gains([[gains[0], 0], [0, gains[1]]]))
        }
        try stage.engine.play(sine(990), on: stage.bus)
        try flat.engine.play(sine(990), on: flat.bus)
        for (a, b) in zip(try stage.driver.render(frames: 24_000), try flat.driver.render(frames: 24_000)) {
            #expect(zip(a, b).allSatisfy { abs($0 - $1) < 1e-6 })
            #expect(Signal.peak(a) > 0.3)
        }
    }

    @Test func `gains, pans, mutes and sends act as on a mixer`() throws {
        let stage = try EngineFixture()
        try stage.bus.setGraph(
            BusGraph(
                buses: [.init("drums"), .init("hall", gain: 0)], sends: [.init(from: "drums", to: "hall", level: 0)]))
        let drums = try stage.engine.bus("drums")
        #expect(drums.name == "drums" && drums.channels == 2 && drums.session === stage.bus)
        try stage.engine.play(steady(), on: drums)
        func level(after frames: Int = 240) throws -> [Float] {
            _ = try stage.driver.render(frames: frames)
            return try stage.driver.render(frames: 1).map { $0[0] }
        }
        #expect(try level() == [0.25, 0.25])
        drums.gain = 0.5
        let ramp = try stage.driver.render(frames: 480)[0]
        #expect(Signal.largestStep([0.25] + ramp) < 0.0006 && ramp[239...].allSatisfy { $0 == 0.125 })
        #expect(drums.gain == 0.5)
        drums.pan = 1
        #expect(try level().map { abs($0) < 1e-6 } == [true, false] && drums.pan == 1)
        try drums.setPan(0, rampFrames: 0)
        drums.isMuted = true
        #expect(try level() == [0, 0] && drums.isMuted && drums.gain == 0.5)
        drums.isMuted = false
        #expect(try level() == [0.125, 0.125])
        let hall = try stage.bus.bus("hall")
        hall.gain = 1
        try drums.send(to: "hall").level = 1
        #expect(try level() == [0.25, 0.25] && drums.send(to: "hall").level == 1)
        try drums.send(to: "hall").setLevel(0, rampFrames: 0)
        hall.isSoloed = true
        #expect(try level() == [0, 0] && hall.isSoloed, "a bus that only sends to a soloed bus is silent")
        drums.isSoloed = true
        #expect(try level() == [0.125, 0.125])
        stage.bus.gain = 0.5
        #expect(try level() == [0.0625, 0.0625] && stage.bus.gain == 0.5)
        stage.bus.isMuted = true
        #expect(try level() == [0, 0])
        // At a future frame.
        stage.bus.isMuted = false
        try drums.setGain(0, rampFrames: 0, at: stage.engine.currentFrame + 1_000)
        let timed = try stage.driver.render(frames: 1_200)[0]
        #expect(timed[999] == 0.0625 && timed[1_000] == 0 && drums.gain == 0)
    }

    @Test func `solo silences the session's other buses, except solo-safe ones`() throws {
        let stage = try EngineFixture()
        try stage.bus.setGraph(
            BusGraph(
                buses: [.init("a"), .init("b"), .init("hall", isSoloSafe: true)], sends: [.init(from: "a", to: "hall")])
        )
        let (a, b) = (try stage.bus.bus("a"), try stage.bus.bus("b"))
        try stage.engine.play(steady(0.25), on: a)
        try stage.engine.play(steady(0.125), on: b)
        let gate = try TestGate()
        let other = try stage.engine.makeSessionBus(gate: gate.page, owner: gate)
        try stage.engine.play(steady(0.0625), on: other)
        func level() throws -> Float {
            _ = try stage.driver.render(frames: 480)
            return try stage.driver.render(frames: 1)[0][0]
        }
        #expect(try level() == 0.6875)
        a.isSoloed = true
        #expect(try level() == 0.5625, "a, its hall, and the other session")
        try a.setSoloed(false, rampFrames: 0)
        b.isSoloed = true
        #expect(try level() == 0.1875)
        b.isMuted = true
        #expect(try level() == 0.0625)
    }

    @Test func `invalid values have no effect, and the throwing variants explain them`() throws {
        let stage = try EngineFixture()
        try stage.bus.setGraph(
            BusGraph(buses: [.init("a"), .init("b", panLaw: nil)], sends: [.init(from: "a", to: "b", level: 0)]))
        let (a, b) = (try stage.bus.bus("a"), try stage.bus.bus("b"))
        let send = try a.send(to: "b")
        try stage.engine.play(steady(), on: a)
        (a.gain, a.gain, a.pan, a.pan) = (.nan, .infinity, 1.01, .nan)
        (b.pan, send.level, stage.bus.gain) = (0.5, -.infinity, .nan)
        #expect([a.gain, a.pan, b.pan, send.level, stage.bus.gain] == [1, 0, 0, 0, 1])
        #expect(throws: AudioEngineError.invalidArgument(what: "a gain of nan of bus 'a'")) {
            try a.setGain(.nan, rampFrames: 0)
        }
        #expect(throws: AudioEngineError.invalidArgument(what: "a gain of inf of the session's bus")) {
            try stage.bus.setGain(.infinity, rampFrames: 0)
        }
        #expect(
            throws: AudioEngineError.invalidArgument(what: "a pan of -2.0 (valid: -1 left to 1 right) of bus 'a'")
        ) { try a.setPan(-2, rampFrames: 0) }
        #expect(
            throws: AudioEngineError.invalidArgument(
                what: "a pan of bus 'b', which has no pan law; set its panLaw in the graph")
        ) { try b.setPan(0, rampFrames: 0) }
        #expect(throws: AudioEngineError.invalidArgument(what: "a level of nan of the send from 'a' to 'b'")) {
            try send.setLevel(.nan, rampFrames: 0)
        }
        #expect(try stage.driver.render(frames: 480)[0].allSatisfy { $0 == 0.25 })
    }

    @Test func `gains, pans and send levels follow breakpoints to the frame`() throws {
        let stage = try EngineFixture()
        try stage.bus.setGraph(
            BusGraph(
                buses: [.init("a", panLaw: .linear), .init("b", panLaw: nil)],
                sends: [.init(from: "a", to: "b", level: 0)]))
        let (a, b) = (try stage.bus.bus("a"), try stage.bus.bus("b"))
        try stage.engine.play(steady(), on: a)
        let begin = stage.engine.currentFrame
        func points(_ from: Float, _ to: Float, at frame: UInt64) -> [AutomationPoint] {
            [
                AutomationPoint(frame: begin + frame, value: from),
                AutomationPoint(frame: begin + frame + 500, value: to, curve: .s),
            ]
        }
        try a.automateGain(points(1, 0.5, at: 1_000))
        try a.automatePan(points(0, 1, at: 2_000))
        try a.send(to: "b").automateLevel(points(0, 1, at: 3_000))
        try stage.bus.automateGain(points(1, 0, at: 4_000))
        #expect(try a.gain == 0.5 && a.pan == 1 && a.send(to: "b").level == 1 && stage.bus.gain == 0)
        let output = try stage.driver.render(frames: 5_000)
        #expect([999, 1_500, 2_000].map { output[0][$0] } == [0.25, 0.125, 0.125])
        #expect(output[0][2_499] > 0 && output[0][2_500] == 0 && output[1][2_500] == 0.125)
        #expect([3_000, 3_500, 4_000].map { output[1][$0] } == [0.125, 0.25, 0.25])
        #expect(abs(output[0][1_250] - 0.1875) < 1e-6 && abs(output[1][3_250] - 0.1875) < 1e-6, "halfway, at half")
        #expect(output[1][4_499] > 0 && output[1][4_500] == 0)
        #expect(throws: AudioEngineError.self) { try a.automateGain(points(.nan, 1, at: 6_000)) }
        #expect(throws: AudioEngineError.self) { try a.automatePan(points(0, 2, at: 6_000)) }
        #expect(throws: AudioEngineError.self) { try b.automatePan(points(0, 1, at: 6_000)) }
        #expect(a.gain == 0.5 && a.pan == 1)
        try a.setGain(1, rampFrames: 100, curve: .exponential)
        try a.automateGain([])
        #expect(a.gain == 1)
    }

    @Test func `buses and sends are found by name; unknown names are reported`() throws {
        let stage = try EngineFixture()
        #expect(throws: AudioEngineError.noSuchBus(name: "drums", among: [])) { try stage.engine.bus("drums") }
        try stage.bus.setGraph(
            BusGraph(buses: [.init("drums"), .init("hall")], sends: [.init(from: "drums", to: "hall")]))
        let error = #expect(throws: AudioEngineError.self) { try stage.bus.bus("drumz") }
        #expect(error?.description == "Unknown bus 'drumz'. Buses: 'drums', 'hall'.")
        let noSend = #expect(throws: AudioEngineError.self) { try stage.bus.bus("hall").send(to: "drums") }
        #expect(noSend?.description == "Bus 'hall' has no send to 'drums'; its sends: none.")
        let noTarget = #expect(throws: AudioEngineError.self) { try stage.bus.bus("drums").send(to: "echo") }
        #expect(noTarget?.description == "Bus 'drums' has no send to 'echo'; its sends: 'hall'.")
        #expect(stage.bus.buses.map(\.name) == ["drums", "hall"])

        let gate = try TestGate()
        let other = try stage.engine.makeSessionBus(gate: gate.page, owner: gate)
        try other.setGraph(BusGraph(buses: [.init("drums"), .init("bass")]))
        let ambiguous = #expect(throws: AudioEngineError.self) { try stage.engine.bus("drums") }
        #expect(
            ambiguous?.description
                == "2 sessions have a bus 'drums'; look it up on the session's bus (SessionBus.bus).")
        #expect(try stage.engine.bus("bass").session === other && stage.engine.bus("hall").session === stage.bus)
        // Each session has its own buses: gains are independent.
        try other.bus("drums").setGain(0, rampFrames: 0)
        #expect(try stage.bus.bus("drums").gain == 1)
        try stage.engine.play(steady(), on: stage.bus.bus("drums"))
        try stage.bus.bus("drums").send(to: "hall").setLevel(0, rampFrames: 0)
        try stage.engine.play(steady(), on: other.bus("drums"))
        #expect(try stage.driver.render(frames: 256)[0].allSatisfy { $0 == 0.25 })
    }

    @Test func `sounds play on a mixer's buses, from the queues of many threads`() throws {
        let stage = try EngineFixture()
        try stage.bus.setGraph(BusGraph(buses: [.init("drums", gain: 0.5)]))
        let sound = try stage.engine.makeSound(AudioBuffer([[0.5, 0.5], [0.5, 0.5]]), on: stage.bus.bus("drums"))
        let queue = try stage.engine.makeCommandQueue()
        try queue.trigger(sound)
        #expect(try stage.driver.render(frames: 4)[1] == [0.25, 0.25, 0, 0])
    }

    @Test func `voices are listed and stopped for a bus and its ancestors`() throws {
        let stage = try EngineFixture()
        try stage.bus.setGraph(BusGraph(buses: [.init("snare", to: "drums"), .init("drums"), .init("bass")]))
        let ends = EventLog<Int>()
        let observation = stage.engine.observe { if case .busEnded(let bus) = $0 { ends.note(bus) } }
        let voice = try stage.engine.play(steady(), on: stage.bus.bus("snare"))
        let other = try stage.engine.play(steady(), on: stage.bus.bus("bass"))
        _ = try stage.driver.render(frames: 256)
        #expect(try stage.bus.hasPlayingVoices && stage.bus.bus("drums").hasPlayingVoices)
        try stage.bus.bus("drums").stopAll(fadeFrames: 240)
        _ = try stage.driver.render(frames: 512)
        #expect(voice.state == .ended && other.state == .playing && ends.noted.isEmpty)
        #expect(try !stage.bus.bus("drums").hasPlayingVoices && stage.bus.hasPlayingVoices)
        try stage.bus.stopAll()
        _ = try stage.driver.render(frames: 512)
        #expect(other.state == .ended && !stage.bus.hasPlayingVoices)
        #expect(ends.noted == [stage.bus.slot], "the session's bus ends with the last voice on its mixer")
        observation.cancel()
    }

    @Test func `a meter measures a bus of the mixer on any route`() throws {
        let stage = try EngineFixture()
        try stage.bus.setGraph(BusGraph(buses: [.init("snare", to: "drums"), .init("drums")]))
        let (snare, drums) = (try AudioMeter(holdTime: 0.01), try AudioMeter(holdTime: 0.01))
        try stage.bus.bus("snare").setMeter(snare)
        try stage.bus.bus("drums").setMeter(drums)
        #expect(throws: AudioEngineError.self) { try stage.bus.setMeter(drums) }
        try stage.bus.bus("drums").setGain(0.5, rampFrames: 0)
        try stage.engine.play(steady(), on: stage.bus.bus("snare"))
        _ = try stage.driver.render(frames: 4_800)
        #expect(snare.levels.map(\.peak) == [0.25, 0.25] && drums.levels.map(\.peak) == [0.125, 0.125])
        try stage.bus.setGraph(BusGraph(buses: [.init("snare"), .init("drums", channels: 1)]))
        _ = try stage.driver.render(frames: 4_800)
        #expect(snare.levels.map(\.peak) == [0.25, 0.25], "the bus kept its meter")
        #expect(drums.levels.map(\.peak) == [0])
        try stage.bus.bus("snare").setMeter(nil)
        try stage.bus.setMeter(snare)
    }

    @Test func `the session's grant applies to its whole mixer: ducked, silenced and suspended`() throws {
        let stage = try EngineFixture()
        try stage.bus.setGraph(BusGraph(buses: [.init("snare", to: "drums"), .init("drums")]))
        let voice = try stage.engine.play(steady(), on: stage.bus.bus("snare"))
        let gate = try TestGate()
        let other = try stage.engine.makeSessionBus(gate: gate.page, owner: gate)
        try other.setGraph(BusGraph(buses: [.init("snare")]))
        let beside = try stage.engine.play(steady(0.125), on: other.bus("snare"))
        _ = try stage.driver.render(frames: 256)
        stage.gate.set(decibels: -20)
        _ = try stage.driver.render(frames: 1_024)
        #expect(try abs(stage.driver.render(frames: 1)[0][0] - 0.15) < 1e-4)
        stage.gate.set(paused: true)
        _ = try stage.driver.render(frames: 1_024)
        let frames = voice.framesRendered
        #expect(try stage.driver.render(frames: 1_024)[0].allSatisfy { $0 == 0.125 })
        #expect(voice.framesRendered == frames && beside.framesRendered == 3_329)
        stage.gate.set()
        _ = try stage.driver.render(frames: 1_024)
        #expect(voice.framesRendered == frames + 1_024)
        #expect(try stage.driver.render(frames: 1)[0][0] == 0.375)
    }
}
