import ArgumentParser
import Foundation
import Reporting

/// Measures the cost of voices in the render core, compared with a bare loop and OpenAL Soft in the
/// same run.
@main
struct Capacity: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Measures the cost of a voice in the render core, compared with a bare loop and OpenAL Soft in the same run.",
        discussion: """
            Plays looping voices from memory, each with its own pan, to a stereo output, and reports the cost of a period divided by voices \
            and frames. Included: all work of rcore_process, or of alcRenderSamplesSOFT. Not included: a server, streaming, posting commands. \
            Repetitions of all implementations alternate, so that noise affects all of them; compare implementations rather than absolute \
            times. Before it measures, the benchmark checks that the implementations produce the same output.
            """)

    @Flag(help: "Uses fewer sizes and repetitions: a functional check without meaningful results.")
    var quick = false

    @Option(help: ArgumentHelp("Also writes the results to this file as JSON.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Draws plots into this existing folder.", valueName: "folder"))
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
        // The pair's two threads each stay on one core until the pair is released.
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
