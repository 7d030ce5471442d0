import Reporting

/// The cost of every subject per voice and frame: not under every combination of conditions, but in
/// slices through one centre, each along one parameter.
struct Costs: Part {
    private struct Slice {
        var title: String
        /// The name of the curve in the table of bends, and of its items; nil: none.
        var curve: (name: String, each: String, count: (MixConditions) -> Int)?
        var conditions: [MixConditions] = []
    }

    mutating func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        var measured: [MixConditions: [Measurement]] = [:]
        for slice in Self.slices(quick: run.quick) {
            var table = Table(
                slice.title,
                note: "Nanoseconds per voice and frame: median and 99th percentile; ratios: median of the pairs",
                Self.columns)
            for conditions in slice.conditions {
                let results = try measured[conditions] ?? Self.compare(conditions, run)
                measured[conditions] = results
                table.add(Self.row(conditions, results))
            }
            findings.tables.append(table)
            findings.growths += Self.growths(slice, measured)
        }
        findings.results = measured.sorted { $0.key.text < $1.key.text }.flatMap(\.value)
        findings.targets = DataKind.allCases.flatMap { Self.targets($0, findings.results, run) }
        return findings
    }

    private static func slices(quick: Bool) -> [Slice] {
        let all = [1, 4, 16, 64, 256, 1024, 4096, 16384]
        func both(_ counts: [Int], _ conditions: (Int, DataKind) -> MixConditions) -> [MixConditions] {
            DataKind.allCases.flatMap { data in counts.map { conditions($0, data) } }
        }
        let kinds = (quick ? [.hot] : DataKind.allCases).flatMap { data in
            [SourceKind.mono, .stereo].flatMap { sources in
                [false, true].flatMap { pitched in
                    [GainKind.flat, .ramping, .commanded].map {
                        MixConditions(data: data, sources: sources, gain: $0, pitched: pitched)
                    }
                }
            }
        }
        return [
            Slice(
                title: "Voices: 64 frames, mono, gain and pan ramping", curve: ("voices", "voice", \.voices),
                conditions: both(quick ? [1, 64, 256, 4096] : all) { MixConditions(voices: $0, data: $1) }),
            Slice(
                title: "Frames: 256 voices, mono, gain and pan ramping", curve: ("frames", "frame", \.frames),
                conditions: both(quick ? [16, 64, 1024] : [16, 32, 64, 128, 256, 512, 1024]) {
                    MixConditions(frames: $0, data: $1)
                }),
            Slice(title: "Kinds: 256 voices, 64 frames", conditions: kinds),
            Slice(
                title: "Pitched voices (4-point; OpenAL: cubic): 64 frames, mono, gain and pan ramping",
                curve: ("pitched voices", "voice", \.voices),
                conditions: both(quick ? [64, 256] : all) { MixConditions(voices: $0, data: $1, pitched: true) }),
        ]
    }

    private static func metric(_ conditions: MixConditions) -> String {
        conditions.pitched ? "mix.pitched_ns_per_voice_frame" : "mix.ns_per_voice_frame"
    }

    /// Measures all subjects alternately. Voices must not become silent at the end of their ramps,
    /// which limits the repetitions.
    private static func compare(_ conditions: MixConditions, _ run: Run) throws -> [Measurement] {
        let mix = try conditions.mix(coldBytes: run.coldBytes)
        let players = try Subject.allCases.map { try conditions.player($0, mix) }
        let most = min(10000, (1 << 22) / conditions.frames) - 10
        let unit = Double(conditions.voices * conditions.frames)
        let values = Repetition(least: 20, most: most, seconds: run.quick ? 0.1 : 1.5).values { _ in
            players.map { $0.settledCycle() / unit }
        }
        try conditions.check(players)
        return [Measurement].compared(
            metric(conditions), "ns", zip(players, values).map { ($0.name, $1) }, ratio: "mix.cost_ratio",
            conditions.parameters)
    }

    private static let columns: [Table.Column] = [
        Table.Column("voices"), Table.Column("frames"), .text("data", 4), .text("source", 6), .text("gain", 9),
        .text("pitch", 5), "core", "p99", "bound", "p99", "OpenAL", "p99", Table.Column("core/bound"),
        Table.Column("core/OpenAL"),
    ]

    private static func row(_ conditions: MixConditions, _ results: [Measurement]) -> [String] {
        [
            "\(conditions.voices)", "\(conditions.frames)", conditions.data.rawValue, conditions.sources.rawValue,
            conditions.gain.rawValue, conditions.pitched ? "yes" : "no",
        ] + results.of(metric(conditions)).flatMap(\.statistics.cells)
            + results.of("mix.cost_ratio").map { digits($0.statistics.median) }
    }

    /// Fits the cycle times of core and bound.
    private static func growths(_ slice: Slice, _ measured: [MixConditions: [Measurement]]) -> [Growth] {
        guard let (name, each, count) = slice.curve else { return [] }
        return DataKind.allCases.flatMap { data in
            [Subject.core, .bound].compactMap { subject in
                let points = slice.conditions.filter { $0.data == data }.compactMap { conditions in
                    let name = subject.name(pitched: conditions.pitched)
                    return measured[conditions]?.statistics(metric(conditions), name).map { cost in
                        (
                            Double(count(conditions)),
                            cost.median * Double(conditions.voices * conditions.frames) / 1000
                        )
                    }
                }
                let who = subject.name(pitched: slice.conditions[0].pitched)
                return Growth("\(name), \(data)", who, unit: "µs", each: each, points)
            }
        }
    }

    private static func targets(_ data: DataKind, _ results: [Measurement], _ run: Run) -> [Target] {
        func ratio(_ other: Subject, pitched: Bool = false) -> Statistics? {
            let conditions = MixConditions(data: data, pitched: pitched).parameters
            return results.statistics(
                "mix.cost_ratio", nil, conditions.with(["to": .text(other.name(pitched: pitched))]))
        }
        return run.target(
            "256 ramping voices, 64 frames, \(data): cost over OpenAL's", 0.25, ratio(.openal),
            headline: "mixing a voice, \(data): cost over \(Subject.openal.name)'s")
            + run.target(
                "256 ramping voices, 64 frames, \(data): cost over the bare loop's", data == .hot ? 3 : 2,
                aim: data == .hot ? 1.5 : 1.25, ratio(.bound))
            + run.target(
                "256 pitched voices, 64 frames, \(data): cost over OpenAL's cubic", 0.5, aim: 0.25,
                ratio(.openal, pitched: true))
    }

    func figures(_ results: [Measurement]) -> [Figure] { [.costs(results), .frames(results)] }
}
