import CProbe
import Processes
import Reporting
import Servers

/// What happens to a counting signal while the server's buffer size changes, compared with a bare
/// client's during the same change.
extension Peers {
    private static let first = 256
    private static let changes = [64, 1_024, 256]

    /// The result of one change.
    private struct Change {
        var period: Int
        /// The losses beyond the bare client's, which `bareLost` has.
        var lost, repeated, silent: Double
        var bareLost: Double
        /// The percentage of the expected frames after the change.
        var share: Double
        var survived: Bool { share > 99 }
        /// A silent peer loses nothing more.
        var isSilent: Bool { share < 1 }
        var isWhole: Bool { survived && lost <= 0 && repeated <= 0 && silent <= 0 }
    }

    private struct Course {
        var candidate: Candidate
        var changes: [Change] = []
        var notices: [String] = []
    }

    static func changePeriods(
        _ peers: [Peer], _ context: ServerContext, rounds: Int, _ report: inout PeersReport
    ) throws {
        let courses = try peers.map { peer in
            var course = Course(candidate: Candidate(peer: peer))
            var left = rounds
            while left > 0, course.candidate.failure == nil {
                left -= try live(&course, context, rounds: left, &report)
            }
            return course
        }
        for course in courses { add(course, to: &report) }
    }

    /// Runs rounds on a separate server as long as the sound survives. Returns their number.
    private static func live(
        _ course: inout Course, _ context: ServerContext, rounds: Int, _ report: inout PeersReport
    ) throws -> Int {
        let stage = try PeersStage(context, period: first)
        let bare = try stage.open(.bare, .count)
        try course.candidate.attempt { $0.open = try stage.open($0.peer, .count) }
        guard course.candidate.failure == nil, let open = course.candidate.open else { return rounds }
        report.note(open)
        defer {
            // The reply arrives after all notices.
            _ = try? open.process.ask("status")
            course.notices += open.process.notices
            _ = open.process.quit()
            _ = bare.process.quit()
        }
        open.process.forgetNotices()
        guard try stage.probe.counts(bare.tap, frames: 4_800, milliseconds: 5_000) else {
            throw BenchmarkError("The bare client has no sound.")
        }
        guard try stage.probe.counts(open.tap, frames: 4_800, milliseconds: 2_000) else {
            course.candidate.failure = "its count is not heard as it is"
            return rounds
        }
        for round in 1...rounds {
            for period in changes {
                let change = try change(to: period, stage.probe, open.tap, comparedWith: bare.tap)
                course.changes.append(change)
                if change.isSilent { return round }
            }
        }
        return rounds
    }

    private static func change(
        to period: Int, _ probe: PeersListener, _ tap: Int, comparedWith bare: Int
    ) throws -> Change {
        func heard() throws -> (peer: probe_count_t, bare: probe_count_t) {
            (try probe.heard(tap), try probe.heard(bare))
        }
        func listen(frames: UInt64) throws {
            let heard = try probe.heard(bare).frames
            guard try probe.counts(bare, frames: heard + frames, milliseconds: 5_000) else {
                throw BenchmarkError("The bare client became silent when the period changed.")
            }
        }
        let before = try heard()
        try probe.ask("period", period)
        try listen(frames: 5_000)
        let after = try heard()
        try listen(frames: 4_800)
        let then = try heard()
        func beyond(_ key: KeyPath<probe_count_t, UInt64>) -> Double {
            let (own, bound) = (
                after.peer[keyPath: key] - before.peer[keyPath: key],
                after.bare[keyPath: key] - before.bare[keyPath: key]
            )
            return Double(own) - Double(bound)
        }
        let expected = Double(then.bare.frames - after.bare.frames)
        return Change(
            period: period, lost: beyond(\.lost), repeated: beyond(\.repeated), silent: beyond(\.silent),
            bareLost: Double(after.bare.lost - before.bare.lost),
            share: min(100, Double(then.peer.frames - after.peer.frames) / expected * 100))
    }

    private static func add(_ course: Course, to report: inout PeersReport) {
        let peer = course.candidate.peer
        for period in changes {
            let found = course.changes.filter { $0.period == period }
            guard !found.isEmpty, let open = course.candidate.open else { continue }
            let sounding = found.filter { !$0.isSilent }
            for (metric, unit, values) in [
                ("period.frames_lost", "frames", sounding.map(\.lost)),
                ("period.frames_repeated", "frames", sounding.map(\.repeated)),
                ("period.frames_silent", "frames", found.map(\.silent)),
                ("period.survives", "share", found.map { $0.survived ? 1 : 0 }),
            ] where !values.isEmpty {
                report.add(metric, unit, values, open, first, ["changesTo": .whole(period)])
            }
            func median(_ key: KeyPath<Change, Double>, _ changes: [Change]) -> Double? {
                changes.isEmpty ? nil : Statistics(changes.map { $0[keyPath: key] }).median
            }
            let isLast = period == course.changes.last?.period
            report.row(
                .periods, report.library(peer), period, median(\.share, found), median(\.lost, sounding),
                sounding.map(\.lost).max(), median(\.repeated, sounding), median(\.silent, found),
                median(\.bareLost, found), found.count, isLast ? course.notices.last : nil)
        }
        if let failure = course.candidate.failure {
            report.row(.periods, report.library(peer), Array(repeating: "", count: 8), failure)
        }
        report.note(peer, .periods, words(course))
    }

    /// Returns a one-line summary.
    private static func words(_ course: Course) -> String {
        if let failure = course.candidate.failure { return failure }
        if let change = course.changes.first(where: \.isSilent) {
            return "falls silent at \(change.period)" + (course.notices.isEmpty ? ", notifies no client" : "")
        }
        func medians(_ key: KeyPath<Change, Double>) -> [(period: Int, value: Double)] {
            changes.compactMap { period in
                let found = course.changes.filter { $0.period == period }
                return found.isEmpty ? nil : (period, Statistics(found.map { $0[keyPath: key] }).median)
            }
        }
        if let (period, share) = medians(\.share).min(by: { $0.value < $1.value }), share < 99 {
            return "goes on, with gaps at \(period): sounds \(digits(share)) % of the time"
        }
        let (lost, silent) = (medians(\.lost).map(\.value).max() ?? 0, medians(\.silent).map(\.value).max() ?? 0)
        if lost > 0 || silent > 0 {
            return "goes on; up to \(digits(max(0, lost))) frames lost, \(digits(max(0, silent))) silent (medians)"
        }
        let whole = course.changes.count(where: \.isWhole)
        return whole == course.changes.count
            ? "goes on, no frame lost" : "goes on, no frame lost in \(whole) of \(course.changes.count) changes"
    }
}
