import Foundation
import Processes
import Servers

/// A library, and a way to play with it.
struct Peer: Hashable, Sendable {
    var program: String
    /// The value for `--way`.
    var way = ""
    /// The call that requests playback.
    var request: String
    /// The name in the tables if the library could not report its version.
    var name: String

    static let bare = Peer(program: "peer-bare", request: "flag for a callback", name: "bare client")
    static let ours = Peer(program: "peer-ours", request: "engine.play(buffer)", name: "swift-audio-session")

    /// One way of each library.
    static let libraries: [Peer] = [
        bare, ours,
        Peer(program: "peer-openal", request: "alSourcePlay", name: "OpenAL Soft"),
        Peer(program: "peer-portaudio", request: "flag for a callback", name: "PortAudio"),
        Peer(program: "peer-rtaudio", request: "flag for a callback", name: "RtAudio"),
        Peer(program: "peer-sdl", request: "flag for a callback", name: "SDL"),
        Peer(program: "peer-miniaudio", request: "flag for a callback in Python", name: "miniaudio"),
    ]

    /// Other ways of the same libraries.
    static let otherWays: [Peer] = [
        Peer(program: "peer-ours", way: "player", request: "AudioPlayer.play()", name: "swift-audio-session"),
        Peer(program: "peer-ours", way: "callback", request: "flag for a render callback", name: "swift-audio-session"),
        Peer(program: "peer-sdl", way: "queue", request: "SDL_QueueAudio", name: "SDL"),
    ]

    private static var folder: URL? {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return own.map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
    }

    /// Returns the path of a program, in the same folder as this one.
    static func path(of program: String) throws -> String {
        guard let path = folder?.appendingPathComponent(program).path,
            FileManager.default.isExecutableFile(atPath: path)
        else { throw BenchmarkError("'\(program)' is missing in this program's folder; Scripts/benchmark builds it.") }
        return path
    }

    var isInstalled: Bool { (try? Self.path(of: program)) != nil }

    /// The configuration that connects ALSA's plugin to JACK.
    static var alsaConfiguration: String? { folder?.appendingPathComponent("alsa-jack.conf").path }
}

enum PeerTask: String { case sound, count, through }

/// A peer with an open stream.
final class OpenPeer {
    let peer: Peer
    let process: PeerProcess
    /// Name and version, as reported by the library itself.
    let library: String
    /// The backend through which it connects to the server.
    let backend: String
    let outputs: [String]
    let inputs: [String]
    let tap: Int

    init(_ peer: Peer, _ process: PeerProcess, opened: [String], outputs: [String], inputs: [String], tap: Int) {
        (self.peer, self.process, self.outputs, self.inputs, self.tap) = (peer, process, outputs, inputs, tap)
        library = opened.first ?? peer.name
        backend = opened.dropFirst().first ?? ""
    }

    /// The name of its JACK client.
    var client: String { String(outputs.first?.prefix { $0 != ":" } ?? "") }
}

/// A server of the benchmark, its receiving probe, and peers on it.
final class PeersStage {
    let context: ServerContext
    let server: Server
    private(set) var probe: PeerProbe
    private var used = 0

    init(_ context: ServerContext, period: Int) throws {
        self.context = context
        server = try Server(.jackd, period: period, in: context)
        probe = try Self.makeProbe(server, context)
    }

    deinit { probe.end() }

    private static func makeProbe(_ server: Server, _ context: ServerContext) throws -> PeerProbe {
        try PeerProbe(server: server.name, environment: context.environment)
    }

    /// Replaces the probe after the server's return: the old one's libjack may hang.
    func renewProbe() throws {
        probe.end()
        let limit = now() + 10_000_000_000
        while true {
            do {
                probe = try Self.makeProbe(server, context)
                return
            } catch {
                // On a busy machine a server that has just started may refuse.
                guard now() < limit else { throw error }
            }
        }
    }

    private func environment(_ name: String) -> [String: String] {
        context.environment.merging([
            "JACK_DEFAULT_SERVER": server.name, "JACK_NO_START_SERVER": "1",
            "ALSA_CONFIG_PATH": Peer.alsaConfiguration ?? "", "AUDIODEV": "jack-benchmark", "PEER_NAME": name,
        ]) { $1 }
    }

    /// Opens a peer, whose first output gets a separate receiver.
    func open(_ peer: Peer, _ task: PeerTask, seconds: Double = 10) throws -> OpenPeer {
        let name = peer.program + (peer.way.isEmpty ? "" : "-" + peer.way)
        let (outputs, inputs) = (Set(try probe.outputs()), Set(try probe.inputs()))
        var arguments = ["--task", task.rawValue, "--name", name, "--rate", "\(Server.sampleRate)"]
        arguments += ["--period", "\(server.period)"] + (peer.way.isEmpty ? [] : ["--way", peer.way])
        let process = try PeerProcess(Peer.path(of: peer.program), arguments, environment: environment(name))
        let opened = try process.answer(to: "opening", seconds: seconds)
        let limit = now() + 3_000_000_000
        while true {
            let new = (
                try probe.outputs().filter { !outputs.contains($0) }, try probe.inputs().filter { !inputs.contains($0) }
            )
            if !new.0.isEmpty, task != .through || !new.1.isEmpty {
                let tap = used
                used += 1
                try probe.listen(tap, to: new.0[0])
                return OpenPeer(peer, process, opened: opened, outputs: new.0, inputs: new.1, tap: tap)
            }
            guard now() < limit else { throw PeerFailure.refused("it reports that it is open, but has no ports") }
            poll(nil, 0, 5)
        }
    }
}
