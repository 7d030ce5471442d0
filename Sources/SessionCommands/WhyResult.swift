public import SessionArbiter
public import SessionPolicy

/// `audiosession why`: the rules that determine a session's state, the sessions that cause it and
/// since when, and the latest requests that were refused (ACT-13).
public struct WhyResult: CommandResult {
    private var session: SessionView
    private var reasons: [ReasonView]
    private var refusals: [RefusalView]
    public private(set) var text = ""

    /// The maximum number of refusals shown, the latest ones.
    private static let refusalLimit = 3

    private enum CodingKeys: String, CodingKey { case session, reasons, refusals }

    private struct ReasonView: Encodable {
        var kind: String
        var rule: String
        /// The title of the rule.
        var title: String
        var by: UInt64?
        /// The program of that session; nil for a system session, or if it is unknown.
        var program: String?
        /// Seconds for which the reason has applied.
        var since: Double
    }

    private struct RefusalView: Encodable {
        /// The number of the decision.
        var number: UInt64
        var asked: String
        /// The error code, as in AVAudioSession.
        var code: String
        var rule: String
        var by: UInt64?
        var message: String
        /// Seconds since the refusal.
        var ago: Double
    }

    /// Creates the result for a session; `now` is a time on the arbiter's clock. Throws if the
    /// session is unknown.
    public init(
        _ id: SessionID, _ report: ArbiterReport, _ decisions: [Decision], now: EventTime
    ) throws(CommandError) {
        let status = try report.status(of: id)
        let names = SessionNames(report)
        session = SessionView(status, in: report, at: now)
        reasons = status.resolvedGrant.reasons.map { reason in
            ReasonView(
                kind: reason.kind.rawValue, rule: reason.rule.rawValue, title: reason.rule.title,
                by: reason.by?.rawValue,
                program: reason.by.flatMap { names[$0] }.flatMap { names.program(of: $0.app) },
                since: reason.since.seconds(until: now).rounded(to: 3))
        }
        refusals = decisions.compactMap { Self.refusal($0, of: id, now) }.suffix(Self.refusalLimit)
        text = sentences(status, names, now)
    }

    private static func refusal(_ decision: Decision, of id: SessionID, _ now: EventTime) -> RefusalView? {
        guard case .refused(let refusal) = decision.outcome, decision.event.action.session == id else { return nil }
        return RefusalView(
            number: decision.number, asked: decision.event.action.phrase, code: refusal.code.rawValue,
            rule: refusal.rule.rawValue, by: refusal.by?.rawValue, message: refusal.message,
            ago: decision.event.time.seconds(until: now).rounded(to: 3))
    }

    private func sentences(_ status: SessionStatus, _ names: SessionNames, _ now: EventTime) -> String {
        let name = names.name(status.session.id)
        var lines = ["\(name): \(session.summary(names))."]
        if let phrase = session.description?.phrase { lines.append(phrase) }
        if reasons.isEmpty { lines.append("No rule restricts it: it runs at full level.") }
        for reason in reasons {
            let cause = reason.by.map { " because of \(names.name(SessionID($0)))" } ?? ""
            lines.append(
                """
                It has been \(Self.kindText[reason.kind] ?? reason.kind) for \(Text.duration(reason.since))\(cause), by rule \(reason.rule): \
                \(reason.title).
                """)
        }
        for refusal in refusals {
            lines.append(
                "\(Text.duration(refusal.ago)) ago a request was refused (\(refusal.code), rule \(refusal.rule)): \(refusal.message)"
            )
        }
        return Text.lines(lines)
    }

    /// The text for kinds whose raw value is not an English participle.
    private static let kindText = ["inputSilenced": "without input"]
}
