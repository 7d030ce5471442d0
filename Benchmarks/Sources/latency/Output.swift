import ArgumentParser
import Foundation
import Processes
import Reporting

/// What a part, or all of them, found.
struct Findings {
    var results: [Measurement] = []
    var targets: [Target] = []
    var tables: [Table] = []
    var figures: [Figure] = []
    /// The names of the parts that failed.
    var failures: [String] = []

    mutating func append(_ others: Findings) {
        results += others.results
        targets += others.targets
        tables += others.tables
        figures += others.figures
    }

    func write(_ quick: Bool, _ machine: Machine, _ noise: Noise, _ drawn: [Reporting.Figure], to path: String) throws {
        try Report(
            "latency", quick: quick, machine: machine, noise: noise, results: results, targets: targets,
            tables: tables, figures: drawn
        ).write(to: path)
    }
}

typealias Measurement = Reporting.Measurement<Conditions>

extension [Measurement] {
    /// Returns the results of a metric whose conditions include those given.
    func of(_ metric: String, _ subject: String? = nil, _ conditions: Conditions = [:]) -> [Measurement] {
        filter { result in
            result.metric == metric && (subject ?? result.subject) == result.subject
                && conditions.values.allSatisfy { result.parameters.values[$0.key] == $0.value }
        }
    }

    /// Returns a statistic of each result against one of its conditions.
    func points(
        against condition: String, _ statistic: KeyPath<Statistics, Double> = \.median
    ) -> [(Double, Double)] {
        map { result in
            guard case .whole(let value) = result.parameters.values[condition] else {
                return (.nan, result.statistics[keyPath: statistic])
            }
            return (Double(value), result.statistics[keyPath: statistic])
        }
    }
}

/// A plot with its data.
struct Figure {
    var name: String
    var size: String
    var caption: String
    var panels: [Panel]
    var settings: String

    typealias Panel = Plot.Panel
    typealias Line = Plot.Line

    init(_ name: String, size: String, caption: String, panels: [Panel], settings: String) {
        (self.name, self.size, self.caption) = (name, size, caption)
        (self.panels, self.settings) = (panels, settings)
    }
}

extension Plot.Line {
    init(title: String, color: String, points: [(Double, Double)], symbol: Int = 7) {
        self.init(title: title, color: color, dashed: false, points: points, symbol: symbol)
    }
}

/// The options of every benchmark, and the course of its run.
struct Options: ParsableArguments {
    @Flag(help: "Uses few periods and repetitions: a functional check without meaningful results.")
    var quick = false

    @Option(help: ArgumentHelp("Also writes the results to this file as JSON.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Draws plots into this existing folder.", valueName: "folder"))
    var report: String?

    static func reportingErrors(_ body: () throws -> Void) throws {
        do { try body() } catch let error where error is BenchmarkError || error is PlotError {
            try? FileHandle.standardError.write(contentsOf: Data("latency: \(error)\n".utf8))
            throw ExitCode(70)
        }
    }

    /// Measures the machine's noise, then what `measure` measures; prints the targets and writes
    /// the results.
    func run(measure: (Noise) throws -> Findings) throws {
        ShutdownSignal.prepare()
        let machine = Machine.present()
        say(machine.name)
        let noise = Noise.measure(quick: quick)
        let findings = try measure(noise)
        Target.say(findings.targets, quick: quick)
        let plot = report.map { Plot(directory: URL(fileURLWithPath: $0, isDirectory: true), machine: machine) }
        let drawn = try findings.figures.compactMap {
            try plot?.draw($0.name, size: $0.size, caption: $0.caption, panels: $0.panels, settings: $0.settings)
        }
        if let json { try findings.write(quick, machine, noise, drawn, to: json) }
        say("\nlatency: \(findings.results.count) results, \(Target.summary(findings.targets))")
        guard findings.failures.isEmpty else {
            throw BenchmarkError(
                "Failed parts: \(findings.failures.joined(separator: ", ")). All others were measured.")
        }
    }
}
