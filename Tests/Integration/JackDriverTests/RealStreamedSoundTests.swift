import AudioRendering
import JackDriver
import TestRandom
import TestSupport
import Testing

extension RealServers {
    /// Streamed sounds of instruments on a real server.
    @Suite("Streamed sounds", .serialized)
    struct RealStreamedSoundTests {
        private static let (noteCount, seconds) = (24, 4)

        /// Zones of one key each, all at other pitches.
        private func zones(_ sound: (Int) throws -> any InstrumentSound) rethrows -> [InstrumentZone] {
            try (0..<Self.noteCount).map { number in
                var zone = InstrumentZone(try sound(number), keys: (40 + number)...(40 + number), rootKey: 52)
                zone.velocityTracking = 0
                if number.isMultiple(of: 3) { (zone.loop, zone.loopFadeFrames) = (60_000..<110_000, 5_000) }
                return zone
            }
        }

        /// Writes a file of noise for each note.
        private func files(in directory: TemporaryDirectory) throws -> [String] {
            var generator = SeededGenerator(seed: TestSeed.current)
            return try (0..<Self.noteCount).map { number in
                let path = directory.file("\(number).wav")
                let noise = (0..<300_000).map { _ in Float(Int16.random(in: -512...512, using: &generator)) / 32_768 }
                try SoundFile.write([noise], sampleRate: number.isMultiple(of: 2) ? 48_000 : 44_100, to: path)
                return path
            }
        }

        private func makeInstrument(_ zones: [InstrumentZone], _ engine: AudioEngine, on bus: any AudioBus) throws -> (
            AudioInstrument, MIDIInput
        ) {
            let instrument = try engine.makeInstrument(zones, on: bus)
            let input = try engine.makeMIDIInput(name: "keys")
            try input.connect(to: instrument)
            return (instrument, input)
        }

        /// Returns what the notes sound like offline, with all sounds in memory.
        private func reference(_ paths: [String], _ frames: [Int]) throws -> [Float] {
            let driver = OfflineDriver(channels: 1)
            let engine = try AudioEngine(driver: driver)
            try engine.open()
            let gate = try TestGate()
            let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
            let parts = try makeInstrument(zones { try AudioBuffer(path: paths[$0]) }, engine, on: bus)
            try engine.start()
            let events = frames.indices.map {
                MIDIEvent(message: .noteOn(channel: 0, key: UInt8(40 + $0), velocity: 100), frame: UInt64(frames[$0]))
            }
            return try withExtendedLifetime(parts) {
                try driver.render(frames: 48_000 * Self.seconds, midi: ["keys": events])[0]
            }
        }

        @Test("24 notes that are streamed at once are heard as in an offline render from memory, bit for bit")
        func notes() throws {
            let name = try ServerName()
            let server = try JackServer(name, periodFrames: 256, arguments: JackServer.synchronous)
            defer { server.stop() }
            let directory = try TemporaryDirectory()
            let paths = try files(in: directory)
            let player = try JackPlayer(
                .init(
                    server: .named(name.text), clientName: "streaming-test", outputs: 1,
                    recovery: .within(seconds: 60), connections: .none))
            let engine = player.engine
            try engine.open()
            defer { engine.close() }
            let sounds = try paths.map { try StreamedSound(path: $0) }
            let (instrument, input) = try makeInstrument(zones { sounds[$0] }, engine, on: player.makeBus())
            try engine.start()
            let probe = try MIDIProbe(on: name)
            try probe.connect("probe-sender:out", to: "streaming-test:keys")
            try probe.connect("streaming-test:out_1", to: "probe-listener:audio")
            let frames = (0..<Self.noteCount).map { 300 + 131 * $0 }
            let events = frames.indices.map {
                MIDIProbe.Event(frame: frames[$0], bytes: [0x90, UInt8(40 + $0), 100])
            }
            // On a machine that is busy for longer than is read ahead, pages are late; and PipeWire
            // skips the cycles of a client that is late.
            let expected = try reference(paths, frames)
            var recording: [Float] = []
            var missing: UInt64 = 1
            var isSkipped = false
            for _ in 0..<5 where missing > 0 || isSkipped {
                let before = engine.counters.underrunFrames
                recording = try probe.record(events, frames: 48_000 * Self.seconds) {
                    try instrument.silence()
                    #expect(eventually { instrument.voiceCount == 0 })
                }.audio
                missing = engine.counters.underrunFrames - before
                isSkipped = TestServer.current == .pipewire && Signal.firstDifference(recording, expected) != nil
            }
            withExtendedLifetime(input) {}
            #expect(missing == 0)
            #expect(Signal.firstDifference(recording, expected) == nil && Signal.peak(expected) > 0.05)
            #expect(sounds.allSatisfy { $0.failure == nil } && instrument.missedNotes == 0)
        }
    }
}
