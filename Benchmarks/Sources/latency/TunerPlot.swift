import Reporting
import Servers

extension Figure {
    /// Plots the first course of each tuning: the period over time, with a mark at each xrun.
    static func tunings(_ tunings: [Tuning]) -> Figure {
        let panels = tunings.compactMap { tuning in
            tuning.runs.first.map {
                Panel(
                    title: "\(tuning.kind.rawValue), \(tuning.load) µs a cycle, hold \(digits(tuning.hold)) s",
                    lines: lines($0))
            }
        }
        return Figure(
            "latency-tuner", size: "\(560 * max(1, panels.count)),520",
            caption: """
                The tuner of I/O buffers: the server's period against seconds of sound, until it settled. Crosses: xruns, after which the buffer is lengthened. \
                Dashed: the shortest period without xruns, each tried directly.
                """,
            panels: panels,
            settings: """
                set logscale y 2
                set yrange [12:2048]
                set xrange [0:*]
                set xlabel "seconds of sound"
                set ylabel "frames of a period at 48 kHz"
                set key top right
                set pointsize 2
                """)
    }

    private static func lines(_ course: Tuning.Course) -> [Line] {
        let end = course.end.seconds + 1
        var lines = [
            Line(
                title: "period, settled at \(digits(course.end.period))", color: "#0060ad", dashed: false,
                points: staircase(course.steps, until: end), symbol: 0)
        ]
        if let clean = course.clean {
            lines.append(
                Line(
                    title: "shortest clean one: \(digits(clean))", color: "#777777", dashed: true,
                    points: [(0, clean), (end, clean)], symbol: 0))
        }
        // One line per mark, so that marks are not connected.
        for (index, step) in course.steps.filter({ $0.kind == .xrun }).enumerated() {
            lines.append(
                Line(
                    title: index == 0 ? "xruns" : "", color: "#d95319", dashed: false,
                    points: [(step.seconds, step.period)], symbol: 2))
        }
        return lines
    }

    private static func staircase(_ steps: [TunerStep], until end: Double) -> [(Double, Double)] {
        var points: [(Double, Double)] = []
        for step in steps where step.seconds <= end {
            if let last = points.last, last.1 != step.period { points.append((step.seconds, last.1)) }
            points.append((step.seconds, step.period))
        }
        return points + (points.last.map { [(end, $0.1)] } ?? [])
    }
}
