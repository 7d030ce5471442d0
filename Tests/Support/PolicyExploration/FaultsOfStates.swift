import SessionPolicy

private let playback = Configuration(category: .playback)
private let mixing = Configuration(category: .playback, requestedOptions: .mixWithOthers)

extension InjectedFault {
    /// Faults that show in a state.
    static let ofStates: [InjectedFault] = [
        InjectedFault(
            "every ducked session has a live ducker", "a ducker that is not audible ducks",
            [.keyedDuck, .reconfiguration],
            .twisted { policy, _, _, answer in
                var state = answer.state
                for session in state.sessions { state[session.id]?.ducksOnlyWhileAudible = false }
                answer.resolvedGrants = policy.resolvedGrants(in: state)
            }),
        InjectedFault(
            "every ducked session has a live ducker", "a deactivated ducker continues to duck",
            .twisted { policy, action, before, answer in
                guard case .deactivate(let id, _) = action, before[id]?.configuration.ducksOthers == true else {
                    return
                }
                for (index, resolvedGrant) in policy.resolvedGrants(in: before).enumerated() {
                    answer.resolvedGrants[index].grant.attenuation = resolvedGrant.grant.attenuation
                }
            }),
        InjectedFault(
            "every wait has a live cause", "a waiting session is not notified of a death", [.deaths],
            .twisted { policy, _, before, answer in
                answer.keepWaiting(before, policy) { interrupter, after in after[interrupter] == nil }
            }),
        InjectedFault(
            "a session waits only for one that is in its way or may return",
            "the background ends no waits", [.life],
            .twisted { policy, action, before, answer in
                guard case .setApplicationState(let app, .background) = action else { return }
                answer.keepWaiting(before, policy) { interrupter, after in after[interrupter]?.app == app }
            }),
        InjectedFault(
            "two sessions that are asked to resume at once do not conflict",
            "all sessions that waited for one are asked to resume at once",
            .twisted { _, _, _, answer in
                for index in answer.effects.indices where answer.effects[index].kind == .waitMoved {
                    answer.effects[index].kind = .interruptionEnded(shouldResume: true)
                }
            }),
        InjectedFault(
            "a session whose silence has released others neither ducks nor keeps them",
            "silence releases no session that waits", [.idleRelease],
            .twisted { policy, action, before, answer in
                guard case .releaseIdle(let id, .all) = action else { return }
                answer.keepWaiting(before, policy) { interrupter, _ in interrupter == id }
            }),
        InjectedFault(
            "chains of waits end", "an interrupted session waits for those that wait for it",
            .twisted { _, _, before, answer in
                for effect in answer.effects {
                    guard case .interruptionBegan = effect.kind, var wait = answer.state[effect.session]?.wait,
                        let waiter = before.sessions.first(where: { $0.wait?.interrupter == effect.session })
                    else { continue }
                    wait.interrupter = waiter.id
                    answer.state[effect.session]?.activity = .waiting(wait)
                }
            }),
        InjectedFault(
            "at most one end per interruption", "an end is notified twice",
            .twisted { _, _, _, answer in
                answer.effects = answer.effects.flatMap { effect in
                    if case .interruptionEnded = effect.kind { [effect, effect] } else { [effect] }
                }
            }),
        InjectedFault(
            "a higher rank prevails over all lower ranks", "a call spares mixable sessions", [.call],
            .twisted { policy, action, before, answer in
                guard case .beginSystemSession = action else { return }
                for session in before.active where session.isMixable {
                    answer.state[session.id]?.configuration = playback
                    guard let next = try? policy.decide(.activate(session.id), in: answer.state) else { continue }
                    answer.state = next.state
                    answer.state[session.id]?.configuration = session.configuration
                }
                answer.resolvedGrants = policy.resolvedGrants(in: answer.state)
            }),
        InjectedFault(
            "a mixable session interrupts only by DUCK-4", "a mixable session starts as if it were primary",
            .disguisedConfigurations { action, state in
                guard case .activate(let id) = action, state[id]?.isMixable == true else { return }
                state[id]?.configuration = playback
            }),
        InjectedFault(
            "no two primary app sessions run", "a primary session starts as if it were mixable",
            .disguisedConfigurations { action, state in
                guard case .activate(let id) = action else { return }
                state[id]?.configuration = mixing
            }),
        InjectedFault(
            "unity gain when alone", "a recorder's mute outlasts the recorder",
            .twisted { policy, action, before, answer in
                guard case .deactivate(let id, _) = action, before[id]?.configuration.category == .record else {
                    return
                }
                for (index, resolvedGrant) in policy.resolvedGrants(in: before).enumerated()
                where resolvedGrant.grant.isMuted {
                    answer.resolvedGrants[index].grant.isMuted = true
                }
            }),
        InjectedFault(
            "a session is paused exactly when it is not active", "an interrupted session is muted, not paused",
            .twisted { _, _, _, answer in
                for (index, session) in answer.state.sessions.enumerated() where session.wait != nil {
                    answer.resolvedGrants[index].grant.isPaused = false
                    answer.resolvedGrants[index].grant.isMuted = true
                }
            }),
        InjectedFault(
            "every restricted grant has a reason", "a mute is not explained",
            .twisted { _, _, _, answer in
                for index in answer.resolvedGrants.indices {
                    answer.resolvedGrants[index].reasons.removeAll { $0.kind == .muted }
                }
            }),
        InjectedFault(
            "the activation order lists exactly the active sessions",
            "a session that starts is listed before it is active",
            .twisted { policy, action, _, answer in
                guard case .activate(let id) = action else { return }
                answer.state[id]?.activity = .inactive(since: .zero)
                answer.resolvedGrants = policy.resolvedGrants(in: answer.state)
            }),
        InjectedFault(
            "no session is active whose app's state forbids it", "the background prevents no activation", [.life],
            .disguised { action, state in
                guard case .activate(let id) = action else { return }
                state[id]?.temporaryForegroundUntil = EventTime(nanoseconds: .max)
            } restoring: { _, after in
                for session in after.sessions { after[session.id]?.temporaryForegroundUntil = nil }
            }),
        InjectedFault(
            "a delayed activation is granted once it interrupts no session", "the end of a call grants nothing",
            [.delayedGrant, .call],
            .disguised { action, state in
                guard case .endSystemSession = action else { return }
                for id in state.pendingActivations { state[id] = nil }
            } restoring: { before, after in
                for id in before.pendingActivations { after[id] = before[id] }
            }),
        InjectedFault(
            "no input unless in use, permitted and unmuted", "muted input passes", [.inputMute],
            .twisted { _, _, _, answer in
                for (index, session) in answer.state.sessions.enumerated() where session.isInputRunning {
                    answer.resolvedGrants[index].grant.isInputGranted = true
                }
            }),
    ]
}

extension Policy.Transition {
    /// Keeps sessions waiting whose interrupter before the decision satisfies the predicate.
    mutating func keepWaiting(
        _ before: PolicyState, _ policy: Policy, where holds: (_ interrupter: SessionID, _ after: PolicyState) -> Bool
    ) {
        let after = state
        for session in before.sessions {
            guard let interrupter = session.wait?.interrupter, let present = after[session.id], !present.isActive,
                holds(interrupter, after)
            else { continue }
            state[session.id]?.activity = session.activity
        }
        resolvedGrants = policy.resolvedGrants(in: state)
    }
}
