/// One result: what was measured, its statistics, and its conditions. JSON has all of them in one
/// object.
package struct Measurement: Codable {
    package var metric: String
    package var subject: String
    package var unit: String
    package var statistics: Statistics
    package var conditions: Conditions

    package init(
        _ metric: String, _ subject: String, _ unit: String, _ statistics: Statistics, _ conditions: Conditions
    ) {
        (self.metric, self.subject, self.unit) = (metric, subject, unit)
        (self.statistics, self.conditions) = (statistics, conditions)
    }

    /// Creates a measurement of a single value.
    package init(_ metric: String, _ subject: String, _ unit: String, _ value: Double, _ conditions: Conditions) {
        self.init(metric, subject, unit, Statistics([value]), conditions)
    }

    package init(from decoder: any Decoder) throws {
        var all = try Conditions(from: decoder)
        func remove(_ key: String) throws -> Conditions.Value {
            guard let value = all.values.removeValue(forKey: key) else {
                throw DecodingError.valueNotFound(
                    Conditions.Value.self, .init(codingPath: decoder.codingPath, debugDescription: "no \(key)"))
            }
            return value
        }
        (metric, subject, unit) = (try remove("metric").text, try remove("subject").text, try remove("unit").text)
        func number(_ key: String) throws -> Double { try remove(key).number }
        statistics = Statistics(
            median: try number("median"), interval: try number("low")...number("high"), p99: try number("p99"),
            p999: try number("p999"), minimum: try number("min"), maximum: try number("max"),
            count: Int(try number("n")))
        conditions = all
    }

    package func encode(to encoder: any Encoder) throws {
        try conditions.with([
            "metric": .text(metric), "subject": .text(subject), "unit": .text(unit),
            "median": .number(statistics.median), "low": .number(statistics.interval.lowerBound),
            "high": .number(statistics.interval.upperBound), "p99": .number(statistics.p99),
            "p999": .number(statistics.p999), "min": .number(statistics.minimum), "max": .number(statistics.maximum),
            "n": .whole(statistics.count),
        ]).encode(to: encoder)
    }
}

extension [Measurement] {
    /// Returns the results of a metric whose conditions include those given.
    package func of(_ metric: String, _ subject: String? = nil, _ conditions: Conditions = [:]) -> [Measurement] {
        filter { result in
            result.metric == metric && (subject ?? result.subject) == result.subject
                && conditions.values.allSatisfy { result.conditions.values[$0.key] == $0.value }
        }
    }

    /// Returns a statistic of each result against one of its conditions, in ascending order.
    package func points(
        against condition: String, _ statistic: KeyPath<Statistics, Double> = \.median
    ) -> [(Double, Double)] {
        map { ($0.conditions.values[condition]?.number ?? .nan, $0.statistics[keyPath: statistic]) }
            .sorted { $0.0 < $1.0 }
    }
}

extension [Measurement] {
    /// Returns the results of subjects that were measured alternately under the same conditions;
    /// with the metric `ratio` also the ratios of the first one's values to those of each other,
    /// pair by pair.
    package static func compared(
        _ metric: String, _ unit: String, _ subjects: [(name: String, values: [Double])], ratio: String? = nil,
        _ conditions: Conditions
    ) -> [Measurement] {
        let present = subjects.filter { !$0.values.isEmpty }
        let ratios = present.dropFirst().compactMap { other in
            ratio.map {
                Measurement(
                    $0, present[0].name, "1", Statistics(zip(present[0].values, other.values).map { $0 / $1 }),
                    conditions.with(["to": .text(other.name)]))
            }
        }
        return present.map { Measurement(metric, $0.name, unit, Statistics($0.values), conditions) } + ratios
    }
}
