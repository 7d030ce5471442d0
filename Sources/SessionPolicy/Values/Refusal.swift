/// Why an event is refused; the state is then as it was.
public struct Refusal: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// AVAudioSession's error codes that the policy uses; their numbers belong to the API.
    public enum Code: String, Hashable, Sendable, Codable, CaseIterable {
        case badParam, incompatibleCategory, insufficientPriority, expiredSession, resourceNotAvailable,
            sessionNotActive
        case cannotStartPlaying, cannotStartRecording, cannotInterruptOthers
    }

    public var code: Code
    public var rule: Rule
    /// The session that stands in the way, if one does.
    public var by: SessionID?
    /// What was asked, what is so, what to do.
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
            .expiredSession, .act12, "\(id) was addressed, but it is not registered (any longer); make a new session.")
    }
}
