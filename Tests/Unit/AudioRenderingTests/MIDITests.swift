import AudioRendering
import TestSupport
import Testing

/// MIDI ports of an engine, on the offline driver.
@Suite struct MIDITests {
    private static func note(_ key: UInt8, channel: UInt8 = 0) -> MIDIMessage {
        .noteOn(channel: channel, key: key, velocity: 100)
    }

    private static func event(_ message: MIDIMessage, _ frame: UInt64) -> MIDIEvent {
        MIDIEvent(message: message, frame: frame)
    }

    @Test("A handler receives what an input received, with its frames, and nothing from before it was set")
    func handler() throws {
        let stage = try EngineFixture()
        let input = try stage.engine.makeMIDIInput(name: "keys")
        let received = EventLog<MIDIEvent>()
        let exclusive = MIDIMessage.systemExclusive((0..<5_000).map { UInt8($0 % 128) })
        try stage.driver.render(frames: 100, midi: ["keys": [Self.event(Self.note(1), 5)]])
        input.setHandler { received.note($0) }
        let events = [
            Self.event(Self.note(60), 100), Self.event(.clock, 101), Self.event(exclusive, 350),
            Self.event(.pitchBend(channel: 3, value: 16_383), 350), Self.event(Self.note(61), 999),
        ]
        try stage.driver.render(frames: 1_000, midi: ["keys": events, "other": [Self.event(.start, 200)]])
        #expect(received.noted == events)
        input.setHandler(nil)
        try stage.driver.render(frames: 100, midi: ["keys": [Self.event(.stop, 1_150)]])
        #expect(received.noted.count == events.count && input.lostMessages == 0)
        // Without a handler, nothing is recorded, so nothing can be lost.
        try stage.driver.render(
            frames: 256, midi: ["keys": [MIDIEvent](repeating: Self.event(.clock, 1_300), count: 9_000)])
        #expect(input.lostMessages == 0)
    }

    @Test("Messages of all kinds are sent and received as they are")
    func kinds() throws {
        let stage = try EngineFixture()
        let output = try stage.engine.makeMIDIOutput(name: "synth")
        let input = try stage.engine.makeMIDIInput(name: "keys")
        let received = EventLog<MIDIMessage>()
        input.setHandler { received.note($0.message) }
        let messages: [MIDIMessage] = [
            .noteOff(channel: 1, key: 2, velocity: 3), .noteOn(channel: 2, key: 3, velocity: 4),
            .keyPressure(channel: 3, key: 4, pressure: 5), .controlChange(channel: 4, controller: 5, value: 6),
            .programChange(channel: 5, program: 6), .channelPressure(channel: 6, pressure: 7),
            .pitchBend(channel: 15, value: 12_345), .systemExclusive([8, 9]), .timeCodeQuarterFrame(0x35),
            .songPosition(12_346), .songSelect(10), .tuneRequest, .clock, .start, .continue, .stop, .activeSensing,
            .reset,
        ]
        let queue = try stage.engine.makeCommandQueue()
        for message in messages { try queue.send(message, to: output, at: 100) }
        try stage.driver.render(frames: 256, midi: ["keys": messages.map { Self.event($0, 5) }])
        #expect(stage.driver.takeMIDI(from: output).map(\.message) == messages)
        #expect(received.noted == messages)
    }

    @Test("Messages that a slow handler leaves unread are lost and counted; later ones arrive")
    func overflow() throws {
        let stage = try EngineFixture(periodFrames: 8_192)
        let input = try stage.engine.makeMIDIInput(name: "keys")
        let received = EventLog<MIDIEvent>()
        input.setHandler { received.note($0) }
        let events = (0..<9_000).map { Self.event(.clock, UInt64($0 / 2)) }
        try stage.driver.render(frames: 8_192, midi: ["keys": events])
        #expect(received.noted.count == 8_192 && input.lostMessages == 808)
        try stage.driver.render(frames: 10, midi: ["keys": [Self.event(.start, 8_193)]])
        #expect(received.noted.last == Self.event(.start, 8_193))
    }

    @Test("An input is connected to an output for some channels, then for others, and disconnected")
    func connections() throws {
        let stage = try EngineFixture()
        let input = try stage.engine.makeMIDIInput(name: "keys")
        let output = try stage.engine.makeMIDIOutput(name: "synth")
        var frame: UInt64 = 0
        func passed() throws -> [UInt8] {
            let events = (0..<16).map { Self.event(Self.note(60, channel: UInt8($0)), frame + UInt64($0)) }
            try stage.driver.render(frames: 100, midi: ["keys": events])
            let sent = stage.driver.takeMIDI(from: output)
            #expect(sent.allSatisfy { $0.frame == frame + UInt64($0.message.channel ?? 99) })
            frame += 100
            return sent.compactMap(\.message.channel)
        }
        #expect(try passed() == [])
        try input.connect(to: output)
        #expect(try passed() == Array(0...15))
        try input.connect(to: output, channels: [MIDIChannels(2), MIDIChannels(9)])
        #expect(try passed() == [2, 9])
        try input.disconnect(from: output)
        #expect(try passed() == [])
    }

    @Test("The app's messages are sent in order, on their frames, all or none")
    func sending() throws {
        let stage = try EngineFixture()
        let output = try stage.engine.makeMIDIOutput(name: "synth")
        let exclusive = MIDIMessage.systemExclusive((0..<1_000).map { UInt8($0 % 100) })
        let queue = try stage.engine.makeCommandQueue()
        try output.send(Self.note(1), exclusive, Self.note(2), at: 300)
        try queue.send(Self.note(3), to: output, at: 299)
        try queue.send(exclusive, to: output, at: 512)
        try queue.transaction {
            try queue.send(Self.note(4), to: output, at: 600)
            try queue.send(.systemExclusive([1, 2, 3, 4, 5, 6, 7, 8]), to: output, at: 600)
        }
        #expect(throws: AudioEngineError.self) {
            try output.send(Self.note(5), .noteOn(channel: 16, key: 0, velocity: 0), at: 601)
        }
        #expect(throws: AudioEngineError.self) { try queue.send(.pitchBend(channel: 0, value: 16_384), to: output) }
        struct Refused: Error {}
        #expect(throws: Refused.self) {
            try queue.transaction {
                try queue.send(Self.note(6), to: output, at: 602)
                throw Refused()
            }
        }
        // More than the queue holds: nothing of it is sent.
        let tooLong = MIDIMessage.systemExclusive([UInt8](repeating: 1, count: 10_000))
        #expect(throws: AudioEngineError.commandQueueFull) { try output.send(Self.note(7), tooLong, at: 603) }
        #expect(throws: AudioEngineError.commandQueueFull) { try queue.send(tooLong, to: output, at: 603) }
        try stage.driver.render(frames: 1_000)
        #expect(
            stage.driver.takeMIDI(from: output) == [
                Self.event(Self.note(3), 299), Self.event(Self.note(1), 300), Self.event(exclusive, 300),
                Self.event(Self.note(2), 300), Self.event(exclusive, 512), Self.event(Self.note(4), 600),
                Self.event(.systemExclusive([1, 2, 3, 4, 5, 6, 7, 8]), 600),
            ])
    }

    @Test("INT-1: an output on a session's bus is silenced by an interruption, and sends notes again afterwards")
    func interruption() throws {
        let stage = try EngineFixture()
        let output = try stage.engine.makeMIDIOutput(name: "synth", on: stage.bus)
        let free = try stage.engine.makeMIDIOutput(name: "clock")
        try output.send(Self.note(60, channel: 4))
        try stage.driver.render(frames: 256)
        _ = stage.driver.takeMIDI(from: output)
        stage.gate.set(paused: true)
        try stage.driver.render(frames: 1_024)
        let silenced = stage.driver.takeMIDI(from: output)
        #expect(
            silenced.map(\.message) == [
                .controlChange(channel: 4, controller: 120, value: 0),
                .controlChange(channel: 4, controller: 123, value: 0),
                .controlChange(channel: 4, controller: 121, value: 0),
            ])
        #expect(silenced.allSatisfy { (256 + 240...256 + 512).contains($0.frame) }, "within a period after the fade")
        try output.send(Self.note(61))
        try free.send(.clock)
        try stage.driver.render(frames: 256)
        #expect(stage.driver.takeMIDI(from: output).isEmpty && stage.driver.takeMIDI(from: free).count == 1)
        stage.gate.set(paused: false)
        try output.send(Self.note(62))
        try stage.driver.render(frames: 256)
        #expect(stage.driver.takeMIDI(from: output).map(\.message) == [Self.note(62)])
    }

    @Test("16 inputs and 16 outputs; a released port is free at once; names are checked")
    func ports() throws {
        let stage = try EngineFixture()
        var inputs = try (0..<16).map { try stage.engine.makeMIDIInput(name: "in \($0)") }
        let outputs = try (0..<16).map { try stage.engine.makeMIDIOutput(name: "out \($0)") }
        #expect(throws: AudioEngineError.self) { try stage.engine.makeMIDIInput(name: "one more") }
        #expect(throws: AudioEngineError.self) { try stage.engine.makeMIDIOutput(name: "one more") }
        for _ in 0..<40 {
            inputs.remove(at: 7)
            inputs.append(try stage.engine.makeMIDIInput(name: "in 7"))
            inputs.swapAt(7, 15)
        }
        inputs.remove(at: 0)
        for name in ["", "a:b", "in 1", "out 1", String(repeating: "x", count: 65), "a\0b"] {
            #expect(throws: AudioEngineError.self, "'\(name)'") { try stage.engine.makeMIDIInput(name: name) }
        }
        _ = try stage.engine.makeMIDIInput(name: String(repeating: "x", count: 64))
        #expect(outputs.count == 16)
    }

    @Test("What belongs to another engine is refused")
    func otherEngine() throws {
        let (stage, other) = (try EngineFixture(), try EngineFixture())
        let input = try stage.engine.makeMIDIInput(name: "keys")
        let foreign = try other.engine.makeMIDIOutput(name: "synth")
        let queue = try stage.engine.makeCommandQueue()
        #expect(throws: AudioEngineError.self) { try input.connect(to: foreign) }
        #expect(throws: AudioEngineError.self) { try queue.send(.clock, to: foreign) }
        #expect(throws: AudioEngineError.self) { try stage.engine.makeMIDIOutput(name: "synth", on: other.bus) }
        #expect(throws: AudioEngineError.self) { try stage.engine.makeInstrument([], on: other.bus) }
    }

    @Test("Ports are released with their objects; an engine is released after its last port")
    func release() throws {
        weak var engine: AudioEngine?
        weak var owner: TestGate?
        do {
            let stage = try EngineFixture()
            engine = stage.engine
            owner = stage.gate
            let input = try stage.engine.makeMIDIInput(name: "keys")
            let output = try stage.engine.makeMIDIOutput(name: "synth", on: stage.bus)
            try input.connect(to: output)
            input.setHandler { _ in }
            try stage.driver.render(frames: 256)
        }
        #expect(eventually { engine == nil && owner == nil })
    }

    @Test("A driver has no ports left of an engine that was released before them")
    func reusedDriver() throws {
        let driver = OfflineDriver()
        func inputOfReleasedEngine() throws -> MIDIInput {
            let engine = try AudioEngine(driver: driver)
            try engine.open()
            return try engine.makeMIDIInput(name: "keys")
        }
        let orphan = try inputOfReleasedEngine()
        let engine = try AudioEngine(driver: driver)
        try engine.open()
        try engine.start()
        let output = try engine.makeMIDIOutput(name: "synth")
        #expect(throws: AudioEngineError.engineGone) { try orphan.connect(to: output) }
        let input = try engine.makeMIDIInput(name: "keys")
        try input.connect(to: output)
        try driver.render(frames: 100, midi: ["keys": [Self.event(.clock, 5)]])
        #expect(driver.takeMIDI(from: output) == [Self.event(.clock, 5)])
    }

    @Test("A handler may replace or remove itself, and what it owns may do so when it is released")
    func reentrantHandlers() throws {
        final class Owner: Sendable {
            private let input: MIDIInput
            init(_ input: MIDIInput) { self.input = input }
            deinit { input.setHandler(nil) }
        }
        let stage = try EngineFixture()
        let input = try stage.engine.makeMIDIInput(name: "keys")
        let received = EventLog<MIDIMessage>()
        let owner = Owner(input)
        input.setHandler { [weak input, owner] event in
            received.note(event.message)
            stage.engine.stop()  // delivers messages itself
            withExtendedLifetime(owner) { input?.setHandler(nil) }
        }
        try stage.driver.render(frames: 256, midi: ["keys": [Self.event(.start, 5), Self.event(.stop, 6)]])
        #expect(received.noted == [.start])
    }
}
