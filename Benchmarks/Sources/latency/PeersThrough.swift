import Processes
import Reporting
import Servers

/// The frames by which input reaches an output later than through a bare client. One impulse goes
/// to all peers at once.
struct PeersThrough {
    var peers: [Peer]
    private(set) var results: [Measurement] = []
    private(set) var table: Table?

    init(peers: [Peer]) { self.peers = peers }

    private struct Candidate {
        var peer: Peer
        /// nil if it could not be opened.
        var open: OpenPeer?
        var added: [Double] = []
        var unheard = 0
        var failure: String?
    }

    mutating func measure(_ context: ServerContext, period: Int, impulses: Int, _ record: inout PeersRecord) throws {
        let stage = try PeersStage(context, period: period)
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
            throw BenchmarkError("Cannot open the bare client at a period of \(period).")
        }
        for _ in 0..<impulses {
            let onsets = try send(to: open, stage.probe, period: period)
            guard let bound = onsets[bare.tap] else {
                throw BenchmarkError("No impulse passed through the bare client.")
            }
            for index in candidates.indices {
                guard let tap = candidates[index].open?.tap else { continue }
                if let onset = onsets[tap] {
                    candidates[index].added.append(Double(Int32(bitPattern: onset &- bound)))
                } else {
                    candidates[index].unheard += 1
                }
            }
        }
        report(candidates, period: period, &record)
        open.forEach { _ = $0.process.quit() }
    }

    /// Sends an impulse. Returns the frame in which each receiver got it.
    private func send(to open: [OpenPeer], _ probe: PeerProbe, period: Int) throws -> [Int: UInt32] {
        for peer in open {
            _ = try probe.awaitQuiet(peer.tap, frames: 8 * period, milliseconds: 2_000)
            try probe.arm(peer.tap)
        }
        // Waits for the cycle that arms the receivers.
        let last = open.map(\.tap).max() ?? 0
        _ = try probe.awaitQuiet(last, frames: 10 * period, milliseconds: 2_000)
        let sent = try probe.sendImpulse(offset: .random(in: 0..<period))
        var onsets: [Int: UInt32] = [:]
        for peer in open {
            // Sound from before the impulse does not count.
            guard let onset = try probe.onset(peer.tap, milliseconds: onsets.isEmpty ? 1_000 : 300) else { continue }
            if Int32(bitPattern: onset &- sent) >= 0 { onsets[peer.tap] = onset }
        }
        return onsets
    }

    private mutating func report(_ candidates: [Candidate], period: Int, _ record: inout PeersRecord) {
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
