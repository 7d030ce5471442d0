import SessionPolicy

/// One event decided: what was before, what was asked, what came of it.
struct Decision {
    var before: PolicyState
    var action: PolicyAction
    var after: Policy.Transition

    /// The session whose app asked to leave, if the event is that.
    var leaver: SessionID? {
        if case .deactivate(let id, _) = action { id } else { nil }
    }
}

/// What holds of every decision: of the way from one state to the next, and of what is told on it.
enum DecisionInvariants {
    static func broken(by decision: Decision) -> [String] {
        all.filter { !$0.holds(decision) }.map(\.name)
    }

    static let all: [(name: String, holds: @Sendable (Decision) -> Bool)] = [
        ("every wait begins with a begin and ends with a word", waitsAreTold),  // INT-3, INT-5
        ("who interrupts is active", interruptersAreActive),  // ACT-12, INT-2
        ("a mixable session is interrupted by no app but by DUCK-4", mixableIsSpared),  // ACT-3
        ("who left has nobody waiting for it", leaversAreFree),  // ACT-8, ACT-10
        ("a silent departure ends no wait with a notification", silenceStaysSilent),  // ACT-8
        ("who may not resume is not asked to", noFalseResumption),  // INT-3, INT-7, INT-10
        ("nobody muted without a living cause", mutesLive),  // ACT-12, CAT-4, VOL-2, VOL-3
        ("who is to be ducked is ducked", duckersDuck),  // DUCK-1, DUCK-7
        ("hints go to foreground apps with an active session", hintsAreInForeground),  // HINT-2
        ("the order of notifications is one order", oneOrder),  // ACT-11, INT-1, INT-11
        ("nobody's route names a port of a server that is not its app's", routesAreSeen),  // ROUTE-2
    ]

    @Sendable private static func waitsAreTold(_ decision: Decision) -> Bool {
        decision.after.state.sessions.allSatisfy { session in
            let waited = decision.before[session.id]?.wait != nil
            guard waited != (session.wait != nil) else { return true }
            if session.wait != nil {
                return decision.tells(session.id) { if case .interruptionBegan = $0 { true } else { false } }
            }
            return decision.leaver == session.id || decision.suspends(session)
                || decision.tells(session.id) { kind in
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

    @Sendable private static func mixableIsSpared(_ decision: Decision) -> Bool {
        decision.after.effects.allSatisfy { effect in
            guard case .interruptionBegan = effect.kind, let by = effect.by,
                decision.after.state[by]?.rank == .app, decision.after.state[effect.session]?.isMixable == true
            else { return true }
            return effect.rule == .duck4
        }
    }

    @Sendable private static func leaversAreFree(_ decision: Decision) -> Bool {
        var left = Set(
            decision.after.effects.filter { $0.kind == .deactivated || $0.kind == .waitLapsed }.map(\.session))
        if let leaver = decision.leaver { left.insert(leaver) }
        return left.allSatisfy { id in
            decision.after.state[id]?.isActive == true
                || decision.after.state.sessions.allSatisfy { $0.wait?.rival != id }
        }
    }

    @Sendable private static func silenceStaysSilent(_ decision: Decision) -> Bool {
        guard case .deactivate(let id, notifyOthers: false) = decision.action, decision.before[id]?.rank == .app else {
            return true
        }
        return decision.after.effects.allSatisfy { effect in
            if case .interruptionEnded = effect.kind { false } else { true }
        }
    }

    @Sendable private static func noFalseResumption(_ decision: Decision) -> Bool {
        if case .userPaused(let id) = decision.action, decision.after.state[id]?.wait?.mayResume == true {
            return false
        }
        return !decision.asksFalsely
    }

    @Sendable private static func mutesLive(_ decision: Decision) -> Bool {
        let (state, active) = (decision.after.state, decision.after.state.active)
        return zip(state.sessions, decision.after.standings).allSatisfy { session, standing in
            guard standing.verdict.isMuted else { return true }
            let traits = session.configuration.category.traits
            return !traits.hasOutput || session.isOutputMuted
                || (state.silentSwitch.isOn && (traits.obeysSilentSwitch || session.isRinging))
                || (session.isMixable
                    && active.contains { $0.id != session.id && $0.configuration.category == .record })
        }
    }

    /// The route, and the one that it was by what is told.
    @Sendable private static func routesAreSeen(_ decision: Decision) -> Bool {
        let (before, after) = (decision.before, decision.after.state)
        guard (before.devices + after.devices).contains(where: { $0.server != nil }) else { return true }
        func sees(_ route: Route, _ devices: [Device], of servers: [String?]) -> Bool {
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
                // What an app that has moved left behind is a route of the server that it left.
                let servers = [before.app(session.app).server, after.app(session.app).server]
                return sees(previous, before.devices + after.devices, of: servers)
            }
    }

    @Sendable private static func duckersDuck(_ decision: Decision) -> Bool {
        let state = decision.after.state
        return zip(state.sessions, decision.after.standings).allSatisfy { session, standing in
            guard session.configuration.mode != .measurement, !session.configuration.ducksOthers else { return true }
            let isDucked = state.active.contains {
                $0.id != session.id && $0.configuration.ducksOthers && $0.rank >= session.rank
            }
            return !isDucked || standing.verdict.attenuation > 0
        }
    }

    @Sendable private static func hintsAreInForeground(_ decision: Decision) -> Bool {
        let state = decision.after.state
        return decision.after.effects.allSatisfy { effect in
            guard case .silenceSecondaryAudioHint = effect.kind else { return true }
            guard let session = state[effect.session], session.isActive else { return false }
            return state.app(session.app).life == .foreground && !state.isScreenLocked
        }
    }

    /// Silence comes before the start that asked for it, a departure before the ends that it brings, grants before ends (ACT-14), and
    /// last, by id, who is not as before. So whoever listens to several sessions hears one story.
    @Sendable private static func oneOrder(_ decision: Decision) -> Bool {
        let effects = decision.after.effects
        var changed: SessionID?
        var hinted = false
        for (place, effect) in effects.enumerated() {
            let later = effects[(place + 1)...]
            switch effect.kind {
            case .stateChanged:
                if let changed, effect.session <= changed { return false }
                changed = effect.session
                continue
            case .silenceSecondaryAudioHint: hinted = true
            case .interruptionBegan(.default):
                // Who starts is told after all those whom it silences.
                if effects[..<place].contains(where: { $0.kind == .activated && $0.session == effect.by }) {
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

extension Decision {
    fileprivate func tells(_ id: SessionID, _ which: (Effect.Kind) -> Bool) -> Bool {
        after.effects.contains { $0.session == id && which($0.kind) }
    }

    /// Asks one to resume who was told to pause, or whose rival left so that nobody shall.
    fileprivate var asksFalsely: Bool {
        after.effects.contains { effect in
            guard effect.kind == .interruptionEnded(shouldResume: true) else { return false }
            if case .endSystemSession(_, shouldResume: false) = action { return true }
            return before[effect.session]?.wait?.mayResume != true
        }
    }

    /// A suspended app waits for nobody (BG-3), and is told nothing of it.
    fileprivate func suspends(_ session: SessionState) -> Bool {
        if case .setApplicationState(session.app, .suspended) = action { true } else { false }
    }
}
