internal import Foundation

/// The results of one run.
package struct Report<Parameters: Encodable>: Encodable {
    package var benchmark: String
    package var quick: Bool
    /// The day of the run, such as 2026-11-21.
    package var date: String
    /// Whether the subject had a real-time priority; nil if that makes no difference.
    package var realTime: Bool?
    package var machine: Machine
    package var noise: Noise
    package var results: [Measurement<Parameters>]
    package var targets: [Target]
    /// The printed tables, for readers of the report.
    package var tables: [Table]
    package var figures: [Figure]

    package init(
        _ benchmark: String, quick: Bool, realTime: Bool? = nil, machine: Machine, noise: Noise,
        results: [Measurement<Parameters>], targets: [Target], tables: [Table], figures: [Figure]
    ) {
        (self.benchmark, self.quick, self.realTime) = (benchmark, quick, realTime)
        (self.machine, self.noise, self.results, self.targets) = (machine, noise, results, targets)
        (self.tables, self.figures) = (tables, figures)
        date = Date.now.ISO8601Format(.iso8601.year().month().day())
    }

    package func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(self).write(to: URL(fileURLWithPath: path))
    }
}

/// One line of the results, as JSON has it: the data of every benchmark, and the conditions in the
/// same object.
package struct Measurement<Parameters: Encodable>: Encodable {
    package var metric: String
    package var subject: String
    package var unit: String
    package var statistics: Statistics
    package var parameters: Parameters

    package init(
        _ metric: String, _ subject: String, _ unit: String, _ statistics: Statistics, _ parameters: Parameters
    ) {
        (self.metric, self.subject, self.unit) = (metric, subject, unit)
        (self.statistics, self.parameters) = (statistics, parameters)
    }

    private enum CodingKeys: String, CodingKey {
        case metric, subject, unit, median, low, high, p99, p999, min, max, n
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(metric, forKey: .metric)
        try container.encode(subject, forKey: .subject)
        try container.encode(unit, forKey: .unit)
        try container.encode(statistics.median, forKey: .median)
        try container.encode(statistics.interval.lowerBound, forKey: .low)
        try container.encode(statistics.interval.upperBound, forKey: .high)
        try container.encode(statistics.p99, forKey: .p99)
        try container.encode(statistics.p999, forKey: .p999)
        try container.encode(statistics.minimum, forKey: .min)
        try container.encode(statistics.maximum, forKey: .max)
        try container.encode(statistics.count, forKey: .n)
        try parameters.encode(to: encoder)
    }
}
