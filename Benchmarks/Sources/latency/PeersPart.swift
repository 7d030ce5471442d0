import Foundation
import Processes
import Reporting
import Servers

/// Other libraries beside the package, on the same server in the same run: how soon a sound is heard, what comes through, what becomes of the
/// sound when the period changes and when the server dies.
struct PeersPart: LatencyPart {
    let name = "peers"

    func measure(_ run: Run) throws -> Findings {
        guard run.servers.contains(.jackd) else {
            say("\npeers: they are measured on jackd only.")
            return Findings()
        }
        let missing = Set((Peer.libraries + Peer.otherWays).filter { !$0.isInstalled }.map(\.program))
        for program in missing.sorted() {
            say("\npeers: without \(program), which could not be built here (Scripts/peers says why).")
        }
        guard Peer.bare.isInstalled else { return Findings() }
        let place = try ServerPlace(.jackd, service: run.service.socket)
        defer { place.sweep() }
        let libraries = Peer.libraries.filter(\.isInstalled)
        var record = PeersRecord()
        var play = PeersPlay(peers: libraries + Peer.otherWays.filter(\.isInstalled))
        var through = PeersThrough(peers: libraries)
        let lengths = run.quick ? [256] : [64, 256, 1_024]
        for period in lengths {
            try twice { try play.measure(place, period: period, repetitions: run.quick ? 20 : 120, &record) }
        }
        for period in lengths {
            try twice { try through.measure(place, period: period, impulses: run.quick ? 10 : 60, &record) }
        }
        var periods = PeersPeriods(peers: libraries)
        try twice { try periods.measure(place, rounds: run.quick ? 1 : 6, &record) }
        var deaths = PeersDeaths(peers: libraries, quick: run.quick)
        try twice { try deaths.measure(place, deaths: run.quick ? 1 : 6, &record) }
        let tables = [play.table, through.table, periods.table, deaths.table, record.table(of: libraries)]
        return Findings(
            results: play.results + through.results + periods.results + deaths.results,
            tables: tables.compactMap { $0 },
            figures: try run.plot.map { [try $0.drawRequests(play.series)] } ?? [])
    }

    /// A stage that fails (its server, the ears, the bare client beside which all is judged) is set once more: on a machine that stands still
    /// for a second it may.
    private func twice(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as BenchmarkError {
            say("once more, since the stage failed: \(error)")
            try body()
        }
    }
}

extension ServerPlace {
    /// Takes away what clients left in shared memory that were killed, or died with a server: of the benchmark's own servers, none of which runs.
    func sweep() {
        let folder = "/dev/shm"
        for file in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where file.hasPrefix("jack_sem.\(getuid())_\(name)_") {
            unlink(folder + "/" + file)
        }
    }
}

/// What each library did, in words, and which it was.
struct PeersRecord {
    private var libraries: [String: String] = [:]
    private var said: [String: [Question: String]] = [:]

    enum Question: String, CaseIterable {
        case play = "play → port, 256", through = "added, 256", periods = "the period changes while it plays"
        case death = "the server dies and returns"
    }

    mutating func note(_ peer: OpenPeer) {
        libraries[peer.peer.program] = peer.library + (peer.backend == "JACK" ? "" : " by \(peer.backend)")
    }

    /// Of the ways of a library only the first is told here, and of the periods that which every run has.
    mutating func note(_ peer: Peer, _ question: Question, at period: Int = 256, _ words: String) {
        guard peer.way.isEmpty, period == 256 else { return }
        said[peer.program, default: [:]][question] = words
    }

    /// The name with the version, once it has told it.
    func library(_ peer: Peer) -> String { libraries[peer.program] ?? peer.name }

    func table(of peers: [Peer]) -> Table {
        let names = peers.map(library)
        var table = Table(
            "What each did",
            note:
                "measured in this run; the version is what the library tells of itself; the bare client, without any library, is the bound",
            [.text("library", names.map(\.count).max() ?? 0)]
                + Question.allCases.map { question in
                    .text(question.rawValue, peers.map { said[$0.program]?[question]?.count ?? 0 }.max() ?? 0)
                })
        for (peer, name) in zip(peers, names) {
            table.add([name] + Question.allCases.map { said[peer.program]?[$0] ?? "not measured" })
        }
        return table
    }
}

extension Conditions {
    /// Of a library, and by what it reaches the server.
    init(backend: String, period: Int) {
        self = [
            "server": .text(ServerKind.jackd.rawValue), "sync": false, "period": .whole(period),
            "sampleRate": .whole(Server.sampleRate), "backend": .text(backend),
        ]
    }
}
