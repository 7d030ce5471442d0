import Foundation
import Reporting

/// One figure for each growing parameter, with logarithmic axes and the bound.
extension Figure {
    private static let colors = ["#0060ad", "#777777", "#d95319"]
    private static let commandColors = ["#0060ad", "#d95319", "#7e2f8e"]

    private static func axes(_ x: String, _ y: String, _ more: String) -> String {
        """
        set logscale x 2
        set logscale y 10
        set format x "%.0f"
        set xlabel "\(x)" offset 0,0.5
        set ylabel "\(y)"
        \(more)
        """
    }
    private static let keyBelow = "set key below Left reverse samplen 3 maxcols 2 title \" \"\n"

    static func costs(_ results: [Measurement]) -> Figure {
        let titles = ["Voices", "Pitched voices (4-point, OpenAL: cubic)"]
        let panels = zip(titles, [false, true]).map { title, pitched in
            let lines = zip(colors, Subject.allCases).flatMap { color, subject in
                DataKind.allCases.map { data in
                    let (conditions, name) = (
                        MixConditions(data: data, pitched: pitched), subject.name(pitched: pitched)
                    )
                    return Line(
                        title: "\(name), \(data)", color: color, dashed: data == .cold,
                        points: results.of(conditions.metric, name, conditions.without("voices")).points(
                            against: "voices"))
                }
            }
            return Panel(title: "\(title), 64 frames, mono, ramping", lines: lines)
        }
        return Figure(
            "capacity-cost", size: "1500,650", caption: "Cost per voice and frame against the number of voices",
            panels: panels, settings: axes("voices", "ns per voice and frame, median", "set yrange [0.02:200]"))
    }

    static func frames(_ results: [Measurement]) -> Figure {
        let panels = DataKind.allCases.map { data in
            let conditions = MixConditions(data: data)
            let lines = zip(colors, Subject.allCases).map { color, subject in
                Line(
                    title: subject.name, color: color, dashed: subject == .bound,
                    points: results.of(conditions.metric, subject.name, conditions.without("frames"))
                        .points(against: "frames"))
            }
            return Panel(title: "256 voices, mono, ramping, \(data)", lines: lines)
        }
        return Figure(
            "capacity-scale-frames", size: "1500,700",
            caption: "Cost per voice and frame against the frames of a period", panels: panels,
            settings: keyBelow
                + axes(
                    "frames of a period", "ns per voice and frame, median",
                    "set xrange [12:1400]\nset yrange [0.05:100]"))
    }

    static func cycles(_ results: [Measurement]) -> Figure {
        let percentiles: [(String, KeyPath<Statistics, Double>, Int)] = [
            ("median", \.median, 7), ("p99", \.p99, 6), ("p99.9", \.p999, 2),
        ]
        let panels = DataKind.allCases.map { data in
            let lines = [Subject.core, .openal].flatMap { subject in
                percentiles.map { name, percentile, symbol in
                    Line(
                        title: "\(subject.name), \(name)", color: colors[subject == .core ? 0 : 2], dashed: symbol != 7,
                        points: results.of("cycle.percent_of_period", subject.name, ["data": .text(data.rawValue)])
                            .points(against: "frames", percentile), symbol: symbol)
                }
            }
            return Panel(title: "Cycle time, 256 voices, \(data), ramping", lines: lines)
        }
        return Figure(
            "capacity-cycle", size: "1500,650", caption: "Cycle time against the period", panels: panels,
            settings: axes("period, frames at 48 kHz", "percent of the period", "set yrange [0.1:200]"))
    }

    /// The curves against buses, routes or channels, and the cost of idle ones.
    static func scale(_ what: String, _ sweeps: [Scale.Sweep], idle: [Measurement]) -> Figure {
        let lines = sweeps.enumerated().flatMap { index, sweep in
            [("core", Subject.core.name, 7), ("bound", Topology.bound, 6)].map { name, subject, symbol in
                Line(
                    title: "\(name): \(sweep.title)", color: colors[index == 0 ? 0 : 2], dashed: name == "bound",
                    points: sweep.results.of("cycle.us", subject).points(against: what), symbol: symbol)
            }
        }
        let most = lines.flatMap(\.points).map { $0[0] }.max() ?? 1
        let panels = [Panel(title: "\(what.capitalized) that sound", lines: lines)] + idlePanel(what, idle)
        return Figure(
            "capacity-scale-\(what)", size: panels.count > 1 ? "1500,700" : "900,700",
            caption: "Cost of a cycle of 64 frames against \(what), beside the additions that they need",
            panels: panels,
            settings: keyBelow
                + axes(what, "µs a cycle of 64 frames, median", "set xrange [0.8:\(1.25 * most)]\nset yrange [*:*]"))
    }

    /// A panel of the cost of idle objects, with the line of two per cent of the cycle.
    private static func idlePanel(_ what: String, _ idle: [Measurement]) -> [Panel] {
        let condition = "idle\(what.capitalized)"
        func found(_ metric: String) -> [(Double, Double)] {
            idle.of(metric, nil, ["planned": true]).points(against: condition).filter { $0.0 > 0 }
        }
        let (nanoseconds, percents) = (found("idle.ns"), found("idle.percent_of_cycle"))
        guard !nanoseconds.isEmpty else { return [] }
        // Percentages and nanoseconds refer to the same cycle.
        let shares = zip(nanoseconds, percents).filter { $1.1 > 0 }.map { $0.1 / $1.1 * 2 / 1000 }
        return [
            Panel(
                title: "Idle \(what) in the plan, beside 256 voices",
                lines: [
                    Line(
                        title: "what they add", color: colors[0],
                        points: nanoseconds.map { ($0, max(0.001, $1 / 1000)) }),
                    Line(
                        title: "2 % of the cycle", color: colors[1], dashed: true,
                        points: shares.isEmpty ? [] : nanoseconds.map { ($0.0, Statistics(shares).median) }, symbol: 0),
                ],
                settings: "set xlabel \"idle \(what)\" offset 0,0.5\nset ylabel \"µs a cycle more, median\"")
        ]
    }

    static func commands(_ results: [Measurement]) -> Figure {
        func points(_ metric: String, _ subject: String, _ posted: String) -> [(Double, Double)] {
            // Omits counts whose time is below the clock's resolution.
            results.of(metric, subject, ["posted": .text(posted)]).points(against: "commands")
                .map { ($0 * 48000 / 64, $1) }.filter { $0.1 > 0 }
        }
        let kinds = zip(commandColors, Commands.Kind.allCases.map(\.rawValue))
        let each = kinds.flatMap { color, kind in
            [("core", Subject.core.name, 7), ("bare ring", Commands.bound, 6)].map { name, subject, symbol in
                Line(
                    title: "\(name), \(kind)", color: color, dashed: symbol == 6,
                    points: points("ring.ns_per_command", subject, kind), symbol: symbol)
            }
        }
        let cycles = kinds.map { color, kind in
            Line(title: kind, color: color, points: points("cycle.us", Subject.core.name, kind))
        }
        let half = Line(
            title: "half a period", color: colors[1], dashed: true,
            points: (cycles.first?.points ?? []).map { ($0[0], 64 / 48000 / 2 * 1e6) }, symbol: 0)
        return Figure(
            "capacity-scale-commands", size: "1500,700",
            caption:
                "Cost of a command, and of the cycle that takes them, against commands a second (64 frames, 256 voices)",
            panels: [
                Panel(
                    title: "A command", lines: each, settings: "set ylabel \"ns each, median\"\nset yrange [0.1:3000]"),
                Panel(
                    title: "The cycle that takes them", lines: cycles + [half],
                    settings: "set ylabel \"µs a cycle, median\"\nset yrange [1:10000]"),
            ],
            settings: keyBelow + """
                set logscale xy 10
                set format x "10^{%L}"
                set xlabel "commands a second" offset 0,0.5
                set xrange [500:3e7]
                """)
    }

    static func mixer(_ results: [Measurement]) -> Figure {
        func points(_ subject: String, _ feature: MixerLayout.Feature) -> [(Double, Double)] {
            results.of("mixer.cycle_us", subject, ["feature": .text(feature.rawValue)]).points(against: "buses")
        }
        let cycles = zip(commandColors, Mixer.growing).map { color, growing in
            Line(title: "core: \(growing.title)", color: color, points: points(Subject.core.name, growing.feature))
        }
        let bare = Line(
            title: "bare additions: buses, a voice in each", color: colors[1], dashed: true,
            points: points(MixerLayout.bound, .plain), symbol: 6)
        return Figure(
            "capacity-scale-mixer", size: "900,700",
            caption: "Cost of a cycle of 64 frames against nested buses and sends, beside the additions that they need",
            panels: [Panel(title: "Buses of 2 channels under a master", lines: cycles + [bare])],
            settings: keyBelow + axes("buses", "µs a cycle of 64 frames, median", "set xrange [0.8:320]"))
    }
}
