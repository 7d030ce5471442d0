import Foundation
import Reporting
import Servers

/// A result and its conditions.
private struct Timed {
    var group: GateGroup
    var hearing: Hearing

    var first: Double { Double(hearing.first) }
    var ideal: Double { Double(hearing.ideal) }
    var settled: Double { Double(hearing.settled) }
    /// The delay in frames, relative to the first cycle that begins after the grant; negative if
    /// the grant still affected the cycle that had just begun.
    var late: Double { first - ideal }
    var firstPeriods: Double { first / Double(group.period) }
    var idealPeriods: Double { ideal / Double(group.period) }
    var settledPeriods: Double { (settled - Double(group.rampFrames)) / Double(group.period) }
    var decibels: Double { 20 * log10(Double(hearing.level / GateChange.level)) }
}

/// The results under all conditions.
struct GateResults {
    private(set) var heard: [GateGroup: [Hearing]] = [:]
    /// The number of repetitions because of disturbances.
    private var repeated: [GateGroup: Int] = [:]
    /// The times that activations blocked, in ms.
    private var blocked: [GateGroup: [Double]] = [:]

    mutating func add(_ hearing: Hearing?, _ group: GateGroup, blocked time: Double = 0) {
        guard let hearing else { return repeated[group, default: 0] += 1 }
        heard[group, default: []].append(hearing)
        if group.what == GateReturn.activation { blocked[group, default: []].append(time) }
    }

    /// Returns a value of each result in these groups.
    private func values(where isIncluded: (GateGroup) -> Bool, _ value: KeyPath<Timed, Double>) -> [Double] {
        heard.filter { isIncluded($0.key) }.flatMap { group, found in
            found.map { Timed(group: group, hearing: $0)[keyPath: value] }
        }
    }

    // MARK: Measurements

    /// The measurements of all groups, in a fixed order.
    var measurements: [Measurement] {
        var findings = Findings()
        for group in heard.keys.sorted(by: { $0.order < $1.order }) { add(group, to: &findings) }
        return findings.results
    }

    private func add(_ group: GateGroup, to findings: inout Findings) {
        func add(_ metric: String, _ unit: String, of subject: String = ours, _ value: KeyPath<Timed, Double>) {
            findings.add(metric, unit, values(where: { $0 == group }, value), group.conditions, of: subject)
        }
        let bound = "ideal: the first frame of the next cycle"
        if group.what == GateReturn.activation {
            add("session.frames_to_first_frame", "frames", \.first)
            add("session.frames_to_first_frame", "frames", of: bound, \.ideal)
            add("session.periods_to_first_frame", "periods", \.firstPeriods)
            add("session.ms_to_first_frame", "ms", \.hearing.milliseconds)
            findings.add("session.activation_blocked_ms", "ms", blocked[group] ?? [], group.conditions)
            return
        }
        let isPrompt = group.what == GateCase.prompt.rawValue
        let change = group.isCase ? "attenuation" : "return"
        let end = isPrompt ? "duck" : group.isCase ? "silence" : "full_level"
        if isPrompt { add("gate.duck_db", "dB", \.decibels) }
        add("gate.frames_to_\(change)", "frames", \.first)
        add("gate.frames_to_\(change)", "frames", of: bound, \.ideal)
        add("gate.frames_to_\(end)", "frames", \.settled)
        add("gate.frames_beyond_next_cycle", "frames", \.late)
        add("gate.ms_to_\(change)", "ms", \.hearing.milliseconds)
    }

    /// The worst of all servers, periods and cases: frames are exact.
    var targets: [Target] {
        GateArbitration.allCases.flatMap { arbitration in
            GateThreads.allCases.flatMap { threads -> [Target] in
                func isMatch(_ group: GateGroup) -> Bool {
                    group.arbitration == arbitration && group.threads == threads && group.isCase
                }
                let first = values(where: isMatch, \.firstPeriods)
                let silent = values(where: { isMatch($0) && $0.isSilence }, \.settledPeriods)
                let arbiter = arbitration == .service ? "across processes" : "in one process"
                let app = "\(arbiter)\(threads == .blocked ? ", the app hung" : "")"
                let isHeadline = arbitration == .service && threads == .blocked
                return [("first lower frame", "", first), ("silence", ", less the 5 ms of the fade", silent)].compactMap
                {
                    what, less, values in
                    guard let worst = values.max() else { return nil }
                    let headline =
                        "arbiter's grant → \(what) of an app that hangs\(less) (worst of \(values.count))"
                    return Target(
                        what: "grant → \(what)\(less), \(app): worst of \(values.count)", unit: "periods", wanted: 1,
                        reached: worst, headline: isHeadline ? headline : nil)
                }
            }
        }
    }

    // MARK: Tables

    /// The table with a row for each app, over all cases.
    static var appTable: Table {
        Table(
            "From the arbiter's grant to silence, at the app's port",
            note: """
                frames from the word in the app's gate to the first sample that is lower, and to the first of those that stay 0 (prompts left \
                out); ideal: the next cycle's first sample. less fade: what is beyond the 240 frames of the fade. blocked: no thread of the app \
                or the library runs but libjack's, and in one process the one that decides. A device hears it as much later as its own latency is, \
                jackd's without -S by one more period. No peer has anything like it. seen in: how exactly the grant's time is known, p99, of which the earliest counts. again: repetitions in which the server lost a cycle, or the word was not seen in time.
                """,
            [
                .text("server", 10), "period", .text("decides", 10), .text("threads", 7), "n", "again", "lower p50",
                "p99", "max", "ideal p50", "max", "periods max", "silent p50", "max", "less fade, periods",
                "ms p50", "p99", "seen in ms",
            ])
    }

    func add(_ server: Server, _ arbitration: GateArbitration, _ threads: GateThreads, to table: inout Table) {
        func isMatch(_ group: GateGroup) -> Bool {
            group.server == server.kind && group.period == server.period && group.arbitration == arbitration
                && group.threads == threads && group.isCase
        }
        func statistics(_ value: KeyPath<Timed, Double>) -> Statistics {
            Statistics(values(where: isMatch, value))
        }
        let (first, ideal, times) = (statistics(\.first), statistics(\.ideal), statistics(\.hearing.milliseconds))
        let settled = Statistics(values(where: { isMatch($0) && $0.isSilence }, \.settled))
        let period = Double(server.period)
        table.row(
            server, arbitration.rawValue, threads.rawValue, first.count,
            repeated.filter { isMatch($0.key) }.values.reduce(0, +), first[\.median, \.p99, \.maximum],
            ideal[\.median, \.maximum], first.maximum / period, settled[\.median, \.maximum],
            (settled.maximum - Double(GateChange.silence.frames)) / period, times[\.median, \.p99],
            statistics(\.hearing.doubt).p99)
    }

    /// The table with a row for each case, over all periods and apps of a server.
    var caseTable: Table {
        var table = Table(
            "The same by what happens",
            note: """
                in periods, over all of them; settled: silence, 14 dB lower (50 ms), or full level again (5 ms, after a prompt 500 ms): frames \
                beyond those of its way. late: frames later than the next cycle's first; less than 0: the cycle that had just begun took it. resume: from \
                the grant of the session that activates again.
                """,
            [
                .text("what", 14), .text("server", 10), "n", "first p50", "p99", "max", "late p50", "max",
                "settled p50", "max",
            ])
        for what in GateCase.allCases.map(\.rawValue) + [GateReturn.resume, GateReturn.unmute, GateReturn.unduck] {
            for kind in ServerKind.allCases {
                func isMatch(_ group: GateGroup) -> Bool { group.server == kind && group.what == what }
                guard heard.keys.contains(where: isMatch) else { continue }
                let (first, late, settled) = (
                    Statistics(values(where: isMatch, \.firstPeriods)),
                    Statistics(values(where: isMatch, \.late)),
                    Statistics(values(where: isMatch, \.settledPeriods))
                )
                table.row(
                    what, kind, first.count, first[\.median, \.p99, \.maximum], late[\.median, \.maximum],
                    settled[\.median, \.maximum])
            }
        }
        return table
    }

    var activationTable: Table {
        var table = Table(
            "setActive(true) of a session that has its server, and whose voice waits: from the call to the first sample that is not 0",
            note:
                "frames, and ms until a listener has it; blocks: the call itself; ideal: the first sample of the cycle that begins after the call",
            [
                .text("server", 10), "period", .text("decides", 10), "n", "again", "first p50", "p99", "max",
                "periods p50", "max", "ideal p50", "ms p50", "p99", "blocks p50", "p99",
            ])
        let groups = heard.keys.filter { $0.what == GateReturn.activation }.sorted { $0.order < $1.order }
        for group in groups {
            func statistics(_ value: KeyPath<Timed, Double>) -> Statistics {
                Statistics(values(where: { $0 == group }, value))
            }
            let first = statistics(\.first)
            table.row(
                group.server, group.period, group.arbitration.rawValue, first.count, repeated[group] ?? 0,
                first[\.median, \.p99, \.maximum], statistics(\.firstPeriods)[\.median, \.maximum],
                statistics(\.ideal).median, statistics(\.hearing.milliseconds)[\.median, \.p99],
                Statistics(blocked[group] ?? [])[\.median, \.p99])
        }
        return table
    }

    // MARK: Figure

    /// The share of grants that took effect within that many periods.
    var figure: Figure {
        let panels = Figure.panels({ "Grant → port on \($0.rawValue)" }) { kind in
            func line(
                _ title: String, _ color: String, dashed: Bool = false,
                _ value: KeyPath<Timed, Double> = \.firstPeriods, where isIncluded: (GateGroup) -> Bool
            ) -> Figure.Line {
                let found = values(where: { $0.server == kind && isIncluded($0) }, value)
                return Figure.Line(title: title, color: color, dashed: dashed, points: Figure.shares(found), symbol: 0)
            }
            guard heard.keys.contains(where: { $0.server == kind }) else { return [] }
            let colors = [Figure.blue, Figure.violet, Figure.green, Figure.orange]
            let cases = zip(GateCase.allCases, colors).flatMap { what, color in
                GateThreads.allCases.map { threads in
                    line("\(what.rawValue), threads \(threads.rawValue)", color, dashed: threads == .blocked) {
                        $0.what == what.rawValue && $0.threads == threads
                    }
                }
            }
            return cases + [
                line("setActive(true), from the call", "#000000") { $0.what == GateReturn.activation },
                line(
                    "the next cycle's first frame", Figure.grey, dashed: true,
                    \.idealPeriods, where: \.isCase),
            ]
        }
        return Figure(
            "latency-gates", size: "\(600 * panels.count),750",
            caption: """
                Share of the arbiter's grants whose first lower frame was at the app's port within that part of a period; dashed: the app's threads \
                stood still. In one process and across processes, all periods together. Grants come anywhere in a period, so that a straight line to 1 \
                is what can be reached. Black: setActive(true), from the call, which the arbiter has to grant first.
                """,
            panels: panels,
            settings: """
                set key below maxcols 1
                set xlabel "periods after the grant"
                set ylabel "% of grants"
                set xrange [-0.2:1.5]
                set yrange [0:100]
                set arrow from 1,0 to 1,100 nohead linecolor rgb "\(Figure.red)" dashtype 3
                """)
    }
}
