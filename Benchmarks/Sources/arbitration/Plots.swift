import Foundation
import Reporting

extension Plot {
    /// Latency against sessions, a panel for each pace.
    func drawLatencies(_ findings: [Finding]) throws {
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
                    ? "Request to a service that sleeps" : "Request while others are still being told",
                lines: lines)
        }
        try draw(
            "arbitration-latency", size: "1500,700", panels: panels,
            settings: """
                set logscale xy 10
                set xlabel "sessions that mix, each in a process of its own"
                set ylabel "ms from request to the last gate"
                set yrange [0.001:20]
                set xrange [1.5:150]
                """)
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
