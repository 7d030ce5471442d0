import CProbe
import Processes
import Reporting
import Servers

/// The share of a period that an app's callback takes on a real server, compared with a client that
/// does nothing in the same cycles.
enum Cycles {
    private static let voices = 256
    private static let (wall, cpu) = ("cycle.percent_of_period", "cycle.own_percent_of_period")

    static func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        var table = Table(
            "Cycle time on a server, percent of the period: 256 voices, gain and pan ramping, cold",
            note: """
                from the call of the process callback to its return; own: of the thread's own time, without what others took from it; control: a client \
                that does nothing, in the same cycles
                """,
            [
                .text("server", 10), "period", "cycles", "median", "p99", "p99.9", "max", "own", "p99", "p99.9", "max",
                "control", "p99.9",
            ])
        try run.onServers { server, context in
            let stage = try LoadStage(server, in: context)
            let seconds = run.quick ? 2.0 : server.period <= 128 ? 4 : 3
            let slot = try stage.slot(.together, seconds: seconds, voices: voices, most: voices)
            guard let own = slot.ours, let other = slot.control else { return }
            let conditions = Conditions(server).with(["voices": .whole(voices), "live": true, "data": "cold"])
            let time = findings.add(wall, "%", own.percents(\.wall_ns), conditions)
            let control = findings.add(
                wall, "%", other.percents(\.wall_ns), Conditions(server).with(["voices": 0, "live": true]),
                of: doNothing)
            let ownTime = findings.add(cpu, "%", own.percents(\.cpu_ns), conditions)
            table.row(
                server, time.count, time[\.median, \.p99, \.p999, \.maximum],
                ownTime[\.median, \.p99, \.p999, \.maximum], control[\.median, \.p999])
            if server.period == run.periods[0] { findings.targets.append(target(server, time, ownTime)) }
        }
        findings.tables = [table]
        findings.figures = [figure(findings.results)]
        return findings
    }

    /// Without other load on the machine, a cycle would take the thread's own time.
    private static func target(_ server: Server, _ wall: Statistics, _ own: Statistics) -> Target {
        let load = "256 voices, \(server.period) frames, on \(server.kind.rawValue)"
        return Target(
            what: "cycle, \(load): p99.9", unit: "%", wanted: 25, aim: 10, reached: wall.p999,
            range: min(own.p999, wall.p999)...wall.p999,
            headline: server.kind == .jackdSync ? "cycle of \(load), % of the period (p99.9)" : nil)
    }

    private static func figure(_ results: [Measurement]) -> Figure {
        let panels = Figure.panels({ "Cycle time on \($0.rawValue), 256 voices" }) { kind in
            let server: Conditions = ["server": .text(kind.rawValue)]
            let (own, control) = (results.of(wall, ours, server), results.of(wall, doNothing, server))
            guard !own.isEmpty else { return [] }
            func line(
                _ title: String, _ color: String, _ found: [Measurement], _ statistic: KeyPath<Statistics, Double>,
                dashed: Bool = false
            ) -> Figure.Line {
                let points = found.points(against: "period", statistic).map { ($0, max(0.01, $1)) }
                return Figure.Line(title: title, color: color, dashed: dashed, points: points)
            }
            return [
                line("median", Figure.blue, own, \.median), line("p99", Figure.orange, own, \.p99),
                line("p99.9", Figure.red, own, \.p999),
                line("p99.9, own time", Figure.red, results.of(cpu, ours, server), \.p999, dashed: true),
                line("do-nothing client, median", "#999999", control, \.median),
                line("do-nothing client, p99.9", "#999999", control, \.p999, dashed: true),
                Figure.Line(
                    title: "target for p99.9", color: Figure.green, dashed: true,
                    points: own.points(against: "period").map { ($0.0, 25) }),
            ]
        }
        return Figure(
            "latency-cycles", size: "\(650 * panels.count),650",
            caption:
                "How much of the period the process callback takes on a real server; grey: a client that does nothing, in the same cycles.",
            panels: panels,
            settings: """
                set key below Left reverse samplen 3
                set bmargin 9
                set logscale x 2
                set logscale y 10
                set xlabel "frames of a period at 48 kHz"
                set ylabel "percent of the period"
                set xrange [50:1300]
                set yrange [0.01:200]
                """)
    }
}
