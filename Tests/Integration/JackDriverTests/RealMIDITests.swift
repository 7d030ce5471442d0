import AudioRendering
import Glibc
import JackDriver
import TestRandom
import TestSupport
import Testing

extension RealServers {
    /// MIDI ports on a real server.
    @Suite("MIDI ports", .serialized)
    struct RealMIDITests {
        /// An instrument whose sound is one frame, and its ports.
        private final class Fixture: Sendable {
            let name: ServerName
            let player: JackPlayer
            let instrument: AudioInstrument
            let input: MIDIInput
            let output: MIDIOutput

            init(
                _ name: ServerName, sound: [Float] = [0.5], _ change: (inout InstrumentZone) -> Void = { _ in }
            ) throws {
                self.name = name
                player = try JackPlayer(
                    .init(
                        server: .named(name.text), clientName: "midi-test", outputs: 1,
                        recovery: .within(seconds: 60), connections: .none))
                try player.engine.open()
                var zone = InstrumentZone(try AudioBuffer([sound]))
                (zone.keyTracking, zone.velocityTracking) = (0, 0)
                zone.isOneShot = true
                change(&zone)
                instrument = try player.engine.makeInstrument([zone], on: player.makeBus())
                input = try player.engine.makeMIDIInput(name: "keys")
                output = try player.engine.makeMIDIOutput(name: "thru")
                try input.connect(to: instrument)
                try input.connect(to: output)
                try player.engine.start()
            }

            func connect(_ probe: MIDIProbe) throws {
                try probe.connect("probe-sender:out", to: "midi-test:keys")
                try probe.connect("midi-test:out_1", to: "probe-listener:audio")
                try probe.connect("midi-test:thru", to: "probe-listener:midi")
            }
        }

        /// A server whose cycles wait for all clients.
        private func server(_ name: ServerName, periodFrames: Int = 1_024) throws -> JackServer {
            try JackServer(name, periodFrames: periodFrames, arguments: JackServer.synchronous)
        }

        private func note(_ frame: Int, key: UInt8 = 60) -> MIDIProbe.Event {
            MIDIProbe.Event(frame: frame, bytes: [0x90, key, 100])
        }

        @Test("A note is heard, and a message is passed on, in the cycle and on the frame of the message")
        func frames() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let fixture = try Fixture(name)
            defer { fixture.player.engine.close() }
            let probe = try MIDIProbe(on: name)
            try fixture.connect(probe)
            var random = SeededGenerator(seed: TestSeed.current)
            var frame = 3
            let notes = (0..<200).map { _ in
                frame += 1 + random.below(190)
                return note(frame)
            }
            let recording = try probe.record(notes, frames: frame + 4_096)
            #expect(recording.onsets == notes.map(\.frame), "0 added frames")
            #expect(recording.events == notes)
            #expect(fixture.instrument.missedNotes == 0)
        }

        @Test("1,000 messages of one period reach the handler and another program without loss, in order")
        func crowd() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let fixture = try Fixture(name)
            defer { fixture.player.engine.close() }
            let handled = EventLog<[UInt8]>()
            let probe = try MIDIProbe(on: name)
            try fixture.connect(probe)
            let messages = (0..<1_000).map { number in
                MIDIProbe.Event(frame: 1_024 + number, bytes: [0xB0, UInt8(number % 100), UInt8(number / 100)])
            }
            var before = 0
            let recording = try probe.record(messages, frames: 8_192) {
                fixture.input.setHandler { handled.note($0.message.bytes) }
                before = handled.noted.count
            }
            #expect(recording.events == messages)
            #expect(handled.wait { $0.count >= before + 1_000 })
            #expect(Array(handled.noted.dropFirst(before)) == messages.map(\.bytes))
            #expect(fixture.input.lostMessages == 0 && fixture.player.engine.counters.droppedMIDI == 0)
        }

        @Test("Messages and notes of the app are sent and heard on their frames")
        func timed() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let fixture = try Fixture(name)
            defer { fixture.player.engine.close() }
            let probe = try MIDIProbe(on: name)
            try fixture.connect(probe)
            let distances = (0..<50).map { 97 * $0 }
            let queue = try fixture.player.engine.makeCommandQueue()
            let recording = try probe.record([], frames: 96_000) {
                let start = fixture.player.engine.currentFrame + 48_000
                for distance in distances {
                    let time = start + UInt64(distance)
                    try queue.send(.noteOn(channel: 0, key: 60, velocity: 100), to: fixture.instrument, at: time)
                    try queue.send(.controlChange(channel: 3, controller: 7, value: 9), to: fixture.output, at: time)
                }
            }
            let first = try #require(recording.onsets.first)
            #expect(recording.onsets.map { $0 - first } == distances)
            #expect(recording.events.map(\.frame) == recording.onsets)
            #expect(recording.events.allSatisfy { $0.bytes == [0xB3, 7, 9] })
        }

        /// JACK's example of a sequencer, which repeats a long note of key 61 at port
        /// `keyboard:out`.
        private func sequencer(on server: JackServer) throws -> ChildProcess {
            let process = try ChildProcess(
                "jack_midiseq", ["keyboard", "4800", "0", "61", "4700"], environment: server.environment)
            #expect(
                try eventually {
                    try ChildProcess.run("jack_lsp", ["keyboard"], environment: server.environment)
                        .output.contains("keyboard:out")
                })
            return process
        }

        private func end(_ process: ChildProcess) {
            process.send(SIGKILL)
            process.reap()
        }

        @Test("What jack_midiseq plays is heard as in an offline render, sample by sample")
        func offline() throws {
            let name = try ServerName()
            let server = try server(name, periodFrames: 256)
            defer { server.stop() }
            let sound = Signal.counting(frames: 2_000)
            let fixture = try Fixture(name, sound: sound) { ($0.keyTracking, $0.isOneShot) = (100, false) }
            defer { fixture.player.engine.close() }
            let received = EventLog<MIDIEvent>()
            fixture.input.setHandler { received.note($0) }
            let probe = try MIDIProbe(on: name)
            try fixture.connect(probe)
            let keyboard = try ChildProcess(
                "jack_midiseq", ["keyboard", "9600", "0", "60", "1100", "5000", "65", "1100"],
                environment: server.environment)
            defer { end(keyboard) }
            #expect(eventually { (try? probe.connect("keyboard:out", to: "midi-test:keys")) != nil })
            #expect(received.wait { $0.count > 4 })
            // PipeWire skips the cycles of a client that is late, and with them its notes.
            var isEqual = try isHeardAsOffline(probe, received, sound)
            for _ in 0..<4 where TestServer.current == .pipewire && !isEqual {
                isEqual = try isHeardAsOffline(probe, received, sound)
            }
            #expect(isEqual)
        }

        /// Returns whether a recording of the sequencer's two keys equals an offline render of the
        /// events that were received meanwhile.
        private func isHeardAsOffline(
            _ probe: MIDIProbe, _ received: EventLog<MIDIEvent>, _ sound: [Float]
        ) throws -> Bool {
            let before = received.noted.count
            let heard = try probe.record([], frames: 48_000).audio
            #expect(received.wait { $0.count > before + 8 })

            // From a note that begins after silence on: two notes of each key.
            let begin = try #require(
                heard.indices.dropFirst(500).first { heard[$0] != 0 && heard[$0 - 400] == 0 && heard[$0 - 1] == 0 })
            let segment = heard[begin..<(begin + 19_200)]
            let events = received.noted.dropFirst(before)
            let renders = try [0, 2].map {
                try render(sound, Array(events.filter(isNoteOrEnd).drop(while: isEnd).dropFirst($0)), 19_200)
            }
            #expect(Signal.firstDifference(renders[0], renders[1]) != nil && Signal.peak(segment) > 0)
            return renders.contains { Signal.firstDifference(segment, $0) == nil }
        }

        private func isNoteOrEnd(_ event: MIDIEvent) -> Bool {
            switch event.message {
            case .noteOn, .noteOff: true
            default: false
            }
        }

        private func isEnd(_ event: MIDIEvent) -> Bool {
            if case .noteOn(_, _, let velocity) = event.message { velocity == 0 } else { true }
        }

        /// Returns what the fixture's instrument plays offline, from the first of the events on.
        private func render(_ sound: [Float], _ events: [MIDIEvent], _ frames: Int) throws -> [Float] {
            let driver = OfflineDriver(channels: 1, periodFrames: 333)
            let engine = try AudioEngine(driver: driver)
            try engine.open()
            let gate = try TestGate()
            let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
            var zone = InstrumentZone(try AudioBuffer([sound]))
            zone.velocityTracking = 0
            let instrument = try engine.makeInstrument([zone], on: bus)
            let input = try engine.makeMIDIInput(name: "keys")
            try input.connect(to: instrument)
            try engine.start()
            let first = try #require(events.first).frame
            let shifted = events.map { MIDIEvent(message: $0.message, frame: $0.frame - first) }
            return try driver.render(frames: frames, midi: ["keys": shifted])[0]
        }

        @Test(
            "SRV-2: when the server returns, MIDI ports and connections are restored, no note hangs, and new ones are heard"
        )
        func loss() throws {
            let name = try ServerName()
            var server = try JackServer(name)
            defer { server.stop() }
            let fixture = try Fixture(name, sound: [Float](repeating: 0.25, count: 4_800_000)) { $0.isOneShot = false }
            defer { fixture.player.engine.close() }
            let received = EventLog<MIDIMessage>()
            fixture.input.setHandler { received.note($0.message) }
            let note = MIDIMessage.noteOn(channel: 0, key: 61, velocity: 64)
            var keyboard = try sequencer(on: server)
            defer { end(keyboard) }
            try ChildProcess.run(
                "jack_connect", ["keyboard:out", "midi-test:keys"], environment: server.environment)
            #expect(
                eventually { fixture.player.driver.restorableLinks == ["keys keyboard:out"] },
                "the app has been notified of the connection")
            #expect(received.wait { $0.contains(note) })

            #expect(eventually { fixture.instrument.voiceCount > 0 })
            server.kill()
            #expect(fixture.player.waitForEvent { $0 == .serverLost })
            end(keyboard)
            let before = received.noted.count
            server = try JackServer(name)
            #expect(fixture.player.waitForEvent { if case .serverReturned = $0 { true } else { false } })
            #expect(eventually { fixture.instrument.voiceCount == 0 }, "the note-off was missed")
            keyboard = try sequencer(on: server)
            #expect(received.wait { $0.dropFirst(before).contains(note) })
            #expect(eventually { received.noted.count > before + 4 })
        }

        @Test("An input that loses its last connection ends the notes: an unplugged keyboard sends no note-offs")
        func unplugged() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let fixture = try Fixture(name, sound: [Float](repeating: 0.25, count: 4_800_000)) { $0.isOneShot = false }
            defer { fixture.player.engine.close() }
            let probe = try MIDIProbe(on: name)
            try fixture.connect(probe)
            #expect(eventually { fixture.player.driver.restorableLinks.contains("keys probe-sender:out") })
            _ = try probe.record([note(100)], frames: 2_048)
            #expect(eventually { fixture.instrument.voiceCount > 0 })
            try ChildProcess.run(
                "jack_disconnect", ["probe-sender:out", "midi-test:keys"], environment: server.environment)
            #expect(eventually { fixture.instrument.voiceCount == 0 })
        }

        @Test("Before the engine is suspended, an output ends the notes that it has begun")
        func suspension() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let fixture = try Fixture(name)
            let engine = fixture.player.engine
            defer { engine.close() }
            let probe = try MIDIProbe(on: name)
            try fixture.connect(probe)
            let recording = try probe.record(
                [], frames: 48_000, prepare: { try engine.start() },
                during: {
                    try fixture.output.send(.noteOn(channel: 2, key: 60, velocity: 100))
                    #expect(try fixture.player.waitForFrames(2_048))
                    engine.suspend()
                })
            let expected: [[UInt8]] = [[0xB2, 120, 0], [0xB2, 123, 0], [0xB2, 121, 0]]
            #expect(recording.events.map(\.bytes).suffix(3) == expected[...])
        }

        @Test("Ports are added and removed while the server runs; a name can be used again at once")
        func removal() throws {
            let name = try ServerName()
            let server = try JackServer(name)
            defer { server.stop() }
            let fixture = try Fixture(name)
            let engine = fixture.player.engine
            defer { engine.close() }
            // The libjack of PipeWire 1.4 shows another client's ports once it knows that the
            // client is active.
            func ports() throws -> Set<String> {
                let list = try ChildProcess.run("jack_lsp", ["midi-test"], environment: server.environment).output
                return Set(list.split(separator: "\n").map(String.init))
            }
            #expect(try eventually { try ports() == ["midi-test:out_1", "midi-test:keys", "midi-test:thru"] })
            for _ in 1...3 {
                let pads = try engine.makeMIDIInput(name: "pads")
                #expect(try eventually { try ports().contains("midi-test:pads") })
                _ = pads
            }
            #expect(try eventually { try !ports().contains("midi-test:pads") })
            #expect(throws: AudioEngineError.self) { try engine.makeMIDIInput(name: "keys") }
            #expect(throws: DriverError.self) { try engine.makeMIDIInput(name: "out_1") }
            #expect(throws: DriverError.self, "the name stays free for the driver") {
                try engine.makeMIDIInput(name: "out_1")
            }
            // Closed and opened again, the engine has the same ports.
            engine.close()
            #expect(throws: DriverError.self) { try engine.makeMIDIInput(name: "in_2") }
            try engine.start()
            #expect(try eventually { try ports() == ["midi-test:out_1", "midi-test:keys", "midi-test:thru"] })
        }
    }
}
