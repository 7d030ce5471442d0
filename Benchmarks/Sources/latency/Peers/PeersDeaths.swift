import CProbe
import Foundation
import Processes
import Reporting
import Servers

/// The server is killed with SIGKILL while all peers play, and returns. Measures which peers resume
/// sound on their own, when, and at which playhead, and which the app can open again.
struct PeersDeaths {
    /// The seconds to wait for a peer that does not return, and for one that does not answer.
    let patience: Double
    let limit: Double

    /// What happened to a peer.
    private struct Fate {
        let open: OpenPeer
        /// The last number before the server's end.
        var playhead: Int64 = 0
        /// Milliseconds from the server's readiness until the peer's sound; nil if it did not
        /// return on its own.
        var back: Double?
        var keptPlayhead = false
        var reported = false
        /// Milliseconds from closing and opening it by the app until its sound.
        var reopened: Double?
        var failure: String?
    }

    private var fates: [Peer: [Fate]] = [:]
    private var refusals: [Peer: String] = [:]

    init(patience: Double, limit: Double) { (self.patience, self.limit) = (patience, limit) }

    mutating func live(_ peers: [Peer], _ context: ServerContext, _ report: inout PeersReport) throws {
        let stage = try PeersStage(context, period: 256)
        let candidates = try stage.open(peers.filter { refusals[$0] == nil }, .count) {
            guard try stage.probe.counts($0.tap, frames: 4_800, milliseconds: 2_000) else {
                throw PeerFailure.refused("its counting signal is not received correctly")
            }
        }
        for candidate in candidates { refusals[candidate.peer] = candidate.failure }
        var all = candidates.compactMap(\.open).map { Fate(open: $0) }
        defer { all.forEach { $0.open.process.kill() } }
        for fate in all {
            report.note(fate.open)
            // Earlier notifications are not about the server's end.
            fate.open.process.forgetNotices()
        }
        stage.server.end(by: SIGKILL)
        for index in all.indices { all[index].playhead = try stage.probe.heard(all[index].open.tap).last }
        let ready = try stage.server.start()
        try stage.renewProbe()
        try hearReturns(&all, stage.probe, ready: ready)
        for index in all.indices {
            // Whether the library has notified its app.
            do {
                let process = all[index].open.process
                let stands = try process.ask("status", seconds: limit).first == "stands"
                all[index].reported = stands || !process.notices.isEmpty
            } catch {
                all[index].failure = "\(error)"
            }
        }
        try reopen(&all, stage.probe)
        for var fate in all {
            if fate.failure == nil { fate.failure = fate.open.process.quit().map { "afterwards: \($0)" } }
            fates[fate.open.peer, default: []].append(fate)
        }
    }

    /// Connects a receiver to a peer that has ports again. Returns the result if its count is
    /// received.
    private func hear(_ open: OpenPeer, among outputs: [String], _ probe: PeersListener) throws -> probe_count_t? {
        guard let port = outputs.first(where: { $0.hasPrefix(open.client + ":") }) else { return nil }
        // The port may have disappeared again.
        guard (try? probe.ask("listen", open.tap, port)) != nil else { return nil }
        let heard = try probe.heard(open.tap)
        return heard.frames > 0 ? heard : nil
    }

    private func hearReturns(_ fates: inout [Fate], _ probe: PeersListener, ready: UInt64) throws {
        let end = ready + UInt64(patience * 1e9)
        while now() < end {
            let outputs = try probe.ask("outputs")
            for index in fates.indices where fates[index].back == nil {
                guard let heard = try hear(fates[index].open, among: outputs, probe) else { continue }
                // The peer may have sounded before the receiver was connected. If it continued at
                // its playhead, its count gives the time.
                let beyond = heard.first - fates[index].playhead - 1
                let begun = Int64(bitPattern: heard.first_ns &- ready)
                let since = begun - beyond * 1_000_000_000 / Int64(Server.sampleRate)
                fates[index].keptPlayhead = beyond >= 0 && since > -50_000_000
                fates[index].back = Double(fates[index].keptPlayhead ? since : begun) / 1e6
            }
            poll(nil, 0, 5)
        }
    }

    /// Closes the streams and opens new ones, as an app would. Asks all peers at once, so that the
    /// waits for hanging ones overlap.
    private func reopen(_ fates: inout [Fate], _ probe: PeersListener) throws {
        let begun = now()
        var waiting: Set<Int> = []
        for index in fates.indices where fates[index].back == nil && fates[index].failure == nil {
            do {
                try probe.ask("forget", fates[index].open.tap)
                try fates[index].open.process.send(["reopen"])
                waiting.insert(index)
            } catch let failure as PeerFailure {
                fates[index].failure = "\(failure)"
            }
        }
        var answered: Set<Int> = []
        while !waiting.isEmpty, now() < begun + UInt64(limit * 1e9) {
            let outputs = try probe.ask("outputs")
            for index in waiting {
                let open = fates[index].open
                do {
                    if !answered.contains(index), try open.process.received() != nil { answered.insert(index) }
                } catch {
                    fates[index].failure = "opening again: \(error)"
                    waiting.remove(index)
                    continue
                }
                guard answered.contains(index), let heard = try hear(open, among: outputs, probe) else { continue }
                fates[index].reopened = Double(heard.first_ns &- begun) / 1e6
                waiting.remove(index)
            }
            poll(nil, 0, 5)
        }
        for index in waiting {
            let what = answered.contains(index) ? "silent after opening again" : "opening again hangs, no answer"
            fates[index].failure = "\(what) within \(Int(limit)) s"
        }
    }

    func add(_ peers: [Peer], to report: inout PeersReport) {
        for peer in peers {
            let fates = fates[peer] ?? []
            let remarks = Set(fates.compactMap(\.failure) + (refusals[peer].map { [$0] } ?? [])).sorted()
                .joined(separator: "; ")
            var (cells, words) = (Array(repeating: "", count: 7) + ["0"], remarks)
            if let open = fates.first?.open {
                func add(_ metric: String, _ unit: String, _ values: [Double], by: String) -> Statistics? {
                    guard !values.isEmpty else { return nil }
                    return report.add(metric, unit, values, open, 256, ["death": "SIGKILL", "by": .text(by)])
                }
                _ = add("server.survives", "share", fates.map { $0.back == nil ? 0 : 1 }, by: "itself")
                let returns = add("server.back_ms", "ms", fates.compactMap(\.back), by: "itself")
                let openings = add("server.back_ms", "ms", fates.compactMap(\.reopened), by: "opening again")
                let (keptPlayhead, reported) = (
                    fates.allSatisfy { $0.back == nil || $0.keptPlayhead }, fates.contains(where: \.reported)
                )
                cells = [
                    "\(returns?.count ?? 0)", returns.map { digits($0.median) } ?? "",
                    returns.map { digits($0.maximum) } ?? "", returns == nil ? "" : keptPlayhead ? "yes" : "NO",
                    reported ? "yes" : "no", "\(openings?.count ?? 0)", openings.map { digits($0.median) } ?? "",
                    "\(fates.count)",
                ]
                let silent = "silent" + (reported ? "" : ", notifies no client")
                if let returns {
                    let times = returns.count == fates.count ? "" : " (\(returns.count) of \(fates.count) times)"
                    words =
                        "sounds again by itself after \(digits(returns.median)) ms, "
                        + "\(keptPlayhead ? "where it was" : "elsewhere")\(times)"
                } else if let openings {
                    words = "\(silent); opened again: \(digits(openings.median)) ms"
                } else {
                    words = "\(silent); \(remarks)"
                }
            }
            report.row(.death, report.library(peer), cells, remarks)
            report.note(peer, .death, words)
        }
    }
}
