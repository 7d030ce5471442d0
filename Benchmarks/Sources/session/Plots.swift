import Reporting
import Servers

extension Plot {
    /// Plots activation against the period, with a panel for each server.
    func drawActivations(_ findings: [Finding]) throws -> Figure {
        let all = findings.filter { $0.metric == "session.activate_ms" }
        let panels = ServerKind.allCases.compactMap { kind -> Panel? in
            let present = all.filter { $0.parameters.server == kind }
            guard !present.isEmpty else { return nil }
            var lines: [Line] = []
            for (name, percentile) in [("median", \Statistics.median), ("p99", \Statistics.p99)] {
                for (index, start) in [Start.cold, .warm].enumerated() {
                    for (offset, arbitration) in Arbitration.allCases.enumerated() {
                        let points = present.filter {
                            $0.parameters.start == start && $0.parameters.arbitration == arbitration
                        }.compactMap { finding in
                            finding.statistics(.ours).map {
                                (Double(finding.parameters.period), $0[keyPath: percentile])
                            }
                        }
                        lines.append(
                            Line(
                                title: "\(start.rawValue), \(arbitration.rawValue), \(name)",
                                color: Self.colors[2 * index + offset], dashed: name == "p99", points: points))
                    }
                }
                let bound = present.filter { $0.parameters.arbitration == .inProcess }.compactMap { finding in
                    finding.statistics(.bound).map { (Double(finding.parameters.period), $0[keyPath: percentile]) }
                }
                lines.append(
                    Line(
                        title: "bare open, activate, connect, \(name)", color: "#777777", dashed: name == "p99",
                        points: bound))
            }
            return Panel(title: "setActive(true) on \(kind.rawValue)", lines: lines)
        }
        return try draw(
            "session-activation", size: "\(650 * panels.count),700",
            caption: "setActive(true) against the period; grey: a bare client that opens, activates and connects.",
            panels: panels,
            settings: """
                set logscale x 2
                set logscale y 10
                set xlabel "frames of a period at 48 kHz"
                set ylabel "ms"
                set yrange [0.0005:1000]
                set xrange [50:1300]
                """)
    }

    /// Plots the share of ends and returns that took no longer than a time.
    func drawDeaths(_ findings: [Finding]) throws -> Figure {
        let panels = [
            ("server.lost_ms", "Signal to the server → the app is notified"),
            ("server.back_ms", "Server ready → sound"),
        ].map { metric, title in
            var lines: [Line] = []
            let present = findings.filter { $0.metric == metric }
            for (index, finding) in present.enumerated() {
                let parameters = finding.parameters
                let what =
                    parameters.death.map(\.rawValue) ?? "after \(parameters.awayMilliseconds ?? 0) ms away"
                for subject in Subject.allCases {
                    lines.append(
                        Line(
                            title: "\(parameters.server.rawValue), \(what)\(subject == .bound ? ", bare client" : "")",
                            color: Self.colors[index % Self.colors.count], dashed: subject == .bound,
                            points: Self.shares(subject == .ours ? finding.ours : finding.bound)))
                }
            }
            return Panel(title: title, lines: lines)
        }
        return try draw(
            "session-server", size: "1500,700",
            caption: "Share of deaths and returns against the time that they took; dashed: a bare client.",
            panels: panels,
            settings: """
                set logscale x 10
                set xlabel "ms"
                set ylabel "% of times"
                set format x "%g"
                set xrange [1:1000]
                set yrange [0:100]
                """)
    }

    private static let colors = ["#0060ad", "#d95319", "#edb120", "#7e2f8e", "#2f8e4b", "#a2142f"]

    private static func shares(_ values: [Double]) -> [(Double, Double)] {
        values.sorted().enumerated().map { (max($1, 1), Double($0 + 1) / Double(values.count) * 100) }
    }
}
