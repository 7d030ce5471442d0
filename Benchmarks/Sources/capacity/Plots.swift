import Foundation

/// Draws by gnuplot what a table shows badly; each script stays beside its picture, to draw it again.
struct Plots {
    var directory: URL
    var machine: Machine

    func drawCosts(_ costs: Costs, _ slices: Slices) throws {
        try draw(
            "capacity-cost", size: "1500,650",
            panels: [
                panel("Voices, 64 frames, mono, ramping", costs, slices.voices),
                panel("Pitched voices (4-point, OpenAL: cubic), 64 frames, mono, ramping", costs, slices.pitched),
            ],
            settings: """
                set logscale xy 2
                set logscale y 10
                set format x "%.0f"
                set xlabel "voices"
                set ylabel "ns per voice and frame, median"
                set yrange [0.02:200]
                """)
    }

    private func panel(_ title: String, _ costs: Costs, _ conditions: [Conditions]) -> Panel {
        var lines: [Line] = []
        for (index, subject) in Subject.allCases.enumerated() {
            for data in DataKind.allCases {
                let points = conditions.filter { $0.data == data }.compactMap { conditions in
                    costs[conditions]?.cost(subject).map { (Double(conditions.voices), $0.median) }
                }
                lines.append(
                    Line(
                        title: "\(subject.name(pitched: conditions[0].pitched)), \(data)", color: Self.colors[index],
                        dashed: data == .cold,
                        points: points))
            }
        }
        return Panel(title: title, lines: lines)
    }

    func drawCycles(_ cycles: CycleTimes) throws {
        let panels = DataKind.allCases.map { data in
            var lines: [Line] = []
            for (index, subject) in [(0, Subject.core), (2, .openal)] {
                for (name, percentile) in Self.percentiles {
                    let points = cycles.percents.filter { $0.subject == subject && $0.conditions.data == data }.map {
                        (Double($0.conditions.frames), $0.statistics[keyPath: percentile])
                    }
                    lines.append(
                        Line(
                            title: "\(subject.name), \(name)", color: Self.colors[index], dashed: name != "median",
                            points: points, symbol: name == "median" ? 7 : name == "p99" ? 6 : 2))
                }
            }
            return Panel(title: "Cycle time, 256 voices, \(data), ramping", lines: lines)
        }
        try draw(
            "capacity-cycle", size: "1500,650", panels: panels,
            settings: """
                set logscale x 2
                set logscale y 10
                set format x "%.0f"
                set xlabel "period, frames at 48 kHz"
                set ylabel "percent of the period"
                set yrange [0.1:200]
                """)
    }

    private static let colors = ["#0060ad", "#777777", "#d95319"]
    private static var percentiles: [(String, KeyPath<Statistics, Double>)] {
        [
            ("median", \.median), ("p99", \.p99), ("p99.9", \.p999),
        ]
    }

    // MARK: gnuplot

    private struct Line {
        var title: String
        var color: String
        var dashed: Bool
        var points: [(Double, Double)]
        var symbol = 7
    }

    private struct Panel {
        var title: String
        var lines: [Line]
    }

    private func draw(_ name: String, size: String, panels: [Panel], settings: String) throws {
        var script = """
            set terminal pngcairo size \(size) font "sans,11"
            set output "\(name).png"
            \(settings)
            set grid
            set key bottom left Left reverse samplen 3
            set rmargin 5
            set multiplot layout 1,\(panels.count) title "\(machine.processor), largest cache \(machine.cacheBytes >> 20) MiB"

            """
        for (number, panel) in panels.enumerated() {
            for (index, line) in panel.lines.enumerated() {
                let rows = line.points.map { "\($0.0) \($0.1)" }.joined(separator: "\n")
                script += "$data_\(number)_\(index) << EOD\n\(rows)\nEOD\n"
            }
            let curves = panel.lines.enumerated().filter { !$0.element.points.isEmpty }.map { index, line in
                "$data_\(number)_\(index) using 1:2 with linespoints linewidth 2 linecolor rgb \"\(line.color)\" "
                    + "dashtype \(line.dashed ? 2 : 1) pointtype \(line.symbol) title \"\(line.title)\""
            }
            script += "set title \"\(panel.title)\"\nplot \(curves.joined(separator: ", \\\n    "))\n"
        }
        script += "unset multiplot\n"
        try script.write(to: directory.appending(path: "\(name).gnuplot"), atomically: true, encoding: .utf8)
        try runGnuplot("\(name).gnuplot")
    }

    private func runGnuplot(_ script: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gnuplot", script]
        process.currentDirectoryURL = directory
        do { try process.run() } catch { throw BenchmarkError.noPlot("\(error)") }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError.noPlot("gnuplot ended with \(process.terminationStatus) at \(script)")
        }
    }
}
