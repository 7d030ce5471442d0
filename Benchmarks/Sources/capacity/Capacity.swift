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

    @OptionGroup var options: Options
    var quick: Bool { options.quick }

    func run() throws {
        try options.run("capacity", measure: measure)
    }

    private func measure(_ machine: Machine, _ noise: Noise) throws -> Reporting.Findings {
        say(machine.coldSummary)
        let slices = Slices(quick: quick)
        let findings = try measure(slices, coldBytes: machine.coldBytes)
        let growths = Growth.table(
            findings.costs.growths(slices) + findings.scale.growths + findings.commands.growths
                + findings.mixer.growths)
        let results = findings.measurements
        func sweeps(_ axis: Scale.Axis) -> [Sweep] {
            findings.scale.curves.filter { $0.axis == axis }.map { curve in
                Sweep(title: curve.title, results: curve.points.flatMap(Scale.measurements))
            }
        }
        return Reporting.Findings(
            results: results, targets: Targets(findings: findings, noise: noise).all,
            tables: findings.tables + [growths],
            figures: [.costs(results), .frames(results), .cycles(results)]
                + Scale.Axis.allCases.map { .scale($0.rawValue.lowercased(), sweeps($0), idle: results) }
                + [.commands(results), .mixer(results)])
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
