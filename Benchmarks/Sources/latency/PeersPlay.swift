import Foundation
import Processes
import Reporting
import Servers

/// The time from a request to a library to play until the first sample of the sound is on its port.
///
/// All peers are open and silent on one server, as games are. They get requests in turn, at any
/// phase of a period.
struct PeersPlay {
    var peers: [Peer]
    private(set) var results: [Measurement] = []
    private(set) var table: Table?
    /// The series for the plot, in the order of the table.
    private(set) var series: [Series] = []

    /// The frames from each request to its sound, at one period.
    struct Series {
        var title: String
        var period: Int
        var frames: [Double]
    }

    init(peers: [Peer]) { self.peers = peers }

    /// The length of the sound, which is the same for all peers.
    private static let soundFrames = 480

    private struct Candidate {
        var peer: Peer
        /// nil if it could not be opened.
        var open: OpenPeer?
        var frames: [Double] = []
        var incomplete = 0
        /// The requests without a sound, and the consecutive ones at the end.
        var unheard = 0
        var unheardInRow = 0
        var failure: String?

        var remarks: String {
            [
                failure, open?.process.notices.first, unheard > 0 ? "requests that were not heard: \(unheard)" : nil,
                incomplete > 0 ? "sounds that were not whole: \(incomplete)" : nil,
            ].compactMap { $0 }.joined(separator: "; ")
        }
    }

    mutating func measure(_ context: ServerContext, period: Int, repetitions: Int, _ record: inout PeersRecord) throws {
        let stage = try PeersStage(context, period: period)
        var candidates = try peers.map { peer in
            var candidate = Candidate(peer: peer)
            do {
                candidate.open = try stage.open(peer, .sound)
            } catch let failure as PeerFailure {
                candidate.failure = "\(failure)"
            }
            return candidate
        }
        candidates.compactMap(\.open).forEach { record.note($0) }
        for repetition in 0..<repetitions {
            for offset in candidates.indices {
                let index = (offset + repetition) % candidates.count
                guard candidates[index].failure == nil else { continue }
                do {
                    try play(&candidates[index], stage.probe, period: period)
                } catch let failure as PeerFailure {
                    candidates[index].failure = "\(failure)"
                }
            }
        }
        guard candidates.first(where: { $0.peer == .bare })?.frames.isEmpty == false else {
            throw BenchmarkError("No sound from the bare client at a period of \(period).")
        }
        report(candidates, period: period, &record)
        candidates.forEach { _ = $0.open?.process.quit() }
    }

    /// Makes a request at any phase of a period, after the last sound has ended.
    private func play(_ candidate: inout Candidate, _ probe: PeerProbe, period: Int) throws {
        guard let open = candidate.open else { return }
        guard try probe.awaitQuiet(open.tap, frames: 2 * period, milliseconds: 2_000) else {
            throw PeerFailure.refused("it did not fall silent")
        }
        try probe.arm(open.tap)
        try probe.pause(nanoseconds: .random(in: 0..<period * 1_000_000_000 / Server.sampleRate))
        let words = try open.process.ask("play")
        guard let begun = words.first.flatMap({ UInt64($0) }) else { throw PeerFailure.refused("it reports no time") }
        guard let onset = try probe.onset(open.tap, milliseconds: 2_000) else {
            candidate.unheard += 1
            candidate.unheardInRow += 1
            if candidate.unheardInRow == 3 { throw PeerFailure.refused("it is not heard any more") }
            return
        }
        candidate.unheardInRow = 0
        let frames = Int32(bitPattern: onset &- (try probe.frame(at: begun)))
        _ = try probe.awaitQuiet(open.tap, frames: period, milliseconds: 2_000)
        // A request counts only if the complete sound was played.
        if try probe.loudFrames(open.tap) == Self.soundFrames {
            candidate.frames.append(Double(frames))
        } else {
            candidate.incomplete += 1
        }
    }

    private mutating func report(_ candidates: [Candidate], period: Int, _ record: inout PeersRecord) {
        var table = table ?? Self.emptyTable()
        for candidate in candidates {
            let (peer, name) = (candidate.peer, record.library(candidate.peer))
            let cells: [String]
            if let open = candidate.open, !candidate.frames.isEmpty {
                let found = Statistics(candidate.frames)
                let periods = digits(found.median / Double(period))
                cells =
                    [found.median, found.interval.lowerBound, found.interval.upperBound, found.p99, found.maximum]
                    .map(digits) + [periods, "\(found.count)"]
                keep(found, candidate.frames, open, period: period)
                record.note(peer, .play, at: period, "\(digits(found.median)) frames, \(periods) periods")
            } else {
                cells = Array(repeating: "", count: 7)
                record.note(peer, .play, at: period, candidate.remarks)
            }
            table.add(["\(period)", name, peer.request] + cells + [candidate.remarks])
        }
        self.table = table
    }

    private static func emptyTable() -> Table {
        Table(
            "Peers: play request → first frame on the port",
            note: "below 0: the cycle that the request found ran late, on a machine that was busy",
            [
                "period", .text("library", 40), .text("asked by", 30), "frames", "from", "to", "p99", "max", "periods",
                "n", .text("", 0),
            ])
    }

    private mutating func keep(_ found: Statistics, _ frames: [Double], _ open: OpenPeer, period: Int) {
        results.append(
            Measurement(
                "play.frames_to_sound", open.library, "frames", found,
                Conditions(backend: open.backend, period: period).with(["way": .text(open.peer.request)])))
        series.append(Series(title: "\(open.library), \(open.peer.request)", period: period, frames: frames))
    }
}
