import AudioRendering
import TestSupport
import Testing

/// Automation at beats from Swift, compared with the same automation in frames, or refused as a
/// whole. The C tests check tempo changes, pauses and transports that others move in detail.
@Suite struct BeatAutomationTests {
    private static let points = [
        BeatAutomationPoint(beat: 0.25, value: 0.5),
        BeatAutomationPoint(beat: 0.5, value: 0.0625, curve: .exponential),
        BeatAutomationPoint(beat: 1.0 / 3 + 1, value: 1, curve: .s),
        BeatAutomationPoint(beat: 1.5, value: 0.125),
        BeatAutomationPoint(beat: 1.625, value: 0.75, curve: .s),
    ]

    /// An engine that plays a panned sound on one voice of a queue.
    private struct Scene {
        let stage: EngineFixture
        let queue: CommandQueue
        let voice: TriggeredVoice
        var transport: AudioTransport { stage.engine.transport }

        init(
            periodFrames: Int = 256, tempo: Double = 120, configuration: AudioEngine.Configuration = .init(),
            sound: [Float] = [Float](repeating: 1, count: 200_000)
        ) throws {
            stage = try EngineFixture(periodFrames: periodFrames, configuration: configuration)
            queue = try stage.engine.makeCommandQueue()
            let buffer = try AudioBuffer([sound])
            voice = try queue.trigger(stage.engine.makeSound(buffer, on: stage.bus, pan: Pan(0, law: .linear)))
            try stage.engine.transport.setTempo(tempo)
            try stage.driver.render(frames: 1_024)
        }

        func automate(
            _ parameter: VoiceParameter = .gain, _ points: [BeatAutomationPoint] = BeatAutomationTests.points
        ) throws {
            try queue.automate(parameter, of: voice, points, in: transport.position.pass)
        }

        /// The gain on each of the next frames: the centre of the linear law is one half.
        func gains(_ frames: Int) throws -> [Float] { try stage.driver.render(frames: frames)[0].map { 2 * $0 } }
    }

    /// Points at the frames of the beats of a constant tempo, if beat 0 is at frame `start`.
    private static func frames(_ points: [BeatAutomationPoint], tempo: Double, start: UInt64) -> [AutomationPoint] {
        points.map { point in
            let frame = (point.beat * 48_000 * 60 / tempo + 0.500001).rounded(.down)
            return AutomationPoint(frame: start + UInt64(frame), value: point.value, curve: point.curve)
        }
    }

    @Test(
        "At a constant tempo, points at beats and at their frames have the same samples",
        arguments: VoiceParameter.allCases, [17, 256, 1_024])
    func sameAsFrames(parameter: VoiceParameter, periodFrames: Int) throws {
        let tempo = 127.3
        var outputs: [[[Float]]] = []
        for isAtBeats in [true, false] {
            let scene = try Scene(
                periodFrames: isAtBeats ? periodFrames : 333, tempo: tempo, sound: Signal.counting(frames: 200_000))
            let start: UInt64 = 5_001
            if isAtBeats {
                try scene.automate(parameter)
            } else {
                let points = Self.frames(Self.points, tempo: tempo, start: start)
                try scene.queue.automate(parameter, of: scene.voice, points)
            }
            try scene.transport.start(at: start)
            let before = Int(start - scene.stage.engine.currentFrame)
            try scene.stage.driver.render(frames: before)
            outputs.append(try scene.stage.driver.render(frames: 50_000))
            #expect(scene.stage.engine.counters.lateCommands == 0)
        }
        for (atBeats, inFrames) in zip(outputs[0], outputs[1]) {
            #expect(Signal.firstDifference(atBeats, inFrames) == nil)
        }
        #expect(outputs[0][1].allSatisfy { $0 > 0 })
    }

    @Test("When the tempo changes within a curve, its point is exact and nothing jumps", arguments: [60.0, 240])
    func tempoChange(tempo: Double) throws {
        let scene = try Scene()
        try scene.automate(.gain, [.init(beat: 1, value: 1), .init(beat: 3, value: 0.25, curve: .s)])
        try scene.transport.start()
        let first = try scene.gains(36_000)  // to beat 1.5
        try scene.transport.setTempo(tempo)
        let gains = first + (try scene.gains(80_000))
        let end = 36_000 + Int(1.5 * 48_000 * 60 / tempo)
        #expect(gains[24_000] == 1 && gains[end - 200] > 0.25 && gains[end...].allSatisfy { $0 == 0.25 })
        let steps = zip(gains, gains.dropFirst()).map { abs($0 - $1) }
        #expect((steps.max() ?? 1) < 1.01 * 1.125 / (2 * 48_000 * 60 / Float(max(tempo, 120))))
        #expect(scene.stage.engine.counters.lateCommands == 0)
    }

    @Test("Points that have passed take effect at once; the next one is on its frame")
    func late() throws {
        let scene = try Scene()
        try scene.transport.start()
        #expect(try scene.gains(24_000).last == 1)  // to beat 1
        try scene.automate()
        let gains = try scene.gains(24_000)
        #expect(abs(gains[0] - 0.0625) < 1e-3 && gains[8_000] == 1 && gains[12_000] == 0.125)
        #expect(gains[15_000...].allSatisfy { $0 == 0.75 })
        #expect(scene.stage.engine.counters.lateCommands == 3)
    }

    @Test("When the pass ends, a curve that runs reaches its point; later points, and later posts, are discarded")
    func passes() throws {
        let scene = try Scene()
        let pass = scene.transport.position.pass
        try scene.automate()
        try scene.transport.start()
        _ = try scene.gains(24_000)
        try scene.transport.stop()
        let gains = try scene.gains(24_000)
        #expect(gains[7_900] < 1 && gains[8_000...].allSatisfy { $0 == 1 })
        try scene.queue.automate(.gain, of: scene.voice, Self.points, in: pass)
        try scene.transport.start()
        #expect(try scene.gains(48_000).allSatisfy { $0 == 1 })
        #expect(scene.stage.engine.counters.lateCommands == 0)
    }

    @Test("While its session is paused, a curve is held, and its points stay at their beats")
    func paused() throws {
        let scene = try Scene()
        try scene.automate(.gain, [.init(beat: 0, value: 1), .init(beat: 2, value: 0, curve: .s)])
        try scene.transport.start()
        let before = try scene.gains(12_000)
        scene.stage.gate.set(paused: true, rampMilliseconds: 0)
        #expect(try scene.gains(12_000).allSatisfy { $0 == 0 })
        scene.stage.gate.set(rampMilliseconds: 0)
        let after = try scene.gains(30_000)
        #expect(abs(after[0] - (before.last ?? 0)) < 1e-3)
        #expect(after[23_900] > 0 && after[24_000...].allSatisfy { $0 == 0 })
    }

    @Test("A scheduler triggers a voice and fades it in one transaction at beats; `at` does not move points at frames")
    func scheduled() throws {
        let scene = try Scene()
        try scene.queue.stop(scene.voice)
        let ones = try AudioBuffer([[Float](repeating: 1, count: 200_000)])
        let sound = try scene.stage.engine.makeSound(ones, on: scene.stage.bus)
        let scheduler = try scene.stage.engine.makeBeatScheduler { beats, queue in
            for bar in beats.steps(every: 4) where bar == 1 {
                try? queue.transaction {
                    try queue.at(4, in: beats.pass) {
                        let voice = try queue.trigger(sound)
                        let fade = [
                            BeatAutomationPoint(beat: 4, value: 0.5), .init(beat: 6, value: 1, curve: .exponential),
                        ]
                        try queue.automate(.gain, of: voice, fade, in: beats.pass)
                    }
                }
            }
        }
        try scene.transport.start()
        let output = try scene.stage.driver.render(frames: 160_000)[0]
        let begin = try #require(output.firstIndex { $0 == 0.5 })
        #expect(begin >= 96_000 && output[96_000..<begin].allSatisfy { $0 == 0 })
        #expect(output[begin + 47_999] < 1 && output[(begin + 48_000)...].allSatisfy { $0 == 1 })
        // Points at frames keep them within `at`.
        let voice = try scene.queue.trigger(sound)
        let frame = scene.stage.engine.currentFrame + 1_000
        try scene.queue.at(0, in: scene.transport.position.pass) {
            try scene.queue.automate(.gain, of: voice, [AutomationPoint(frame: frame, value: 0.25)])
        }
        let next = try scene.stage.driver.render(frames: 2_000)[0]
        #expect(next[999] == 2 && next[1_000] == 1.25)
        _ = scheduler
    }

    @Test(
        "An invalid point is named in the error, and nothing changes",
        arguments: [
            ([.init(beat: 1, value: .nan)], .gain, "point 0 of an automation of a voice's gain: its value nan"),
            ([.init(beat: .nan, value: 1)], .gain, "point 0 of an automation of a voice's gain: its beat nan"),
            ([.init(beat: -1, value: 1)], .gain, "its beat -1.0 is not in 0…16,777,215"),
            ([.init(beat: 16_777_216, value: 1)], .gain, "its beat 16777216.0 is not in 0…16,777,215"),
            ([.init(beat: 1, value: 1), .init(beat: .infinity, value: 1)], .gain, "point 1"),
            (
                [.init(beat: 1, value: 0), .init(beat: 1, value: 0.5)], .gain,
                "point 1 of an automation of a voice's gain: its beat 1.0 does not come after 1.0"
            ),
            (
                [.init(beat: 1, value: 1), .init(beat: 2, value: 1.5)], .pan,
                "point 1 of an automation of a voice's pan"
            ),
            ([.init(beat: 1, value: 17)], .speed, "its value 17.0 is not in 0.0625…16.0"),
        ] as [([BeatAutomationPoint], VoiceParameter, String)])
    func badPoints(_ points: [BeatAutomationPoint], _ parameter: VoiceParameter, _ words: String) throws {
        let scene = try Scene()
        let error = #expect(throws: AudioEngineError.self) { try scene.automate(parameter, points) }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        try scene.transport.start()
        #expect(try scene.gains(60_000).allSatisfy { $0 == 1 })
    }

    @Test("Without room for all points, none takes effect, and no curve is lost; an ended voice is an error")
    func full() throws {
        let scene = try Scene(configuration: AudioEngine.Configuration(maximumCurves: 3))
        for _ in 0..<3 {
            #expect(throws: AudioEngineError.commandQueueFull) { try scene.automate() }
        }
        try scene.transport.start()
        #expect(try scene.gains(10_000).allSatisfy { $0 == 1 })
        try scene.automate(.gain, Self.points.dropLast())
        #expect(try scene.gains(40_000).last == 0.125)
        try scene.automate(.gain, [])
        try scene.queue.stop(scene.voice)
        try scene.stage.driver.render(frames: 1_000)
        #expect(throws: AudioEngineError.voiceEnded) { try scene.automate() }
    }
}
