public import Foundation

/// A refused request of a session; `AudioSession.Refusal` is an alias.
public struct AudioSessionRefusal: Sendable {
    /// The error that the request threw: its code, its rule, and a message that says what to do.
    public let error: AudioSessionError
    /// The session that caused the refusal; nil if none did.
    public let by: UInt64?
    /// When the request was refused.
    public let date: Date

    /// The id of the rule that refused the request, such as "ACT-5"; nil when the cause is the
    /// server or the machine.
    public var rule: String? { error.rule }
    /// What was requested, the actual state, and what to do.
    public var message: String { error.message }
}

extension AudioSessionRefusal {
    /// Returns the sentence for `explain`.
    func sentence(of session: UInt64) -> String {
        "session \(session) was refused" + (rule.map { " by \($0)" } ?? "")
            + (by.map { " because of session \($0)" } ?? "") + ": \(message)"
    }
}
