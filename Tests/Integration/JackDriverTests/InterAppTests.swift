import AudioRendering
import AudioSessions
import Glibc
import InterAppAudio
import JackDriver
import SessionArbiter
import TestRandom
import TestSupport
import Testing

extension RealServers {
    /// Hosts and nodes in processes of their own, on a real server (PLAY-6).
    @Suite("Inter-app audio", .serialized)
    struct InterAppTests {
        private typealias Program = InterAppFixture.Program

        /// The options of the servers on which frames are compared: asynchronous and synchronous
        /// cycles of jackd.
        private static let modes = TestServer.current == .jackd ? [[], JackServer.synchronous] : [[]]

        private func server(_ name: ServerName, periodFrames: Int = 1_024) throws -> JackServer {
            try JackServer(name, periodFrames: periodFrames, arguments: JackServer.synchronous)
        }

        /// A server whose other clients continue when one hangs.
        private func asynchronousServer(_ name: ServerName) throws -> JackServer {
            // Run synchronously, it waits 20 periods for a client that hangs, in each cycle.
            try JackServer(name, periodFrames: TestServer.current == .jackdSync ? 256 : 1_024)
        }

        // MARK: One cycle

        /// Plays impulses directly and by `play`, on the same random frames; checks that both
        /// arrive together.
        private func checkFrames(
            _ fixture: InterAppFixture, _ play: (AudioEngine, UInt64) throws -> Void
        ) throws {
            let probe = try MIDIProbe(on: fixture.name)
            try fixture.connect(probe)
            let engine = try fixture.session.engine
            let direct = try AudioBuffer([[0.25]])
            var random = SeededGenerator(seed: TestSeed.current)
            let gaps = (0..<100).map { _ in 60 + random.below(700) }
            var played: [Int] = []
            func record() throws -> MIDIProbe.Recording {
                try probe.record([], frames: gaps.reduce(0, +) + 40_960) {
                    var frame = engine.currentFrame + 9_600
                    let first = frame
                    played = []
                    for gap in gaps {
                        try play(engine, frame)
                        try engine.play(.buffer(direct), on: fixture.session.bus, at: frame)
                        played.append(Int(frame - first))
                        frame += UInt64(gap)
                    }
                }
            }
            var recording = try record()
            // PipeWire skips clients that are late: no impulse of their cycle is heard.
            for _ in 0..<4 where TestServer.current == .pipewire && recording.onsets.count < played.count {
                recording = try record()
            }
            let onsets = recording.onsets
            #expect(onsets.map { $0 - (onsets.first ?? 0) } == played)
            let sums = Set(onsets.map { recording.audio[$0] })
            #expect(sums.count == 1 && sums.allSatisfy { $0 > 0.3 }, "\(sums): 0 added frames")
        }

        @Test("PLAY-6: what is sent to an effect returns on its frame, in the same cycle", arguments: modes)
        func effect(_ mode: [String]) throws {
            let name = try ServerName()
            let server = try JackServer(name, periodFrames: 1_024, arguments: mode)
            defer { server.stop() }
            let program = try Program(server, "hall", "effect", "Hall")
            let fixture = try InterAppFixture(name)
            let hosted = try fixture.host.connect(try fixture.node("Hall"))
            let send = try #require(hosted.send)
            let impulse = try AudioBuffer([[1]])
            try checkFrames(fixture) { engine, frame in
                try engine.play(.buffer(impulse), on: send, at: frame)
            }
            withExtendedLifetime(program) {}
        }

        @Test("PLAY-6: a note that is sent to an instrument is heard on its frame, in the same cycle", arguments: modes)
        func instrument(_ mode: [String]) throws {
            let name = try ServerName()
            let server = try JackServer(name, periodFrames: 1_024, arguments: mode)
            defer { server.stop() }
            let program = try Program(server, "synth", "instrument", "Synth")
            let fixture = try InterAppFixture(name)
            let hosted = try fixture.host.connect(try fixture.node("Synth"))
            let midi = try #require(hosted.midi)
            #expect(hosted.send == nil)
            try checkFrames(fixture) { _, frame in
                try midi.send(.noteOn(channel: 0, key: 60, velocity: 100), at: frame)
            }
            withExtendedLifetime(program) {}
        }

        @Test("PLAY-6: a generator plays on a bus of the app's engine; a node that is sent to does not")
        func generator() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let programs = try [
                Program(server, "tone", "generator", "Tone"), Program(server, "hall", "effect", "Hall"),
            ]
            let fixture = try InterAppFixture(name)
            try fixture.session.bus.setGraph(BusGraph(buses: [.init("nodes", gain: 0.5)]))
            let tone = try fixture.node("Tone")
            let hosted = try fixture.host.connect(tone, on: fixture.session.bus("nodes"))
            #expect(hosted.midi == nil && hosted.send == nil && fixture.host.returnEngine == nil)
            let probe = try MIDIProbe(on: name)
            try probe.connect("host:out_1", to: "probe-listener:audio")
            #expect(try fixture.hears(0.125, probe))
            hosted.gain = 0.5
            #expect(try fixture.hears(0.0625, probe))
            let hall = try fixture.node("Hall")
            #expect(throws: AudioSessionError.self) {
                try fixture.host.connect(hall, on: fixture.session.bus)
            }
            hosted.disconnect()
            #expect(hosted.currentState == .disconnected)
            #expect(try fixture.hears(0, probe))
            #expect(fixture.host.hostedNodes.isEmpty)
            withExtendedLifetime(programs) {}
        }

        // MARK: Finding nodes

        @Test("PLAY-6: a host finds nodes with their names, icons and ports, and notices when they leave")
        func discovery() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let fixture = try InterAppFixture(name, activates: false)
            let lists = EventLog<[String]>()
            let observation = fixture.host.observe { event in
                if case .nodesChanged(let nodes) = event { lists.note(nodes.map(\.name)) }
            }
            #expect(fixture.host.nodes.isEmpty)
            let program = try Program(server, "hall", "effect", "Hall")
            // jackd has no icons: a client that reads its metadata may hang.
            let icon = TestServer.current == .pipewire ? [UInt8](repeating: 7, count: 4_000) : []
            #expect(eventually { fixture.host.nodes.first { $0.name == "Hall" }?.icon == icon })
            let node = try fixture.node("Hall")
            #expect(
                node
                    == NodeDescription(
                        kind: .effect, name: "Hall", icon: icon, client: "hall",
                        inputs: ["hall:Hall (effect) in_1"], outputs: ["hall:Hall (effect) out_1"],
                        midiInput: "hall:Hall (effect) midi"))
            program.kill()
            #expect(lists.wait { $0.last == [] })
            #expect(fixture.host.nodes.isEmpty)
            #expect(lists.noted.contains(["Hall"]))
            withExtendedLifetime(observation) {}
        }

        @Test("PLAY-6: a node is withdrawn with its last reference, and may be published again")
        func withdrawal() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let fixture = try InterAppFixture(name, activates: false)
            let app = AudioSessionHost(
                driver: JackDriver(
                    configuration: .init(server: .named(name.text), clientName: "app", connections: .none)))
            defer { app.close() }
            // More rounds than the engine has inputs.
            for round in 1...6 {
                var node: AudioNode? = try AudioNode(.init(kind: .effect, name: "Echo"), on: app)
                if let node, let input = node.input { try node.engine.play(.input(input), on: node.bus) }
                #expect(try eventually { try fixture.node("Echo").outputs.count == 2 })
                #expect(node?.isConnected == false)
                #expect(throws: (any Error).self, "of the same name") {
                    try AudioNode(.init(kind: .effect, name: "Echo"), on: app)
                }
                let other = try AudioNode(.init(kind: .generator, name: "Echo"), on: app)
                node = nil
                #expect(eventually { fixture.host.nodes.map(\.kind) == [.generator] }, "round \(round)")
                withExtendedLifetime(other) {}
                #expect(eventually { node == nil })
            }
        }

        @Test("PLAY-6: two hosts of one session may use one node; a bus of another session is refused")
        func twoHosts() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let program = try Program(server, "tone", "generator", "Tone")
            let fixture = try InterAppFixture(name)
            let node = try fixture.node("Tone")
            let second = try AudioHost(session: fixture.session)
            let hosted = try [
                fixture.host.connect(node), second.connect(node), second.connect(node),
                second.connect(node, on: fixture.session.bus),
            ]
            let probe = try MIDIProbe(on: name)
            try probe.connect("host:out_1", to: "probe-listener:audio")
            #expect(try fixture.hears(0.25, probe))
            for hosted in hosted { #expect(hosted.currentState == .connected) }
            let other = try AudioSession(host: fixture.sessionHost)
            #expect(throws: AudioSessionError.self) { try second.connect(node, on: other.bus) }
            #expect(second.hostedNodes.count == 3)
            withExtendedLifetime(program) {}
        }

        @Test("The second client is suspended with the app's engine, and continues with it")
        func suspension() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let program = try Program(server, "hall", "effect", "Hall")
            let fixture = try InterAppFixture(name, suspendOnIdle: 0.2)
            let hosted = try fixture.host.connect(try fixture.node("Hall"))
            let sound = try AudioBuffer([[Float](repeating: 0.5, count: 480)])
            try fixture.session.engine.play(.buffer(sound, loop: .forever), on: try #require(hosted.send))
            let stage = try #require(fixture.host.returnEngine)
            #expect(eventually { stage.takeOutputPeak(channel: 0) == 0.25 })
            try fixture.session.setActive(false)
            #expect(eventually { !stage.driver.isRendering })
            try fixture.session.setActive(true)
            #expect(eventually { stage.takeOutputPeak(channel: 0) == 0.25 })
            withExtendedLifetime(program) {}
        }

        @Test("PLAY-6: a node keeps its engine running without an active session, until it is released")
        func idle() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            var settings = ArbiterSettings()
            settings.suspendOnIdle = 0.2
            let app = AudioSessionHost(
                driver: JackDriver(
                    configuration: .init(server: .named(name.text), clientName: "app", connections: .none)),
                settings: settings)
            defer { app.close() }
            let session = try AudioSession(host: app)
            var node: AudioNode? = try AudioNode(.init(kind: .generator, name: "Tone"), on: app)
            let engine = try session.engine
            try session.setActive(true)
            try session.setActive(false)
            // Longer than the limit: the engine would be suspended meanwhile.
            let end = engine.currentFrame + 48_000
            #expect(eventually { engine.currentFrame > end })
            #expect(engine.driver.isRendering)
            withExtendedLifetime(node) {}
            node = nil
            #expect(eventually { !engine.driver.isRendering })
        }

        @Test(
            "The end of another jackd removes all metadata: old and new nodes are found nevertheless",
            .jackdOnly("the servers of PipeWire share nothing"))
        func lostMetadata() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let program = try Program(server, "hall", "effect", "Hall")
            let fixture = try InterAppFixture(name, activates: false)
            _ = try fixture.node("Hall")
            let other = try JackServer(ServerName())
            other.stop()
            let third = try Program(server, "tone", "generator", "Tone")
            _ = try fixture.node("Tone")
            #expect(fixture.host.nodes.contains { $0.name == "Hall" })
            let late = try InterAppFixture(name, activates: false, client: "late")
            #expect(eventually { late.host.nodes.map(\.name).sorted() == ["Hall", "Tone"] })
            withExtendedLifetime((program, third)) {}
        }

        @Test("The host's remote commands reach the node, on their frame")
        func commands() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let program = try Program(server, "tone", "generator", "Tone")
            let fixture = try InterAppFixture(name)
            let hosted = try fixture.host.connect(try fixture.node("Tone"))
            let sent: [RemoteCommand] = [
                .play, .togglePlayPause, .togglePlayPause, .pause, .stop, .seek(to: 83_000.25),
            ]
            let expected: [RemoteCommand] = [.play, .pause, .play, .pause, .stop, .seek(to: 83_000.25)]
            // The first one may precede the connection's first cycle.
            #expect(
                try eventually {
                    try hosted.send(.stop)
                    return program.process.output.contains("command stop")
                })
            for command in sent { try hosted.send(command) }
            let lines = expected.map { "command \($0)\n" }.joined()
            #expect(eventually { program.process.output.hasSuffix(lines) }, "\(program.process.output)")
            #expect(throws: AudioSessionError.self) { try hosted.send(.nextTrack) }
            #expect(throws: AudioSessionError.self) { try hosted.send(.seek(to: -1)) }
        }

        // MARK: The rule

        @Test("PLAY-6: a host's session must be active and mixable; otherwise its nodes are silent until it is")
        func rule() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let program = try Program(server, "tone", "generator", "Tone")
            let fixture = try InterAppFixture(name, activates: false)
            let (session, node) = (fixture.session, try fixture.node("Tone"))
            let inactive = #expect(throws: AudioSessionError.self) { try fixture.host.connect(node) }
            #expect(inactive?.errorCode == .sessionNotActive && inactive?.rule == "PLAY-6")
            #expect(session.lastRefusal?.rule == "PLAY-6")
            try session.setCategory(.playback)
            try session.setActive(true)
            let primary = #expect(throws: AudioSessionError.self) { try fixture.host.connect(node) }
            #expect(primary?.errorCode == .incompatibleCategory && primary?.rule == "PLAY-6")
            try session.setCategory(.playback, options: .mixWithOthers)
            let hosted = try fixture.host.connect(node)
            let probe = try MIDIProbe(on: name)
            try fixture.connect(probe)
            #expect(try fixture.hears(0.25, probe))

            try session.setCategory(.playback)
            #expect(fixture.states.wait { $0.last == .suspended })
            #expect(try fixture.hears(0, probe))
            try session.setCategory(.playback, options: .mixWithOthers)
            #expect(fixture.states.wait { $0.last == .connected })
            #expect(try fixture.hears(0.25, probe))

            // An interruption silences it by the session's grant.
            try fixture.sessionHost.ring()
            #expect(fixture.states.wait { $0.last == .suspended })
            #expect(try fixture.hears(0, probe))
            try fixture.sessionHost.declineCall()
            try session.setActive(true)
            #expect(fixture.states.wait { $0.last == .connected })
            #expect(try fixture.hears(0.25, probe))

            // BG-1: it goes on in the background if the app has declared that.
            try fixture.sessionHost.setDeclaresBackgroundAudio(true)
            try fixture.sessionHost.setApplicationState(.background)
            #expect(try fixture.hears(0.25, probe))
            #expect(hosted.currentState == .connected)
            withExtendedLifetime(program) {}
        }

        // MARK: Nodes and hosts that end or hang

        @Test("PLAY-6: a node that is killed is silent and reported; started again, it is connected as before")
        func killed() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let program = try Program(server, "hall", "effect", "Hall")
            let fixture = try InterAppFixture(name)
            let hosted = try fixture.host.connect(try fixture.node("Hall"))
            let probe = try MIDIProbe(on: name)
            try fixture.connect(probe)
            let sound = try AudioBuffer([[Float](repeating: 0.5, count: 480)])
            try fixture.session.engine.play(.buffer(sound, loop: .forever), on: try #require(hosted.send))
            try fixture.session.engine.play(.buffer(sound, loop: .forever), on: fixture.session.bus)
            #expect(try fixture.hears(0.75, probe))
            program.kill()
            #expect(fixture.states.wait { $0.last == .gone })
            #expect(try fixture.hears(0.5, probe), "the host's own sound")
            let again = try Program(server, "hall", "effect", "Hall")
            #expect(fixture.states.wait { $0.last == .connected })
            #expect(try fixture.hears(0.75, probe))
            withExtendedLifetime(again) {}
        }

        @Test("PLAY-6: a node that hangs is disconnected, the host and other nodes continue; it returns with the node")
        func hung() throws {
            let name = try ServerName()
            let server = try asynchronousServer(name)
            defer { server.stop() }
            let program = try Program(server, "tone", "generator", "Tone")
            let other = try Program(server, "other", "generator", "Other")
            let fixture = try InterAppFixture(name)
            // On buses of the app's own engine, which the server no longer calls then.
            let hosted = try fixture.host.connect(try fixture.node("Tone"), on: fixture.session.bus)
            let healthy = try fixture.host.connect(try fixture.node("Other"), on: fixture.session.bus)
            let probe = try MIDIProbe(on: name)
            try probe.connect("host:out_1", to: "probe-listener:audio")
            #expect(try fixture.hears(0.5, probe))
            let stalls = try StallWatch(fixture.session.engine)
            program.process.send(SIGUSR1)
            #expect(fixture.states.wait { $0.contains(.hung) })
            #expect(eventually { hosted.currentState == .hung && healthy.currentState == .connected })
            #expect(try fixture.hears(0.25, probe))
            program.process.send(SIGUSR2)
            #expect(eventually { hosted.currentState == .connected })
            #expect(try fixture.hears(0.5, probe))
            // Each time the cycles stand still, once for the node that hangs, or on a busy machine
            // for one that is late, and perhaps once for the other one, which is found innocent.
            let count = stalls.end()
            #expect(fixture.states.noted.count { $0 == .hung } <= 2 * count, "\(count): \(fixture.states.noted)")
            withExtendedLifetime(other) {}
        }

        @Test("PLAY-6: while a node's process is stopped, the host's own sound continues; the node returns with it")
        func stopped() throws {
            let name = try ServerName()
            let server = try asynchronousServer(name)
            defer { server.stop() }
            let program = try Program(server, "hall", "effect", "Hall")
            let fixture = try InterAppFixture(name)
            let hosted = try fixture.host.connect(try fixture.node("Hall"))
            let probe = try MIDIProbe(on: name)
            try fixture.connect(probe)
            // The listener would wait for the engine that waits for the node.
            let main = try MIDIProbe(on: name, named: "main")
            try main.connect("host:out_1", to: "main-listener:audio")
            let sound = try AudioBuffer([[Float](repeating: 0.5, count: 480)])
            try fixture.session.engine.play(.buffer(sound, loop: .forever), on: try #require(hosted.send))
            try fixture.session.engine.play(.buffer(sound, loop: .forever), on: fixture.session.bus)
            #expect(try fixture.hears(0.75, probe))
            program.process.send(SIGSTOP)
            #expect(try fixture.hears(0.5, main))
            if TestServer.current == .pipewire {
                #expect(eventually { hosted.currentState == .hung })
                #expect(try fixture.hears(0.5, probe))
            }
            // jackd changes no connections before the process continues.
            program.process.send(SIGCONT)
            #expect(eventually(seconds: 60) { hosted.currentState == .connected })
            #expect(try fixture.hears(0.75, probe))
        }

        @Test("PLAY-6: a node that hangs and is killed is gone; it returns with the node")
        func hungAndKilled() throws {
            let name = try ServerName()
            let server = try asynchronousServer(name)
            defer { server.stop() }
            let program = try Program(server, "hall", "effect", "Hall")
            let fixture = try InterAppFixture(name)
            let hosted = try fixture.host.connect(try fixture.node("Hall"))
            let probe = try MIDIProbe(on: name)
            try fixture.connect(probe)
            let sound = try AudioBuffer([[Float](repeating: 0.5, count: 480)])
            try fixture.session.engine.play(.buffer(sound, loop: .forever), on: try #require(hosted.send))
            #expect(try fixture.hears(0.25, probe))
            program.process.send(SIGUSR1)
            #expect(eventually { hosted.currentState == .hung })
            program.kill()
            #expect(eventually { hosted.currentState == .gone })
            let again = try Program(server, "hall", "effect", "Hall")
            #expect(eventually { hosted.currentState == .connected })
            #expect(try fixture.hears(0.25, probe))
            withExtendedLifetime(again) {}
        }

        /// What happens to a host: its cycle hangs, its process is stopped, or it is killed.
        private static let ends = [SIGUSR1, SIGKILL] + (TestServer.current == .pipewire ? [SIGSTOP] : [])

        @Test("PLAY-6: a host that hangs or is killed does not stop the node", arguments: ends)
        func hosts(_ signal: Int32) throws {
            let name = try ServerName()
            let server = try asynchronousServer(name)
            defer { server.stop() }
            let program = try Program(server, "hall", "effect", "Hall")
            let first = try Program(server, "first", "host", "Hall")
            #expect(eventually { first.isReady })
            let fixture = try InterAppFixture(name)
            let hosted = try fixture.host.connect(try fixture.node("Hall"))
            let probe = try MIDIProbe(on: name)
            try fixture.connect(probe)
            #expect(try fixture.hears(0.125, probe), "half of what the first host sends")
            first.process.send(signal)
            #expect(try fixture.hears(0, probe), "the node continues without it")
            #expect(eventually(seconds: 60) { hosted.currentState == .connected }, "\(fixture.states.noted)")
            if signal != SIGKILL {
                first.process.send(signal == SIGSTOP ? SIGCONT : SIGUSR2)
                #expect(try fixture.hears(0.125, probe), "and with it again")
            }
            withExtendedLifetime(program) {}
        }

        @Test("SRV-2, PLAY-6: when the server is killed and returns, hosts and nodes find each other again")
        func lostServer() throws {
            let name = try ServerName()
            var server = try asynchronousServer(name)
            let program = try Program(server, "hall", "effect", "Hall")
            let fixture = try InterAppFixture(name)
            let hosted = try fixture.host.connect(try fixture.node("Hall"))
            let sound = try AudioBuffer([[Float](repeating: 0.5, count: 480)])
            try fixture.session.engine.play(.buffer(sound, loop: .forever), on: try #require(hosted.send))
            let isHeard = { fixture.host.returnEngine?.takeOutputPeak(channel: 0) == 0.25 }
            #expect(eventually(isHeard))
            // The clients of a process must not be opened before all of them are closed.
            for round in 1...2 {
                round.isMultiple(of: 2) ? server.stop() : server.kill()
                #expect(eventually { fixture.host.nodes.isEmpty })
                server = try asynchronousServer(name)
                #expect(eventually { fixture.host.nodes.map(\.name) == ["Hall"] && hosted.currentState == .connected })
                #expect(eventually(isHeard), "round \(round)")
            }
            server.stop()
            withExtendedLifetime(program) {}
        }
    }
}
