package import Foundation

/// What a benchmark, or a part of one, found.
package struct Findings {
    package var results: [Measurement] = []
    package var targets: [Target] = []
    package var tables: [Table] = []
    package var figures: [Figure] = []
    /// The fits of curves, for the table of bends.
    package var growths: [Growth] = []
    /// The names of the parts that failed.
    package var failures: [String] = []

    package init(
        results: [Measurement] = [], targets: [Target] = [], tables: [Table] = [], figures: [Figure] = []
    ) {
        (self.results, self.targets, self.tables, self.figures) = (results, targets, tables, figures)
    }

    package mutating func append(_ others: Findings) {
        results += others.results
        targets += others.targets
        tables += others.tables
        figures += others.figures
        growths += others.growths
        failures += others.failures
    }
}

/// A benchmark's results as a file: JSON Lines, with one record in each line. Each record is an
/// object with one member, which is named after its kind.
package struct Report {
    package struct Header: Codable {
        package var benchmark: String
        package var quick: Bool
        /// The day of the run, such as 2026-11-21.
        package var date: String
        /// Whether the subject had a real-time priority; nil if that makes no difference.
        package var realTime: Bool?
        package var machine: Machine
        package var noise: Noise
    }

    private struct Record: Codable {
        var header: Header?
        var target: Target?
        var result: Measurement?
        var table: Table?
        var figure: Figure?
    }

    package var header: Header
    package var findings: Findings

    package init(
        _ benchmark: String, quick: Bool, realTime: Bool? = nil, machine: Machine, noise: Noise, _ findings: Findings
    ) {
        let date = Date.now.ISO8601Format(.iso8601.year().month().day())
        header = Header(
            benchmark: benchmark, quick: quick, date: date, realTime: realTime, machine: machine, noise: noise)
        self.findings = findings
    }

    /// Reads a file.
    package init(_ file: URL) throws {
        let decoder = JSONDecoder()
        var header: Header?
        findings = Findings()
        for line in try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")) {
            let record = try decoder.decode(Record.self, from: line)
            header = record.header ?? header
            if let target = record.target { findings.targets.append(target) }
            if let result = record.result { findings.results.append(result) }
            if let table = record.table { findings.tables.append(table) }
            if let figure = record.figure { findings.figures.append(figure) }
        }
        guard let header else { throw CocoaError(.fileReadCorruptFile) }
        self.header = header
    }

    package func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let records =
            [Record(header: header)] + findings.targets.map { Record(target: $0) }
            + findings.results.map { Record(result: $0) } + findings.tables.map { Record(table: $0) }
            + findings.figures.map { Record(figure: $0) }
        var lines = Data()
        for record in records { lines += try encoder.encode(record) + [UInt8(ascii: "\n")] }
        try lines.write(to: URL(fileURLWithPath: path))
    }
}
