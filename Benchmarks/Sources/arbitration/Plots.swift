import Foundation
import Reporting

extension Plot {
    /// Plots latency against sessions, with a panel for each pace.
    func drawLatencies(_ findings: [Finding]) throws -> Figure {
        let panels = Pace.allCases.map { pace in
            let present = findings.filter { $0.conditions.pace == pace && $0.conditions.clients == .each }
            var lines: [Line] = []
            for (index, what) in Case.allCases.enumerated() {
                for (name, percentile) in [("median", \Statistics.median), ("p99", \Statistics.p99)] {
                    lines.append(
                        Line(
                            title: "\(what.text), \(name)", color: Self.colors[index], dashed: name == "p99",
                            points: Self.points(present, .ours, what, percentile)))
                }
            }
            for (name, percentile) in [("median", \Statistics.median), ("p99", \Statistics.p99)] {
                lines.append(
                    Line(
                        title: "bare socket and as many pages, \(name)", color: "#777777", dashed: name == "p99",
                        points: Self.points(present, .bound, .duck, percentile)))
            }
            return Panel(
                title: pace == .apart
                    ? "Request to a service that sleeps" : "Request while other clients are still being notified",
                lines: lines)
        }
        return try draw(
            "arbitration-latency", size: "1500,760",
            caption: "Latency from a request to the last gate that it changes, against the number of sessions",
            panels: panels,
            settings: Self.axes + "set xlabel \"sessions that mix, each in a process of its own\" offset 0,0.5")
    }

    /// Plots a prompt that ducks all: against sessions, in processes of their own or on one
    /// connection; and for a constant number of sessions against processes.
    func drawClients(_ findings: [Finding]) throws -> Figure {
        let found = findings.filter { $0.conditions.what == .duck }
        let shared = found.filter { if case .shared = $0.conditions.clients { true } else { false } }
        let sessions = shared.first?.conditions.sessions ?? 0
        return try draw(
            "arbitration-scale-clients", size: "1500,760",
            caption:
                "A prompt lowers all: latency to the last gate against sessions, and against the processes that have them",
            panels: [
                Panel(
                    title: "A prompt lowers all",
                    lines: Self.lines(
                        [
                            ("each in a process", found.filter { $0.conditions.clients == .each }),
                            ("all on one connection", found.filter { $0.conditions.clients == .one }),
                        ]) { $0.sessions },
                    settings: "set xlabel \"sessions that mix\" offset 0,0.5"),
                Panel(
                    title: "A prompt lowers \(sessions) sessions",
                    lines: Self.lines([("shared by them", shared)]) { $0.processes },
                    settings: "set xlabel \"processes that share \(sessions) sessions\" offset 0,0.5"),
            ], settings: Self.axes)
    }

    private static let axes = """
        set key below Left reverse samplen 3 maxcols 2 title " "
        set logscale xy 10
        set ylabel "ms from request to the last gate"
        set yrange [0.005:*<1000]
        set xrange [0.8:150]

        """

    private static func lines(_ groups: [(String, [Finding])], _ count: (Conditions) -> Int) -> [Line] {
        var lines: [Line] = []
        for (index, (name, findings)) in groups.enumerated() {
            for pace in Pace.allCases {
                let points = findings.filter { $0.conditions.pace == pace }.map {
                    (Double(count($0.conditions)), $0.statistics(.ours, \.gates).median)
                }
                lines.append(
                    Line(
                        title: "\(name), requests \(pace), median", color: colors[2 * index + (pace == .apart ? 0 : 1)],
                        dashed: pace == .together, points: points))
            }
        }
        let bound = (groups.first?.1 ?? []).filter { $0.conditions.pace == .apart }.map {
            (Double(count($0.conditions)), $0.statistics(.bound, \.gates).median)
        }
        return lines + [
            Line(
                title: "bare socket and as many pages, median", color: "#777777", dashed: true, points: bound, symbol: 6
            )
        ]
    }

    private static let colors = ["#0060ad", "#d95319", "#edb120", "#7e2f8e"]

    private static func points(
        _ findings: [Finding], _ subject: Subject, _ what: Case, _ percentile: KeyPath<Statistics, Double>
    ) -> [(Double, Double)] {
        findings.filter { $0.conditions.what == what }.map {
            (Double($0.conditions.sessions), $0.statistics(subject, \.gates)[keyPath: percentile])
        }
    }
}
