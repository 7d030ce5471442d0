import Reporting
import Servers

extension Figure {
    private static let colors = ["#0060ad", "#d95319", "#edb120", "#7e2f8e", "#2f8e4b", "#a2142f"]

    /// Plots activation against the period, with a panel for each server.
    static func activations(_ results: [Measurement]) -> Figure {
        let panels = ServerKind.allCases.compactMap { kind -> Panel? in
            let present = results.of("session.activate_ms", nil, ["server": .text(kind.rawValue)])
            guard !present.isEmpty else { return nil }
            let percentiles = [("median", \Statistics.median), ("p99", \.p99)]
            let lines = percentiles.flatMap { name, percentile in
                let ours = ["cold", "warm"].flatMap { start in Arbitration.allCases.map { (start, $0.rawValue) } }
                return ours.enumerated().map { index, conditions in
                    let found = present.of(
                        "session.activate_ms", Subject.ours,
                        ["start": .text(conditions.0), "arbitration": .text(conditions.1)])
                    return Line(
                        title: "\(conditions.0), \(conditions.1), \(name)", color: colors[index],
                        dashed: name == "p99", points: found.points(against: "period", percentile))
                } + [
                    Line(
                        title: "bare open, activate, connect, \(name)", color: "#777777", dashed: name == "p99",
                        points: present.of("session.activate_ms", Subject.bound, ["arbitration": "in-process"])
                            .points(against: "period", percentile))
                ]
            }
            return Panel(title: "setActive(true) on \(kind.rawValue)", lines: lines)
        }
        return Figure(
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
    static func deaths(_ lost: [Deaths.Series], _ back: [Deaths.Series]) -> Figure {
        let panels = [("Signal to the server → the app is notified", lost), ("Server ready → sound", back)].map {
            title, series in
            let lines = series.enumerated().flatMap { index, series in
                let color = colors[index % colors.count]
                return [
                    Line(title: series.title, color: color, points: shares(series.ours)),
                    Line(
                        title: series.title + ", bare client", color: color, dashed: true, points: shares(series.bound)),
                ]
            }
            return Panel(title: title, lines: lines)
        }
        return Figure(
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

    private static func shares(_ values: [Double]) -> [(Double, Double)] {
        values.sorted().enumerated().map { (max($1, 1), Double($0 + 1) / Double(values.count) * 100) }
    }
}
