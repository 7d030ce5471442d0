/// A state made of what those concerned hold, when the arbiter that knew it has died (rule SRV-3).
extension Policy {
    /// The state that these records come from, if they are of one moment. They need not be: each client holds the last that reached it, and
    /// may have died together with the arbiter. Then the grants decide: of two that cannot be active together the older one waits, as if
    /// it had been interrupted now; a wait for who is not there ends as by death (ACT-12); and what a record cannot say counts as
    /// not said. Of two records with one id the first counts, the system's before the clients'.
    ///
    /// The effects are what is to be told beyond the records. Keeps SRV-3.
    public func rebuild(_ system: SystemRecord, _ sessions: [SessionRecord], at time: EventTime) -> Transition {
        var arbitration = Arbitration(state: PolicyState(), settings: settings, now: time)
        let records = arbitration.admitted(system, sessions)
        arbitration.restore(system)
        arbitration.restoreApps(system, records)
        arbitration.forgetUnnamedServers()
        for record in records {
            let id = record.session.id
            arbitration.state[id] = record.session.suited(arbitration.state, settings, at: time)
        }
        var recorded = arbitration.state
        for record in records { recorded[record.session.id] = record.session }
        recorded.activeOrder = records.filter(\.session.isActive).inOrder(of: \.grant)
        recorded.pendingActivations = records.filter { $0.pending != nil }.inOrder { $0.pending ?? 0 }

        arbitration.settle(records)
        arbitration.grantPending()
        let held = records.compactMap { record in record.standing.map { (record.session.id, $0) } }
        return conclude(
            arbitration, from: recorded, standings(in: recorded),
            held: Dictionary(held, uniquingKeysWith: { first, _ in first }))
    }
}

extension Arbitration {
    /// Goes through what the records claim, in the order of the grants.
    fileprivate mutating func settle(_ records: [SessionRecord]) {
        var stopped: [SessionID] = []
        for id in records.filter(\.session.isActive).inOrder(of: \.grant) {
            if let rule = ruleForStopping(id) {
                stop(id, rule)
                stopped.append(id)
            } else {
                claim(id)
            }
        }
        stopByMicrophone()
        let asking = records.filter { $0.pending != nil && state[$0.session.id]?.isActive == false }
        state.pendingActivations = asking.inOrder { $0.pending ?? 0 }
        // ACT-14: before any end is told.
        grantPending()
        for id in stopped { releaseWaiters(for: id, .withNotice) }
        for id in records.inOrder(of: \.grant).reversed() { settleWait(of: id) }
        if !state.isDoNotDisturbOn { setDoNotDisturb(false) }
    }

    /// Gives an active session its place again; the newer grant goes first, but for a higher rank (keeps ACT-2, ACT-4, ACT-5).
    private mutating func claim(_ id: SessionID) {
        guard let session = state[id] else { return }
        if let ruler = state.active.last(where: { $0.keepsFromActivating(session) }) {
            interrupt(id, .default, ruler.ruleForInterrupting(session) ?? .act4, by: ruler.id)
        } else {
            interruptRivals(of: session)
            state.activeOrder.append(id)
        }
    }

    /// Why a session may not be active where its app is by now; nil when it may, or when the foreground was lent to it once: that it
    /// ran out stops nobody (ACT-16).
    private func ruleForStopping(_ id: SessionID) -> Rule? {
        guard let session = state[id], !state.mayRun(session) else { return nil }
        if isSuspended(session) { return .bg3 }
        guard session.foregroundLentUntil == nil else { return nil }
        return state.app(session.app).life == .foreground ? .bg2 : .bg1
    }

    private mutating func stop(_ id: SessionID, _ rule: Rule) {
        tell(id, .deactivatedBySystem, rule)
        tell(id, .deactivated, .act7)
        state[id]?.activity = .inactive(since: now)
        state[id]?.isInputRunning = false
        if rule == .bg3 { state[id]?.wasSuspended = true }
    }

    private func isSuspended(_ session: SessionState) -> Bool {
        session.app != .system && state.app(session.app).life == .suspended
    }

    /// Keeps INT-10: who became active before the microphone was muted would not run on. Who did so later runs on, and hears zeros.
    private mutating func stopByMicrophone() {
        for session in state.active where session.isStoppedByMicrophone(state) {
            guard case .active(let since) = session.activity, since < state.microphoneMute.since else { continue }
            interruptByMicrophone(session.id)
        }
    }

    /// A wait without a cause ends: as by the cause's death (keeps ACT-8, ACT-12), or as by the microphone's switch (INT-10).
    private mutating func settleWait(of id: SessionID) {
        guard let session = state[id], let wait = session.wait else { return }
        if isSuspended(session) {
            // BG-3: who is suspended waits for nobody.
            try? deactivate(id, .withNotice)
        } else if wait.rival == nil {
            guard wait.rule != .route4, wait.rule != .int10 || !state.microphoneMute.isOn else { return }
            endWait(of: id, wait.rule == .int10 ? .withNoticeNotToResume : .withNotice, by: nil)
        } else if !endsSomewhere(session) {
            endWait(of: id, .withNotice, by: wait.rival)
        }
    }

    /// Whether a session waits for one that exists and may go before it, and not, by way of others, for itself.
    private func endsSomewhere(_ session: SessionState) -> Bool {
        guard var rival = session.wait?.rival.flatMap({ state[$0] }), rival.rank >= session.rank else { return false }
        for _ in state.sessions {
            if rival.id == session.id { return false }
            guard let next = rival.wait?.rival.flatMap({ state[$0] }) else { return true }
            rival = next
        }
        return true
    }
}

extension Sequence<SessionRecord> {
    /// The sessions by a number, and where numbers are equal by id.
    fileprivate func inOrder(of number: (SessionRecord) -> UInt64) -> [SessionID] {
        map { (number($0), $0.session.id) }.sorted { $0 < $1 }.map(\.1)
    }
}
