import Reporting

/// The results under one set of conditions.
struct Finding {
    var conditions: Conditions
    var ours: [Latency]
    var bound: [Latency]

    func statistics(_ subject: Subject, _ until: KeyPath<Latency, Double>) -> Statistics {
        Statistics((subject == .ours ? ours : bound).map { $0[keyPath: until] })
    }

    /// The ratio of ours to the bound, round by round; nil if the two did not alternate.
    var ratio: Statistics? {
        conditions.pace == .apart && ours.count == bound.count
            ? Statistics(zip(ours, bound).map { $0.gates / $1.gates }) : nil
    }

    static let columns: [Table.Column] = [
        .text("case", 9), Table.Column("sessions"), Table.Column("processes"), .text("pace", 8),
        Table.Column("n", width: 4),
        Table.Column("gates p50", width: 9), Table.Column("p99", width: 6), Table.Column("max", width: 6),
        Table.Column("reply p50"), Table.Column("p99", width: 6), Table.Column("bound p50"),
        Table.Column("p99", width: 6), Table.Column("ours/bound"),
    ]

    var row: [String] {
        let (gates, reply, bound) = (
            statistics(.ours, \.gates), statistics(.ours, \.reply), statistics(.bound, \.gates)
        )
        return [
            conditions.what.rawValue, "\(conditions.sessions)", "\(conditions.processes)", conditions.pace.rawValue,
            "\(gates.count)",
        ]
            + [gates.median, gates.p99, gates.maximum, reply.median, reply.p99, bound.median, bound.p99].map(digits)
            + [ratio.map { digits($0.median) } ?? ""]
    }
}

enum Subject: String, CaseIterable {
    case ours = "swift-audio-session"
    case bound = "bare SOCK_SEQPACKET and pages"
}

typealias Measurement = Reporting.Measurement<Reporting.Conditions>

extension Conditions {
    /// The conditions in the form of the JSON output.
    var parameters: Reporting.Conditions {
        [
            "case": .text(what.rawValue), "sessions": .whole(sessions), "clients": .text(clients.name),
            "processes": .whole(processes), "pace": .text(pace.rawValue),
        ]
    }
}

extension Measurement {
    static func all(_ finding: Finding) -> [Measurement] {
        let parameters = finding.conditions.parameters
        let times = Subject.allCases.flatMap { subject in
            [("gates", \Latency.gates), ("reply", \Latency.reply)].map { until, path in
                Measurement(
                    "arbiter.verdict_ms", subject.rawValue, "ms", finding.statistics(subject, path),
                    parameters.with(["until": .text(until)]))
            }
        }
        let ratio = finding.ratio.map {
            Measurement(
                "arbiter.verdict_ratio", Subject.ours.rawValue, "1", $0,
                parameters.with(["until": "gates", "to": .text(Subject.bound.rawValue)]))
        }
        return times + (ratio.map { [$0] } ?? [])
    }
}

extension Target {
    /// The targets for the largest number of sessions, each in a separate process.
    static func all(_ findings: [Finding], _ noise: Noise, realTime: Bool) -> [Target] {
        let each = findings.filter { $0.conditions.clients == .each }
        let most = each.map(\.conditions.sessions).max() ?? 0
        return each.filter { $0.conditions.sessions == most }.map { finding in
            let (what, pace) = (finding.conditions.what, finding.conditions.pace)
            let gates = finding.statistics(.ours, \.gates)
            return Target(
                what: "\(what.text), \(most) sessions, requests \(pace): p99 until the last gate", unit: "ms",
                wanted: 1, aim: 0.2, reached: gates.p99, range: noise.range(ofTail: gates, inRealTime: realTime),
                headline: what == .duck && pace == .apart
                    ? "a prompt lowers \(most) apps in as many processes (p99)" : nil)
        }
    }
}

extension Finding {
    /// Fits how a latency grows with sessions, and with their processes, for separate requests.
    static func growths(_ findings: [Finding]) -> [Growth] {
        let apart = findings.filter { $0.conditions.pace == .apart }
        let shared = apart.filter { if case .shared = $0.conditions.clients { true } else { false } }
        return Case.allCases.flatMap { what in
            growths(apart.filter { $0.conditions.clients == .each }, what, "sessions in as many processes") {
                $0.sessions
            }
                + growths(apart.filter { $0.conditions.clients == .one }, what, "sessions on one connection") {
                    $0.sessions
                }
                + growths(shared, what, "the same sessions in more processes", each: "process") { $0.processes }
        }
    }

    private static func growths(
        _ findings: [Finding], _ what: Case, _ title: String, each: String = "session", _ count: (Conditions) -> Int
    ) -> [Growth] {
        let found = findings.filter { $0.conditions.what == what }
        return Subject.allCases.compactMap { subject in
            Growth(
                "\(what.text): \(title)", subject.rawValue, unit: "µs", each: each,
                found.map { (Double(count($0.conditions)), $0.statistics(subject, \.gates).median * 1000) })
        }
    }
}
