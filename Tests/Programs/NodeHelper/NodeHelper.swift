import AudioRendering
import AudioSessions
import Foundation
import InterAppAudio
import JackDriver

/// An app for tests: publishes a node, or hosts one.
///
///     node-helper SERVER CLIENT effect|generator|instrument NAME
///     node-helper SERVER CLIENT host NAME
///
/// An effect halves what it receives. A generator sends 0.25. An instrument plays one frame of 0.5
/// for each note. A host sends 0.25 to the effect NAME. On SIGUSR1, the program's cycle hangs until
/// SIGUSR2. It prints a line when it is ready, for each command that it receives, and for each
/// change of the hosted node.
@main
struct NodeHelper {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 4, let name = arguments.last else {
            FileHandle.standardError.write(Data("usage: node-helper SERVER CLIENT KIND NAME\n".utf8))
            exit(64)
        }
        let (server, client, role) = (arguments[1], arguments[2], arguments[3])
        let host = AudioSessionHost(
            driver: JackDriver(
                configuration: .init(
                    server: .named(server), clientName: client, outputs: 2, callTimeout: 30,
                    connections: .none)))
        let used: [any AnyObject & Sendable]
        if let kind = NodeDescription.Kind(rawValue: role) {
            used = try makeNode(kind, name, on: host)
        } else {
            used = [try connect(to: name, on: host)]
        }
        report("ready")
        withExtendedLifetime((host, used)) { while true { pause() } }
    }

    private static func report(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    private static func makeNode(
        _ kind: NodeDescription.Kind, _ name: String, on host: AudioSessionHost
    ) throws -> [any AnyObject & Sendable] {
        let node = try AudioNode(
            .init(
                kind: kind, name: name, icon: [UInt8](repeating: 7, count: 4_000), inputChannels: 1,
                outputChannels: 1),
            on: host)
        node.setCommandHandler { report("command \($0)") }
        try node.engine.play(.render(Hang.source), on: node.bus)
        switch kind {
        case .effect:
            if let input = node.input { try node.engine.play(.input(input), on: node.bus, gain: 0.5) }
        case .generator:
            let sound = try AudioBuffer([[Float](repeating: 0.25, count: 480)])
            try node.engine.play(.buffer(sound, loop: .forever), on: node.bus)
        case .instrument:
            var zone = InstrumentZone(try AudioBuffer([[0.5]]))
            (zone.keyTracking, zone.velocityTracking, zone.isOneShot) = (0, 0, true)
            let instrument = try node.engine.makeInstrument([zone], on: node.bus)
            try node.midi.connect(to: instrument)
            return [node, instrument]
        }
        return [node]
    }

    private static func connect(to name: String, on host: AudioSessionHost) throws -> any AnyObject & Sendable {
        let session = try AudioSession(host: host)
        try session.setCategory(.playback, options: .mixWithOthers)
        try session.setActive(true)
        let audioHost = try AudioHost(session: session)
        while true {
            guard let found = audioHost.nodes.first(where: { $0.name == name }) else {
                poll(nil, 0, 20)
                continue
            }
            let hosted = try audioHost.connect(found)
            let sound = try AudioBuffer([[Float](repeating: 0.25, count: 480)])
            if let send = hosted.send {
                try session.engine.play(.render(Hang.source), on: send)
                try session.engine.play(.buffer(sound, loop: .forever), on: send)
            }
            return Hosting(
                host: audioHost, node: hosted,
                observation: audioHost.observe { event in
                    if case .stateChanged(_, let state) = event { report("state \(state)") }
                })
        }
    }

    private final class Hosting: Sendable {
        let host: AudioHost
        let node: HostedNode
        let observation: AudioHostObservation

        init(host: AudioHost, node: HostedNode, observation: AudioHostObservation) {
            (self.host, self.node, self.observation) = (host, node, observation)
        }
    }
}
