/// Activation and what counts as one (rules ACT-1…6, ACT-10, CAT-3, INT-5).
extension Arbitration {
    /// Grants or refuses an activation (keeps ACT-1 and ACT-10).
    mutating func activate(_ id: SessionID) throws(Refusal) {
        let session = try session(id)
        guard !session.isActive else { return }
        try checkPriority(of: session)
        try checkBackground(of: session)
        try checkInputExists(for: session)
        take(id)
        tell(id, .activated, session.wait == nil ? .act1 : .int5)
        followCategory(of: id)
    }

    /// Activates, or, if another session keeps it from that, remembers that it asked (keeps ACT-14).
    mutating func requestActivation(_ id: SessionID) throws(Refusal) {
        do throws(Refusal) {
            try activate(id)
        } catch {
            guard error.by != nil else { throw error }
            if !state.pendingActivations.contains(id) { state.pendingActivations.append(id) }
        }
    }

    /// Grants, in the order they asked, to those whose activation is allowed by now and interrupts nobody (keeps ACT-14).
    mutating func grantPending() {
        for id in state.pendingActivations {
            guard let session = state[id], (try? checkPriority(of: session)) != nil,
                (try? checkBackground(of: session)) != nil, (try? checkInputExists(for: session)) != nil,
                !state.active.contains(where: { session.ruleForInterrupting($0) != nil })
            else { continue }
            take(id)
            tell(id, .activated, .act14)
            followCategory(of: id)
        }
    }

    /// Replaces an active session's part by a changed one, as if it were activated anew (keeps CAT-3); an inactive one's takes effect
    /// at activation (CAT-2).
    mutating func replace(_ session: SessionState) throws(Refusal) {
        guard session.isActive else {
            state[session.id] = session
            return
        }
        try checkPriority(of: session)
        try checkBackground(of: session)
        // ROUTE-9: an input that was pulled out since is no reason to refuse other changes.
        if session.configuration.category != state[session.id]?.configuration.category {
            try checkInputExists(for: session)
        }
        state[session.id] = session
        take(session.id)
        followCategory(of: session.id)
        if session.isStoppedByMicrophone(state) { interruptByMicrophone(session.id) }
    }

    /// Keeps ACT-5.
    func checkPriority(of session: SessionState) throws(Refusal) {
        guard let rival = state.active.last(where: { $0.id != session.id && $0.keepsFromActivating(session) }) else {
            return
        }
        throw Refusal(
            .insufficientPriority, .act5, by: rival.id,
            """
            \(session.id) asked to be active with category \(session.configuration.category.rawValue) while \(rival.id), \
            \(rival.isRinging ? "a ringing call" : "of rank \(rival.rank)"), is active; try again when it has ended\
            \(rival.rank == .call && !rival.isRinging ? " (category playback may play during a call)" : "").
            """)
    }

    /// Makes the session the newest active one and interrupts those in its way; its own wait, if any, ends without a word (INT-5).
    private mutating func take(_ id: SessionID) {
        guard var session = state[id] else { return }
        session.activity = .active(since: now)
        state[id] = session
        state.activeOrder.removeAll { $0 == id }
        state.pendingActivations.removeAll { $0 == id }
        interruptRivals(of: session)
        state.activeOrder.append(id)
        // CAT-3: those who waited for it while it was primary, and need not any longer.
        releaseWaiters(for: id, .silent)
    }

    /// Interrupts every active session that this one goes before (keeps ACT-2, ACT-3, ACT-4, DUCK-4, INT-6).
    mutating func interruptRivals(of session: SessionState) {
        for rival in state.active where rival.id != session.id {
            guard let rule = session.ruleForInterrupting(rival) else { continue }
            interrupt(rival.id, .default, rule, by: session.id)
        }
    }

    mutating func interrupt(_ id: SessionID, _ reason: InterruptionReason, _ rule: Rule, by rival: SessionID?) {
        // ROUTE-5: an override ends with an interruption.
        state[id]?.isOverriddenToSpeaker = false
        state[id]?.activity = .waiting(.init(rival: rival, rule: rule, reason: reason, since: now))
        state.activeOrder.removeAll { $0 == id }
        tell(id, .interruptionBegan(reason), rule, by: rival)
    }

    /// Posts a route change when the category in force is another one (keeps CAT-2, CAT-3).
    private mutating func followCategory(of id: SessionID) {
        guard var session = state[id], session.routedCategory != session.configuration.category else { return }
        var before = session
        before.configuration = Configuration(category: session.routedCategory)
        session.routedCategory = session.configuration.category
        state[id] = session
        tell(id, .routeChanged(previous: state.route(of: before), .categoryChange), .cat3)
    }
}
