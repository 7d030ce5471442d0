/// The reason why an event is refused; the state is then unchanged.
public struct Refusal: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The error codes of AVAudioSession that the policy uses; their numbers belong to the API.
    public enum Code: String, Hashable, Sendable, Codable, CaseIterable {
        case badParam, incompatibleCategory, insufficientPriority, expiredSession, resourceNotAvailable,
            sessionNotActive
        case cannotStartPlaying, cannotStartRecording, cannotInterruptOthers
    }

    public var code: Code
    public var rule: Rule
    /// The session that prevents the event, if one does.
    public var by: SessionID?
    /// States what was requested, why it is refused, and what to do.
    public var message: String

    public init(_ code: Code, _ rule: Rule, by: SessionID? = nil, _ message: String) {
        self.code = code
        self.rule = rule
        self.by = by
        self.message = message
    }

    public var description: String { "\(message) [\(rule.rawValue)]" }

    static func unknown(_ id: SessionID) -> Refusal {
        Refusal(
            .expiredSession, .act12, "\(id) is unknown or no longer registered; create a new session.")
    }
}
