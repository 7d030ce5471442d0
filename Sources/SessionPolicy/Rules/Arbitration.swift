/// The state while one event is decided, and the effects to deliver.
///
/// Each group of rules extends this type in a separate file. A rule that refuses throws; the copy
/// is then discarded, so that a refusal changes nothing.
struct Arbitration {
    var state: PolicyState
    var effects: [Effect] = []
    /// The sessions that were notified of the end of their interruption in this decision (ACT-8).
    var resuming: [SessionID] = []
    let settings: PolicySettings
    let now: EventTime

    var precedence: Precedence { Precedence(settings) }

    func session(_ id: SessionID) throws(Refusal) -> SessionState {
        guard let session = state[id] else { throw .unknown(id) }
        return session
    }

    mutating func notify(_ session: SessionID, _ kind: Effect.Kind, _ rule: Rule, by: SessionID? = nil) {
        effects.append(Effect(session, kind, rule, by: by))
    }
}
