internal import SessionArbiter
public import SessionPolicy

/// `audiosession interrupt` and `audiosession call`: sessions of the system's own that last until a command ends them (SIM-1, INT-6).
public struct Interruptions {
    private let desk: any ArbiterDesk

    public init(_ desk: any ArbiterDesk) { self.desk = desk }

    // MARK: interrupt

    public func begin(_ rank: Rank) throws(SwitchboardError) -> Done {
        let id = try begin(rank, isRinging: false)
        let session = try desk.report().status(of: id).session
        let isHeldBack = session.isHeldBack ? "; it waits, since do-not-disturb is on" : ""
        return Done(
            "interrupt begin", "The interruption has begun: \(session.systemName)\(isHeldBack).", session: id.rawValue)
    }

    /// Ends the newest that `begin` began, of that rank if one is given.
    public func end(_ rank: Rank?, shouldResume: Bool) throws(SwitchboardError) -> Done {
        let rung = try rungCalls()
        let kept = try desk.report().keptSessions
        let candidates = kept.filter { !$0.isRinging && !rung.contains($0.id) && (rank == nil || $0.rank == rank) }
        guard let last = candidates.last else {
            let call = kept.last { $0.isRinging || rung.contains($0.id) }
            let advice = call.map { call in
                "; \(call.systemName) is ended by `audiosession call \(call.isRinging ? "decline" : "end")`"
            }
            throw SwitchboardError(
                .usage,
                """
                No interruption\(rank.map { " of rank \($0)" } ?? "") that `audiosession interrupt begin` began goes on, so none can end\
                \(advice ?? "; begin one first").
                """)
        }
        try desk.submit(.endSystemSession(last.id, shouldResume: shouldResume))
        return Done(
            "interrupt end",
            "The interruption is over: \(last.systemName)\(shouldResume ? "" : "; nobody is told to resume").",
            session: last.id.rawValue)
    }

    // MARK: call

    public func ring() throws(SwitchboardError) -> Done {
        let id = try begin(.call, isRinging: true)
        let session = try desk.report().status(of: id).session
        let words =
            session.isHeldBack
            ? "Call \(id.rawValue) rings, but do-not-disturb is on: nobody is disturbed until it is accepted."
            : "Call \(id.rawValue) rings."
        return Done("call ring", words, session: id.rawValue)
    }

    public func accept() throws(SwitchboardError) -> Done {
        let call = try ringingCall("accepted")
        try desk.submit(.acceptCall(call.id))
        return Done("call accept", "Call \(call.id.rawValue) is accepted.", session: call.id.rawValue)
    }

    public func decline() throws(SwitchboardError) -> Done {
        let call = try ringingCall("declined")
        try desk.submit(.endSystemSession(call.id, shouldResume: true))
        return Done("call decline", "Call \(call.id.rawValue) is declined.", session: call.id.rawValue)
    }

    /// Ends the newest call that was accepted.
    public func hangUp() throws(SwitchboardError) -> Done {
        let others = try begunCalls()
        let kept = try desk.report().keptSessions.filter { $0.rank == .call }
        guard let call = kept.last(where: { !$0.isRinging && !others.contains($0.id) }) else {
            let other = kept.last.map { call in
                call.isRinging
                    ? "; \(call.systemName) is ended by `audiosession call decline`"
                    : "; \(call.systemName) is ended by `audiosession interrupt end`"
            }
            throw SwitchboardError(
                .usage, "No call goes on, so none can end\(other ?? "; `audiosession call ring` begins one").")
        }
        try desk.submit(.endSystemSession(call.id, shouldResume: true))
        return Done("call end", "Call \(call.id.rawValue) is over.", session: call.id.rawValue)
    }

    // MARK: Which is which

    private func begin(_ rank: Rank, isRinging: Bool) throws(SwitchboardError) -> SessionID {
        try desk.ask(
            .beginSystemSession(rank: rank, isRinging: isRinging, isKept: true), for: \.session,
            "a session of the system's")
    }

    private func ringingCall(_ what: String) throws(SwitchboardError) -> SessionState {
        if let call = try desk.report().keptSessions.last(where: { $0.isRinging }) { return call }
        throw SwitchboardError(
            .usage, "No call rings, so none can be \(what); `audiosession call ring` lets one ring.")
    }

    /// Calls that rang at first, as far as the log goes back. Of an older one nobody knows; both commands end it.
    private func rungCalls() throws(SwitchboardError) -> Set<SessionID> { try calls { $0 } }

    /// Calls that never rang, likewise.
    private func begunCalls() throws(SwitchboardError) -> Set<SessionID> { try calls { !$0 } }

    private func calls(_ matches: (_ isRinging: Bool) -> Bool) throws(SwitchboardError) -> Set<SessionID> {
        Set(
            try desk.decisions().compactMap { decision in
                guard case .beginSystemSession(let id, .call, let isRinging) = decision.event.action else { return nil }
                return matches(isRinging) ? id : nil
            })
    }
}
