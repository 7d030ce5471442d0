public import SessionArbiter
public import SessionPolicy

/// `audiosession why`: which rules put a session where it is, by whom, since when; and what was refused to it last (ACT-13).
public struct WhyOutcome: Outcome {
    private var session: SessionView
    private var reasons: [ReasonView]
    private var refusals: [RefusalView]
    public private(set) var words = ""

    /// Refusals that are shown, the latest.
    private static let refusalLimit = 3

    private enum CodingKeys: String, CodingKey { case session, reasons, refusals }

    private struct ReasonView: Encodable {
        var kind: String
        var rule: String
        /// What the rule is about.
        var title: String
        var by: UInt64?
        /// The program of that session; nil for the system's own, and when it cannot be told.
        var program: String?
        /// Seconds for which it has been so.
        var since: Double
    }

    private struct RefusalView: Encodable {
        /// Of the decision.
        var number: UInt64
        var asked: String
        /// AVAudioSession's code.
        var code: String
        var rule: String
        var by: UInt64?
        var message: String
        /// Seconds ago.
        var ago: Double
    }

    /// `now` on the arbiter's clock. Throws when the session is unknown.
    public init(
        _ id: SessionID, _ report: ArbiterReport, _ decisions: [Decision], now: EventTime
    ) throws(SwitchboardError) {
        let status = try report.status(of: id)
        let directory = Directory(report)
        session = SessionView(status, in: report, at: now)
        reasons = status.standing.reasons.map { reason in
            ReasonView(
                kind: reason.kind.rawValue, rule: reason.rule.rawValue, title: reason.rule.title,
                by: reason.by?.rawValue,
                program: reason.by.flatMap { directory[$0] }.flatMap { directory.program(of: $0.app) },
                since: reason.since.seconds(until: now).rounded(to: 3))
        }
        refusals = decisions.compactMap { Self.refusal($0, of: id, now) }.suffix(Self.refusalLimit)
        words = sentences(status, directory, now)
    }

    private static func refusal(_ decision: Decision, of id: SessionID, _ now: EventTime) -> RefusalView? {
        guard case .refused(let refusal) = decision.outcome, decision.event.action.session == id else { return nil }
        return RefusalView(
            number: decision.number, asked: decision.event.action.phrase, code: refusal.code.rawValue,
            rule: refusal.rule.rawValue, by: refusal.by?.rawValue, message: refusal.message,
            ago: decision.event.time.seconds(until: now).rounded(to: 3))
    }

    private func sentences(_ status: SessionStatus, _ directory: Directory, _ now: EventTime) -> String {
        let name = directory.name(status.session.id)
        var lines = ["\(name): \(session.summary(directory))."]
        if reasons.isEmpty { lines.append("Nothing stands in its way: it runs at full level.") }
        for reason in reasons {
            let cause = reason.by.map { " because of \(directory.name(SessionID($0)))" } ?? ""
            lines.append(
                """
                It has been \(Self.words[reason.kind] ?? reason.kind) for \(Text.duration(reason.since))\(cause), by rule \(reason.rule): \
                \(reason.title).
                """)
        }
        for refusal in refusals {
            lines.append(
                "\(Text.duration(refusal.ago)) ago it was refused (\(refusal.code), rule \(refusal.rule)): \(refusal.message)"
            )
        }
        return lines.joined(separator: "\n")
    }

    private static let words = ["inputSilenced": "without its input"]
}
