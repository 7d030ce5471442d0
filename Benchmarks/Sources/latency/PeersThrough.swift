import Processes
import Reporting
import Servers

/// How many frames later than through a bare client what comes in at an input is on an output: one impulse goes to all of them at once.
struct PeersThrough {
    var peers: [Peer]
    private(set) var results: [Measurement] = []
    private(set) var table: Table?

    init(peers: [Peer]) { self.peers = peers }

    private struct Candidate {
        var peer: Peer
        /// nil: it could not be opened.
        var open: OpenPeer?
        var added: [Double] = []
        var unheard = 0
        var failure: String?
    }

    mutating func measure(_ place: ServerPlace, period: Int, impulses: Int, _ record: inout PeersRecord) throws {
        let stage = try PeersStage(place, period: period)
        var candidates = try peers.map { peer in
            var candidate = Candidate(peer: peer)
            do {
                let open = try stage.open(peer, .through)
                try stage.probe.feed(open.inputs[0])
                candidate.open = open
            } catch let failure as PeerFailure {
                candidate.failure = "\(failure)"
            }
            return candidate
        }
        let open = candidates.compactMap(\.open)
        open.forEach { record.note($0) }
        guard let bare = open.first(where: { $0.peer == .bare }) else {
            throw BenchmarkError("The bare client could not be opened at a period of \(period).")
        }
        for _ in 0..<impulses {
            let onsets = try send(to: open, stage.probe, period: period)
            guard let bound = onsets[bare.ear] else { throw BenchmarkError("The bare client let no impulse through.") }
            for index in candidates.indices {
                guard let ear = candidates[index].open?.ear else { continue }
                if let onset = onsets[ear] {
                    candidates[index].added.append(Double(Int32(bitPattern: onset &- bound)))
                } else {
                    candidates[index].unheard += 1
                }
            }
        }
        tell(candidates, period: period, &record)
        open.forEach { _ = $0.process.quit() }
    }

    /// In which frame each ear heard an impulse.
    private func send(to open: [OpenPeer], _ probe: PeerProbe, period: Int) throws -> [Int: UInt32] {
        for peer in open {
            _ = try probe.awaitQuiet(peer.ear, frames: 8 * period, milliseconds: 2_000)
            try probe.arm(peer.ear)
        }
        // The ears are armed by the cycle before.
        let last = open.map(\.ear).max() ?? 0
        _ = try probe.awaitQuiet(last, frames: 10 * period, milliseconds: 2_000)
        let sent = try probe.sendImpulse(offset: .random(in: 0..<period))
        var onsets: [Int: UInt32] = [:]
        for peer in open {
            // What was heard before it was sent is no impulse.
            guard let onset = try probe.onset(peer.ear, milliseconds: onsets.isEmpty ? 1_000 : 300) else { continue }
            if Int32(bitPattern: onset &- sent) >= 0 { onsets[peer.ear] = onset }
        }
        return onsets
    }

    private mutating func tell(_ candidates: [Candidate], period: Int, _ record: inout PeersRecord) {
        var table =
            table
            ?? Table(
                "Peers: frames from input to output, beyond those of a bare client",
                ["period", .text("library", 40), "frames", "min", "max", "n", .text("", 0)])
        for candidate in candidates {
            let unheard =
                candidate.unheard > 0 ? "impulses that did not come through: \(candidate.unheard)" : ""
            let remarks = candidate.failure ?? unheard
            var cells = ["", "", "", ""]
            if let open = candidate.open, !candidate.added.isEmpty {
                let found = Statistics(candidate.added)
                results.append(
                    Measurement(
                        "through.added_frames", open.library, "frames", found,
                        Conditions(backend: open.backend, period: period))
                )
                cells = [found.median, found.minimum, found.maximum].map(digits) + ["\(found.count)"]
                let range = found.minimum == found.maximum ? "" : " (\(cells[1]) to \(cells[2]))"
                record.note(candidate.peer, .through, at: period, "\(cells[0]) frames\(range)")
            } else {
                record.note(candidate.peer, .through, at: period, remarks)
            }
            table.add(["\(period)", record.library(candidate.peer)] + cells + [remarks])
        }
        self.table = table
    }
}
