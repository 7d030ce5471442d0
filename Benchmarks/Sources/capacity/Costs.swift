import Reporting

/// Costs under all conditions of the slices, measured once each.
struct Costs {
    private(set) var comparisons: [Conditions: Comparison] = [:]

    subscript(conditions: Conditions) -> Comparison? { comparisons[conditions] }

    mutating func measure(_ slices: Slices, seconds: Double, coldBytes: Int) throws {
        for (title, conditions) in slices.titled {
            say("\n\(title)\nNanoseconds per voice and frame: median (99th percentile); ratios: median of the pairs")
            say(
                " voices frames data source gain      pitch         core         bound        OpenAL  core/bound  core/OpenAL"
            )
            for conditions in conditions {
                let comparison =
                    try comparisons[conditions]
                    ?? Comparison(Scene(conditions, coldBytes: coldBytes), seconds: seconds)
                comparisons[conditions] = comparison
                say(Self.line(comparison))
            }
        }
    }

    private static func line(_ comparison: Comparison) -> String {
        let conditions = comparison.conditions
        let costs = Subject.allCases.map { subject in
            comparison.cost(subject).map { column($0.median, 6) + " (" + column($0.p99, 0) + ")" } ?? "-"
        }
        let ratios = [Subject.bound, .openal].map { subject in
            comparison.ratio(to: subject).map { column($0.median, 0) } ?? "-"
        }
        return [
            column(conditions.voices, 7), column(conditions.frames, 6), padded(conditions.data.rawValue, 4),
            padded(conditions.sources.rawValue, 6), padded(conditions.gain.rawValue, 9),
            padded(conditions.pitched ? "yes" : "no", 5), costs.map { column($0, 13) }.joined(separator: " "),
            column(ratios[0], 10), column(ratios[1], 12),
        ].joined(separator: " ")
    }

    var measurements: [Measurement] {
        comparisons.values.sorted { $0.conditions.text < $1.conditions.text }.flatMap(\.measurements)
    }
}
