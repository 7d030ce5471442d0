/// Deactivation, and the sessions that waited for it (rules ACT-7, ACT-8, ACT-10, ACT-12, INT-3,
/// INT-4).
extension Arbitration {
    /// Deactivates a session: stops its input, ends its wait, and cancels its pending request for
    /// activation. Releases the sessions that wait for it. An inactive session without a wait stays
    /// inactive (keeps ACT-7, ACT-8, ACT-10).
    mutating func deactivate(_ id: SessionID, _ kind: DeactivationKind) throws(Refusal) {
        let session = try session(id)
        if session.isActive { notify(id, .deactivated, .act7) }
        if session.isActive || session.wait != nil { state[id]?.activity = .inactive(since: now) }
        state[id]?.isInputRunning = false
        state.activeOrder.removeAll { $0 == id }
        state.pendingActivations.removeAll { $0 == id }
        // ACT-8: the deactivation of a system session is never silent.
        release(waitersFor: id, session.rank.isSystem && kind == .silent ? .withNotice : kind)
    }

    /// Removes sessions that are gone, and releases the sessions that waited for them (keeps
    /// ACT-12).
    mutating func forget(_ ids: [SessionID], _ kind: DeactivationKind = .withNotice) {
        state.activeOrder.removeAll(where: ids.contains)
        state.pendingActivations.removeAll(where: ids.contains)
        for id in ids { state[id] = nil }
        for id in ids { release(waitersFor: id, kind) }
    }

    /// Grants pending activations, then releases the sessions that waited for one that has
    /// deactivated or is gone (keeps ACT-8, ACT-14).
    mutating func release(waitersFor interrupter: SessionID, _ kind: DeactivationKind) {
        // ACT-14: pending activations are granted before the end of an interruption is reported.
        grantPending()
        releaseWaiters(for: interrupter, kind)
    }

    /// Ends the wait of each session that waits for `interrupter`, unless that one is active and
    /// still takes precedence over it. The end of the interruption recommends resuming only if
    /// every interrupter notified others.
    mutating func releaseWaiters(for interrupter: SessionID, _ kind: DeactivationKind) {
        for waiter in state.waiters(for: interrupter) {
            guard var session = state[waiter], var wait = session.wait, wait.interrupter == interrupter else {
                continue
            }
            if let interrupter = state[interrupter], interrupter.isActive,
                interrupter.ruleForInterrupting(session) != nil
            {
                continue
            }
            wait.mayResume = wait.mayResume && kind == .withNotice
            session.activity = .waiting(wait)
            state[waiter] = session
            endWait(of: waiter, kind, by: interrupter)
        }
    }

    /// Ends a session's wait for its interrupter. If another active session takes precedence over
    /// it, it waits for that one; otherwise its interruption ends (keeps ACT-8).
    mutating func endWait(of waiter: SessionID, _ kind: DeactivationKind, by interrupter: SessionID?) {
        guard var session = state[waiter], var wait = session.wait else { return }
        if let (next, rule) = state.interrupter(of: session) {
            wait.interrupter = next
            wait.rule = rule
            session.activity = .waiting(wait)
            state[waiter] = session
            notify(waiter, .waitMoved, .act8, by: next)
        } else {
            session.activity = .inactive(since: now)
            state[waiter] = session
            notifyEnd(of: waiter, wait, kind, by: interrupter)
        }
    }

    /// Reports the end of the interruption (keeps INT-3). If the interrupter deactivated without
    /// notifying others, the wait lapses instead, and so do the waits of sessions that wait for
    /// this one.
    private mutating func notifyEnd(
        of waiter: SessionID, _ wait: SessionState.Wait, _ kind: DeactivationKind, by interrupter: SessionID?
    ) {
        if kind == .silent {
            notify(waiter, .waitLapsed, .act8, by: interrupter)
            releaseWaiters(for: waiter, .silent)
        } else {
            notify(waiter, .interruptionEnded(shouldResume: wait.mayResume), .int3, by: interrupter)
        }
    }
}

extension PolicyState {
    /// Returns the active session that a waiting one must wait for, and the rule: of those that
    /// take precedence over it, the newest of the highest rank. Nil if there is none.
    fileprivate func interrupter(of session: SessionState) -> (SessionID, Rule)? {
        var best: (state: SessionState, rule: Rule)?
        for candidate in active where candidate.id != session.id {
            guard let rule = candidate.ruleForInterrupting(session) else { continue }
            if let best, best.state.rank > candidate.rank { continue }
            best = (candidate, rule)
        }
        return best.map { ($0.state.id, $0.rule) }
    }
}
