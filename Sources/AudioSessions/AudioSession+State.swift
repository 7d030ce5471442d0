internal import SessionArbiter
internal import SessionPolicy

/// The session's state, the reasons for it, and its last refused request (ACT-13).
extension AudioSession {
    /// The arbiter's current grant to this session.
    public var state: State { State(status?.session, status?.resolvedGrant) }

    /// Whether the session is active: activated and neither interrupted nor deactivated since. An
    /// active session may be ducked or muted (`state`).
    public var isActive: Bool { registered.isActive }

    /// The last refused request; nil once the session's state at the arbiter has changed: its
    /// activity, configuration or preferred values, or whether it plays or records (keeps ACT-13).
    public var lastRefusal: Refusal? { registered.lastRefusal }

    /// Explains the session's state: one sentence per reason, then the last refusal
    /// (`lastRefusal`). Empty when the session runs at full level and no request was refused (keeps
    /// ACT-13). If the session could not be created, the result is one sentence that says so.
    public func explain() -> [String] {
        guard let id = registered.id else { return ["The session could not be created."] }
        return host.arbiter.explain(id) + [lastRefusal?.sentence(of: id.rawValue)].compactMap(\.self)
    }
}
