import SessionPolicy

/// One decided event: the state before it, the action, and the resulting transition.
struct Decision {
    var before: PolicyState
    var action: PolicyAction
    var after: Policy.Transition

    /// The session whose app asks to deactivate it, if the action is that.
    var leaver: SessionID? {
        if case .deactivate(let id, _) = action { id } else { nil }
    }
}

/// Invariants of every decision: of the transition from one state to the next and of its
/// notifications.
enum DecisionInvariants {
    static func broken(by decision: Decision) -> [String] {
        all.filter { !$0.holds(decision) }.map(\.name)
    }

    static let all: [(name: String, holds: @Sendable (Decision) -> Bool)] = [
        ("a notification begins and ends every wait", waitsAreNotified),  // INT-3, INT-5
        ("an interrupter is active", interruptersAreActive),  // ACT-12, INT-2
        ("only DUCK-4 lets an app interrupt a mixable session", mixableIsNotInterrupted),  // ACT-3
        ("no session waits for one that has deactivated", noWaitForDeactivated),  // ACT-8, ACT-10
        // ACT-8
        ("a deactivation without notice notifies no waiting session", silentDeactivationNotifiesNone),
        // INT-3, INT-7, INT-10
        ("no session is asked to resume that may not", noFalseResumeRecommendation),
        ("every mute has a live cause", mutesHaveCause),  // ACT-12, CAT-4, VOL-2, VOL-3
        // DUCK-1, DUCK-6, DUCK-7
        ("every session that is to be ducked is ducked", othersAreDucked),
        ("a ducked session shares an output with a ducker", duckersShareOutput),  // DUCK-6
        ("hints go to foreground apps with an active session", hintsGoToForeground),  // HINT-2
        ("all notifications follow one order", effectsAreOrdered),  // ACT-11, INT-1, INT-11
        ("a route names only ports of its app's server", routesUseOwnServer),  // ROUTE-2
    ]

    @Sendable private static func waitsAreNotified(_ decision: Decision) -> Bool {
        decision.after.state.sessions.allSatisfy { session in
            let waited = decision.before[session.id]?.wait != nil
            guard waited != (session.wait != nil) else { return true }
            if session.wait != nil {
                return decision.notifies(session.id) { if case .interruptionBegan = $0 { true } else { false } }
            }
            return decision.leaver == session.id || decision.suspends(session)
                || decision.notifies(session.id) { kind in
                    switch kind {
                    case .interruptionEnded, .waitLapsed, .activated: true
                    default: false
                    }
                }
        }
    }

    @Sendable private static func interruptersAreActive(_ decision: Decision) -> Bool {
        decision.after.effects.allSatisfy { effect in
            guard case .interruptionBegan(let reason) = effect.kind else { return true }
            guard let by = effect.by else { return reason != .default }
            return decision.after.state[by]?.isActive == true
        }
    }

    @Sendable private static func mixableIsNotInterrupted(_ decision: Decision) -> Bool {
        decision.after.effects.allSatisfy { effect in
            guard case .interruptionBegan = effect.kind, let by = effect.by,
                decision.after.state[by]?.rank == .app, decision.after.state[effect.session]?.isMixable == true
            else { return true }
            return effect.rule == .duck4
                // ACT-18
                || (effect.rule == .act18 && decision.after.state[by]?.isConversation == true)
        }
    }

    @Sendable private static func noWaitForDeactivated(_ decision: Decision) -> Bool {
        var left = Set(
            decision.after.effects.filter { $0.kind == .deactivated || $0.kind == .waitLapsed }.map(\.session))
        if let leaver = decision.leaver { left.insert(leaver) }
        return left.allSatisfy { id in
            decision.after.state[id]?.isActive == true
                || decision.after.state.sessions.allSatisfy { $0.wait?.interrupter != id }
        }
    }

    @Sendable private static func silentDeactivationNotifiesNone(_ decision: Decision) -> Bool {
        guard case .deactivate(let id, notifyOthers: false) = decision.action, decision.before[id]?.rank == .app else {
            return true
        }
        return decision.after.effects.allSatisfy { effect in
            if case .interruptionEnded = effect.kind { false } else { true }
        }
    }

    @Sendable private static func noFalseResumeRecommendation(_ decision: Decision) -> Bool {
        if case .userPaused(let id) = decision.action, decision.after.state[id]?.wait?.mayResume == true {
            return false
        }
        return !decision.recommendsResumingFalsely
    }

    @Sendable private static func mutesHaveCause(_ decision: Decision) -> Bool {
        let (state, active) = (decision.after.state, decision.after.state.active)
        return zip(state.sessions, decision.after.resolvedGrants).allSatisfy { session, resolvedGrant in
            guard resolvedGrant.grant.isMuted else { return true }
            let traits = session.configuration.category.traits
            return !traits.hasOutput || session.isOutputMuted
                || (state.silentSwitch.isOn && (traits.obeysSilentSwitch || session.isRinging))
                || (session.isMixable
                    && active.contains {
                        $0.id != session.id && $0.configuration.category == .record && $0.idleRelease != .all
                    })
        }
    }

    /// Checks each session's route, and the previous route that a notification reports.
    @Sendable private static func routesUseOwnServer(_ decision: Decision) -> Bool {
        let (before, after) = (decision.before, decision.after.state)
        guard (before.devices + after.devices).contains(where: { $0.server != nil }) else { return true }
        func sees(_ route: Route, _ devices: [AudioDevice], of servers: [String?]) -> Bool {
            let ports = devices.filter { $0.server == nil || servers.contains($0.server) }.flatMap(\.ports)
            return (route.inputs + route.outputs).allSatisfy(ports.contains)
        }
        return after.sessions.allSatisfy {
            sees(after.route(of: $0), after.devices, of: [after.app($0.app).server])
        }
            && decision.after.effects.allSatisfy { effect in
                guard case .routeChanged(let previous, _) = effect.kind, let session = after[effect.session] else {
                    return true
                }
                // The previous route of an app that has changed servers belongs to the server that
                // it left.
                let servers = [before.app(session.app).server, after.app(session.app).server]
                return sees(previous, before.devices + after.devices, of: servers)
            }
    }

    @Sendable private static func othersAreDucked(_ decision: Decision) -> Bool {
        let state = decision.after.state
        return zip(state.sessions, decision.after.resolvedGrants).allSatisfy { session, resolvedGrant in
            guard session.configuration.mode != .measurement, !session.configuration.ducksOthers else { return true }
            let isDucked = state.active.contains {
                $0.id != session.id && $0.configuration.ducksOthers && $0.rank >= session.rank
                    && $0.ducksNow && state.share($0, session)
            }
            if session.isConversation { return resolvedGrant.grant.attenuation == 0 }
            return !isDucked || resolvedGrant.grant.attenuation > 0
        }
    }

    @Sendable private static func duckersShareOutput(_ decision: Decision) -> Bool {
        let state = decision.after.state
        return zip(state.sessions, decision.after.resolvedGrants).allSatisfy { session, resolvedGrant in
            guard resolvedGrant.grant.attenuation > 0 else { return true }
            return state.active.contains { ducker in
                // ACT-5: a call lowers playback on every output.
                if ducker.rank == .call || ducker.isConversation { return true }
                guard ducker.ducksNow else { return false }
                let ducks = ducker.configuration.ducksOthers || ducker.configuration.interruptsSpokenAudio
                return ducker.id != session.id && ducks && state.share(ducker, session)
            }
        }
    }

    @Sendable private static func hintsGoToForeground(_ decision: Decision) -> Bool {
        let state = decision.after.state
        return decision.after.effects.allSatisfy { effect in
            guard case .silenceSecondaryAudioHint = effect.kind else { return true }
            guard let session = state[effect.session], session.isActive else { return false }
            return state.app(session.app).life == .foreground && !state.isScreenLocked
        }
    }

    /// Checks the order of effects. Interruptions precede the start that caused them, a
    /// deactivation precedes the ends of interruptions that it causes, grants precede ends
    /// (ACT-14), and changed sessions come last, by id. A listener of several sessions thus
    /// receives them in one consistent order.
    @Sendable private static func effectsAreOrdered(_ decision: Decision) -> Bool {
        let effects = decision.after.effects
        var changed: SessionID?
        var hinted = false
        for (index, effect) in effects.enumerated() {
            let later = effects[(index + 1)...]
            switch effect.kind {
            case .stateChanged:
                if let changed, effect.session <= changed { return false }
                changed = effect.session
                continue
            case .silenceSecondaryAudioHint: hinted = true
            case .interruptionBegan(.default):
                // The session that starts is notified after all sessions that it interrupts.
                if effects[..<index].contains(where: { $0.kind == .activated && $0.session == effect.by }) {
                    return false
                }
            case .interruptionEnded, .waitLapsed:
                if later.contains(where: { $0.kind == .deactivated && $0.session == effect.by }) { return false }
            case .deactivatedBySystem:
                if later.first != Effect(effect.session, .deactivated, .act7) { return false }
            default: break
            }
            if changed != nil { return false }
            if hinted, !effect.isHint { return false }
        }
        return true
    }
}

extension PolicyState {
    /// Returns whether two sessions have an output in common, or the outputs of one are not known.
    fileprivate func share(_ one: SessionState, _ other: SessionState) -> Bool {
        let servers = [one, other].map { app($0.app).server }
        let virtual = Set(devices.filter { $0.server == nil }.flatMap(\.ports).map(\.uid))
        let isKnown = zip([one, other], servers).allSatisfy { session, server in
            session.app != .system && (server != nil || !virtual.isEmpty)
        }
        let uids = [one, other].map { Set(route(of: $0).outputs.map(\.uid)) }
        let common = uids[0].intersection(uids[1])
        return !isKnown || !(servers[0] == servers[1] ? common : common.intersection(virtual)).isEmpty
    }
}

extension Decision {
    fileprivate func notifies(_ id: SessionID, _ which: (Effect.Kind) -> Bool) -> Bool {
        after.effects.contains { $0.session == id && which($0.kind) }
    }

    /// Whether an effect recommends resuming although the action ends the interrupter without
    /// recommending that, or the waiting session may not resume.
    fileprivate var recommendsResumingFalsely: Bool {
        after.effects.contains { effect in
            guard effect.kind == .interruptionEnded(shouldResume: true) else { return false }
            if case .endSystemSession(_, shouldResume: false) = action { return true }
            return before[effect.session]?.wait?.mayResume != true
        }
    }

    /// Whether the action suspends the session's app. A suspended app waits for no session (BG-3)
    /// and gets no notification of that.
    fileprivate func suspends(_ session: SessionState) -> Bool {
        if case .setApplicationState(session.app, .suspended) = action { true } else { false }
    }
}
