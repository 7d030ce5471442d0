import Reporting

/// The costs under all conditions of the slices, each measured once.
struct Costs {
    private(set) var comparisons: [MixConditions: Comparison] = [:]
    private(set) var tables: [Table] = []

    subscript(conditions: MixConditions) -> Comparison? { comparisons[conditions] }

    mutating func measure(_ slices: Slices, seconds: Double, coldBytes: Int) throws {
        for (title, conditions) in slices.titled {
            var table = Table(
                title,
                note: "Nanoseconds per voice and frame: median and 99th percentile; ratios: median of the pairs",
                Self.columns)
            for conditions in conditions {
                let comparison =
                    try comparisons[conditions]
                    ?? Comparison(Scene(conditions, coldBytes: coldBytes), seconds: seconds)
                comparisons[conditions] = comparison
                table.add(Self.row(comparison))
            }
            tables.append(table)
        }
    }

    private static let columns: [Table.Column] = [
        Table.Column("voices"), Table.Column("frames"), .text("data", 4), .text("source", 6), .text("gain", 9),
        .text("pitch", 5), "core", "p99", "bound", "p99", "OpenAL", "p99", Table.Column("core/bound"),
        Table.Column("core/OpenAL"),
    ]

    private static func row(_ comparison: Comparison) -> [String] {
        let conditions = comparison.conditions
        let costs = Subject.allCases.flatMap { subject in
            comparison.cost(subject).map { [digits($0.median), digits($0.p99)] } ?? ["", ""]
        }
        let ratios = [Subject.bound, .openal].map { comparison.ratio(to: $0).map { digits($0.median) } ?? "" }
        return [
            "\(conditions.voices)", "\(conditions.frames)", conditions.data.rawValue, conditions.sources.rawValue,
            conditions.gain.rawValue, conditions.pitched ? "yes" : "no",
        ] + costs + ratios
    }

    /// Fits the cycle time against voices and against frames.
    func growths(_ slices: Slices) -> [Growth] {
        let curves =
            [("voices", "voice", slices.voices), ("frames", "frame", slices.frames)]
            + [("pitched voices", "voice", slices.pitched)]
        return curves.flatMap { name, each, slice in
            DataKind.allCases.flatMap { data in
                [Subject.core, .bound].compactMap { subject in
                    let points = slice.filter { $0.data == data }.compactMap { conditions in
                        self[conditions]?.cost(subject).map { cost in
                            (
                                Double(each == "frame" ? conditions.frames : conditions.voices),
                                cost.median * Double(conditions.voices * conditions.frames) / 1000
                            )
                        }
                    }
                    let who = subject.name(pitched: name == "pitched voices")
                    return Growth("\(name), \(data)", who, unit: "µs", each: each, points)
                }
            }
        }
    }

    var measurements: [Measurement] {
        comparisons.values.sorted { $0.conditions.text < $1.conditions.text }.flatMap(\.measurements)
    }
}
