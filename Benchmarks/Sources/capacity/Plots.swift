import Foundation
import Reporting

/// Draws plots with gnuplot. Each script is saved with its picture, so that it can be drawn again.
struct Plots {
    var directory: URL
    var machine: Machine
    var plot: Plot { Plot(directory: directory, machine: machine) }

    func drawAll(_ findings: Findings, _ slices: Slices) throws -> [Figure] {
        [
            try drawCosts(findings.costs, slices), try drawFrames(findings.costs, slices),
            try drawCycles(findings.cycles), try draw(findings.scale, .buses, findings.idle),
            try draw(findings.scale, .routes, findings.idle), try draw(findings.scale, .channels, findings.idle),
            try drawCommands(findings.commands), try draw(findings.mixer),
        ]
    }

    private func drawCosts(_ costs: Costs, _ slices: Slices) throws -> Figure {
        try plot.draw(
            "capacity-cost", size: "1500,650",
            caption: "Cost per voice and frame against the number of voices",
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

    private func panel(_ title: String, _ costs: Costs, _ conditions: [Conditions]) -> Plot.Panel {
        var lines: [Plot.Line] = []
        for (index, subject) in Subject.allCases.enumerated() {
            for data in DataKind.allCases {
                let points = conditions.filter { $0.data == data }.compactMap { conditions in
                    costs[conditions]?.cost(subject).map { (Double(conditions.voices), $0.median) }
                }
                lines.append(
                    Plot.Line(
                        title: "\(subject.name(pitched: conditions[0].pitched)), \(data)", color: Self.colors[index],
                        dashed: data == .cold,
                        points: points))
            }
        }
        return Plot.Panel(title: title, lines: lines)
    }

    private func drawCycles(_ cycles: CycleTimes) throws -> Figure {
        let panels = DataKind.allCases.map { data in
            var lines: [Plot.Line] = []
            for (index, subject) in [(0, Subject.core), (2, .openal)] {
                for (name, percentile) in Self.percentiles {
                    let points = cycles.percents.filter { $0.subject == subject && $0.conditions.data == data }.map {
                        (Double($0.conditions.frames), $0.statistics[keyPath: percentile])
                    }
                    lines.append(
                        Plot.Line(
                            title: "\(subject.name), \(name)", color: Self.colors[index], dashed: name != "median",
                            points: points, symbol: name == "median" ? 7 : name == "p99" ? 6 : 2))
                }
            }
            return Plot.Panel(title: "Cycle time, 256 voices, \(data), ramping", lines: lines)
        }
        return try plot.draw(
            "capacity-cycle", size: "1500,650", caption: "Cycle time against the period", panels: panels,
            settings: """
                set logscale x 2
                set logscale y 10
                set format x "%.0f"
                set xlabel "period, frames at 48 kHz"
                set ylabel "percent of the period"
                set yrange [0.1:200]
                """)
    }

    static let colors = ["#0060ad", "#777777", "#d95319"]
    private static var percentiles: [(String, KeyPath<Statistics, Double>)] {
        [
            ("median", \.median), ("p99", \.p99), ("p99.9", \.p999),
        ]
    }
}
