/// Rebuilding the state from the records of clients when the arbiter has died (rule SRV-3).
extension Policy {
    /// Returns the state that the previous arbiter had, rebuilt from the records that it left and
    /// the clients hold.
    ///
    /// The records may contradict each other: each client holds the last update that reached it,
    /// and some clients may have died together with the arbiter. Contradictions are then resolved
    /// by the order of the grants. Of two sessions that cannot be active together, the one of lower
    /// rank, or of equal ranks the one with the older grant, waits as if it had been interrupted
    /// now. A wait for a session that does not exist ends as if that session had died (ACT-12). A
    /// value that no session can have is replaced by its default. If two records have the same id,
    /// the first counts; the system's records come first.
    ///
    /// The effects are the notifications that the records do not yet reflect. Keeps SRV-3.
    public func rebuild(_ system: SystemRecord, _ sessions: [SessionRecord], at time: EventTime) -> Transition {
        var arbitration = Arbitration(state: PolicyState(), settings: settings, now: time)
        let records = arbitration.firstValidRecords(system, sessions)
        arbitration.restore(system)
        arbitration.restoreApps(system, records)
        arbitration.forgetUnnamedServers()
        for record in records {
            let id = record.session.id
            arbitration.state[id] = record.session.sanitized(arbitration.state, settings, at: time)
        }
        var recorded = arbitration.state
        for record in records { recorded[record.session.id] = record.session }
        recorded.activeOrder = records.filter(\.session.isActive).inOrder(of: \.grantNumber)
        recorded.pendingActivations = records.filter { $0.pending != nil }.inOrder { $0.pending ?? 0 }

        arbitration.resolve(records)
        arbitration.grantPending()
        arbitration.updateSilence(since: recorded)
        let held = records.compactMap { record in record.resolvedGrant.map { (record.session.id, $0) } }
        return conclude(
            arbitration, from: recorded, resolvedGrants(in: recorded),
            held: Dictionary(held, uniquingKeysWith: { first, _ in first }))
    }
}

extension Arbitration {
    /// Decides which of the recorded sessions are active, in the order of their grants. Then
    /// applies the muted microphone, grants pending activations, ends the waits that have no cause,
    /// and activates deferred sessions if do-not-disturb is off.
    fileprivate mutating func resolve(_ records: [SessionRecord]) {
        var stopped: [SessionID] = []
        for id in records.filter(\.session.isActive).inOrder(of: \.grantNumber) {
            if let rule = ruleForbiddingActivity(of: id) {
                stop(id, rule)
                stopped.append(id)
            } else {
                activateOrInterrupt(id)
            }
        }
        stopByMicrophone()
        let pending = records.filter { record in
            let session = state[record.session.id]
            return record.pending != nil && session?.isActive == false && session?.playsSystemSounds == false
        }
        state.pendingActivations = pending.inOrder { $0.pending ?? 0 }
        // ACT-14: pending activations are granted before the end of an interruption is reported.
        grantPending()
        releaseWaiters(for: stopped, .withNotice)
        // ACT-8: the highest level first, and of one level the one interrupted last.
        let newestFirst = records.inOrder(of: \.grantNumber).reversed().compactMap { state[$0] }
        // A wait that ends may have been the cause of another one.
        for _ in newestFirst {
            let before = state
            for level in Precedence.Level.allCases.reversed() {
                for session in newestFirst where precedence.level(of: session) == level {
                    endWaitWithoutCause(of: session.id)
                }
            }
            guard state != before else { break }
        }
        if !state.isDoNotDisturbOn { setDoNotDisturb(false) }
    }

    /// Makes a session active again if it may be. The newer grant takes precedence, except over a
    /// higher rank (keeps ACT-2, ACT-4, ACT-5).
    private mutating func activateOrInterrupt(_ id: SessionID) {
        guard let session = state[id] else { return }
        if let blocker = state.active.last(where: { precedence.keeps($0, fromActivating: session) }) {
            interrupt(id, .default, precedence.rule(by: blocker, interrupting: session) ?? .act4, by: blocker.id)
        } else {
            interruptOthers(of: session)
            state.activeOrder.append(id)
        }
    }

    /// Returns the rule that forbids a session to be active in the current state of its app, or nil
    /// if it may be active. A session that activated under a temporary foreground grant stays
    /// active when that grant expires (ACT-16).
    private func ruleForbiddingActivity(of id: SessionID) -> Rule? {
        guard let session = state[id] else { return nil }
        if session.playsSystemSounds { return .play4 }
        guard !state.mayRun(session) else { return nil }
        if isSuspended(session) { return .bg3 }
        guard session.temporaryForegroundUntil == nil else { return nil }
        return state.app(session.app).life == .foreground ? .bg2 : .bg1
    }

    /// Deactivates a session that the state of its app forbids to be active, and notifies it.
    private mutating func stop(_ id: SessionID, _ rule: Rule) {
        notify(id, .deactivatedBySystem, rule)
        notify(id, .deactivated, .act7)
        state[id]?.activity = .inactive(since: now)
        state[id]?.isInputRunning = false
        if rule == .bg3 { state[id]?.wasSuspended = true }
    }

    private func isSuspended(_ session: SessionState) -> Bool {
        session.app != .system && state.app(session.app).life == .suspended
    }

    /// Interrupts the sessions that became active before the microphone was muted (keeps INT-10). A
    /// session that became active later continues, and receives zeros.
    private mutating func stopByMicrophone() {
        for session in state.active where isStoppedByMicrophone(session) {
            guard case .active(let since) = session.activity, since < state.microphoneMute.since else { continue }
            interruptByMicrophone(session.id)
        }
    }

    /// Ends a session's wait if nothing in the rebuilt state causes it: as if the interrupter had
    /// died (keeps ACT-8, ACT-12), or as if unmuting the microphone had ended it (INT-10). The wait
    /// after a disconnected output (ROUTE-4) continues, because it has no end.
    private mutating func endWaitWithoutCause(of id: SessionID) {
        guard let session = state[id], let wait = session.wait else { return }
        if session.playsSystemSounds || !state.allowsAudio(of: session), let rule = ruleForbiddingActivity(of: id) {
            // BG-1, BG-2, BG-3, PLAY-4: a session that may not run waits for no other.
            deactivateBySystem([session], rule)
        } else if wait.interrupter == nil {
            guard wait.rule != .route4, wait.rule != .int10 || !state.microphoneMute.isOn else { return }
            endWait(of: id, wait.rule == .int10 ? .withNoticeNotToResume : .withNotice, by: nil)
        } else if !hasValidInterrupter(session) {
            endWait(of: id, .withNotice, by: wait.interrupter)
        }
    }

    /// Returns whether a waiting session has an interrupter that exists and is in its way: active
    /// and of precedence, or free to return. False if the chain of interrupters contains the
    /// session itself.
    private func hasValidInterrupter(_ session: SessionState) -> Bool {
        guard let wait = session.wait, var interrupter = wait.interrupter.flatMap({ state[$0] }),
            interrupter.rank >= session.rank,
            interrupter.isActive
                ? precedence.stillBlocks(interrupter, session, waitingBy: wait.rule)
                : state.allowsAudio(of: interrupter) || interrupter.temporaryForegroundUntil != nil
        else { return false }
        for _ in state.sessions {
            if interrupter.id == session.id { return false }
            guard let next = interrupter.wait?.interrupter.flatMap({ state[$0] }) else { return true }
            interrupter = next
        }
        return true
    }
}

extension Sequence<SessionRecord> {
    /// Returns the session ids in ascending order of a number; ids decide between equal numbers.
    fileprivate func inOrder(of number: (SessionRecord) -> UInt64) -> [SessionID] {
        map { (number($0), $0.session.id) }.sorted { $0 < $1 }.map(\.1)
    }
}
