import Processes
import Reporting
import Servers

/// The wake-up latency of the cycle: the app's, and in the same cycles that of a client that does
/// nothing.
struct WakePart: LatencyPart {
    let name = "wake-up"
    var performers: [String: @Sendable () -> ([String]) throws -> [Double]] { Run.probedApp }

    private static let subjects = ["swift-audio-session", "do-nothing client"]

    func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        var table = Table(
            "Wake-up of the process callback: µs after the beginning of its cycle, as the server reckons it",
            note: """
                Both are called in the same cycles, behind the same client; who is opened first takes turns. Ours is noted within the engine, when it \
                renders a source. difference: of the two in one cycle. alone: cycles for which only one of them was called
                """,
            [
                .text("server", 11), "period", .text("subject", 20), "cycles", "p1", "median", "p99", "p99.9", "max",
                "deviation", "difference", "alone",
            ])
        var figures: [(Server.Place, [[Double]])] = []
        var (before, aloneBefore): ([[Double]], Double) = ([], 0)
        try run.withProbedApps(orders: Run.orders) { app, server in
            try app.ask("outputs")
            let found = try app.askAtLength("wakes", run.quick ? "1" : server.period == 128 ? "10" : "4")
            let half = (1...2).map { first in stride(from: first, to: found.count, by: 2).map { found[$0] } }
            if before.isEmpty { return (before, aloneBefore) = (half, found[0]) }
            let subjects = zip(before, half).map(+)
            let alone = aloneBefore + found[0]
            before = []
            guard subjects[0].count > 10 else { throw BenchmarkError("no callback was recorded") }
            let differences = Statistics(zip(subjects[0], subjects[1]).map { $0 - $1 })
            findings.results.append(
                Measurement(
                    "wakeup.beyond_control_us", Self.subjects[0], "µs", differences, Conditions(server)))
            for (subject, values) in zip(Self.subjects, subjects) {
                let (statistics, spread) = (Statistics(values), Spread(values))
                findings.results.append(
                    Measurement("wakeup.late_us", subject, "µs", statistics, Conditions(server)))
                let isOurs = subject == Self.subjects[0]
                table.add(
                    [server.kind.rawValue, "\(server.period)", subject, "\(values.count)"]
                        + [digits(values.sorted()[values.count / 100]), digits(statistics.median)]
                        + [statistics.p99, statistics.p999, statistics.maximum, spread.deviation].map(digits)
                        + (isOurs ? [digits(differences.median), "\(Int(alone))"] : []))
            }
            figures.append((Server.Place(kind: server.kind, period: server.period), subjects))
        }
        findings.tables.append(table)
        findings.figures.append(.wakes(figures))
        return findings
    }
}

extension Server {
    struct Place {
        var kind: ServerKind
        var period: Int
    }
}

extension Figure {
    /// Plots the share of callbacks that are later than a time, with a panel for each server and
    /// logarithmic axes.
    fileprivate static func wakes(_ found: [(place: Server.Place, subjects: [[Double]])]) -> Figure {
        let colors = [64: "#0060ad", 128: "#d95319", 256: "#edb120", 512: "#7e2f8e", 1_024: "#2f8e4b"]
        let panels = ServerKind.allCases.compactMap { kind -> Panel? in
            let present = found.filter { $0.place.kind == kind }
            guard !present.isEmpty else { return nil }
            let lines = present.flatMap { place, subjects in
                subjects.enumerated().map { index, values in
                    Line(
                        title: index == 1 ? "" : "\(place.period) frames",
                        color: colors[place.period] ?? "#777777", dashed: index == 1, points: tail(values),
                        symbol: 0)
                }
            }
            return Panel(title: kind.rawValue, lines: lines)
        }
        return Figure(
            "latency-wake-up", size: "\(max(1, panels.count) * 600),600",
            caption: """
                Share of process callbacks that began later than that after the beginning of their cycle. Dashed: a client that does nothing, in the same cycles.
                """,
            panels: panels,
            settings: """
                set logscale x 10
                set logscale y 10
                set xlabel "µs after the beginning of the cycle"
                set ylabel "% of callbacks that are later"
                set xrange [10:20000]
                set yrange [0.005:100]
                """)
    }

    private static func tail(_ values: [Double]) -> [(Double, Double)] {
        let sorted = values.sorted()
        let step = max(1, sorted.count / 200)
        // More points where there are few values.
        let places =
            Array(stride(from: 0, to: max(0, sorted.count - 200), by: step))
            + Array(max(0, sorted.count - 200)..<sorted.count)
        return places.map { (max(1, sorted[$0]), Double(sorted.count - $0) / Double(sorted.count) * 100) }
    }
}
