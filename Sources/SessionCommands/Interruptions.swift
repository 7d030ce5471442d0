internal import SessionArbiter
public import SessionPolicy

/// `audiosession interrupt` and `audiosession call`: system sessions that last until a command ends
/// them (SIM-1, INT-6).
public struct Interruptions {
    private let arbiter: any ArbiterClient

    public init(_ arbiter: any ArbiterClient) { self.arbiter = arbiter }

    // MARK: interrupt

    /// Begins an interruption of that rank.
    public func begin(_ rank: Rank) throws(CommandError) -> ChangeResult {
        let id = try begin(rank, isRinging: false)
        let session = try arbiter.report().status(of: id).session
        let delay = session.wait == nil ? "" : "; it waits until the session of higher rank has ended"
        return ChangeResult(
            "interrupt begin", "Interruption began: \(session.systemName)\(delay).", session: id.rawValue)
    }

    /// Ends the newest interruption that `begin` began; with a rank, the newest of that rank.
    public func end(_ rank: Rank?, shouldResume: Bool) throws(CommandError) -> ChangeResult {
        let rang = try callsThatRang()
        let sessions = try arbiter.report().persistentSystemSessions
        // Calls that rang are ended with `audiosession call`.
        let candidates = sessions.filter { !$0.isRinging && !rang.contains($0.id) && (rank == nil || $0.rank == rank) }
        guard let last = candidates.last else {
            let call = sessions.last { $0.isRinging || rang.contains($0.id) }
            let advice = call.map { call in
                "; end \(call.systemName) with `audiosession call \(call.isRinging ? "decline" : "end")`"
            }
            throw CommandError(
                .usage,
                """
                No interruption\(rank.map { " of rank \($0)" } ?? "") that `audiosession interrupt begin` began is \
                active\(advice ?? "; begin one first").
                """)
        }
        try arbiter.submit(.endSystemSession(last.id, shouldResume: shouldResume))
        return ChangeResult(
            "interrupt end",
            "Interruption ended: \(last.systemName)\(shouldResume ? "" : "; sessions should not resume").",
            session: last.id.rawValue)
    }

    // MARK: call

    /// Begins a ringing call.
    public func ring() throws(CommandError) -> ChangeResult {
        let id = try begin(.call, isRinging: true)
        let session = try arbiter.report().status(of: id).session
        let text =
            session.isDeferred
            ? "Call \(id.rawValue) is ringing, but do-not-disturb is on: it interrupts no session until it is accepted."
            : "Call \(id.rawValue) is ringing."
        return ChangeResult("call ring", text, session: id.rawValue)
    }

    /// Accepts the newest ringing call.
    public func accept() throws(CommandError) -> ChangeResult {
        let call = try ringingCall("accepted")
        try arbiter.submit(.acceptCall(call.id))
        return ChangeResult("call accept", "Call \(call.id.rawValue) is accepted.", session: call.id.rawValue)
    }

    /// Declines the newest ringing call.
    public func decline() throws(CommandError) -> ChangeResult {
        let call = try ringingCall("declined")
        try arbiter.submit(.endSystemSession(call.id, shouldResume: true))
        return ChangeResult("call decline", "Call \(call.id.rawValue) is declined.", session: call.id.rawValue)
    }

    /// Ends the newest accepted call, or the newest call that is older than the log.
    public func hangUp() throws(CommandError) -> ChangeResult {
        let neverRang = try callsThatNeverRang()
        let calls = try arbiter.report().persistentSystemSessions.filter { $0.rank == .call }
        guard let call = calls.last(where: { !$0.isRinging && !neverRang.contains($0.id) }) else {
            let advice = calls.last.map { call in
                call.isRinging
                    ? "; end \(call.systemName) with `audiosession call decline`"
                    : "; end \(call.systemName) with `audiosession interrupt end`"
            }
            throw CommandError(
                .usage, "No accepted call is active\(advice ?? "; start one with `audiosession call ring`").")
        }
        try arbiter.submit(.endSystemSession(call.id, shouldResume: true))
        return ChangeResult("call end", "Call \(call.id.rawValue) has ended.", session: call.id.rawValue)
    }

    // MARK: Finding sessions

    /// Begins a system session that persists after this command and returns its number.
    private func begin(_ rank: Rank, isRinging: Bool) throws(CommandError) -> SessionID {
        try arbiter.ask(
            .beginSystemSession(rank: rank, isRinging: isRinging, isKept: true), for: \.session,
            "a system session")
    }

    /// Returns the newest ringing call. `participle` ("accepted") completes the error message.
    private func ringingCall(_ participle: String) throws(CommandError) -> SessionState {
        if let call = try arbiter.report().persistentSystemSessions.last(where: { $0.isRinging }) { return call }
        throw CommandError(
            .usage, "No call is ringing, so none can be \(participle); start one with `audiosession call ring`.")
    }

    /// Returns the calls that began with ringing, according to the log. The log does not show how
    /// an older call began, so both `interrupt end` and `call end` end it.
    private func callsThatRang() throws(CommandError) -> Set<SessionID> { try loggedCalls { $0 } }

    /// Returns the calls that began without ringing, according to the log.
    private func callsThatNeverRang() throws(CommandError) -> Set<SessionID> { try loggedCalls { !$0 } }

    /// Returns the calls in the log whose beginning `matches`: whether they began with ringing.
    private func loggedCalls(_ matches: (_ isRinging: Bool) -> Bool) throws(CommandError) -> Set<SessionID> {
        Set(
            try arbiter.decisions().compactMap { decision in
                guard case .beginSystemSession(let id, .call, let isRinging) = decision.event.action else { return nil }
                return matches(isRinging) ? id : nil
            })
    }
}
