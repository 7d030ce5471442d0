import AudioRendering
import TestSupport
import Testing

/// MIDI clock, on the offline driver.
@Suite struct MIDIClockTests {
    private struct Scene {
        let stage: EngineFixture
        let output: MIDIOutput
        var transport: AudioTransport { stage.engine.transport }

        init() throws {
            stage = try EngineFixture()
            output = try stage.engine.makeMIDIOutput(name: "clock")
        }

        /// Renders, and returns what was sent: the messages and their frames from `begin` on.
        func sent(_ frames: Int) throws -> [MIDIEvent] {
            try stage.driver.render(frames: frames)
            return stage.driver.takeMIDI(from: output)
        }
    }

    private func clocks(_ events: [MIDIEvent]) -> [Int] {
        events.filter { $0.message == .clock }.map { Int($0.frame) }
    }

    @Test("24 clocks per quarter note, on their frames, after a start")
    func start() throws {
        let scene = try Scene()
        let sender = try scene.stage.engine.makeMIDIClockSender(to: scene.output)
        #expect(try scene.sent(10_000).map(\.message) == [.songPosition(0)], "while the transport is stopped")
        try scene.transport.setTempoMap(TempoMap(tempo: 97))
        #expect(try scene.sent(512).map(\.message) == [.stop, .songPosition(0)], "it may have rolled")
        try scene.transport.start(at: 12_345)
        let events = try scene.sent(109_488)
        #expect(events.first == MIDIEvent(message: .start, frame: 12_345))
        let perClock = 48_000 * 60 / 97 / 24.0
        let count = Int((120_000 - 12_345) / perClock) + 1
        #expect(clocks(events) == (0..<count).map { 12_345 + Int((Double($0) * perClock + 0.500001).rounded(.down)) })
        #expect(events.count == count + 1)
        _ = sender
    }

    @Test("A stop, and a continue at the next sixteenth note, with its song position")
    func resume() throws {
        let scene = try Scene()
        let sender = try scene.stage.engine.makeMIDIClockSender(to: scene.output)
        try scene.transport.start()
        _ = try scene.sent(25_000)
        try scene.transport.stop()  // at beat 1.0417
        var events = try scene.sent(10_000)
        #expect(events.map(\.message) == [.stop, .songPosition(5)], "receivers can prepare")
        try scene.transport.start()
        events = try scene.sent(10_000)
        #expect(events.prefix(2).map(\.message) == [.continue, .clock])
        #expect(events.prefix(2).map(\.frame) == [35_000, 40_000])
        try scene.transport.locate(toBeat: 8)
        events = try scene.sent(10_000)
        #expect(events.prefix(4).map(\.message) == [.stop, .songPosition(32), .continue, .clock])
        #expect(clocks(events).first == events.first { $0.message == .continue }.map { Int($0.frame) })
        _ = sender
    }

    @Test("In a meter of eighth notes, a quarter note has two beats")
    func meter() throws {
        let scene = try Scene()
        let sender = try scene.stage.engine.makeMIDIClockSender(to: scene.output)
        try scene.transport.setTempoMap(TempoMap(tempo: 240, meter: Meter(6, 8)))
        try scene.transport.start()
        let events = try scene.sent(24_256)
        #expect(clocks(events) == (0..<24).map { 256 + $0 * 1_000 }, "the new map is prepared first")
        _ = sender
    }

    @Test("A sender that is released stops the clock; an output of another engine is refused")
    func end() throws {
        let scene = try Scene()
        var sender: MIDIClockSender? = try scene.stage.engine.makeMIDIClockSender(to: scene.output)
        try scene.transport.start()
        #expect(try !scene.sent(24_000).isEmpty)
        sender = nil
        let events = try scene.sent(48_000)
        #expect(events.contains { $0.message == .stop } && sender == nil)
        #expect(clocks(events).count < 12, "at most those of the lookahead")
        let other = try Scene()
        #expect(throws: AudioEngineError.self) { try scene.stage.engine.makeMIDIClockSender(to: other.output) }
    }
}
