import AudioRendering
import AudioSessions
import InterAppAudio
import JackDriver
import TestSupport
import Testing

extension RealServers {
    /// The samples of the page on inter-app audio (Documentation/Rules/InterAppAudio.md).
    @Suite("The page on inter-app audio", .serialized)
    struct InterAppPageTests {
        @Test("PLAY-6: a node and a host in one process: the sound is heard at half its level")
        func page() throws {
            let name = try ServerName()
            let server = try JackServer(name)
            defer { server.stop() }
            let app = AudioSessionHost(
                driver: JackDriver(
                    configuration: .init(server: .named(name.text), clientName: "app", connections: .none)))
            defer { app.close() }
            // [node]
            let node = try AudioNode(.init(kind: .effect, name: "Half"), on: app)
            if let input = node.input { try node.engine.play(.input(input), on: node.bus, gain: 0.5) }
            // [end]
            let fixture = try InterAppFixture(name)
            _ = try fixture.node("Half")
            let sound = try AudioBuffer([[Float](repeating: 0.5, count: 480_000)])
            try use(fixture.session, sound) { host in
                #expect(eventually { host.returnEngine?.takeOutputPeak(channel: 0) == 0.25 })
                #expect(eventually { node.isConnected })
            }
        }

        private func use(_ session: AudioSession, _ sound: AudioBuffer, _ check: (AudioHost) -> Void) throws {
            // [host]
            let host = try AudioHost(session: session)
            guard let effect = host.nodes.first(where: { $0.name == "Half" }) else { return }
            let hosted = try host.connect(effect)
            if let send = hosted.send { try session.engine.play(.buffer(sound), on: send) }
            // [end]
            check(host)
            withExtendedLifetime(hosted) {}
        }

        @Test("Ports of an engine are connected to other programs, also to those that are started later")
        func ports() throws {
            let name = try ServerName()
            let server = try JackServer(name)
            defer { server.stop() }
            let player = try JackPlayer(
                .init(server: .named(name.text), clientName: "player", outputs: 1, connections: .none))
            let engine = player.engine
            defer { engine.close() }
            try engine.start()
            // [ports]
            let ports = try engine.makePorts(name: "direct", direction: .output, channels: 2)
            let bus = try engine.makeBus(for: ports)
            try ports.connect(to: ["recorder:in_1", "recorder:in_2"])
            // [end]
            try engine.play(.buffer(AudioBuffer([[0.5, 0.5], [0.25, 0.25]]), loop: .forever), on: bus)
            #expect(ports.connections == [[], []])
            let recorder = try JackPlayer(
                .init(server: .named(name.text), clientName: "recorder", outputs: 1, inputs: 2, connections: .none))
            defer { recorder.engine.close() }
            try recorder.engine.start()
            let input = try recorder.engine.makeInput(for: recorder.makeBus(inputGranted: true), channels: 2)
            #expect(eventually { input.takePeak(channel: 0) == 0.5 && input.takePeak(channel: 1) == 0.25 })
            #expect(eventually { ports.connections == [["recorder:in_1"], ["recorder:in_2"]] })
            // A driver that is opened again has the same ports and connections.
            engine.close()
            try engine.start()
            try engine.play(.buffer(AudioBuffer([[0.5, 0.5], [0.25, 0.25]]), loop: .forever), on: bus)
            _ = (input.takePeak(channel: 0), input.takePeak(channel: 1))
            #expect(eventually { input.takePeak(channel: 0) == 0.5 && input.takePeak(channel: 1) == 0.25 })
            #expect(throws: DriverError.self) {
                try engine.makePorts(name: "direct", direction: .output, channels: 1)
            }
            #expect(throws: DriverError.self) { try engine.makePorts(name: "out", direction: .output, channels: 1) }
            for (name, channels) in [("", 1), ("a:b", 1), ("none", 0), ("many", 99)] {
                #expect(throws: AudioEngineError.self) {
                    try engine.makePorts(name: name, direction: .output, channels: channels)
                }
            }
            #expect(throws: AudioEngineError.self, "they receive nothing") { try engine.makeInput(from: ports) }
            ports.disconnect()
            #expect(eventually { ports.connections == [[], []] && input.takePeak(channel: 0) == 0 })
        }
    }
}
