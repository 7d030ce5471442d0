import AudioInstruments
import AudioRendering
import TestRandom
import TestSupport
import Testing

/// The beats of MIDI sequences, and their player, on the offline driver.
@Suite struct MIDISequencePlayerTests {
    private static func note(_ key: UInt8, _ velocity: UInt8 = 100, channel: UInt8 = 0) -> MIDIFile.Event.Kind {
        .message(.noteOn(channel: channel, key: key, velocity: velocity))
    }

    private static func signature(_ numerator: UInt8, _ exponent: UInt8) -> MIDIFile.Event.Kind {
        .timeSignature(.init(numerator: numerator, denominatorExponent: exponent))
    }

    /// Tempos and meters that change: 96 ticks are a quarter note.
    private static let changing = MIDIFile(
        division: .ticksPerQuarterNote(96),
        tracks: [
            .init(events: [
                .init(tick: 0, .tempo(microsecondsPerQuarterNote: 600_000)), .init(tick: 0, signature(3, 2)),
                .init(tick: 288, .tempo(microsecondsPerQuarterNote: 400_000)), .init(tick: 288, signature(6, 3)),
                .init(tick: 500, .tempo(microsecondsPerQuarterNote: 750_000)), .init(tick: 576, signature(4, 2)),
            ]),
            .init(events: (0..<40).map { .init(tick: $0 * 24, note(UInt8($0))) }),
        ])

    /// An engine with an output.
    private struct Scene {
        let driver = OfflineDriver(periodFrames: 333)
        let engine: AudioEngine
        let output: MIDIOutput

        init() throws {
            engine = try AudioEngine(driver: driver)
            try engine.open()
            output = try engine.makeMIDIOutput(name: "synth")
            try engine.start()
        }

        /// Renders, and returns what was sent.
        func sent(_ frames: Int) throws -> [MIDIEvent] {
            try driver.render(frames: frames)
            return driver.takeMIDI(from: output)
        }

        func stop() throws {
            try engine.transport.stop()
            _ = try sent(1_000)
        }
    }

    private func notes(_ events: [MIDIEvent]) -> [MIDIEvent] {
        events.filter { if case .noteOn = $0.message { true } else { false } }
    }

    @Test("The tempo map of a file has its tempos and meters: each event is at its second")
    func maps() throws {
        let sequence = Self.changing.sequence()
        let map = try sequence.tempoMap()
        #expect(map.changes.map(\.meter) == [Meter(3, 4), Meter(6, 8), Meter(6, 8), Meter(4, 4)])
        #expect(map.changes.map(\.tempo) == [100, 300, 160, 80])
        for event in sequence.events {
            #expect(abs(map.seconds(atBeat: sequence.beat(atTick: event.tick)) - event.seconds) < 1e-9)
        }
        #expect(map.bar(atBeat: sequence.beat(atTick: 300)).number == 2)
        #expect(map.bar(atBeat: sequence.beat(atTick: 576)).number == 3)
        let code = MIDIFile(
            division: .timeCode(framesPerSecond: .frames25, ticksPerFrame: 40), tracks: [.init(events: [])]
        ).sequence()
        #expect(try code.tempoMap() == (TempoMap(tempo: 60)) && code.beat(atTick: 2_500) == 2.5)
    }

    @Test("Each message is sent on the frame of its time in the file")
    func frames() throws {
        let scene = try Scene()
        let sequence = Self.changing.sequence()
        try scene.engine.transport.setTempoMap(try sequence.tempoMap())
        let player = try MIDISequencePlayer(sequence, on: scene.engine, to: scene.output)
        #expect(try notes(scene.sent(2_000)) == [])
        try scene.engine.transport.start(at: 5_000)
        let events = try notes(scene.sent(400_000))
        let expected = sequence.events.compactMap { event in
            event.message.map { MIDIEvent(message: $0, frame: 5_000 + UInt64(event.seconds * 48_000 + 0.500001)) }
        }
        #expect(events == expected && player.missedMessages == 0)
    }

    @Test("Where the transport is moved, notes end, and controllers are as if the file had been played up to there")
    func chase() throws {
        let scene = try Scene()
        let file = MIDIFile(
            division: .ticksPerQuarterNote(100),
            tracks: [
                .init(events: [
                    .init(tick: 0, .message(.controlChange(channel: 2, controller: 0, value: 5))),
                    .init(tick: 0, .message(.programChange(channel: 2, program: 9))),
                    .init(tick: 10, .message(.controlChange(channel: 2, controller: 7, value: 11))),
                    .init(tick: 20, .message(.controlChange(channel: 2, controller: 7, value: 12))),
                    .init(tick: 20, .message(.controlChange(channel: 2, controller: 123, value: 0))),
                    .init(tick: 30, .message(.pitchBend(channel: 2, value: 9_000))),
                    .init(tick: 100, Self.note(60, channel: 2)),
                    .init(tick: 800, .message(.noteOff(channel: 2, key: 60, velocity: 0))),
                    .init(tick: 900, Self.note(61, channel: 2)), .init(tick: 900, Self.note(40, channel: 3)),
                ])
            ])
        let player = try MIDISequencePlayer(
            file.sequence(), on: scene.engine, to: scene.output, channels: MIDIChannels(2))
        try scene.engine.transport.locate(toBeat: 8.5)
        let state: [MIDIMessage] = [
            .controlChange(channel: 2, controller: 0, value: 5), .programChange(channel: 2, program: 9),
            .controlChange(channel: 2, controller: 7, value: 12), .pitchBend(channel: 2, value: 9_000),
        ]
        let end: [MIDIMessage] = [
            .controlChange(channel: 2, controller: 64, value: 0), .controlChange(channel: 2, controller: 123, value: 0),
        ]
        #expect(try scene.sent(1_000).map(\.message) == end + state)
        try scene.engine.transport.start()
        #expect(try scene.sent(24_000).map(\.message) == [.noteOn(channel: 2, key: 61, velocity: 100)])
        try scene.engine.transport.locate(toBeat: 0.9)
        _ = try scene.sent(10_000)
        try scene.engine.transport.stop()  // while a note sounds
        #expect(try scene.sent(1_000).map(\.message).prefix(2) == end[...])
        _ = player
    }

    @Test("Random files: their beats and tempo maps are finite and ascending")
    func random() throws {
        for seed in 0..<20 {
            var random = RandomMIDIFile(generator: SeededGenerator(seed: TestSeed.current + UInt64(seed)))
            let file = random.file(events: 200)
            for sequence in file.sequences() {
                guard let map = try? sequence.tempoMap() else { continue }
                let beats = sequence.events.map { sequence.beat(atTick: $0.tick) }
                #expect(zip(beats, beats.dropFirst()).allSatisfy { $0 <= $1 })
                #expect(beats.allSatisfy { $0 >= 0 && $0.isFinite && map.seconds(atBeat: $0) >= 0 })
            }
        }
    }

    @Test("More messages than a queue holds are counted")
    func crowd() throws {
        let scene = try Scene()
        let events = (0..<3_000).map { MIDIFile.Event(tick: $0 / 100, Self.note(UInt8($0 % 128))) }
        let file = MIDIFile(tracks: [.init(events: events)])
        let player = try MIDISequencePlayer(file.sequence(), on: scene.engine, to: scene.output)
        try scene.engine.transport.start()
        let sent = try scene.sent(48_000).count
        #expect(sent + player.missedMessages == 3_000 && player.missedMessages > 0)
        #expect(throws: AudioEngineError.self) {
            try MIDISequencePlayer(file.sequence(), on: scene.engine, to: scene.output, lookahead: 0)
        }
    }

    @Test("A player that is released ends its notes")
    func release() throws {
        let scene = try Scene()
        var player: MIDISequencePlayer? = try MIDISequencePlayer(
            Self.changing.sequence(), on: scene.engine, to: scene.output)
        try scene.engine.transport.start()
        #expect(try !scene.sent(48_000).isEmpty)
        player = nil
        let after = try scene.sent(48_000).map(\.message)
        #expect(after.contains(.controlChange(channel: 0, controller: 123, value: 0)) && player == nil)
        #expect(try notes(scene.sent(48_000)).isEmpty)
    }
}
