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
            times. After each measurement, the benchmark checks the output of every implementation.
            """)

    @OptionGroup var options: Options

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Measures only these parts: \(Capacity.partNames).", valueName: "part"))
    var only: [String] = []

    @Option(
        help: ArgumentHelp(
            "The folder of the core's builds by both compilers, gcc/librcore.so and clang/librcore.so. Scripts/benchmark makes them.",
            valueName: "folder"))
    var builds: String?

    func validate() throws {
        for name in only where !Self.parts(builds: "").contains(where: { $0.name == name }) {
            throw ValidationError("Unknown part '\(name)'. Parts: \(Self.partNames).")
        }
        guard !only.contains("compilers") || builds != nil else {
            throw ValidationError(
                "The part 'compilers' requires --builds. Scripts/benchmark makes them if cmake, ninja, gcc and clang are installed."
            )
        }
    }

    /// The parts and their names for `--only`, in the order in which they run.
    private static func parts(builds: String?) -> [(name: String, part: any Part)] {
        [
            ("costs", Costs()), ("half-period", HalfPeriod()), ("cycles", CycleTimes()), ("scale", Scale()),
            ("commands", Commands()), ("round-trips", RoundTrips()), ("idle", Idle()), ("mixer", Mixer()),
            ("memory", Memory()), ("resampling", Resampling()),
        ] + (builds.map { [("compilers", Compilers(folder: $0))] } ?? [])
    }

    private static let partNames = parts(builds: "").map(\.name).joined(separator: ", ")

    func run() throws {
        try options.run("capacity") { machine, noise in
            say(machine.coldSummary)
            let run = Run(quick: options.quick, coldBytes: machine.coldBytes, noise: noise)
            var parts = Self.parts(builds: builds).filter { only.isEmpty || only.contains($0.name) }.map(\.part)
            var findings = Findings()
            for index in parts.indices { findings.append(try parts[index].measure(run)) }
            findings.tables.append(Growth.table(findings.growths))
            findings.figures = parts.flatMap { $0.figures(findings.results) }
            return findings
        }
    }
}

/// A part of the benchmark.
protocol Part {
    /// Measures, and prints tables on the way.
    mutating func measure(_ run: Run) throws -> Findings
    /// Returns the part's figures, which may show results of other parts as well.
    func figures(_ results: [Measurement]) -> [Figure]
}

extension Part {
    func figures(_ results: [Measurement]) -> [Figure] { [] }
}

/// The circumstances of a run.
struct Run {
    var quick: Bool
    /// The size of a set of samples that no cache holds.
    var coldBytes: Int
    var noise: Noise

    /// Returns the target for a ratio; nothing if that was not measured.
    func target(
        _ what: String, _ wanted: Double, aim: Double? = nil, _ ratio: Statistics?, headline: String? = nil
    ) -> [Target] {
        guard let ratio else { return [] }
        return [
            Target(
                what: what, unit: "1", wanted: wanted, aim: aim, reached: ratio.median, range: noise.range(of: ratio),
                headline: headline)
        ]
    }
}
