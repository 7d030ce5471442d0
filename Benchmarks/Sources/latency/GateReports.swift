import Reporting
import Servers

extension GateFindings {
    /// The table with a row for each app, over all cases.
    static func table() -> Table {
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
                "p99",
                "max", "ideal p50", "max", "periods max", "silent p50", "max", "less fade, periods",
                "ms p50", "p99", "seen in ms",
            ])
    }

    func row(_ server: Server, _ arbitration: GateArbitration, _ threads: GateThreads) -> [String] {
        func isMatch(_ group: GateGroup) -> Bool {
            group.server == server.kind && group.period == server.period && group.arbitration == arbitration
                && group.threads == threads && group.isCase
        }
        let finding = together(where: isMatch)
        let silent = together { isMatch($0) && $0.isSilence }
        guard !finding.heard.isEmpty, !silent.heard.isEmpty else { return [server.kind.rawValue] }
        let (first, ideal) = (Statistics(finding.values(\.first)), Statistics(finding.values(\.ideal)))
        let (settled, times) = (Statistics(silent.values(\.settled)), Statistics(finding.heard.map(\.milliseconds)))
        let period = Double(server.period)
        return [
            server.kind.rawValue, "\(server.period)", arbitration.rawValue, threads.rawValue, "\(first.count)",
            "\(finding.repeated)",
        ]
            + [
                first.median, first.p99, first.maximum, ideal.median, ideal.maximum, first.maximum / period,
                settled.median, settled.maximum, (settled.maximum - 240) / period, times.median, times.p99,
                Statistics(finding.heard.map(\.doubt)).p99,
            ].map(digits)
    }

    /// Returns the table with a row for each case, over all periods and apps of a server.
    func cases() -> Table {
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
        let whats = GateCase.allCases.map(\.rawValue) + [GateReturn.resume, GateReturn.unmute, GateReturn.unduck]
        for what in whats {
            for kind in ServerKind.allCases {
                func isMatch(_ group: GateGroup) -> Bool { group.server == kind && group.what == what }
                let finding = together(where: isMatch)
                guard !finding.heard.isEmpty else { continue }
                let first = Statistics(periods(\.first, where: isMatch))
                let settled = Statistics(periods(\.settled, less: Self.rampFrames(what), where: isMatch))
                let late = Statistics(finding.late)
                table.add(
                    [what, kind.rawValue, "\(first.count)"]
                        + [
                            first.median, first.p99, first.maximum, late.median, late.maximum, settled.median,
                            settled.maximum,
                        ].map(digits))
            }
        }
        return table
    }

    /// Returns the length of the ramp, in frames.
    static func rampFrames(_ what: String) -> Int {
        switch what {
        case GateCase.prompt.rawValue: GateChange.duck.frames
        case GateReturn.unduck: GateChange.unduck.frames
        default: GateChange.silence.frames
        }
    }

    func activations() -> Table {
        var table = Table(
            "setActive(true) of a session that has its server, and whose voice waits: from the call to the first sample that is not 0",
            note:
                "frames, and ms until a listener has it; blocks: the call itself; ideal: the first sample of the cycle that begins after the call",
            [
                .text("server", 10), "period", .text("decides", 10), "n", "again", "first p50", "p99", "max",
                "periods p50", "max",
                "ideal p50", "ms p50", "p99", "blocks p50", "p99",
            ])
        let activations = all.filter { $0.key.what == GateReturn.activation && !$0.value.heard.isEmpty }
        for kind in ServerKind.allCases {
            for (group, finding) in activations.sorted(by: {
                ($0.key.period, $0.key.arbitration.rawValue) < ($1.key.period, $1.key.arbitration.rawValue)
            })
            where group.server == kind {
                let (first, ideal) = (Statistics(finding.values(\.first)), Statistics(finding.values(\.ideal)))
                let (times, blocked) = (Statistics(finding.heard.map(\.milliseconds)), Statistics(finding.blocked))
                let period = Double(group.period)
                table.add(
                    [
                        kind.rawValue, "\(group.period)", group.arbitration.rawValue, "\(first.count)",
                        "\(finding.repeated)",
                    ]
                        + [
                            first.median, first.p99, first.maximum, first.median / period, first.maximum / period,
                            ideal.median, times.median, times.p99, blocked.median, blocked.p99,
                        ].map(digits))
            }
        }
        return table
    }

    /// The worst of all servers, periods and cases: frames are exact.
    func targets() -> [Target] {
        GateArbitration.allCases.flatMap { arbitration in
            GateThreads.allCases.flatMap { targets(arbitration, $0) }
        }
    }

    private func targets(_ arbitration: GateArbitration, _ threads: GateThreads) -> [Target] {
        func isMatch(_ group: GateGroup) -> Bool {
            group.arbitration == arbitration && group.threads == threads && group.isCase
        }
        let first = periods(\.first, where: isMatch)
        let silent = periods(\.settled, less: GateChange.silence.frames) { isMatch($0) && $0.isSilence }
        guard let worst = first.max(), let last = silent.max() else { return [] }
        let arbiter = arbitration == .service ? "across processes" : "in one process"
        let app = "\(arbiter)\(threads == .blocked ? ", the app hung" : "")"
        let isHeadline = arbitration == .service && threads == .blocked
        return [
            Target(
                what: "grant → first lower frame, \(app): worst of \(first.count)", unit: "periods", wanted: 1,
                reached: worst,
                headline: isHeadline
                    ? "arbiter's grant → first lower frame of an app that hangs (worst of \(first.count))" : nil),
            Target(
                what: "grant → silence, less the 5 ms of the fade, \(app): worst of \(silent.count)",
                unit: "periods", wanted: 1, reached: last,
                headline: isHeadline
                    ? "arbiter's grant → silence of an app that hangs, less the 5 ms of the fade (worst of \(silent.count))"
                    : nil),
        ]
    }
}

extension Figure {
    /// Plots the share of grants that took effect within that many periods.
    static func gates(_ findings: GateFindings) -> Figure {
        let kinds = ServerKind.allCases.filter { kind in
            findings.all.contains { $0.key.server == kind && $0.key.isCase }
        }
        let panels = kinds.map { kind in
            var lines: [Line] = []
            for (index, what) in GateCase.allCases.enumerated() {
                for threads in GateThreads.allCases {
                    lines.append(
                        Line(
                            title: "\(what.rawValue), threads \(threads.rawValue)", color: gateColors[index],
                            dashed: threads == .blocked,
                            points: shares(
                                findings.periods(\.first) {
                                    $0.server == kind && $0.what == what.rawValue && $0.threads == threads
                                }), symbol: 0))
                }
            }
            let activation = findings.periods(\.first) { $0.server == kind && $0.what == GateReturn.activation }
            lines.append(
                Line(
                    title: "setActive(true), from the call", color: "#000000", dashed: false,
                    points: shares(activation), symbol: 0))
            let ideal = findings.periods(\.ideal) { $0.server == kind && $0.isCase }
            lines.append(
                Line(
                    title: "the next cycle's first frame", color: "#777777", dashed: true, points: shares(ideal),
                    symbol: 0))
            return Panel(title: "Grant → port on \(kind.rawValue)", lines: lines)
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
                set arrow from 1,0 to 1,100 nohead linecolor rgb "#a2142f" dashtype 3
                """)
    }

    private static let gateColors = ["#0060ad", "#7e2f8e", "#2f8e4b", "#d95319"]

    private static func shares(_ values: [Double]) -> [(Double, Double)] {
        values.sorted().enumerated().map { ($1, Double($0 + 1) / Double(values.count) * 100) }
    }
}
