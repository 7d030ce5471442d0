import Foundation
import Processes
import Reporting
import Servers

/// The server is killed with SIGKILL while all peers play, and returns. Measures which peers resume
/// sound on their own, when, and at which playhead, and which the app can open again.
struct PeersDeaths {
    var peers: [Peer]
    /// The seconds to wait for a peer that does not return, and for one that does not answer.
    private let patience: Double
    private let limit: Double
    private(set) var results: [Measurement] = []
    private(set) var table: Table?

    init(peers: [Peer], quick: Bool) {
        self.peers = peers
        (patience, limit) = quick ? (2, 5) : (5, 10)
    }

    /// The result of a peer.
    private struct Fate {
        /// Milliseconds from the server's readiness until the peer's sound; nil if it did not
        /// return on its own.
        var back: Double?
        var keptPlace = false
        var reported = false
        /// Milliseconds from closing and opening it by the app until its sound.
        var reopened: Double?
        var failure: String?
    }

    private var fates: [Peer: [Fate]] = [:]
    private var refusals: [Peer: String] = [:]
    private var examples: [Peer: OpenPeer] = [:]

    mutating func measure(_ context: ServerContext, deaths: Int, _ record: inout PeersRecord) throws {
        (fates, refusals) = ([:], [:])
        for _ in 0..<deaths { try live(context, &record) }
        report(&record)
    }

    private mutating func live(_ context: ServerContext, _ record: inout PeersRecord) throws {
        let stage = try PeersStage(context, period: 256)
        var cast: [OpenPeer] = []
        defer { cast.forEach { $0.process.kill() } }
        for peer in peers where refusals[peer] == nil {
            do {
                let open = try stage.open(peer, .count)
                guard try stage.probe.awaitCount(open.tap, frames: 4_800, milliseconds: 2_000) else {
                    throw PeerFailure.refused("its counting signal is not received correctly")
                }
                cast.append(open)
                record.note(open)
                examples[peer] = open
            } catch let failure as PeerFailure {
                refusals[peer] = "\(failure)"
            }
        }
        // Earlier notifications are not about the server's end.
        cast.forEach { $0.process.forgetNotices() }
        stage.server.end(by: SIGKILL)
        let places = try cast.map { try stage.probe.heard($0.tap).last }
        let ready = try stage.server.start()
        try stage.renewProbe()
        var scenarios = cast.map { _ in Fate() }
        try hearReturns(cast, &scenarios, places, stage.probe, ready: ready)
        for (index, open) in cast.enumerated() { ask(open, &scenarios[index]) }
        try reopen(cast, &scenarios, stage.probe)
        for (open, var fate) in zip(cast, scenarios) {
            if fate.failure == nil { fate.failure = open.process.quit().map { "afterwards: \($0)" } }
            fates[open.peer, default: []].append(fate)
        }
    }

    /// Connects a receiver to a peer that has ports again. Returns the result if its count is
    /// received.
    private func hear(_ open: OpenPeer, among outputs: [String], _ probe: PeerProbe) throws -> PeerProbe.Heard? {
        guard let port = outputs.first(where: { $0.hasPrefix(open.client + ":") }) else { return nil }
        // The port may have disappeared again.
        guard (try? probe.listen(open.tap, to: port)) != nil else { return nil }
        let heard = try probe.heard(open.tap)
        return heard.whole ? heard : nil
    }

    private func hearReturns(
        _ cast: [OpenPeer], _ fates: inout [Fate], _ places: [Int], _ probe: PeerProbe, ready: UInt64
    ) throws {
        let end = ready + UInt64(patience * 1e9)
        while now() < end {
            let outputs = try probe.outputs()
            for (index, open) in cast.enumerated() where fates[index].back == nil {
                guard let heard = try hear(open, among: outputs, probe) else { continue }
                // The peer may have sounded before the receiver was connected. If it continued at
                // its playhead, its count gives the time.
                let beyond = heard.first - places[index] - 1
                let since =
                    Int64(bitPattern: heard.firstTime &- ready) - Int64(beyond) * 1_000_000_000
                    / Int64(Server.sampleRate)
                fates[index].keptPlace = beyond >= 0 && since > -50_000_000
                fates[index].back =
                    Double(fates[index].keptPlace ? since : Int64(bitPattern: heard.firstTime &- ready)) / 1e6
            }
            poll(nil, 0, 5)
        }
    }

    /// Determines whether the library has notified its app.
    private func ask(_ open: OpenPeer, _ fate: inout Fate) {
        do {
            let stands = try open.process.ask("status", seconds: limit).first == "stands"
            fate.reported = stands || !open.process.notices.isEmpty
        } catch {
            fate.failure = "\(error)"
        }
    }

    /// Closes the streams and opens new ones, as an app would. Asks all peers at once, so that the
    /// waits for hanging ones overlap.
    private func reopen(_ cast: [OpenPeer], _ fates: inout [Fate], _ probe: PeerProbe) throws {
        let begun = now()
        var waiting: Set<Int> = []
        for (index, open) in cast.enumerated() where fates[index].back == nil && fates[index].failure == nil {
            do {
                try probe.forgetCount(open.tap)
                try open.process.send(["reopen"])
                waiting.insert(index)
            } catch let failure as PeerFailure {
                fates[index].failure = "\(failure)"
            }
        }
        var answered: Set<Int> = []
        while !waiting.isEmpty, now() < begun + UInt64(limit * 1e9) {
            let outputs = try probe.outputs()
            for index in waiting {
                do {
                    if !answered.contains(index), try cast[index].process.received() != nil { answered.insert(index) }
                } catch {
                    fates[index].failure = "opening again: \(error)"
                    waiting.remove(index)
                    continue
                }
                guard answered.contains(index), let heard = try hear(cast[index], among: outputs, probe) else {
                    continue
                }
                fates[index].reopened = Double(heard.firstTime &- begun) / 1e6
                waiting.remove(index)
            }
            poll(nil, 0, 5)
        }
        for index in waiting {
            let what =
                answered.contains(index) ? "silent after opening again" : "opening again hangs, no answer"
            fates[index].failure = "\(what) within \(Int(limit)) s"
        }
    }

    private mutating func report(_ record: inout PeersRecord) {
        var table = Table(
            "Peers: the server dies (SIGKILL) and returns while they play",
            note: """
                by itself: from the server's readiness until it sounds, ms, within \(Int(patience)) s; opened again: from an app's closing and \
                opening it until it is heard
                """,
            [
                .text("library", 40), "by itself", "ms", "max", .text("place kept", 10), .text("notified", 8), "opened",
                "ms", "n",
                .text("", 0),
            ])
        for peer in peers {
            let fates = fates[peer] ?? []
            let remarks = Set(fates.compactMap(\.failure) + (refusals[peer].map { [$0] } ?? [])).sorted()
                .joined(separator: "; ")
            let (returns, openings) = (statistics(fates, \.back), statistics(fates, \.reopened))
            add(peer, fates, returns, openings)
            table.add([record.library(peer)] + cells(fates, returns, openings) + [remarks])
            record.note(peer, .death, words(fates, returns, openings, remarks))
        }
        self.table = table
    }

    private func statistics(_ fates: [Fate], _ key: KeyPath<Fate, Double?>) -> Statistics? {
        let values = fates.compactMap { $0[keyPath: key] }
        return values.isEmpty ? nil : Statistics(values)
    }

    private func cells(_ fates: [Fate], _ returns: Statistics?, _ openings: Statistics?) -> [String] {
        guard !fates.isEmpty else { return Array(repeating: "", count: 7) + ["0"] }
        let keptPlayhead = fates.allSatisfy { $0.back == nil || $0.keptPlace } ? "yes" : "NO"
        return [
            "\(returns?.count ?? 0)", returns.map { digits($0.median) } ?? "", returns.map { digits($0.maximum) } ?? "",
            returns == nil ? "" : keptPlayhead, fates.contains(where: \.reported) ? "yes" : "no",
            "\(openings?.count ?? 0)",
            openings.map { digits($0.median) } ?? "", "\(fates.count)",
        ]
    }

    private mutating func add(_ peer: Peer, _ fates: [Fate], _ returns: Statistics?, _ openings: Statistics?) {
        guard let example = examples[peer], !fates.isEmpty else { return }
        let conditions = Conditions(backend: example.backend, period: 256).with(["death": "SIGKILL"])
        let survives = Statistics(fates.map { $0.back == nil ? 0 : 1 })
        results.append(
            Measurement("server.survives", example.library, "share", survives, conditions.with(["by": "itself"])))
        if let returns {
            results.append(
                Measurement("server.back_ms", example.library, "ms", returns, conditions.with(["by": "itself"])))
        }
        if let openings {
            results.append(
                Measurement("server.back_ms", example.library, "ms", openings, conditions.with(["by": "opening again"]))
            )
        }
    }

    private func words(_ fates: [Fate], _ returns: Statistics?, _ openings: Statistics?, _ remarks: String) -> String {
        guard !fates.isEmpty else { return remarks }
        if let returns {
            let playhead = fates.allSatisfy { $0.back == nil || $0.keptPlace } ? "where it was" : "elsewhere"
            let times = returns.count == fates.count ? "" : " (\(returns.count) of \(fates.count) times)"
            return "sounds again by itself after \(digits(returns.median)) ms, \(playhead)\(times)"
        }
        let reported = fates.contains(where: \.reported) ? "" : ", notifies no client"
        if let openings { return "silent\(reported); opened again: \(digits(openings.median)) ms" }
        return "silent\(reported); \(remarks)"
    }
}
