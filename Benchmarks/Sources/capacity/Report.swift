import Foundation
import Reporting

/// One line of the results, as JSON has it.
struct Measurement: Encodable {
    var metric: String
    var subject: String
    var unit: String
    var median: Double
    var p99: Double
    var p999: Double
    var min: Double
    var max: Double
    var n: Int
    var voices: Int
    var frames: Int
    var data: String
    var sources: String
    var gain: String
    var pitched: Bool
    var sampleRate = Conditions.sampleRate
    /// Of a ratio: to whose.
    var to: String?
    /// Voices allocated beside those that play; commands for a cycle.
    var idle: Int?
    var commands: Int?

    init(
        _ metric: String, _ subject: String, _ unit: String, _ statistics: Statistics, _ conditions: Conditions,
        to: String? = nil, idle: Int? = nil, commands: Int? = nil
    ) {
        (self.metric, self.subject, self.unit) = (metric, subject, unit)
        (median, p99, p999) = (statistics.median, statistics.p99, statistics.p999)
        (min, max, n) = (statistics.minimum, statistics.maximum, statistics.count)
        (voices, frames, data) = (conditions.voices, conditions.frames, conditions.data.rawValue)
        (sources, gain, pitched) = (conditions.sources.rawValue, conditions.gain.rawValue, conditions.pitched)
        (self.to, self.idle, self.commands) = (to, idle, commands)
    }
}

/// Everything that one run found.
struct Report: Encodable {
    var benchmark = "capacity"
    var quick: Bool
    var machine: Machine
    var results: [Measurement]
    var targets: [Target]

    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}
