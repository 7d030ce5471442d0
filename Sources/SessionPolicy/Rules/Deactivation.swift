/// Deactivation, and the sessions that waited for it (rules ACT-7, ACT-8, ACT-10, ACT-12, INT-3,
/// INT-4).
extension Arbitration {
    /// Deactivates a session: stops its input, ends its wait, and cancels its pending request for
    /// activation. Releases the sessions that wait for it. An inactive session without a wait stays
    /// inactive (keeps ACT-7, ACT-8, ACT-10).
    mutating func deactivate(_ id: SessionID, _ kind: DeactivationKind) throws(Refusal) {
        let session = try session(id)
        if session.isActive { notify(id, .deactivated, .act7) }
        makeInactive(id)
        // ACT-8: the deactivation of a system session is never silent.
        release(waitersFor: [id], session.rank.isSystem && kind == .silent ? .withNotice : kind)
    }

    /// Deactivates sessions that their apps' state forbids to run, with notice (keeps BG-1, BG-2,
    /// BG-3). All of them are inactive before a waiting session is notified, so that none of them
    /// is notified of an end because of another.
    mutating func deactivateBySystem(_ sessions: [SessionState], _ rule: Rule) {
        for session in sessions {
            if session.isActive {
                notify(session.id, .deactivatedBySystem, rule)
                notify(session.id, .deactivated, .act7)
            } else if session.wait != nil {
                notify(session.id, .waitLapsed, rule)
            }
            makeInactive(session.id)
        }
        release(waitersFor: sessions.map(\.id), .withNotice)
    }

    /// Makes a session inactive, stops its input, ends its wait and cancels its pending request.
    private mutating func makeInactive(_ id: SessionID) {
        guard let session = state[id] else { return }
        if session.isActive || session.wait != nil { state[id]?.activity = .inactive(since: now) }
        state[id]?.isInputRunning = false
        state.activeOrder.removeAll { $0 == id }
        state.pendingActivations.removeAll { $0 == id }
    }

    /// Removes sessions that are gone, and releases the sessions that waited for them (keeps
    /// ACT-12).
    mutating func forget(_ ids: [SessionID], _ kind: DeactivationKind = .withNotice) {
        reportWaking(after: ids)
        state.activeOrder.removeAll(where: ids.contains)
        state.pendingActivations.removeAll(where: ids.contains)
        for id in ids { state[id] = nil }
        release(waitersFor: ids, kind)
    }

    /// Grants pending activations, then releases the sessions that waited for those that have
    /// deactivated or are gone (keeps ACT-8, ACT-14).
    mutating func release(waitersFor interrupters: [SessionID], _ kind: DeactivationKind) {
        // ACT-4: the system's sessions come first, so that no app starts before an alarm sounds.
        releaseWaiters(for: interrupters, kind) { $0.rank.isSystem }
        // ACT-14: pending activations are granted before the end of an interruption is reported.
        grantPending()
        releaseWaiters(for: interrupters, kind)
    }

    /// Ends the waits for `interrupters`, that of the session interrupted last first, except for an
    /// interrupter that is active and still stands in the way. The end of an interruption
    /// recommends resuming only if every interrupter notified others.
    mutating func releaseWaiters(
        for interrupters: [SessionID], _ kind: DeactivationKind,
        where isIncluded: (SessionState) -> Bool = { _ in true }
    ) {
        for waiter in waiters(for: interrupters) {
            guard var session = state[waiter], var wait = session.wait, let interrupter = wait.interrupter,
                interrupters.contains(interrupter), isIncluded(session)
            else { continue }
            if let interrupter = state[interrupter], interrupter.isActive,
                precedence.stillBlocks(interrupter, session, waitingBy: wait.rule)
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
    /// it, or one that has just been notified of its end would conflict with it, it waits for that
    /// one; otherwise its interruption ends (keeps ACT-8). A system session is then active again
    /// (keeps ACT-4).
    mutating func endWait(of waiter: SessionID, _ kind: DeactivationKind, by interrupter: SessionID?) {
        guard var session = state[waiter], var wait = session.wait else { return }
        if let (next, rule) = activeInterrupter(of: session) ?? resumingInterrupter(of: session, kind) {
            wait.interrupter = next
            wait.rule = rule
            session.activity = .waiting(wait)
            state[waiter] = session
            notify(waiter, .waitMoved, .act8, by: next)
        } else if session.rank.isSystem {
            // ACT-4: only its owner or the user ends a system session.
            makeActive(waiter)
            notify(waiter, .activated, .act4)
        } else {
            session.activity = .inactive(since: now)
            state[waiter] = session
            notifyEnd(of: waiter, wait, kind, by: interrupter)
        }
    }

    /// Reports the end of the interruption (keeps INT-3). If the interrupter deactivated without
    /// notifying others, the wait lapses instead, and so do the waits of sessions that wait for
    /// this one. A session that may not run in the current state of its app is not asked to
    /// resume, and no session waits for it any longer.
    private mutating func notifyEnd(
        of waiter: SessionID, _ wait: SessionState.Wait, _ kind: DeactivationKind, by interrupter: SessionID?
    ) {
        if kind == .silent {
            notify(waiter, .waitLapsed, .act8, by: interrupter)
            releaseWaiters(for: [waiter], .silent)
        } else if let session = state[waiter], mayReturn(session) {
            resuming.append(waiter)
            notify(waiter, .interruptionEnded(shouldResume: wait.mayResume), .int3, by: interrupter)
        } else {
            notify(waiter, .interruptionEnded(shouldResume: false), .int3, by: interrupter)
            releaseWaiters(for: [waiter], kind)
        }
    }

    /// Returns the session that was notified of its end in this decision and would conflict with
    /// one whose wait ends, and the rule (keeps ACT-8). Nil if there is none, or if the wait only
    /// lapses.
    private func resumingInterrupter(of session: SessionState, _ kind: DeactivationKind) -> (SessionID, Rule)? {
        guard kind != .silent else { return nil }
        let level = precedence.level(of: session)
        for other in resuming.compactMap({ state[$0] }) where precedence.level(of: other) >= level {
            if let rule = precedence.rule(by: other, interrupting: session) { return (other.id, rule) }
            if precedence.rule(by: session, interrupting: other) != nil { return (other.id, .act8) }
        }
        return nil
    }
}

extension Arbitration {
    /// Returns the sessions that wait for one of these, in the order in which their waits end: the
    /// highest level first, of one level the one interrupted last (keeps ACT-8). Of those
    /// interrupted at the same time, sessions that interrupt spoken audio come after it.
    private func waiters(for interrupters: [SessionID]) -> [SessionID] {
        let waiters = state.sessions.compactMap { session in
            session.wait.flatMap { wait in
                wait.interrupter.map(interrupters.contains) == true ? (session, wait.since) : nil
            }
        }
        return waiters.sorted { (first, second) in
            let (a, b) = (first.0, second.0)
            let (aLevel, bLevel) = (precedence.level(of: a), precedence.level(of: b))
            if aLevel != bLevel { return aLevel > bLevel }
            if first.1 != second.1 { return first.1 > second.1 }
            let (aPrompts, bPrompts) = (a.configuration.interruptsSpokenAudio, b.configuration.interruptsSpokenAudio)
            return aPrompts == bPrompts ? a.id < b.id : bPrompts
        }.map(\.0.id)
    }

    /// Returns the active session that a waiting one must wait for, and the rule: of those that
    /// take precedence over it, the newest of the highest level. Nil if there is none.
    private func activeInterrupter(of session: SessionState) -> (SessionID, Rule)? {
        var best: (state: SessionState, rule: Rule)?
        for candidate in state.active where candidate.id != session.id {
            guard let rule = precedence.rule(by: candidate, interrupting: session) else { continue }
            if let best, precedence.level(of: best.state) > precedence.level(of: candidate) { continue }
            best = (candidate, rule)
        }
        return best.map { ($0.state.id, $0.rule) }
    }
}
