import AudioRendering
import AudioSessions
import TestSupport
import Testing

/// Runs the code shown in Documentation/Transport.md.
@Suite struct TransportPageTests {
    /// A session with an instrument and a sound, each of one frame.
    private struct Stage {
        let driver = OfflineDriver()
        let session: AudioSession
        let engine: AudioEngine
        let instrument: AudioInstrument
        let sound: Sound

        init() throws {
            session = try AudioSession(host: AudioSessionHost(driver: driver))
            try session.setCategory(.playback, options: .mixWithOthers)
            try session.setActive(true)
            engine = try session.engine
            var zone = InstrumentZone(try AudioBuffer([[1]]))
            (zone.keyTracking, zone.isOneShot) = (0, true)
            instrument = try engine.makeInstrument([zone], on: session.bus)
            sound = try engine.makeSound(try AudioBuffer([[0.1]]), on: session.bus)
        }

        /// The frames on which something is heard in the next `frames` frames, from 0 on.
        func onsets(_ frames: Int) throws -> [Int] {
            let output = try driver.render(frames: frames)[0]
            return output.indices.filter { output[$0] != 0 }
        }
    }

    @Test("Eighth notes are scheduled; the transport starts, jumps and stops; changes are reported")
    func schedule() throws {
        let stage = try Stage()
        let (engine, instrument) = (stage.engine, stage.instrument)
        let shown = EventLog<String>()
        let show: @Sendable (Int, Double, Double, Bool) -> Void = { bar, beat, tempo, isRolling in
            shown.note("\(bar) \(Int(beat)) \(tempo) \(isRolling)")
        }

        // [schedule]
        let scheduler = try engine.makeBeatScheduler { beats, queue in
            for number in beats.steps(every: 0.5) {  // eighth notes in 4/4
                try? queue.at(Double(number) * 0.5, in: beats.pass) {
                    try queue.send(.noteOn(channel: 0, key: 42, velocity: 100), to: instrument)
                }
            }
        }
        // [end]
        // [observe]
        let observation = engine.observe { event in
            guard case .transportChanged(let position) = event else { return }
            show(position.bar, position.beatInBar, position.tempo, position.isRolling)
        }
        // [end]
        try stage.driver.render(frames: 2_048)
        // [control]
        let transport = engine.transport
        try transport.setTempo(100)
        let start = engine.currentFrame + 4_800
        try transport.start(at: start)
        try transport.locate(toBeat: 16, at: start + 48_000)
        try transport.stop(at: start + 96_000)
        // [end]
        let onsets = try stage.onsets(4_800 + 120_000).map { $0 - 4_800 }
        #expect(onsets.filter { $0 < 48_000 } == [0, 14_400, 28_800, 43_200])
        let second = onsets.filter { $0 >= 48_000 }
        let first = try #require(second.first)
        #expect(first < 49_100, "what is heard there is prepared first")
        #expect(second == [first, first + 14_400, first + 28_800, first + 43_200].filter { $0 < 96_000 })
        stage.engine.drain()
        #expect(shown.noted.contains("1 1 100.0 true") && shown.noted.last == "5 2 100.0 false", "\(shown.noted)")
        withExtendedLifetime((scheduler, observation)) {}
    }

    @Test("A tempo map changes tempo and meter; commands of a queue of the app's own are heard at beats")
    func maps() throws {
        let stage = try Stage()
        let (engine, sound, transport) = (stage.engine, stage.sound, stage.engine.transport)
        // [tempo]
        try transport.setTempoMap(
            TempoMap([
                .init(beat: 0, tempo: 120),
                .init(beat: 8, tempo: 180, meter: Meter(6, 8)),  // 180 eighths per minute
            ]))
        // [end]
        #expect(transport.tempoMap.seconds(atBeat: 11) == 5)
        #expect(transport.tempoMap.bar(atBeat: 14).number == 4)
        try transport.start()
        try stage.driver.render(frames: 12_000)
        // [queue]
        let queue = try engine.makeCommandQueue()
        let position = transport.position
        let nextBar = position.beat - (position.beatInBar - 1) + Double(position.meter.beatsPerBar)
        try queue.at(nextBar, in: position.pass) { try queue.trigger(sound) }
        // [end]
        #expect(try stage.onsets(96_000) == [84_000])
    }

    @Test("A sound fades out over two bars")
    func automate() throws {
        let stage = try Stage()
        let (engine, transport) = (stage.engine, stage.engine.transport)
        let ones = try AudioBuffer([[Float](repeating: 1, count: 400_000)])
        let loop = try engine.makeSound(ones, on: stage.session.bus)
        let queue = try engine.makeCommandQueue()
        // [automate]
        let pass = transport.position.pass
        try queue.transaction {
            try queue.at(4, in: pass) {
                let voice = try queue.trigger(loop)
                let fade = [
                    BeatAutomationPoint(beat: 8, value: 1), BeatAutomationPoint(beat: 16, value: 0, curve: .s),
                ]
                try queue.automate(.gain, of: voice, fade, in: pass)
            }
        }
        // [end]
        try transport.start()
        let output = try stage.driver.render(frames: 400_000)[0]
        let level = output[100_000]
        #expect(output[95_999] == 0 && level > 0 && output[96_000...192_000].allSatisfy { $0 == level })
        #expect(abs(output[288_000] - level / 2) < 1e-4 && output[384_000] == 0 && output[383_000] > 0)
    }

    @Test("MIDI clock is sent while the transport rolls")
    func clocks() throws {
        let stage = try Stage()
        let engine = stage.engine
        // [clock]
        let clock = try engine.makeMIDIOutput(name: "clock")
        let sender = try engine.makeMIDIClockSender(to: clock)
        // [end]
        try stage.driver.render(frames: 1_024)
        try engine.transport.start()
        try stage.driver.render(frames: 24_000)
        let sent = stage.driver.takeMIDI(from: clock).map(\.message)
        #expect(sent.prefix(2) == [.songPosition(0), .start] && sent.count { $0 == .clock } == 24)
        withExtendedLifetime(sender) {}
    }

    @Test("The transport follows a MIDI clock")
    func follow() throws {
        let stage = try Stage()
        let engine = stage.engine
        // [follow]
        let clock = try engine.makeMIDIInput(name: "clock")
        try clock.connect(to: engine.transport)
        try engine.transport.setRole(.midiClock)
        // [end]
        let messages: [MIDIMessage] = [.start, .clock]
        try stage.driver.render(frames: 1_000, midi: ["clock": messages.map { MIDIEvent(message: $0, frame: 400) }])
        #expect(engine.transport.position.isRolling && engine.transport.position.beat == 600 / 24_000)
        withExtendedLifetime(clock) {}
    }

    @Test("The transport follows MIDI time code")
    func timeCode() throws {
        let stage = try Stage()
        let engine = stage.engine
        // [timecode]
        let tape = try engine.makeMIDIInput(name: "time code")
        try tape.connect(to: engine.transport)
        engine.transport.timeCodeStart = TimeCode(totalSeconds: 3_600, rate: .fps25)  // 01:00:00:00
        try engine.transport.setRole(.midiTimeCode)
        // [end]
        let full: [UInt8] = [0x7F, 0x7F, 1, 1, 1 | 1 << 5, 0, 2, 0]  // 01:00:02:00
        let message = MIDIEvent(message: .systemExclusive(full), frame: 100)
        try stage.driver.render(frames: 1_000, midi: ["time code": [message]])
        let position = engine.transport.position
        #expect(position.timeCode?.description == "01:00:02:00" && position.beat == 4 && !position.isRolling)
        withExtendedLifetime(tape) {}
    }

    @Test("An app becomes the leader of the server's transport and starts it")
    func server() throws {
        let stage = try Stage()
        let transport = stage.engine.transport
        let reported = EventLog<String>()
        let report: (String) -> Void = { reported.note($0) }
        // [server]
        do {
            try transport.setRole(.leader)
        } catch DriverError.refused {
            report("Another program is the leader of the server's transport. It can be followed.")
            try transport.setRole(.follower)
        }
        try transport.start()  // for all programs
        // [end]
        try stage.driver.render(frames: 4_096)
        #expect(transport.isLeader && transport.position.isRolling && transport.position.hasLeader)
        #expect(reported.noted.isEmpty)
    }
}
