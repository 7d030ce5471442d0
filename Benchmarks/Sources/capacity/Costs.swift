import Reporting

/// The cost of every subject per voice and frame: not under every combination of conditions, but in
/// slices through one centre, each along one parameter.
struct Costs: Part {
    mutating func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        var measured: [MixConditions: [Measurement]] = [:]
        for (title, slice) in Self.slices(quick: run.quick) {
            var table = Table(
                title,
                note: "Nanoseconds per voice and frame: median and 99th percentile; ratios: median of the pairs",
                Self.columns)
            for conditions in slice {
                let results = try measured[conditions] ?? Self.compare(conditions, run)
                measured[conditions] = results
                table.add(Self.row(conditions, results))
            }
            findings.tables.append(table)
        }
        findings.results = measured.sorted { $0.key.text < $1.key.text }.flatMap(\.value)
        findings.growths = Self.growths(findings.results)
        findings.targets = DataKind.allCases.flatMap { Self.targets($0, findings.results, run) }
        return findings
    }

    private static func slices(quick: Bool) -> [(title: String, conditions: [MixConditions])] {
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
            (
                "Voices: 64 frames, mono, gain and pan ramping",
                both(quick ? [1, 64, 256, 4096] : all) { MixConditions(voices: $0, data: $1) }
            ),
            (
                "Frames: 256 voices, mono, gain and pan ramping",
                both(quick ? [16, 64, 1024] : [16, 32, 64, 128, 256, 512, 1024]) { MixConditions(frames: $0, data: $1) }
            ),
            ("Kinds: 256 voices, 64 frames", kinds),
            (
                "Pitched voices (4-point; OpenAL: cubic): 64 frames, mono, gain and pan ramping",
                both(quick ? [64, 256] : all) { MixConditions(voices: $0, data: $1, pitched: true) }
            ),
        ]
    }

    /// Measures all subjects alternately. Voices must not become silent at the end of their ramps,
    /// which limits the repetitions.
    private static func compare(_ conditions: MixConditions, _ run: Run) throws -> [Measurement] {
        let mix = try conditions.mix(coldBytes: run.coldBytes)
        let players = try Subject.allCases.map { try conditions.player($0, mix) }
        let most = min(10000, (1 << 22) / conditions.frames) - 10
        return try Repetition(least: 20, most: most, seconds: run.quick ? 0.1 : 1.5).measure(
            players, conditions.metric, "ns", per: Double(conditions.voices * conditions.frames),
            ratio: "mix.cost_ratio", conditions.parameters)
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
        ] + results.of(conditions.metric).flatMap(\.statistics.cells)
            + results.of("mix.cost_ratio").map { digits($0.statistics.median) }
    }

    /// Fits the cycle times of core and bound.
    private static func growths(_ results: [Measurement]) -> [Growth] {
        let curves = [("voices", "voices", false), ("frames", "frames", false), ("pitched voices", "voices", true)]
        return curves.flatMap { name, axis, pitched in
            DataKind.allCases.flatMap { data in
                [Subject.core, .bound].compactMap { subject in
                    let (conditions, who) = (
                        MixConditions(data: data, pitched: pitched), subject.name(pitched: pitched)
                    )
                    let costs = results.of(conditions.metric, who, conditions.without(axis)).points(against: axis)
                    let unit = Double(axis == "voices" ? conditions.frames : conditions.voices)
                    return Growth(
                        "\(name), \(data)", who, unit: "µs", each: String(axis.dropLast()),
                        costs.map { ($0, $1 * $0 * unit / 1000) })
                }
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
