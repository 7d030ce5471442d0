/// One event being decided: the state as it becomes, and what is to be told.
///
/// Rules are extensions of it, one file a group. A rule that refuses throws; the copy is then dropped, so a refusal changes nothing.
struct Arbitration {
    var state: PolicyState
    var effects: [Effect] = []
    let settings: PolicySettings
    let now: EventTime

    func session(_ id: SessionID) throws(Refusal) -> SessionState {
        guard let session = state[id] else { throw .unknown(id) }
        return session
    }

    mutating func tell(_ session: SessionID, _ kind: Effect.Kind, _ rule: Rule, by: SessionID? = nil) {
        effects.append(Effect(session, kind, rule, by: by))
    }
}
