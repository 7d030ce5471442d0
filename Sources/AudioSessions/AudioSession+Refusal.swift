internal import AudioRendering
public import Foundation
internal import SessionArbiter
internal import SessionPolicy

/// What was refused last (ACT-13).
extension AudioSession {
    /// A request that was refused.
    public struct Refusal: Sendable {
        /// The error that the request threw: its code, rule, and message with what to do.
        public let error: AudioSessionError
        /// The session that stood in the way; nil when none did.
        public let by: UInt64?
        /// When it was refused.
        public let date: Date

        /// The rule that refused, such as "ACT-5"; nil when the cause is the server or the machine.
        public var rule: String? { error.rule }
        /// What was asked, what is so, and what to do.
        public var message: String { error.message }
    }

    /// The last request that was refused, until the session changes: its activity, its configuration, its wishes (keeps ACT-13).
    public var lastRefusal: Refusal? {
        guard let kept = refusal.withLock({ $0 }), kept.session == status?.session else { return nil }
        return kept.refusal
    }

    /// Makes a request; what it throws is kept as the last refusal.
    package func request<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as AudioSessionError {
            keep(error)
            throw error
        }
    }

    private func keep(_ error: AudioSessionError) {
        let by = (error.underlying as? SessionPolicy.Refusal)?.by
        let kept = KeptRefusal(
            refusal: Refusal(error: error, by: by?.rawValue, date: Date()), session: status?.session)
        refusal.withLock { $0 = kept }
    }

    /// To be called when a request was granted: a refusal of another state is over for good.
    func forgetRefusal() {
        guard let kept = refusal.withLock({ $0 }), kept.session != status?.session else { return }
        refusal.withLock { $0 = nil }
    }
}

/// A refusal, and the session as it was then.
struct KeptRefusal {
    var refusal: AudioSession.Refusal
    var session: SessionState?
}

extension AudioSession.Refusal {
    /// For `explain`.
    func sentence(of session: UInt64) -> String {
        "session \(session) was refused" + (rule.map { " by \($0)" } ?? "")
            + (by.map { " because of session \($0)" } ?? "") + ": \(message)"
    }
}
