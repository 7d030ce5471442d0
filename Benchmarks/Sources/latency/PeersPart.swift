import Foundation
import Processes
import Reporting
import Servers

/// Compares other libraries with the package, on the same server in the same run: how soon a sound
/// is heard, whether input passes through intact, and what happens to the sound when the buffer
/// size changes and when the server dies.
struct PeersPart: LatencyPart {
    let name = "peers"

    func measure(_ run: Run) throws -> Findings {
        guard run.servers.contains(.jackd) else {
            say("\npeers: measured on jackd only.")
            return Findings()
        }
        let missing = Set((Peer.libraries + Peer.otherWays).filter { !$0.isInstalled }.map(\.program))
        for program in missing.sorted() {
            say("\npeers: without \(program), which could not be built here (Scripts/peers reports the reason).")
        }
        guard Peer.bare.isInstalled else { return Findings() }
        let context = try ServerContext(.jackd, service: run.service.socket)
        defer { context.removeSharedMemory() }
        let libraries = Peer.libraries.filter(\.isInstalled)
        var record = PeersRecord()
        var play = PeersPlay(peers: libraries + Peer.otherWays.filter(\.isInstalled))
        var through = PeersThrough(peers: libraries)
        let lengths = run.quick ? [256] : [64, 256, 1_024]
        for period in lengths {
            try withRetry { try play.measure(context, period: period, repetitions: run.quick ? 20 : 120, &record) }
        }
        for period in lengths {
            try withRetry { try through.measure(context, period: period, impulses: run.quick ? 10 : 60, &record) }
        }
        var periods = PeersPeriods(peers: libraries)
        try withRetry { try periods.measure(context, rounds: run.quick ? 1 : 6, &record) }
        var deaths = PeersDeaths(peers: libraries, quick: run.quick)
        try withRetry { try deaths.measure(context, deaths: run.quick ? 1 : 6, &record) }
        let tables = [play.table, through.table, periods.table, deaths.table, record.table(of: libraries)]
        return Findings(
            results: play.results + through.results + periods.results + deaths.results,
            tables: tables.compactMap { $0 },
            figures: [.requests(play.series)])
    }

    /// Repeats a stage whose environment fails (its server, the probe, or the bare client as the
    /// reference): on a machine that stalls for a second this may happen.
    private func withRetry(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as BenchmarkError {
            say("repeating the stage, which failed: \(error)")
            try body()
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

/// The results of each library as text, and the libraries' versions.
struct PeersRecord {
    private var libraries: [String: String] = [:]
    private var results: [String: [Question: String]] = [:]

    enum Question: String, CaseIterable {
        case play = "play → port, 256", through = "added, 256", periods = "the period changes while it plays"
        case death = "the server dies and returns"
    }

    mutating func note(_ peer: OpenPeer) {
        libraries[peer.peer.program] = peer.library + (peer.backend == "JACK" ? "" : " by \(peer.backend)")
    }

    /// Records a result. Of a library's ways only the first is shown, and of the periods only the
    /// one that every run has.
    mutating func note(_ peer: Peer, _ question: Question, at period: Int = 256, _ words: String) {
        guard peer.way.isEmpty, period == 256 else { return }
        results[peer.program, default: [:]][question] = words
    }

    /// Returns the name with the version, once the library has reported it.
    func library(_ peer: Peer) -> String { libraries[peer.program] ?? peer.name }

    func table(of peers: [Peer]) -> Table {
        let names = peers.map(library)
        var table = Table(
            "What each did",
            note:
                "measured in this run; the version is what the library reports; the bare client, without any library, is the bound",
            [.text("library", names.map(\.count).max() ?? 0)]
                + Question.allCases.map { question in
                    .text(question.rawValue, peers.map { results[$0.program]?[question]?.count ?? 0 }.max() ?? 0)
                })
        for (peer, name) in zip(peers, names) {
            table.add([name] + Question.allCases.map { results[peer.program]?[$0] ?? "not measured" })
        }
        return table
    }
}

extension Conditions {
    /// Creates the conditions of a library, with the backend through which it connects to the
    /// server.
    init(backend: String, period: Int) {
        self = [
            "server": .text(ServerKind.jackd.rawValue), "sync": false, "period": .whole(period),
            "sampleRate": .whole(Server.sampleRate), "backend": .text(backend),
        ]
    }
}
