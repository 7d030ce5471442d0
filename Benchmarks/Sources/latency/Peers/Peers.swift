import Processes
import Reporting
import Servers

/// Compares other libraries with the package, on the same server in the same run: how soon a sound
/// is heard, whether input passes through intact, and what happens to the sound when the buffer
/// size changes and when the server dies.
enum Peers {
    static func measure(_ run: Run) throws -> Findings {
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
        var report = PeersReport(patience: run.quick ? 2 : 5)
        let lengths = run.quick ? [256] : [64, 256, 1_024]
        for period in lengths {
            try withRetry {
                try play(
                    libraries + Peer.otherWays.filter(\.isInstalled), try PeersStage(context, period: period),
                    repetitions: run.quick ? 20 : 120, &report)
            }
        }
        for period in lengths {
            try withRetry {
                try passThrough(
                    libraries, try PeersStage(context, period: period), impulses: run.quick ? 10 : 60, &report)
            }
        }
        try withRetry { try changePeriods(libraries, context, rounds: run.quick ? 1 : 6, &report) }
        try withRetry {
            var deaths = PeersDeaths(patience: report.patience, limit: run.quick ? 5 : 10)
            for _ in 0..<(run.quick ? 1 : 6) { try deaths.live(libraries, context, &report) }
            deaths.add(libraries, to: &report)
        }
        return report.finish(libraries)
    }

    /// Repeats a stage whose environment fails (its server, the probe, or the bare client as the
    /// reference): on a machine that stalls for a second this may happen.
    private static func withRetry(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as BenchmarkError {
            say("repeating the stage, which failed: \(error)")
            try body()
        }
    }

    // MARK: Play

    /// The length of the sound, which is the same for all peers.
    private static let soundFrames = "480"

    /// The time from a request to a library to play until the first sample of the sound is on its
    /// port. All peers are open and silent on one server, as games are. They get requests in turn,
    /// at any phase of a period.
    private static func play(
        _ peers: [Peer], _ stage: PeersStage, repetitions: Int, _ report: inout PeersReport
    ) throws {
        let period = stage.server.period
        var candidates = try stage.open(peers, .sound)
        candidates.compactMap(\.open).forEach { report.note($0) }
        for repetition in 0..<repetitions {
            for offset in candidates.indices {
                try candidates[(offset + repetition) % candidates.count].attempt {
                    try play(&$0, stage.probe, period: period)
                }
            }
        }
        guard candidates.first(where: { $0.peer == .bare })?.frames.isEmpty == false else {
            throw BenchmarkError("No sound from the bare client at a period of \(period).")
        }
        for candidate in candidates {
            let remarks = [
                candidate.failure, candidate.open?.process.notices.first,
                candidate.unheard > 0 ? "requests that were not heard: \(candidate.unheard)" : nil,
                candidate.incomplete > 0 ? "sounds that were not whole: \(candidate.incomplete)" : nil,
            ].compactMap(\.self).joined(separator: "; ")
            var (cells, words) = (Array(repeating: "", count: 7), remarks)
            if let open = candidate.open, !candidate.frames.isEmpty {
                let found = report.add(
                    "play.frames_to_sound", "frames", candidate.frames, open, period,
                    ["way": .text(open.peer.request)])
                let periods = digits(found.median / Double(period))
                let range = [found.interval.lowerBound, found.interval.upperBound]
                cells = ([found.median] + range + [found.p99, found.maximum]).cells + [periods, "\(found.count)"]
                words = "\(digits(found.median)) frames, \(periods) periods"
                report.plot("\(open.library), \(open.peer.request)", candidate, period)
            }
            report.row(.play, period, report.library(candidate.peer), candidate.peer.request, cells, remarks)
            report.note(candidate.peer, .play, at: period, words)
            _ = candidate.open?.process.quit()
        }
    }

    /// Makes a request at any phase of a period, after the last sound has ended.
    private static func play(_ candidate: inout Candidate, _ probe: PeersListener, period: Int) throws {
        guard let open = candidate.open else { return }
        guard try probe.isQuiet(open.tap, frames: 2 * period) else {
            throw PeerFailure.refused("it did not fall silent")
        }
        try probe.ask("arm", open.tap)
        try probe.ask("pause", Int.random(in: 0..<period * 1_000_000_000 / Server.sampleRate))
        guard let begun = try open.process.ask("play").first.flatMap({ UInt64($0) }) else {
            throw PeerFailure.refused("it reports no time")
        }
        guard let onset = try probe.onset(open.tap, milliseconds: 2_000) else {
            candidate.unheard += 1
            candidate.unheardInRow += 1
            if candidate.unheardInRow == 3 { throw PeerFailure.refused("it is not heard any more") }
            return
        }
        candidate.unheardInRow = 0
        let asked = try probe.ask("frame", begun).first.flatMap { UInt32($0) } ?? 0
        _ = try probe.isQuiet(open.tap, frames: period)
        // A request counts only if the complete sound was played.
        if try probe.ask("loud", open.tap).first == soundFrames {
            candidate.frames.append(Double(frames(from: asked, to: onset)))
        } else {
            candidate.incomplete += 1
        }
    }

    // MARK: From input to output

    /// The frames by which input reaches an output later than through a bare client. One impulse
    /// goes to all peers at once.
    private static func passThrough(
        _ peers: [Peer], _ stage: PeersStage, impulses: Int, _ report: inout PeersReport
    ) throws {
        let period = stage.server.period
        var candidates = try stage.open(peers, .through) { try stage.probe.ask("feed", $0.inputs[0]) }
        let open = candidates.compactMap(\.open)
        open.forEach { report.note($0) }
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
                    candidates[index].frames.append(Double(frames(from: bound, to: onset)))
                } else {
                    candidates[index].unheard += 1
                }
            }
        }
        for candidate in candidates {
            let unheard = candidate.unheard > 0 ? "impulses that did not come through: \(candidate.unheard)" : ""
            let remarks = candidate.failure ?? unheard
            var (cells, words) = (["", "", "", ""], remarks)
            if let open = candidate.open, !candidate.frames.isEmpty {
                let found = report.add("through.added_frames", "frames", candidate.frames, open, period)
                cells = found[\.median, \.minimum, \.maximum].cells + ["\(found.count)"]
                words =
                    "\(cells[0]) frames"
                    + (found.minimum == found.maximum ? "" : " (\(cells[1]) to \(cells[2]))")
            }
            report.row(.through, period, report.library(candidate.peer), cells, remarks)
            report.note(candidate.peer, .through, at: period, words)
            _ = candidate.open?.process.quit()
        }
    }

    /// Sends an impulse. Returns the frame in which each receiver got it.
    private static func send(to open: [OpenPeer], _ probe: PeersListener, period: Int) throws -> [Int: UInt32] {
        for peer in open {
            _ = try probe.isQuiet(peer.tap, frames: 8 * period)
            try probe.ask("arm", peer.tap)
        }
        // Waits for the cycle that arms the receivers.
        _ = try probe.isQuiet(open.map(\.tap).max() ?? 0, frames: 10 * period)
        let sent = try probe.ask("impulse", Int.random(in: 0..<period)).first.flatMap { UInt32($0) } ?? 0
        var onsets: [Int: UInt32] = [:]
        for peer in open {
            // Sound from before the impulse does not count.
            guard let onset = try probe.onset(peer.tap, milliseconds: onsets.isEmpty ? 1_000 : 300) else { continue }
            if frames(from: sent, to: onset) >= 0 { onsets[peer.tap] = onset }
        }
        return onsets
    }
}
