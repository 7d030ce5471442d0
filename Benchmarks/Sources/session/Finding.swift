import Reporting
import Servers

/// The conditions of a line of the results, as JSON has them.
struct Parameters: Encodable, Hashable {
    var server: ServerKind
    var sync: Bool
    var period: Int
    var sampleRate = Server.sampleRate
    var arbitration: Arbitration?
    var start: Start?
    var death: Death?
    /// The time without a server, in addition to the time to start it.
    var awayMilliseconds: Int?
    /// The reference of a ratio or a difference.
    var to: String?

    init(_ server: Server, arbitration: Arbitration? = nil, start: Start? = nil, death: Death? = nil, away: Int? = nil)
    {
        (self.server, sync, period) = (server.kind, server.kind.isSync, server.period)
        (self.arbitration, self.start, self.death, awayMilliseconds) = (arbitration, start, death, away)
    }
}

typealias Measurement = Reporting.Measurement<Parameters>

/// The results of ours and of the bound under the same conditions, measured alternately; without a
/// bound if there is none.
struct Finding {
    var metric: String
    var parameters: Parameters
    var ours: [Double]
    var bound: [Double] = []
    var unit = "ms"

    func statistics(_ subject: Subject) -> Statistics? {
        let values = subject == .ours ? ours : bound
        return values.isEmpty ? nil : Statistics(values)
    }

    /// The ratio of ours to the bound, pair by pair.
    var ratio: Statistics? { unit == "ms" ? pairs(/) : nil }
    /// The difference of ours and the bound, pair by pair.
    var difference: Statistics? { pairs(-) }

    private func pairs(_ combine: (Double, Double) -> Double) -> Statistics? {
        bound.count == ours.count && !bound.isEmpty ? Statistics(zip(ours, bound).map(combine)) : nil
    }

    /// The difference of ours and the bound at p99.
    var excess: Double? {
        guard let ours = statistics(.ours), let bound = statistics(.bound) else { return nil }
        return ours.p99 - bound.p99
    }

    var measurements: [Measurement] {
        var compared = parameters
        compared.to = Subject.bound.rawValue
        let single = Subject.allCases.compactMap { subject in
            statistics(subject).map { Measurement(metric, subject.rawValue, unit, $0, parameters) }
        }
        guard let ratio, let difference else { return single }
        let name = metric.dropLast("_ms".count)
        return single + [
            Measurement("\(name)_ratio", Subject.ours.rawValue, "1", ratio, compared),
            Measurement("\(name)_beyond_ms", Subject.ours.rawValue, "ms", difference, compared),
        ]
    }

    static let columns: [Table.Column] = [
        .text("what", 28), .text("server", 10), "period", "n", "p50", "p99", "min", "max", "bound p50", "p99", "min",
        "max",
        "ratio p50", "beyond p50",
    ]

    func cells(_ what: String) -> [String] {
        guard let ours = statistics(.ours) else { return [what] }
        let bound = statistics(.bound)
        return [what, parameters.server.rawValue, "\(parameters.period)", "\(ours.count)"]
            + [
                ours.median, ours.p99, ours.minimum, ours.maximum, bound?.median, bound?.p99, bound?.minimum,
                bound?.maximum,
                ratio?.median, difference?.median,
            ].map { $0.map(digits) ?? "-" }
    }
}

/// All findings, in the order of their measurement.
struct Findings {
    private(set) var all: [Finding] = []
    private(set) var table = Table(
        "Sessions", note: "ms, or frames; ratio and beyond: ours over, and minus, the bare client's, pair by pair",
        Finding.columns)

    mutating func add(_ what: String, _ finding: Finding) {
        table.add(finding.cells(what))
        all.append(finding)
    }
}
