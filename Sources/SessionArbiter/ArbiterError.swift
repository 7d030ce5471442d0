public import SessionPolicy

/// Why an arbiter did not do what it was asked.
public enum ArbiterError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A rule says no; nothing changed.
    case refused(Refusal)
    /// The arbiter cannot be asked, or the machine cannot serve; nothing changed.
    case unavailable(String)

    public var description: String {
        switch self {
        case .refused(let refusal): refusal.description
        case .unavailable(let reason): "The arbiter cannot serve: \(reason)."
        }
    }
}
