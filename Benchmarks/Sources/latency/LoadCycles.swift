import CLoad
import Foundation
import Processes
import Reporting
import Servers

/// The share of a period that an app's callback takes on a real server, compared with a client that
/// does nothing in the same cycles.
struct LoadCycles: LatencyPart {
    let name = "cycles"

    private struct Found {
        var server: ServerKind
        var period: Int
        /// Percent of the period: from the callback's call to its return, and the thread's own
        /// time.
        var wall: Statistics
        var cpu: Statistics
        var control: Statistics
    }

    func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        var (table, all) = (Self.table, [Found]())
        for kind in run.servers {
            for period in run.periods {
                let context = try ServerContext(kind, service: run.service.socket)
                let stage = try LoadStage(kind, period: period, in: context)
                let seconds = run.quick ? 2.0 : period <= 128 ? 4 : 3
                let slot = try stage.slot(.together, seconds: seconds, voices: Self.voices, most: Self.voices) { _ in }
                guard let ours = slot.ours, let control = slot.control else { continue }
                let rate = Server.sampleRate
                let found = Found(
                    server: kind, period: period, wall: Statistics(ours.percents(\.wall_ns, sampleRate: rate)),
                    cpu: Statistics(ours.percents(\.cpu_ns, sampleRate: rate)),
                    control: Statistics(control.percents(\.wall_ns, sampleRate: rate)))
                all.append(found)
                table.add(
                    [kind.rawValue, "\(period)", "\(found.wall.count)"]
                        + Self.percentiles(found.wall) + Self.percentiles(found.cpu)
                        + [digits(found.control.median), digits(found.control.p999)])
                findings.results += measurements(found, Conditions(stage.server))
            }
        }
        findings.tables.append(table)
        findings.targets = all.filter { $0.period == run.periods[0] }.map(target)
        findings.figures.append(figure(all))
        return findings
    }

    private static let voices = 256
    private static func percentiles(_ statistics: Statistics) -> [String] {
        [statistics.median, statistics.p99, statistics.p999, statistics.maximum].map(digits)
    }

    private static var table: Table {
        Table(
            "Cycle time on a server, percent of the period: 256 voices, gain and pan ramping, cold",
            note: """
                from the call of the process callback to its return; own: of the thread's own time, without what others took from it; control: a client \
                that does nothing, in the same cycles
                """,
            [
                .text("server", 10), "period", "cycles", "median", "p99", "p99.9", "max", "own", "p99", "p99.9", "max",
                "control", "p99.9",
            ])
    }

    private func measurements(_ found: Found, _ server: Conditions) -> [Measurement] {
        let conditions = server.with(["voices": .whole(Self.voices), "live": true, "data": "cold"])
        let control = server.with(["voices": 0, "live": true])
        return [
            Measurement("cycle.percent_of_period", "swift-audio-session", "%", found.wall, conditions),
            Measurement("cycle.percent_of_period", "do-nothing JACK client", "%", found.control, control),
            Measurement("cycle.own_percent_of_period", "swift-audio-session", "%", found.cpu, conditions),
        ]
    }

    /// Without other load on the machine, a cycle would take the thread's own time.
    private func target(_ found: Found) -> Target {
        let load = "256 voices, \(found.period) frames, on \(found.server.rawValue)"
        return Target(
            what: "cycle, \(load): p99.9", unit: "%", wanted: 25, aim: 10, reached: found.wall.p999,
            range: min(found.cpu.p999, found.wall.p999)...found.wall.p999,
            headline: found.server == .jackdSync ? "cycle of \(load), % of the period (p99.9)" : nil)
    }

    private func figure(_ all: [Found]) -> Figure {
        let panels = ServerKind.allCases.compactMap { kind -> Figure.Panel? in
            let present = all.filter { $0.server == kind }
            guard !present.isEmpty else { return nil }
            func line(_ title: String, _ color: String, dashed: Bool = false, _ value: (Found) -> Double) -> Figure.Line
            {
                Figure.Line(
                    title: title, color: color, dashed: dashed,
                    points: present.map { (Double($0.period), max(0.01, value($0))) })
            }
            return Figure.Panel(
                title: "Cycle time on \(kind.rawValue), 256 voices",
                lines: [
                    line("median", "#0060ad") { $0.wall.median }, line("p99", "#d95319") { $0.wall.p99 },
                    line("p99.9", "#a2142f") { $0.wall.p999 },
                    line("p99.9, own time", "#a2142f", dashed: true) { $0.cpu.p999 },
                    line("do-nothing client, median", "#999999") { $0.control.median },
                    line("do-nothing client, p99.9", "#999999", dashed: true) { $0.control.p999 },
                    line("target for p99.9", "#2f8e4b", dashed: true) { _ in 25 },
                ])
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
