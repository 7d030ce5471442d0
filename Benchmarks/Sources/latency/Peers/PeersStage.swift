import Foundation
import Processes
import Reporting
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

    /// One way of each library.
    static let libraries: [Peer] = [
        bare, Peer(program: "peer-ours", request: "engine.play(buffer)", name: ours),
        Peer(program: "peer-openal", request: "alSourcePlay", name: "OpenAL Soft"),
        Peer(program: "peer-portaudio", request: "flag for a callback", name: "PortAudio"),
        Peer(program: "peer-rtaudio", request: "flag for a callback", name: "RtAudio"),
        Peer(program: "peer-sdl", request: "flag for a callback", name: "SDL"),
        Peer(program: "peer-miniaudio", request: "flag for a callback in Python", name: "miniaudio"),
    ]

    /// Other ways of the same libraries.
    static let otherWays: [Peer] = [
        Peer(program: "peer-ours", way: "player", request: "AudioPlayer.play()", name: ours),
        Peer(program: "peer-ours", way: "callback", request: "flag for a render callback", name: ours),
        Peer(program: "peer-sdl", way: "queue", request: "SDL_QueueAudio", name: "SDL"),
    ]

    private static let folder = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")).map {
        URL(fileURLWithPath: $0).deletingLastPathComponent()
    }

    /// The path of the program, in the same folder as this one.
    var path: String { Self.folder?.appendingPathComponent(program).path ?? program }
    var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }
    /// The configuration that connects ALSA's plugin to JACK.
    static var alsaConfiguration: String { folder?.appendingPathComponent("alsa-jack.conf").path ?? "" }
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
    /// The receiver of its first output.
    let tap: Int

    init(_ peer: Peer, _ process: PeerProcess, opened: [String], outputs: [String], inputs: [String], tap: Int) {
        (self.peer, self.process, self.outputs, self.inputs, self.tap) = (peer, process, outputs, inputs, tap)
        library = opened.first ?? peer.name
        backend = opened.dropFirst().first ?? ""
    }

    /// The name of its JACK client.
    var client: String { String(outputs.first?.prefix { $0 != ":" } ?? "") }
}

/// A peer during a comparison.
struct Candidate {
    var peer: Peer
    /// nil if it could not be opened.
    var open: OpenPeer?
    var failure: String?
    /// The results, in frames.
    var frames: [Double] = []
    /// The requests without a sound, and the consecutive ones at the end; and the sounds that were
    /// not complete.
    var unheard = 0
    var unheardInRow = 0
    var incomplete = 0

    /// Runs a step unless the peer has failed. A failure of the peer is a result.
    mutating func attempt(_ step: (inout Candidate) throws -> Void) throws {
        guard failure == nil else { return }
        do { try step(&self) } catch let error as PeerFailure { failure = "\(error)" }
    }
}

/// A server of the benchmark, its receiving probe, and peers on it.
final class PeersStage {
    let context: ServerContext
    let server: Server
    private(set) var probe: PeersListener
    private var used = 0

    init(_ context: ServerContext, period: Int) throws {
        self.context = context
        server = try Server(.jackd, period: period, in: context)
        probe = try PeersListener(server: server.name, environment: context.environment)
    }

    deinit { probe.end() }

    /// Replaces the probe after the server's return: the old one's libjack may hang.
    func renewProbe() throws {
        probe.end()
        let limit = deadline(10)
        while true {
            do {
                probe = try PeersListener(server: server.name, environment: context.environment)
                return
            } catch {
                // On a busy machine a server that has just started may refuse.
                guard now() < limit else { throw error }
            }
        }
    }

    /// Opens peers. `prepare` completes each.
    func open(_ peers: [Peer], _ task: PeerTask, prepare: (OpenPeer) throws -> Void = { _ in }) throws -> [Candidate] {
        try peers.map { peer in
            var candidate = Candidate(peer: peer)
            try candidate.attempt {
                let open = try self.open(peer, task)
                try prepare(open)
                $0.open = open
            }
            return candidate
        }
    }

    /// Opens a peer, whose first output gets a separate receiver.
    func open(_ peer: Peer, _ task: PeerTask) throws -> OpenPeer {
        let name = peer.program + (peer.way.isEmpty ? "" : "-" + peer.way)
        let (outputs, inputs) = (Set(try probe.ask("outputs")), Set(try probe.ask("inputs")))
        var arguments = ["--task", task.rawValue, "--name", name, "--rate", "\(Server.sampleRate)"]
        arguments += ["--period", "\(server.period)"] + (peer.way.isEmpty ? [] : ["--way", peer.way])
        let environment = context.environment.merging([
            "JACK_DEFAULT_SERVER": server.name, "JACK_NO_START_SERVER": "1",
            "ALSA_CONFIG_PATH": Peer.alsaConfiguration, "AUDIODEV": "jack-benchmark", "PEER_NAME": name,
        ]) { $1 }
        let process = try PeerProcess(peer.path, arguments, environment: environment)
        let opened = try process.answer(to: "opening", seconds: 10)
        let limit = deadline(3)
        while true {
            let (new, newInputs) = (
                try probe.ask("outputs").filter { !outputs.contains($0) },
                try probe.ask("inputs").filter { !inputs.contains($0) }
            )
            if !new.isEmpty, task != .through || !newInputs.isEmpty {
                defer { used += 1 }
                try probe.ask("listen", used, new[0])
                return OpenPeer(peer, process, opened: opened, outputs: new, inputs: newInputs, tap: used)
            }
            guard now() < limit else { throw PeerFailure.refused("it reports that it is open, but has no ports") }
            poll(nil, 0, 5)
        }
    }
}

extension ServerContext {
    /// Removes the shared memory that killed clients, or those of dead servers, have left. It
    /// belongs to the benchmark's own servers, none of which runs.
    func removeSharedMemory() {
        let folder = "/dev/shm"
        for file in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where file.hasPrefix("jack_sem.\(getuid())_\(name)_") {
            unlink(folder + "/" + file)
        }
    }
}
