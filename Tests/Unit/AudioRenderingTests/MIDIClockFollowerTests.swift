import AudioRendering
import TestSupport
import Testing

/// A transport that follows a MIDI clock, on the offline driver.
@Suite struct MIDIClockFollowerTests {
    /// An engine with an instrument that is hit on each quarter of a beat.
    private struct Player {
        let stage: EngineFixture
        let scheduler: BeatScheduler
        var transport: AudioTransport { stage.engine.transport }

        init() throws {
            stage = try EngineFixture(channels: 1)
            var zone = InstrumentZone(try AudioBuffer([[1]]))
            (zone.keyTracking, zone.isOneShot) = (0, true)
            var configuration = AudioInstrument.Configuration()
            configuration.panLaw = nil
            let instrument = try stage.engine.makeInstrument([zone], on: stage.bus, configuration: configuration)
            scheduler = try stage.engine.makeBeatScheduler { beats, queue in
                for number in beats.steps(every: 0.25) {
                    try? queue.at(Double(number) * 0.25, in: beats.pass) {
                        try queue.send(.noteOn(channel: 0, key: 60, velocity: 127), to: instrument)
                    }
                }
            }
        }
    }

    /// A player that sends a MIDI clock, and one that follows it, with the same periods.
    private struct Scene {
        let sender: Player
        let output: MIDIOutput
        let clock: MIDIClockSender
        let follower: Player
        let input: MIDIInput

        init(tempo: Double = 120) throws {
            sender = try Player()
            output = try sender.stage.engine.makeMIDIOutput(name: "clock")
            clock = try sender.stage.engine.makeMIDIClockSender(to: output)
            follower = try Player()
            input = try follower.stage.engine.makeMIDIInput(name: "clock")
            try input.connect(to: follower.transport)
            try follower.transport.setRole(.midiClock)
            try sender.transport.setTempo(tempo)
            _ = try render(1_024)
        }

        /// Renders both, and returns the frames of what each plays, from now on.
        func render(_ frames: Int) throws -> (sent: [Int], followed: [Int]) {
            var (sent, followed): ([Int], [Int]) = ([], [])
            for begin in stride(from: 0, to: frames, by: 256) {
                let one = try sender.stage.driver.render(frames: 256)[0]
                let events = sender.stage.driver.takeMIDI(from: output)
                let two = try follower.stage.driver.render(frames: 256, midi: ["clock": events])[0]
                sent += one.indices.filter { one[$0] != 0 }.map { begin + $0 }
                followed += two.indices.filter { two[$0] != 0 }.map { begin + $0 }
            }
            return (sent, followed)
        }
    }

    /// Whether hits are on the same frames, or beside them.
    private func agree(_ a: [Int], _ b: [Int], within frames: Int) -> Bool {
        a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) <= frames }
    }

    @Test("It starts on the frame of the first clock, and plays each beat within a frame", arguments: [120, 97.3, 181])
    func start(tempo: Double) throws {
        let scene = try Scene(tempo: tempo)
        try scene.sender.transport.start()
        let first = try scene.render(12_032)
        #expect(first.sent.first == first.followed.first && first.sent.first != nil)
        // It has measured the tempo after two clocks; until then it plays by its tempo map.
        let (sent, followed) = try scene.render(480_000)
        #expect(sent.count >= 38 && agree(sent, followed, within: tempo == 120 ? 0 : 1))
        let position = scene.follower.transport.position
        #expect(abs(position.tempo - tempo) < 0.05 && position.isRolling && !position.isServers)
        #expect(abs(position.beat - scene.sender.transport.position.beat) < 1e-4)
        #expect(scene.follower.stage.engine.counters.lateCommands == 0)
    }

    @Test("It stops, goes on at the sender's place, and jumps with it")
    func moves() throws {
        let scene = try Scene()
        try scene.sender.transport.start()
        _ = try scene.render(48_128)
        try scene.sender.transport.stop()
        #expect(try scene.render(10_240) == ([], []))
        #expect(!scene.follower.transport.position.isRolling && !scene.follower.transport.position.isStarting)
        try scene.sender.transport.start()
        var (sent, followed) = try scene.render(48_128)
        #expect(!sent.isEmpty && sent == followed)
        try scene.sender.transport.locate(toBeat: 77)
        (sent, followed) = try scene.render(48_128)
        #expect(sent.count > 6 && agree(sent.suffix(6), followed.suffix(6), within: 0))
        #expect(abs(scene.follower.transport.position.beat - scene.sender.transport.position.beat) < 1e-6)
    }

    @Test("Start and its first clock within one period: the first beat is late, and is heard")
    func shortNotice() throws {
        let scene = try Scene()
        try scene.sender.transport.start()
        _ = try scene.render(30_208)
        let driver = scene.follower.stage.driver
        let begin = scene.follower.stage.engine.currentFrame
        let clocks = (0..<40).map { MIDIEvent(message: .clock, frame: begin + 48 + $0 * 1_000) }
        let start = [MIDIEvent(message: .stop, frame: begin), MIDIEvent(message: .start, frame: begin + 10)]
        let output = try driver.render(frames: 40_000, midi: ["clock": start + clocks])[0]
        let onsets = output.indices.filter { output[$0] != 0 }
        #expect(onsets == [256, 48 + 6_000, 48 + 12_000, 48 + 18_000, 48 + 24_000, 48 + 30_000, 48 + 36_000])
    }

    @Test("A scheduler that is added later plays nothing of what has passed")
    func joins() throws {
        let scene = try Scene()
        try scene.sender.transport.start()
        _ = try scene.render(30_208)
        let ranges = EventLog<BeatRange>()
        let scheduler = try scene.follower.stage.engine.makeBeatScheduler { beats, _ in ranges.note(beats) }
        let beat = scene.follower.transport.position.beat
        _ = try scene.render(1_024)
        #expect(try #require(ranges.noted.first?.lowerBound) > beat - 0.01)
        withExtendedLifetime(scheduler) {}
    }

    @Test("It follows another tempo, and observers are notified")
    func tempo() throws {
        let scene = try Scene()
        let tempos = EventLog<Double>()
        let observation = scene.follower.stage.engine.observe { event in
            if case .transportChanged(let position) = event { tempos.note(position.tempo.rounded()) }
        }
        try scene.sender.transport.start()
        _ = try scene.render(48_128)
        try scene.sender.transport.setTempo(150)
        _ = try scene.render(24_064)
        let (sent, followed) = try scene.render(96_256)
        #expect(sent.count > 15 && agree(sent, followed, within: 1))
        #expect(eventually { tempos.noted.last == 150 } && tempos.noted.contains(120))
        observation.cancel()
    }

    @Test("Only its sender controls it, and only while it has the role and the connection")
    func control() throws {
        let player = try Player()
        let transport = player.transport
        try transport.setRole(.midiClock)  // no port, and no instrument that is new
        #expect(transport.role == .midiClock && !transport.isLeader)
        #expect(throws: AudioEngineError.self) { try transport.start() }
        #expect(throws: AudioEngineError.self) { try transport.stop() }
        #expect(throws: AudioEngineError.self) { try transport.locate(toBeat: 1) }
        try transport.send(.start, .clock, at: 1_000)
        try transport.send(.clock, at: 2_000)
        try player.stage.driver.render(frames: 2_500)
        #expect(transport.position.isRolling && abs(transport.position.beat - 1.5 / 24) < 1e-9)
        let input = try player.stage.engine.makeMIDIInput(name: "clock")
        try input.connect(to: transport)
        try player.stage.driver.render(frames: 100, midi: ["clock": [MIDIEvent(message: .stop, frame: 2_550)]])
        #expect(!transport.position.isRolling && transport.position.beat == 2 / 24)
        try input.disconnect(from: transport)
        try player.stage.driver.render(frames: 100, midi: ["clock": [MIDIEvent(message: .start, frame: 2_650)]])
        #expect(!transport.position.isStarting)
        try transport.setRole(.own)
        try player.stage.driver.render(frames: 100)
        #expect(abs(transport.position.beat - 2 / 24) < 1e-4)
        try transport.send(.start, .clock)
        try player.stage.driver.render(frames: 100)
        #expect(!transport.position.isRolling, "its own transport has no clock")
        try transport.start()
        try player.stage.driver.render(frames: 512)
        #expect(transport.position.isRolling)
        let other = try Player()
        #expect(throws: AudioEngineError.self) { try input.connect(to: other.transport) }
    }
}
