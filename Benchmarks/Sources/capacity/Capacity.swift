import ArgumentParser
import Foundation
import Reporting

/// Measures what voices cost in the render core, beside a bare loop and OpenAL Soft in the same run.
@main
struct Capacity: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures what a voice costs in the render core, beside a bare loop and OpenAL Soft in the same run.",
        discussion: """
            Looping voices in memory, each with a pan of its own, into a stereo output: what one period costs, divided by voices and frames. \
            Included: everything that rcore_process, or alcRenderSamplesSOFT, does. Not included: a server, streaming, posting commands. \
            Repetitions of all subjects alternate, so that whatever disturbs the machine disturbs all; compare, do not trust the times. \
            Before a result counts, what the subjects put out is compared.
            """)

    @Flag(help: "Fewer sizes and repetitions: shows that it works, proves nothing.")
    var quick = false

    @Option(help: ArgumentHelp("Write the results as JSON to this file as well.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Draw plots into this folder, which exists.", valueName: "folder"))
    var report: String?

    func run() throws {
        do {
            try measure()
        } catch let error where error is BenchmarkError || error is PlotError {
            try? FileHandle.standardError.write(contentsOf: Data("capacity: \(error)\n".utf8))
            throw ExitCode(70)
        }
    }

    private func measure() throws {
        let machine = Machine.present()
        say(machine.summary)
        let noise = Noise.measure(quick: quick)
        let slices = Slices(quick: quick)
        let findings = try measure(slices, coldBytes: machine.coldBytes)
        let growths = Growth.table(
            findings.costs.growths(slices) + findings.scale.growths + findings.commands.growths
                + findings.mixer.growths)
        let targets = Targets(findings: findings, noise: noise).all
        Target.say(targets, quick: quick)
        let results = findings.measurements
        var figures: [Figure] = []
        if let report {
            let plots = Plots(directory: URL(fileURLWithPath: report, isDirectory: true), machine: machine)
            figures = try plots.drawAll(findings, slices)
        }
        if let json {
            try Report(
                "capacity", quick: quick, machine: machine, noise: noise, results: results, targets: targets,
                tables: findings.tables + [growths], figures: figures
            ).write(to: json)
        }
        say("\ncapacity: \(results.count) results, \(Target.summary(targets))")
    }

    private func measure(_ slices: Slices, coldBytes: Int) throws -> Findings {
        var findings = Findings()
        try findings.costs.measure(slices, seconds: quick ? 0.1 : 1.5, coldBytes: coldBytes)
        try findings.halfPeriod.measure(quick: quick, coldBytes: coldBytes)
        try findings.cycles.measure(quick: quick, coldBytes: coldBytes)
        try findings.scale.measure(quick: quick)
        // Both keep to a core each until it ends.
        let pair = Pair()
        try findings.commands.measure(quick: quick, pair: pair)
        try findings.roundTrips.measure(quick: quick, pair: pair)
        _ = consume pair
        try findings.idle.measure(quick: quick, coldBytes: coldBytes)
        try findings.mixer.measure(quick: quick)
        try findings.memory.measure(quick: quick)
        try findings.resampling.measure(quick: quick)
        return findings
    }
}
