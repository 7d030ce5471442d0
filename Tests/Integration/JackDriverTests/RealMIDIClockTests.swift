import AudioRendering
import Glibc
import TestSupport
import Testing

extension RealServers {
    /// Transports that follow a MIDI clock over ports of a real server.
    @Suite("MIDI clock", .serialized)
    struct RealMIDIClockTests {
        /// A follower whose port is connected to a port that sends a clock.
        private struct Follower {
            let app: Sequencer
            let input: MIDIInput

            init(_ name: ServerName, port: String) throws {
                app = try Sequencer(name, client: "follower", sound: [2], tempo: 61, role: .midiClock)
                input = try app.player.engine.makeMIDIInput(name: "clock")
                try input.connect(to: app.transport)
                try input.connect(toPorts: [port])
            }
        }

        /// Whether the hits of two apps, of the levels 1 and 2, are on the same frames, or at most
        /// one frame beside each other.
        private func areTogether(_ recording: MIDIProbe.Recording) -> Bool {
            let audio = recording.audio
            let one = recording.onsets.filter { audio[$0] != 2 }, two = recording.onsets.filter { audio[$0] >= 2 }
            return one.count == two.count && !one.isEmpty && zip(one, two).allSatisfy { abs($0 - $1) <= 1 }
        }

        @Test(
            "An app follows the clock of another one, from the first beat on, in the same cycle",
            arguments: [120, 97.3])
        func followsApp(tempo: Double) throws {
            var (recording, xruns) = try followApp(tempo: tempo)
            // PipeWire skips the cycles of a client that is late, and with them clocks: the
            // follower then measures another tempo at first.
            for _ in 0..<4 where !areTogether(recording) && !TestServer.current.isJackd {
                (recording, xruns) = try followApp(tempo: tempo)
            }
            let isTogether = areTogether(recording)
            #expect(isTogether, "\(recording.onsets), \(xruns) xruns")
            let isExact = recording.onsets.allSatisfy { recording.audio[$0] == 3 }
            #expect(isExact || tempo != 120, "its clocks are on whole frames")
        }

        /// Returns the sounds of the sender and its follower, and the number of xruns of both.
        private func followApp(tempo: Double) throws -> (MIDIProbe.Recording, xruns: Int) {
            let name = try ServerName()
            let server = try JackServer(name, periodFrames: 256, arguments: JackServer.synchronous)
            defer { server.stop() }
            let sender = try Sequencer(name, client: "sender", tempo: tempo, role: .own)
            let output = try sender.player.engine.makeMIDIOutput(name: "clock")
            let clock = try sender.player.engine.makeMIDIClockSender(to: output)
            let follower = try Follower(name, port: "sender:clock")
            defer { for app in [sender, follower.app] { app.player.engine.close() } }
            let probe = try MIDIProbe(on: name)
            for app in ["sender", "follower"] { try probe.connect("\(app):out_1", to: "probe-listener:audio") }
            let recording = try probe.record(
                [], frames: 144_000,
                prepare: {
                    try sender.transport.stop()
                    try sender.transport.locate(toBeat: 0)
                    follower.app.wait(rolling: false)
                    #expect(eventually { sender.transport.position.beat == 0 })
                    // Twice: the first one measures the tempo.
                    try sender.transport.start()
                    follower.app.advance(beats: 0.5)
                    try sender.transport.stop()
                    follower.app.wait(rolling: false)
                    try sender.transport.locate(toBeat: 0)
                    #expect(eventually { sender.transport.position.beat == 0 })
                },
                during: {
                    probe.waitForBegin()
                    try sender.transport.start()
                    sender.advance(beats: 2.3)
                    try sender.transport.stop()
                    follower.app.wait(rolling: false)
                })
            withExtendedLifetime(clock) {}
            return (recording, [sender, follower.app].map(\.player.engine.statistics.xruns).reduce(0, +))
        }

        @Test("An app follows jack_midi_clock, in step with an app that follows the server's transport")
        func followsTool() throws {
            var isInStep = try followTool()
            // PipeWire skips the cycles of a client that is late, and with them clocks: the
            // follower then never starts, or stays late.
            for _ in 0..<4 where !isInStep && !TestServer.current.isJackd { isInStep = try followTool() }
            #expect(isInStep)
        }

        /// Whether the hits of the two apps are together, from the second beat on.
        private func followTool() throws -> Bool {
            let name = try ServerName()
            let server = try JackServer(name, periodFrames: 256, arguments: JackServer.synchronous)
            defer { server.stop() }
            let leader = try Sequencer(name, client: "leader", tempo: 120, role: .leader)
            let tool = try ChildProcess("jack_midi_clock", [], environment: server.environment)
            defer {
                tool.send(SIGKILL)
                tool.reap()
            }
            let follower = try Follower(name, port: "jack_midi_clock:mclk_out")
            defer { for app in [leader, follower.app] { app.player.engine.close() } }
            let probe = try MIDIProbe(on: name)
            for app in ["leader", "follower"] { try probe.connect("\(app):out_1", to: "probe-listener:audio") }
            // A single message starts the follower.
            let isConnected = try eventually {
                try server.links(of: "follower")
                    .contains("follower:clock → jack_midi_clock:mclk_out")
            }
            #expect(isConnected)
            try leader.transport.start()
            guard eventually({ follower.app.transport.position.isRolling }) else { return false }
            follower.app.advance(beats: 1)
            let recording = try probe.record([], frames: 96_000)
            try leader.transport.stop()
            follower.app.wait(rolling: false)
            return recording.onsets.count > 6 && areTogether(recording)
        }
    }
}
