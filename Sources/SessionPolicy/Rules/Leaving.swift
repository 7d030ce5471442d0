/// Leaving, and those who waited (rules ACT-7, ACT-8, ACT-10, ACT-12, INT-3, INT-4).
extension Arbitration {
    /// Deactivates; an inactive session gives up its wait and its place in others' way (keeps ACT-7, ACT-8, ACT-10).
    mutating func deactivate(_ id: SessionID, _ departure: Departure) throws(Refusal) {
        let session = try session(id)
        if session.isActive { tell(id, .deactivated, .act7) }
        if session.isActive || session.wait != nil { state[id]?.activity = .inactive(since: now) }
        state[id]?.isInputRunning = false
        state.activeOrder.removeAll { $0 == id }
        state.pendingActivations.removeAll { $0 == id }
        // ACT-8: system sessions never leave in silence.
        release(waitersFor: id, session.rank.isSystem && departure == .silent ? .withNotice : departure)
    }

    /// Forgets sessions that are gone; they leave with notice, also if they waited (keeps ACT-12).
    mutating func forget(_ ids: [SessionID], _ departure: Departure = .withNotice) {
        state.activeOrder.removeAll(where: ids.contains)
        state.pendingActivations.removeAll(where: ids.contains)
        for id in ids { state[id] = nil }
        for id in ids { release(waitersFor: id, departure) }
    }

    /// Lets those go who waited for a session that left, or that no longer stands in their way (keeps ACT-8).
    mutating func release(waitersFor rival: SessionID, _ departure: Departure) {
        // ACT-14: before any end is told.
        grantPending()
        releaseWaiters(for: rival, departure)
    }

    mutating func releaseWaiters(for rival: SessionID, _ departure: Departure) {
        for waiter in state.waiters(for: rival) {
            guard var session = state[waiter], var wait = session.wait, wait.rival == rival else { continue }
            if let rival = state[rival], rival.isActive, rival.ruleForInterrupting(session) != nil { continue }
            wait.mayResume = wait.mayResume && departure == .withNotice
            session.activity = .waiting(wait)
            state[waiter] = session
            endWait(of: waiter, departure, by: rival)
        }
    }

    /// What a session waited for is gone: it waits for the next one in its way, or for nobody any more (keeps ACT-8).
    mutating func endWait(of waiter: SessionID, _ departure: Departure, by rival: SessionID?) {
        guard var session = state[waiter], var wait = session.wait else { return }
        if let (next, rule) = state.obstacle(for: session) {
            wait.rival = next
            wait.rule = rule
            session.activity = .waiting(wait)
            state[waiter] = session
            tell(waiter, .waitMoved, .act8, by: next)
        } else {
            session.activity = .inactive(since: now)
            state[waiter] = session
            tellEnd(of: waiter, wait, departure, by: rival)
        }
    }

    /// Tells the end (keeps INT-3), or, after a rival that left in silence, lets the wait lapse and with it the waits for the waiter.
    private mutating func tellEnd(
        of waiter: SessionID, _ wait: SessionState.Wait, _ departure: Departure, by rival: SessionID?
    ) {
        if departure == .silent {
            tell(waiter, .waitLapsed, .act8, by: rival)
            releaseWaiters(for: waiter, .silent)
        } else {
            tell(waiter, .interruptionEnded(shouldResume: wait.mayResume), .int3, by: rival)
        }
    }
}

extension PolicyState {
    /// The active session that stands in a waiting one's way: of the highest rank, the newest.
    fileprivate func obstacle(for session: SessionState) -> (SessionID, Rule)? {
        var found: (state: SessionState, rule: Rule)?
        for rival in active where rival.id != session.id {
            guard let rule = rival.ruleForInterrupting(session) else { continue }
            if let present = found, present.state.rank > rival.rank { continue }
            found = (rival, rule)
        }
        return found.map { ($0.state.id, $0.rule) }
    }
}
