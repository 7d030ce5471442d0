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
        let slices = Slices(quick: quick)
        var (costs, halfPeriod, cycles, small) = (Costs(), HalfPeriod(), CycleTimes(), SmallCosts())
        try costs.measure(slices, seconds: quick ? 0.1 : 1.5, coldBytes: machine.coldBytes)
        try halfPeriod.measure(quick: quick, coldBytes: machine.coldBytes)
        try cycles.measure(quick: quick, coldBytes: machine.coldBytes)
        try small.measure(quick: quick, coldBytes: machine.coldBytes)

        let targets = Target.all(costs: costs, halfPeriod: halfPeriod, cycles: cycles, small: small)
        say("\nTargets\(quick ? " (quick: proves nothing)" : "")\n\(Target.heading)")
        targets.forEach { say($0.line) }
        let results = costs.measurements + halfPeriod.measurements + cycles.measurements + small.measurements
        if let json {
            try Report(quick: quick, machine: machine, results: results, targets: targets).json()
                .write(to: URL(fileURLWithPath: json))
        }
        if let report {
            let plots = Plots(directory: URL(fileURLWithPath: report, isDirectory: true), machine: machine)
            try plots.drawCosts(costs, slices)
            try plots.drawCycles(cycles)
        }
        let met = targets.filter(\.met).count
        say("\ncapacity: \(results.count) results, \(met) of \(targets.count) targets met")
    }
}
