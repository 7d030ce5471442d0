import AudioInstruments
import AudioRendering
import Testing

/// The code of Documentation/MIDI.md.
@Suite struct MIDIFilePageTests {
    // [play]
    /// Calls `send` with each message of a file and its time in seconds.
    func play(_ path: String, send: (MIDIMessage, Double) -> Void) throws -> Double {
        let file = try MIDIFile(path: path)
        for problem in file.problems { print("\(path): \(problem)") }
        let sequence = file.sequence()
        for event in sequence.events {
            if let message = event.message { send(message, event.seconds) }
        }
        return sequence.duration
    }

    /// Writes a file with one note of a second.
    func writeNote(to path: String) throws {
        let track = MIDIFile.Track(events: [
            .init(tick: 0, .text("Piano", as: .trackName)),
            .init(tick: 0, .tempo(microsecondsPerQuarterNote: 500_000)),
            .init(tick: 0, .message(.noteOn(channel: 0, key: 60, velocity: 100))),
            .init(tick: 960, .message(.noteOff(channel: 0, key: 60, velocity: 64))),
        ])
        let file = MIDIFile(division: .ticksPerQuarterNote(480), tracks: [track])
        try file.write(to: path)
    }
    // [end]

    @Test("the code of the page plays a file on the transport")
    func transport() throws {
        let folder = try TestFolder()
        let path = folder.path + "/note.mid"
        try writeNote(to: path)
        let driver = OfflineDriver()
        let engine = try AudioEngine(driver: driver)
        try engine.start()
        let synth = try engine.makeMIDIOutput(name: "synth")
        // [transport]
        let sequence = try MIDIFile(path: path).sequence()
        try engine.transport.setTempoMap(sequence.tempoMap())
        let player = try MIDISequencePlayer(sequence, on: engine, to: synth)
        try engine.transport.start()
        // [end]
        try driver.render(frames: 50_000)
        let sent = driver.takeMIDI(from: synth).map(\.message)
        #expect(sent.contains(.noteOn(channel: 0, key: 60, velocity: 100)) && player.missedMessages == 0)
    }

    @Test("the code of the page writes and plays a note of a second")
    func note() throws {
        let folder = try TestFolder()
        let path = folder.path + "/note.mid"
        try writeNote(to: path)
        var messages: [(MIDIMessage, Double)] = []
        #expect(try play(path) { messages.append(($0, $1)) } == 1)
        #expect(messages.map(\.1) == [0, 1])
        #expect(try folder.entries() == ["note.mid"])
        #expect(messages.first?.0 == .noteOn(channel: 0, key: 60, velocity: 100))
    }
}
