/// Activation, and the changes that count as an activation (rules ACT-1…6, ACT-10, CAT-3, INT-5).
extension Arbitration {
    /// Activates a session and interrupts those in its way, or throws if a rule refuses. An active
    /// session stays as it is (keeps ACT-1 and ACT-10), unless its silence has released others: for
    /// them it activates again (ACT-17).
    mutating func activate(_ id: SessionID) throws(Refusal) {
        let session = try session(id)
        try checkOrdinary(session)
        guard !session.isActive else {
            if session.idleRelease != .none { try reactivate(id) }
            return
        }
        try checkPriority(of: session)
        try checkBackground(of: session)
        try checkInputExists(for: session)
        makeActive(id)
        notify(id, .activated, session.wait == nil ? .act1 : .int5)
        reportRouteChange(of: id)
        // CAT-3: the session may have become mixable while it was inactive.
        release(waitersFor: [id], .silent)
    }

    /// Activates a session. If another session prevents that, records the request as pending.
    /// Throws only what would also refuse the activation if no other session were active (keeps
    /// ACT-14).
    mutating func requestActivation(_ id: SessionID) throws(Refusal) {
        do throws(Refusal) {
            try activate(id)
        } catch {
            let session = try session(id)
            // ACT-17: one that is active and released is arbitrated again when it sounds.
            guard !session.isActive else { return }
            try checkOrdinary(session)
            try checkApplicationState(of: session)
            try checkInputExists(for: session)
            if !state.pendingActivations.contains(id) { state.pendingActivations.append(id) }
        }
    }

    /// Activates pending sessions, in the order of their requests, if they may now be active
    /// without interrupting another session (keeps ACT-14). None of them starts during a call, not
    /// even if it could be activated then (ACT-5).
    mutating func grantPending() {
        var granted: [SessionID] = []
        for id in state.pendingActivations {
            guard let session = state[id],
                !state.active.contains(where: { precedence.keeps($0, fromActivating: session, isDelayed: true) }),
                (try? checkBackground(of: session)) != nil, (try? checkInputExists(for: session)) != nil,
                !state.active.contains(where: { precedence.rule(by: session, interrupting: $0) != nil })
            else { continue }
            makeActive(id)
            notify(id, .activated, .act14)
            reportRouteChange(of: id)
            granted.append(id)
        }
        releaseWaiters(for: granted, .silent)
    }

    /// Stores a session whose configuration, output mute or ringing has changed. If it is active,
    /// the change is arbitrated for what it makes stronger, and may be refused (keeps CAT-3);
    /// otherwise it takes effect at the next activation (CAT-2). A session that may no longer
    /// continue with a muted microphone is interrupted (INT-10).
    mutating func replace(_ session: SessionState) throws(Refusal) {
        let old = try self.session(session.id)
        let previous = state.route(of: old)
        guard session.isActive else {
            state[session.id] = session
            // Another category is reported when it takes effect, at the next activation (CAT-2).
            if session.routedCategory == session.configuration.category {
                reportRouteChange(of: session.id, from: previous)
            }
            return
        }
        try checkChange(from: old, to: session)
        state[session.id] = session
        state[session.id]?.activity = .active(since: now)
        if state.active.contains(where: { precedence.affects($0, session, moreThan: old) }) {
            makeActive(session.id, replacing: old)
        }
        reportRouteChange(of: session.id, from: previous)
        if isStoppedByMicrophone(session) { interruptByMicrophone(session.id) }
        // CAT-3: a session that has become mixable no longer keeps others waiting.
        release(waitersFor: [session.id], .silent)
    }

    /// Throws if a rule refuses a change of an active session. What applied to the session before
    /// the change refuses nothing (keeps CAT-3).
    private func checkChange(from old: SessionState, to session: SessionState) throws(Refusal) {
        if (try? checkPriority(of: old)) != nil { try checkPriority(of: session) }
        if mayReturn(old) { try checkApplicationState(of: session) }
        if old.isMixable { try checkBackgroundInterruption(by: session) }
        // ROUTE-9: an input that was disconnected in the meantime does not prevent other changes.
        if session.configuration.category != old.configuration.category { try checkInputExists(for: session) }
    }

    /// Throws if an active session of higher rank prevents this one from activating (keeps ACT-5).
    func checkPriority(of session: SessionState) throws(Refusal) {
        guard
            let blocker = state.active.last(where: {
                $0.id != session.id && precedence.keeps($0, fromActivating: session)
            })
        else { return }
        let isConversation = blocker.rank == .app
        throw Refusal(
            .insufficientPriority, isConversation ? .act18 : .act5, by: blocker.id,
            """
            \(session.id) cannot activate with category \(session.configuration.category.rawValue) while \
            \(blocker.id) (\(blocker.isRinging ? "a ringing call" : isConversation ? "a conversation" : "rank \(blocker.rank)")) \
            is active. Try again when it has ended\(precedence.isCall(blocker) ? "; category playback is allowed" : "").
            """)
    }

    /// Makes the session the most recent active one, and interrupts the sessions over which it
    /// takes precedence, except by a rule by which `old`, the session before a change, already did
    /// (CAT-3). If the session was itself interrupted, its wait ends without a notification
    /// (INT-5).
    mutating func makeActive(_ id: SessionID, replacing old: SessionState? = nil) {
        guard var session = state[id] else { return }
        session.activity = .active(since: now)
        state[id] = session
        state.activeOrder.removeAll { $0 == id }
        state.pendingActivations.removeAll { $0 == id }
        interruptOthers(of: session, replacing: old)
        // ACT-5, SRV-3: what plays during a call that changes was activated after it, and stays so.
        let playing = state.active.filter { precedence.rule(by: session, interrupting: $0) != nil }.map(\.id)
        state.activeOrder.removeAll { playing.contains($0) }
        state.activeOrder += [id] + playing
    }

    /// Interrupts the other active sessions that this session interrupts by some rule (keeps ACT-2,
    /// ACT-3, ACT-4, DUCK-4, INT-6).
    mutating func interruptOthers(of session: SessionState, replacing old: SessionState? = nil) {
        for other in state.active where other.id != session.id {
            guard let rule = precedence.rule(by: session, interrupting: other),
                rule != old.flatMap({ precedence.rule(by: $0, interrupting: other) })
            else { continue }
            interrupt(other.id, .default, rule, by: session.id)
        }
    }

    /// Interrupts an active session and notifies it. It then waits for `interrupter`; with nil it
    /// waits for no other session (INT-10, ROUTE-4).
    mutating func interrupt(_ id: SessionID, _ reason: InterruptionReason, _ rule: Rule, by interrupter: SessionID?) {
        guard var session = state[id] else { return }
        let previous = session.isOverriddenToSpeaker ? state.route(of: session) : nil
        // ROUTE-5: an interruption ends the override to the speaker.
        session.isOverriddenToSpeaker = false
        session.activity = .waiting(.init(interrupter: interrupter, rule: rule, reason: reason, since: now))
        state[id] = session
        state.activeOrder.removeAll { $0 == id }
        notify(id, .interruptionBegan(reason), rule, by: interrupter)
        if let previous, state.route(of: session) != previous {
            notify(id, .routeChanged(previous: previous, .override), .route5)
        }
    }

    /// Reports a route change if the category is not the one that the last reported route belongs
    /// to (keeps CAT-2, CAT-3), or if mode and options have changed the route from `previous`
    /// (keeps ROUTE-3).
    private mutating func reportRouteChange(of id: SessionID, from previous: Route? = nil) {
        guard var session = state[id] else { return }
        if session.routedCategory != session.configuration.category {
            var before = session
            before.configuration = Configuration(category: session.routedCategory)
            session.routedCategory = session.configuration.category
            state[id] = session
            notify(id, .routeChanged(previous: previous ?? state.route(of: before), .categoryChange), .cat3)
        } else if let previous, previous != state.route(of: session) {
            notify(id, .routeChanged(previous: previous, .categoryChange), .route3)
        }
    }
}
