public import SessionPolicy

/// Why an arbiter did not carry out a request.
public enum ArbiterError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A rule refuses; nothing has changed.
    case refused(Refusal)
    /// The arbiter cannot be reached, or the system lacks resources; nothing has changed.
    case unavailable(String)

    public var description: String {
        switch self {
        case .refused(let refusal): refusal.description
        case .unavailable(let reason): "The arbiter is unavailable: \(reason)."
        }
    }

    /// The reason without an introduction and a full stop, for use in another message.
    package var reason: String {
        switch self {
        case .refused(let refusal): refusal.description
        case .unavailable(let reason): reason
        }
    }
}
