import CCapacity
import CRenderCore
import Processes
import Reporting

/// The core's render function as a compiler built it, with CMake, from the sources of this package.
struct CoreBuild {
    let name: String
    let process: capacity_process_function

    init(_ name: String, _ path: String) throws {
        guard let process = capacity_load_process(path) else {
            throw BenchmarkError(
                "Cannot load the core built by \(name), \(path). Scripts/benchmark capacity builds it.")
        }
        (self.name, self.process) = (name, process)
    }
}

/// The instructions that a build uses.
enum InstructionSet: String, CaseIterable {
    /// Those that the processor has: each loop is compiled for several instruction sets.
    case processor
    /// Those that every processor of the architecture has.
    case baseline
}

/// The core as GCC compiles it, over the core as Clang does.
struct Compilers: Part {
    /// The folder of the builds.
    let folder: String
    /// Neither may be slower than the other by more.
    private static let wanted = 1.15

    private static let columns: [Table.Column] = [
        .text("set", 9), .text("data", 4), .text("gain", 9), .text("pitch", 5), "GCC", "p99", "Clang", "p99",
        Table.Column("GCC/Clang"), "low", "high",
    ]

    mutating func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        var table = Table(
            "Compilers: 256 mono voices, 64 frames, the core built by GCC and by Clang",
            note: "Nanoseconds per voice and frame: median, 99th percentile; ratio: median of the pairs, interval",
            Self.columns)
        for set in InstructionSet.allCases {
            let suffix = set == .baseline ? "-baseline" : ""
            let builds = try [
                CoreBuild("GCC", "\(folder)/gcc\(suffix)/librcore.so"),
                CoreBuild("Clang", "\(folder)/clang\(suffix)/librcore.so"),
            ]
            for conditions in Self.conditions {
                let results = try Self.compare(conditions, set, builds, run)
                findings.results += results
                table.add([set.rawValue] + Self.row(conditions, results))
            }
        }
        findings.tables = [table]
        findings.targets = Self.target(findings.results.of("compilers.cost_ratio").map(\.statistics), run)
        return findings
    }

    private static let conditions = DataKind.allCases.flatMap { data in
        [false, true].flatMap { pitched in
            [GainKind.flat, .ramping].map { MixConditions(data: data, gain: $0, pitched: pitched) }
        }
    }

    /// Measures both alternately, in an order that changes with each pair. Throws unless they
    /// render the same bits.
    private static func compare(
        _ conditions: MixConditions, _ set: InstructionSet, _ builds: [CoreBuild], _ run: Run
    ) throws -> [Measurement] {
        let mix = try conditions.mix(coldBytes: run.coldBytes)
        let players = try builds.map { try conditions.corePlayer(mix, build: $0) }
        let divisor = Double(conditions.voices * conditions.frames)
        let repetition = Repetition(least: 40, most: 20000, seconds: run.quick ? 0.2 : 3)
        let values = repetition.values { number in
            let order = number.isMultiple(of: 2) ? [0, 1] : [1, 0]
            var times = [0.0, 0.0]
            for index in order { times[index] = players[index].settledCycle() / divisor }
            return times
        }
        for player in players {
            try player.checkVoices()
            if !conditions.pitched { try player.check() }
        }
        let (first, second) = (players[0].outputs, players[1].outputs)
        for output in 0..<first.count where !first[output].elementsEqual(second[output]) {
            throw BenchmarkError("With \(mix.text), the cores built by GCC and by Clang render different samples.")
        }
        return [Measurement].compared(
            "compilers.ns_per_voice_frame", "ns", zip(players, values).map { ($0.name, $1) },
            ratio: "compilers.cost_ratio", conditions.parameters.with(["instructions": .text(set.rawValue)]))
    }

    private static func row(_ conditions: MixConditions, _ results: [Measurement]) -> [String] {
        let ratios = results.of("compilers.cost_ratio").map(\.statistics)
        return [conditions.data.rawValue, conditions.gain.rawValue, conditions.pitched ? "yes" : "no"]
            + results.of("compilers.ns_per_voice_frame").flatMap(\.statistics.cells)
            + ratios.flatMap { [$0.median, $0.interval.lowerBound, $0.interval.upperBound].map(digits) }
    }

    /// The condition in which the slower build is slowest, relative to the other.
    private static func target(_ ratios: [Statistics], _ run: Run) -> [Target] {
        let factors = ratios.map { ratio -> (median: Double, range: ClosedRange<Double>) in
            let range = run.noise.range(of: ratio)
            return ratio.median >= 1
                ? (ratio.median, range) : (1 / ratio.median, 1 / range.upperBound...1 / range.lowerBound)
        }
        return factors.max { $0.median < $1.median }.map {
            [
                Target(
                    what: "the slower of the builds by GCC and by Clang, over the other (worst of \(ratios.count))",
                    unit: "1", wanted: wanted, reached: $0.median, range: $0.range)
            ]
        } ?? []
    }
}
