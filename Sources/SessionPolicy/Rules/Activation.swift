/// Activation, and the changes that count as an activation (rules ACT-1…6, ACT-10, CAT-3, INT-5).
extension Arbitration {
    /// Activates a session and interrupts those in its way, or throws if a rule refuses. An active
    /// session stays as it is (keeps ACT-1 and ACT-10).
    mutating func activate(_ id: SessionID) throws(Refusal) {
        let session = try session(id)
        guard !session.isActive else { return }
        try checkPriority(of: session)
        try checkBackground(of: session)
        try checkInputExists(for: session)
        makeActive(id)
        notify(id, .activated, session.wait == nil ? .act1 : .int5)
        reportCategoryChange(of: id)
    }

    /// Activates a session. If another session prevents that, records the request as pending; any
    /// other refusal is thrown (keeps ACT-14).
    mutating func requestActivation(_ id: SessionID) throws(Refusal) {
        do throws(Refusal) {
            try activate(id)
        } catch {
            guard error.by != nil else { throw error }
            if !state.pendingActivations.contains(id) { state.pendingActivations.append(id) }
        }
    }

    /// Activates pending sessions, in the order of their requests, if they may now be active
    /// without interrupting another session (keeps ACT-14).
    mutating func grantPending() {
        for id in state.pendingActivations {
            guard let session = state[id], (try? checkPriority(of: session)) != nil,
                (try? checkBackground(of: session)) != nil, (try? checkInputExists(for: session)) != nil,
                !state.active.contains(where: { session.ruleForInterrupting($0) != nil })
            else { continue }
            makeActive(id)
            notify(id, .activated, .act14)
            reportCategoryChange(of: id)
        }
    }

    /// Stores a session whose configuration, output mute or ringing has changed. If it is active,
    /// the change counts as a new activation and may be refused (keeps CAT-3); otherwise it takes
    /// effect at the next activation (CAT-2). A session that may no longer continue with a muted
    /// microphone is interrupted (INT-10).
    mutating func replace(_ session: SessionState) throws(Refusal) {
        guard session.isActive else {
            state[session.id] = session
            return
        }
        try checkPriority(of: session)
        try checkBackground(of: session)
        // ROUTE-9: an input that was disconnected in the meantime does not prevent other changes.
        if session.configuration.category != state[session.id]?.configuration.category {
            try checkInputExists(for: session)
        }
        state[session.id] = session
        makeActive(session.id)
        reportCategoryChange(of: session.id)
        if session.isStoppedByMicrophone(state) { interruptByMicrophone(session.id) }
    }

    /// Throws if an active session of higher rank prevents this one from activating (keeps ACT-5).
    func checkPriority(of session: SessionState) throws(Refusal) {
        guard let blocker = state.active.last(where: { $0.id != session.id && $0.keepsFromActivating(session) }) else {
            return
        }
        throw Refusal(
            .insufficientPriority, .act5, by: blocker.id,
            """
            \(session.id) cannot activate with category \(session.configuration.category.rawValue) while \
            \(blocker.id) (\(blocker.isRinging ? "a ringing call" : "rank \(blocker.rank)")) is active. \
            Try again when it has ended\
            \(blocker.rank == .call && !blocker.isRinging ? "; category playback is allowed" : "").
            """)
    }

    /// Makes the session the most recent active one, and interrupts the sessions over which it
    /// takes precedence. If the session was itself interrupted, its wait ends without a
    /// notification (INT-5).
    private mutating func makeActive(_ id: SessionID) {
        guard var session = state[id] else { return }
        session.activity = .active(since: now)
        state[id] = session
        state.activeOrder.removeAll { $0 == id }
        state.pendingActivations.removeAll { $0 == id }
        interruptOthers(of: session)
        state.activeOrder.append(id)
        // CAT-3: a change of configuration may end the precedence over sessions that wait for this
        // one. Such a wait ends without a notification, or continues for another session.
        releaseWaiters(for: id, .silent)
    }

    /// Interrupts the other active sessions that this session interrupts by some rule (keeps ACT-2,
    /// ACT-3, ACT-4, DUCK-4, INT-6).
    mutating func interruptOthers(of session: SessionState) {
        for other in state.active where other.id != session.id {
            guard let rule = session.ruleForInterrupting(other) else { continue }
            interrupt(other.id, .default, rule, by: session.id)
        }
    }

    /// Interrupts an active session and notifies it. It then waits for `interrupter`; with nil it
    /// waits for no other session (INT-10, ROUTE-4).
    mutating func interrupt(_ id: SessionID, _ reason: InterruptionReason, _ rule: Rule, by interrupter: SessionID?) {
        // ROUTE-5: an interruption ends the override to the speaker.
        state[id]?.isOverriddenToSpeaker = false
        state[id]?.activity = .waiting(.init(interrupter: interrupter, rule: rule, reason: reason, since: now))
        state.activeOrder.removeAll { $0 == id }
        notify(id, .interruptionBegan(reason), rule, by: interrupter)
    }

    /// Reports a route change if the category is not the one that the last reported route belongs
    /// to (keeps CAT-2, CAT-3).
    private mutating func reportCategoryChange(of id: SessionID) {
        guard var session = state[id], session.routedCategory != session.configuration.category else { return }
        var before = session
        before.configuration = Configuration(category: session.routedCategory)
        session.routedCategory = session.configuration.category
        state[id] = session
        notify(id, .routeChanged(previous: state.route(of: before), .categoryChange), .cat3)
    }
}
