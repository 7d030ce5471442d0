import Foundation
import Processes
import Servers

/// A library, and a way to play with it.
struct Peer: Hashable, Sendable {
    var program: String
    /// Its `--way`.
    var way = ""
    /// What a request to play calls.
    var request: String
    /// How a row calls it that could not even tell its version.
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

    /// Where a program is: beside this one.
    static func path(of program: String) throws -> String {
        guard let path = folder?.appendingPathComponent(program).path,
            FileManager.default.isExecutableFile(atPath: path)
        else { throw BenchmarkError("'\(program)' is missing beside this program; Scripts/benchmark builds it.") }
        return path
    }

    var isInstalled: Bool { (try? Self.path(of: program)) != nil }

    /// By whose configuration ALSA's plugin leads to JACK.
    static var alsaConfiguration: String? { folder?.appendingPathComponent("alsa-jack.conf").path }
}

enum PeerTask: String { case sound, count, through }

/// A peer whose stream is open.
final class OpenPeer {
    let peer: Peer
    let process: PeerProcess
    /// Name and version, as the library itself tells.
    let library: String
    /// By what it reaches the server.
    let backend: String
    let outputs: [String]
    let inputs: [String]
    let ear: Int

    init(_ peer: Peer, _ process: PeerProcess, opened: [String], outputs: [String], inputs: [String], ear: Int) {
        (self.peer, self.process, self.outputs, self.inputs, self.ear) = (peer, process, outputs, inputs, ear)
        library = opened.first ?? peer.name
        backend = opened.dropFirst().first ?? ""
    }

    /// Of its JACK client.
    var client: String { String(outputs.first?.prefix { $0 != ":" } ?? "") }
}

/// A server of the benchmark's own, its ears, and peers on it.
final class PeersStage {
    let place: ServerPlace
    let server: Server
    private(set) var probe: PeerProbe
    private var used = 0

    init(_ place: ServerPlace, period: Int) throws {
        self.place = place
        server = try Server(.jackd, period: period, in: place)
        probe = try Self.makeProbe(server, place)
    }

    deinit { probe.end() }

    private static func makeProbe(_ server: Server, _ place: ServerPlace) throws -> PeerProbe {
        try PeerProbe(server: server.name, environment: place.environment)
    }

    /// After the server's return: the old one's libjack may be stuck.
    func renewProbe() throws {
        probe.end()
        let limit = now() + 10_000_000_000
        while true {
            do {
                probe = try Self.makeProbe(server, place)
                return
            } catch {
                // A server that has just begun may say no on a busy machine.
                guard now() < limit else { throw error }
            }
        }
    }

    private func environment(_ name: String) -> [String: String] {
        place.environment.merging([
            "JACK_DEFAULT_SERVER": server.name, "JACK_NO_START_SERVER": "1",
            "ALSA_CONFIG_PATH": Peer.alsaConfiguration ?? "", "AUDIODEV": "jack-benchmark", "PEER_NAME": name,
        ]) { $1 }
    }

    /// Opens a peer; its first output is heard by an ear of its own.
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
                let ear = used
                used += 1
                try probe.listen(ear, to: new.0[0])
                return OpenPeer(peer, process, opened: opened, outputs: new.0, inputs: new.1, ear: ear)
            }
            guard now() < limit else { throw PeerFailure.refused("it says that it is open, and has no ports") }
            poll(nil, 0, 5)
        }
    }
}
