import Foundation
import Reporting

/// What was found under one set of conditions.
struct Finding {
    var conditions: Conditions
    var ours: [Latency]
    var bound: [Latency]

    func statistics(_ subject: Subject, _ until: KeyPath<Latency, Double>) -> Statistics {
        Statistics((subject == .ours ? ours : bound).map { $0[keyPath: until] })
    }

    static let heading =
        padded("case", 11) + column("sessions", 9) + column("clients", 9) + column("pace", 10) + column("n", 6)
        + column("gates p50", 12) + column("p99", 8) + column("max", 8) + column("reply p50", 11) + column("p99", 8)
        + column("bound p50", 12) + column("p99", 8)

    var line: String {
        let (gates, reply, bound) = (
            statistics(.ours, \.gates), statistics(.ours, \.reply), statistics(.bound, \.gates)
        )
        return padded(conditions.what.rawValue, 11) + column(conditions.sessions, 9)
            + column(conditions.clients.rawValue, 9) + column(conditions.pace.rawValue, 10) + column(gates.count, 6)
            + column(gates.median, 12) + column(gates.p99, 8) + column(gates.maximum, 8) + column(reply.median, 11)
            + column(reply.p99, 8) + column(bound.median, 12) + column(bound.p99, 8)
    }
}

enum Subject: String, CaseIterable {
    case ours = "swift-audio-session"
    case bound = "bare SOCK_SEQPACKET and pages"
}

/// One line of the results, as JSON has it.
struct Measurement: Encodable {
    var metric = "arbiter.verdict_ms"
    var subject: String
    var unit = "ms"
    var median: Double
    var p99: Double
    var min: Double
    var max: Double
    var n: Int
    var what: Case
    var sessions: Int
    var clients: Clients
    var pace: Pace
    /// "gates" or "reply".
    var until: String

    private enum CodingKeys: String, CodingKey {
        case metric, subject, unit, median, p99, min, max, n, sessions, clients, pace, until
        case what = "case"
    }

    static func all(_ finding: Finding) -> [Measurement] {
        Subject.allCases.flatMap { subject in
            [("gates", \Latency.gates), ("reply", \Latency.reply)].map { until, path in
                let statistics = finding.statistics(subject, path)
                return Measurement(
                    subject: subject.rawValue, median: statistics.median, p99: statistics.p99, min: statistics.minimum,
                    max: statistics.maximum, n: statistics.count, what: finding.conditions.what,
                    sessions: finding.conditions.sessions, clients: finding.conditions.clients,
                    pace: finding.conditions.pace, until: until)
            }
        }
    }
}

/// What the project promises, and what this run reached.
struct Target: Encodable {
    var what: String
    var unit = "ms"
    var wanted = 1.0
    var aim = 0.2
    var reached: Double
    var met: Bool
    var aimMet: Bool

    /// Of the largest number of sessions, each in a process of its own.
    static func all(_ findings: [Finding]) -> [Target] {
        let most = findings.map(\.conditions.sessions).max() ?? 0
        return findings.filter { $0.conditions.sessions == most && $0.conditions.clients == .each }.map {
            let p99 = $0.statistics(.ours, \.gates).p99
            return Target(
                what:
                    "\($0.conditions.what.text), \(most) sessions, requests \($0.conditions.pace): p99 until the last gate",
                reached: p99, met: p99 <= 1, aimMet: p99 <= 0.2)
        }
    }

    var line: String {
        padded(what, 88) + "≤ 1 ms (aim 0.2)" + column(reached, 9) + "  "
            + (aimMet ? "yes, and the aim" : met ? "yes" : "NO")
    }
}

/// Everything that one run found.
struct Report: Encodable {
    var benchmark = "arbitration"
    var quick: Bool
    /// Who asked and the service ran with a real-time priority.
    var realTime: Bool
    var machine: Machine
    var results: [Measurement]
    var targets: [Target]

    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}
