internal import AudioRendering
public import Foundation
internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// The last refused request (ACT-13).
extension AudioSession {
    /// A refused request.
    public struct Refusal: Sendable {
        /// The error that the request threw: its code, its rule, and a message that says what to
        /// do.
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

    /// The last refused request; nil once the session's state at the arbiter has changed: its
    /// activity, configuration or preferred values, or whether it plays or records (keeps ACT-13).
    public var lastRefusal: Refusal? {
        guard let stored = refusal.withLock({ $0 }), stored.session == status?.session else { return nil }
        return stored.refusal
    }

    /// Makes a request. If it throws an `AudioSessionError`, stores that as the last refusal.
    package func request<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as AudioSessionError {
            storeRefusal(error)
            throw error
        }
    }

    private func storeRefusal(_ error: AudioSessionError) {
        let by = (error.underlying as? SessionPolicy.Refusal)?.by
        let stored = StoredRefusal(
            refusal: Refusal(error: error, by: by?.rawValue, date: Date()), session: status?.session)
        refusal.withLock { $0 = stored }
    }

    /// Discards a refusal that belongs to an earlier state of the session. Call it when a request
    /// was granted.
    func discardOutdatedRefusal() {
        guard let stored = refusal.withLock({ $0 }), stored.session != status?.session else { return }
        refusal.withLock { $0 = nil }
    }
}

/// A refusal and the session's state at that time.
struct StoredRefusal {
    var refusal: AudioSession.Refusal
    var session: SessionState?
}

extension AudioSession.Refusal {
    /// Returns the sentence for `explain`.
    func sentence(of session: UInt64) -> String {
        "session \(session) was refused" + (rule.map { " by \($0)" } ?? "")
            + (by.map { " because of session \($0)" } ?? "") + ": \(message)"
    }
}
