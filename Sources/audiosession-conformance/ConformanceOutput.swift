import Foundation
import Platform
import ProtocolConformance

/// Writes the results to standard output: a line for each check as soon as it has ended, or JSON at
/// the end.
struct ConformanceOutput {
    let isJSON: Bool
    private(set) var failures = 0
    private var outcomes: [ConformanceCheck.Outcome] = []

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// Writes the list of checks.
    func write(_ checks: [ConformanceCheck]) throws {
        guard isJSON else {
            return try StandardStream.write(
                checks.map { "\(Self.column($0.name))\($0.summary) (\($0.section))\n" }.joined())
        }
        try write(checks.map { Entry($0) })
    }

    mutating func write(_ outcome: ConformanceCheck.Outcome) throws {
        outcomes.append(outcome)
        if outcome.failure != nil { failures += 1 }
        guard !isJSON else { return }
        let check = outcome.check
        let word = outcome.failure == nil ? "ok    " : "FAIL  "
        var text = "\(word)\(Self.column(check.name))\(outcome.failure ?? check.summary)\n"
        if outcome.failure != nil {
            text += "      Documentation/Protocol.md, section '\(check.section)': \(check.statement)\n"
        }
        for remark in outcome.remarks { text += "      note: \(remark)\n" }
        for line in outcome.output { text += "      | \(line)\n" }
        try StandardStream.write(text)
    }

    /// Writes what sums up.
    func finish(_ client: [String]) throws {
        let passed = outcomes.count - failures
        guard isJSON else { return try StandardStream.write("\(passed) passed, \(failures) failed\n") }
        try write(Summary(client: client, passed: passed, failed: failures, checks: outcomes.map { Entry($0) }))
    }

    private func write<Value: Encodable>(_ value: Value) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try StandardStream.write(String(decoding: try encoder.encode(value), as: UTF8.self) + "\n")
    }

    private static func column(_ name: String) -> String { name.padding(toLength: 14, withPad: " ", startingAt: 0) }

    private struct Summary: Encodable {
        let client: [String]
        let passed: Int
        let failed: Int
        let checks: [Entry]
    }

    private struct Entry: Encodable {
        let name: String
        let summary: String
        let section: String
        let statement: String
        var passed: Bool?
        var failure: String?
        var remarks: [String]?
        var output: [String]?

        init(_ check: ConformanceCheck) {
            (name, summary, section, statement) = (check.name, check.summary, check.section, check.statement)
        }

        init(_ outcome: ConformanceCheck.Outcome) {
            self.init(outcome.check)
            (passed, failure) = (outcome.failure == nil, outcome.failure)
            (remarks, output) = (outcome.remarks, outcome.output)
        }
    }
}
