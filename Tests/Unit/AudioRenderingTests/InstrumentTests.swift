import AudioRendering
import TestSupport
import Testing

/// Instruments of an engine, on the offline driver. The render core's tests cover the notes
/// themselves (test_instrument…).
@Suite struct InstrumentTests {
    private static let sound = Signal.counting(frames: 48_000)

    private static func note(_ key: UInt8, _ velocity: UInt8 = 127) -> MIDIMessage {
        .noteOn(channel: 0, key: key, velocity: velocity)
    }

    /// Without a pan, a mono sound plays at unity.
    private static var unpanned: AudioInstrument.Configuration {
        var configuration = AudioInstrument.Configuration()
        configuration.panLaw = nil
        return configuration
    }

    /// A mono stage with an instrument, and an input that plays it.
    private struct Scene {
        let stage: EngineFixture
        let instrument: AudioInstrument
        let input: MIDIInput

        init(
            sampleRate: Int? = 48_000, sound: [Float] = InstrumentTests.sound,
            _ change: (inout InstrumentZone) -> Void = { _ in }
        ) throws {
            stage = try EngineFixture(channels: 1)
            var zone = InstrumentZone(try AudioBuffer([sound], sampleRate: sampleRate))
            change(&zone)
            instrument = try stage.engine.makeInstrument([zone], on: stage.bus, configuration: InstrumentTests.unpanned)
            input = try stage.engine.makeMIDIInput(name: "keys")
            try input.connect(to: instrument)
        }

        func render(_ frames: Int, _ events: (MIDIMessage, UInt64)...) throws -> [Float] {
            let midi = events.map { MIDIEvent(message: $0.0, frame: $0.1) }
            return try stage.driver.render(frames: frames, midi: ["keys": midi])[0]
        }
    }

    @Test("A note begins on the frame of its message, bit for bit at its root key, and is released")
    func notes() throws {
        let scene = try Scene()
        let output = try scene.render(
            2_000, (Self.note(60), 300), (.noteOff(channel: 0, key: 60, velocity: 0), 1_000))
        #expect(output[..<300].allSatisfy { $0 == 0 })
        #expect(Signal.firstDifference(output[300..<1_000], Self.sound[..<700]) == nil)
        #expect(output[1_239] == 0 && output[1_238] > 0, "a release of 5 ms")
        #expect(scene.instrument.voiceCount == 0 && scene.instrument.missedNotes == 0)
    }

    @Test("A note is as a voice at the speed of its key, and at that of its sound's sample rate")
    func pitch() throws {
        let sine = Signal.sine(frequency: 440, sampleRate: 44_100, frames: 44_100)
        let scene = try Scene(sampleRate: 44_100, sound: sine) { $0.rootKey = 69 }
        for (key, pitch) in [(UInt8(69), 440.0), (81, 880), (62, 293.665), (57, 220)] {
            let begin = scene.stage.engine.currentFrame
            let output = try scene.render(12_000, (Self.note(key), begin))
            #expect(Signal.cents(Signal.frequency(of: output, near: pitch, sampleRate: 48_000), pitch) < 0.1)
            _ = try scene.render(1_000, (.controlChange(channel: 0, controller: 120, value: 0), begin + 12_000))
        }
    }

    @Test(
        "HW-3: sounding notes keep their pitch when the server's sample rate changes; a sound without a rate does not")
    func rates() throws {
        let sine = Signal.sine(frequency: 440, sampleRate: 48_000, frames: 480_000)
        let scene = try Scene(sound: sine)
        _ = try scene.render(1_000, (Self.note(60), 0))
        for rate in [96_000, 44_100, 48_000] {
            scene.stage.driver.setSampleRate(rate)
            let output = try scene.render(rate / 4)
            #expect(Signal.cents(Signal.frequency(of: output, near: 440, sampleRate: rate), 440) < 0.1, "\(rate) Hz")
        }
        let plain = try Scene(sampleRate: nil)
        plain.stage.driver.setSampleRate(96_000)
        let output = try plain.render(1_000, (Self.note(60), 0))
        #expect(Signal.firstDifference(output, Self.sound[..<1_000]) == nil)
    }

    @Test("INT-8: held notes continue at the next frame after an interruption; others are not heard again")
    func interruption() throws {
        let scene = try Scene { $0.keyTracking = 0 }
        _ = try scene.render(1_000, (Self.note(60), 0), (Self.note(64), 0))
        scene.stage.gate.set(paused: true)
        let fading = try scene.render(1_024)
        #expect(fading[240...].allSatisfy { $0 == 0 })
        let silent = try scene.render(
            5_000, (.noteOff(channel: 0, key: 64, velocity: 0), 3_000), (Self.note(67), 4_000))
        #expect(silent.allSatisfy { $0 == 0 } && scene.instrument.voiceCount == 1)
        scene.stage.gate.set(paused: false, rampMilliseconds: 0)
        let output = try scene.render(1_000)
        #expect(Signal.firstDifference(output, Self.sound[1_240..<2_240]) == nil, "key 60 alone")
        #expect(scene.instrument.missedNotes == 0)
    }

    @Test("When the engine stops, notes from an input end, because their note-offs are missed; the app's notes stay")
    func missedNoteOffs() throws {
        for suspends in [true, false] {
            let scene = try Scene()
            let own = try scene.stage.engine.makeInstrument(
                [InstrumentZone(try AudioBuffer([[Float](repeating: 0.5, count: 48_000)]))], on: scene.stage.bus,
                configuration: Self.unpanned)
            try own.send(Self.note(60))
            _ = try scene.render(
                1_000, (.controlChange(channel: 0, controller: 64, value: 127), 0), (Self.note(60), 0))
            #expect(scene.instrument.voiceCount == 1)
            if suspends { scene.stage.engine.suspend() } else { scene.stage.engine.stop() }
            try scene.stage.engine.start()
            let output = try scene.render(1_000)
            #expect(output[240...].allSatisfy { $0 == 0.5 } && scene.instrument.voiceCount == 0)
            let begin = scene.stage.engine.currentFrame
            _ = try scene.render(
                500, (Self.note(62), begin), (.noteOff(channel: 0, key: 62, velocity: 0), begin + 100))
            _ = try scene.render(1)
            #expect(scene.instrument.voiceCount == 0, "the pedal is lifted")
        }
    }

    @Test("The notes of an instrument end when it is disconnected from an input, and when the input is released")
    func disconnection() throws {
        for isReleased in [false, true] {
            let stage = try EngineFixture(channels: 1)
            let sound = try AudioBuffer([[Float](repeating: 0.5, count: 48_000)])
            let instrument = try stage.engine.makeInstrument(
                [InstrumentZone(sound)], on: stage.bus, configuration: Self.unpanned)
            var input: MIDIInput? = try stage.engine.makeMIDIInput(name: "keys")
            let other = try stage.engine.makeMIDIInput(name: "other")
            try input?.connect(to: instrument)
            try other.connect(to: instrument)
            try instrument.send(Self.note(60))
            #expect(try stage.driver.render(frames: 1_000)[0].allSatisfy { $0 == 0.5 })
            try other.connect(to: instrument, channels: MIDIChannels(3))
            #expect(try stage.driver.render(frames: 1_000)[0].allSatisfy { $0 == 0.5 }, "still connected")
            if isReleased { input = nil } else { try input?.disconnect(from: instrument) }
            #expect(try stage.driver.render(frames: 1_000)[0][240...].allSatisfy { $0 == 0 })
        }
    }

    @Test("Transactions play chords; a released instrument fades out within 5 ms and frees its sounds")
    func release() throws {
        weak var buffer: AudioBuffer?
        let stage = try EngineFixture(channels: 1)
        do {
            let sound = try AudioBuffer([[Float](repeating: 0.25, count: 48_000)])
            buffer = sound
            var zone = InstrumentZone(sound)
            zone.keyTracking = 0
            let instrument = try stage.engine.makeInstrument(
                [zone], on: stage.bus, configuration: Self.unpanned)
            let queue = try stage.engine.makeCommandQueue()
            try queue.transaction {
                for key in UInt8(60)...62 { try queue.send(Self.note(key), to: instrument) }
            }
            let output = try stage.driver.render(frames: 1_000)[0]
            #expect(output.allSatisfy { $0 == 0.75 } && instrument.voiceCount == 3)
        }
        let output = try stage.driver.render(frames: 1_000)[0]
        #expect(Signal.largestStep(output) < 0.75 / 200 && output[240...].allSatisfy { $0 == 0 })
        #expect(try eventually { try stage.driver.render(frames: 1) == [[0]] && buffer == nil })
    }

    @Test("Stereo sounds, and mono sounds with a pan, play on their channels")
    func channels() throws {
        let stage = try EngineFixture(channels: 2)
        var left = InstrumentZone(try AudioBuffer([[Float](repeating: 0.5, count: 100)]), keys: 0...0, rootKey: 0)
        left.pan = -1
        let stereo = InstrumentZone(
            try AudioBuffer([[Float](repeating: 0.25, count: 100), [Float](repeating: 0.125, count: 100)]),
            keys: 1...1, rootKey: 1)
        let instrument = try stage.engine.makeInstrument([left, stereo], on: stage.bus)
        try instrument.send(Self.note(0), at: 0)
        try instrument.send(Self.note(1), at: 200)
        let output = try stage.driver.render(frames: 300)
        #expect(output[0][50] == 0.5 && output[1][50] == 0)
        #expect(output[0][250] == 0.25 && output[1][250] == 0.125)
    }

    @Test("A zone or configuration with a value out of range is refused, and the error names the zone and the value")
    func refusals() throws {
        let stage = try EngineFixture()
        let sound = try AudioBuffer([[Float](repeating: 0.5, count: 100)])
        let changes: [(String, (inout InstrumentZone) -> Void)] = [
            ("keys", { $0.keys = 0...128 }), ("keys", { $0.keys = -1...5 }),
            ("velocities", { $0.velocities = 0...127 }),
            ("programs", { $0.programs = 5...128 }), ("root key", { $0.rootKey = 128 }),
            ("tuning", { $0.tuning = .nan }),
            ("tuning", { $0.tuning = 12_001 }), ("cents per key", { $0.keyTracking = .infinity }),
            ("gain", { $0.gain = .nan }), ("velocity tracking", { $0.velocityTracking = 1.5 }), ("pan", { $0.pan = 2 }),
            ("first frame", { $0.startFrame = 100 }), ("first frame", { $0.startFrame = -1 }),
            ("envelope", { $0.envelope.attack = -1 }), ("envelope", { $0.envelope.release = 61 }),
            ("choke", { $0.chokeTime = .nan }), ("sustain", { $0.envelope.sustain = 2 }),
            ("group", { $0.group = -1 }), ("group", { $0.chokedBy = .max }),
            ("round robin", { $0.roundRobin = .init(position: 3, of: 2) }),
            ("round robin", { $0.roundRobin = .init(position: 1, of: 128) }),
            ("loop", { ($0.loop, $0.isOneShot) = (0..<100, true) }),
            ("loop", { ($0.loop, $0.trigger) = (0..<100, .release) }),
            ("loop", { $0.loop = 0..<101 }), ("loop", { $0.loop = 5..<5 }),
            ("loop", { ($0.loop, $0.loopFadeFrames) = (10..<50, 11) }),
        ]
        for (word, change) in changes {
            var zone = InstrumentZone(sound)
            change(&zone)
            let zones = [InstrumentZone(sound), zone]
            #expect("a zone with a wrong \(word)") {
                try stage.engine.makeInstrument(zones, on: stage.bus)
            } throws: { error in
                "\(error)".contains("zone 2") && "\(error)".contains(word)
            }
        }
        let configurations: [(inout AudioInstrument.Configuration) -> Void] = [
            { $0.polyphony = 0 }, { $0.polyphony = 4_097 }, { $0.bendRange = 97 }, { $0.pressureGain = -1 },
            { $0.rampFrames = 0 }, { $0.memberBendRange = .nan }, { $0.lowerMembers = 16 }, { $0.upperMembers = -1 },
            { ($0.lowerMembers, $0.upperMembers) = (8, 7) }, { $0.priority = VoicePriority(rawValue: 16) },
        ]
        for change in configurations {
            var configuration = AudioInstrument.Configuration()
            change(&configuration)
            #expect(throws: AudioEngineError.self) {
                try stage.engine.makeInstrument([], on: stage.bus, configuration: configuration)
            }
        }
        _ = try stage.engine.makeInstrument([], on: stage.bus)
    }
}
