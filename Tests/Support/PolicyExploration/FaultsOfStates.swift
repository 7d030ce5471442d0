import SessionPolicy

private let playback = Configuration(category: .playback)
private let mixing = Configuration(category: .playback, requestedOptions: .mixWithOthers)

extension PlantedFault {
    /// Faults that show in a state.
    static let ofStates: [PlantedFault] = [
        PlantedFault(
            "nobody ducked without a living ducker", "a ducker that left goes on ducking",
            .twisted { policy, action, before, answer in
                guard case .deactivate(let id, _) = action, before[id]?.configuration.ducksOthers == true else {
                    return
                }
                for (place, standing) in policy.standings(in: before).enumerated() {
                    answer.standings[place].verdict.attenuation = standing.verdict.attenuation
                }
            }),
        PlantedFault(
            "nobody waits without a cause that lives", "who waits is not told of a death", [.deaths],
            .twisted { policy, _, before, answer in
                answer.keepWaiting(before, policy) { rival, after in after[rival] == nil }
            }),
        PlantedFault(
            "waits end somewhere", "who is interrupted waits for those who wait for it",
            .twisted { _, _, before, answer in
                for effect in answer.effects {
                    guard case .interruptionBegan = effect.kind, var wait = answer.state[effect.session]?.wait,
                        let waiter = before.sessions.first(where: { $0.wait?.rival == effect.session })
                    else { continue }
                    wait.rival = waiter.id
                    answer.state[effect.session]?.activity = .waiting(wait)
                }
            }),
        PlantedFault(
            "at most one end per begin", "an end is told twice",
            .twisted { _, _, _, answer in
                answer.effects = answer.effects.flatMap { effect in
                    if case .interruptionEnded = effect.kind { [effect, effect] } else { [effect] }
                }
            }),
        PlantedFault(
            "a higher rank outranks all", "a call spares who mixes", [.call],
            .twisted { policy, action, before, answer in
                guard case .beginSystemSession = action else { return }
                for session in before.active where session.isMixable {
                    answer.state[session.id]?.configuration = playback
                    guard let next = try? policy.decide(.activate(session.id), in: answer.state) else { continue }
                    answer.state = next.state
                    answer.state[session.id]?.configuration = session.configuration
                }
                answer.standings = policy.standings(in: answer.state)
            }),
        PlantedFault(
            "a mixable session never interrupts but by DUCK-4", "who mixes starts as if it were primary",
            .disguisedConfigurations { action, state in
                guard case .activate(let id) = action, state[id]?.isMixable == true else { return }
                state[id]?.configuration = playback
            }),
        PlantedFault(
            "no two primary app sessions run", "a primary session starts as if it mixed",
            .disguisedConfigurations { action, state in
                guard case .activate(let id) = action else { return }
                state[id]?.configuration = mixing
            }),
        PlantedFault(
            "unity gain when alone", "the mute of a recorder outlives it",
            .twisted { policy, action, before, answer in
                guard case .deactivate(let id, _) = action, before[id]?.configuration.category == .record else {
                    return
                }
                for (place, standing) in policy.standings(in: before).enumerated() where standing.verdict.isMuted {
                    answer.standings[place].verdict.isMuted = true
                }
            }),
        PlantedFault(
            "what is not active is paused, what is active is not", "who is interrupted is muted, not paused",
            .twisted { _, _, _, answer in
                for (place, session) in answer.state.sessions.enumerated() where session.wait != nil {
                    answer.standings[place].verdict.isPaused = false
                    answer.standings[place].verdict.isMuted = true
                }
            }),
        PlantedFault(
            "every verdict that takes something away has a reason", "a mute is not explained",
            .twisted { _, _, _, answer in
                for place in answer.standings.indices {
                    answer.standings[place].reasons.removeAll { $0.kind == .muted }
                }
            }),
        PlantedFault(
            "the order of activation lists exactly the active ones", "who starts is listed before it is active",
            .twisted { policy, action, _, answer in
                guard case .activate(let id) = action else { return }
                answer.state[id]?.activity = .inactive(since: .zero)
                answer.standings = policy.standings(in: answer.state)
            }),
        PlantedFault(
            "nobody is active where its app may not be", "the lock spares who is active", [.lock],
            .disguised { action, state in
                guard case .setScreenLocked(true) = action else { return }
                for session in state.active { state[session.id]?.foregroundLentUntil = EventTime(nanoseconds: 1) }
            } restoring: { _, after in
                for session in after.sessions { after[session.id]?.foregroundLentUntil = nil }
            }),
        PlantedFault(
            "who asked to wait is granted as soon as that interrupts nobody", "the end of a call grants nothing",
            [.delayedGrant, .call],
            .disguised { action, state in
                guard case .endSystemSession = action else { return }
                for id in state.pendingActivations { state[id] = nil }
            } restoring: { before, after in
                for id in before.pendingActivations { after[id] = before[id] }
            }),
        PlantedFault(
            "input is heard only where it is taken, permitted and not muted", "muted input is heard", [.inputMute],
            .twisted { _, _, _, answer in
                for (place, session) in answer.state.sessions.enumerated() where session.isInputRunning {
                    answer.standings[place].verdict.isInputGranted = true
                }
            }),
    ]
}

extension Policy.Transition {
    /// Lets those wait on who waited before for such a rival.
    mutating func keepWaiting(
        _ before: PolicyState, _ policy: Policy, where holds: (_ rival: SessionID, _ after: PolicyState) -> Bool
    ) {
        let after = state
        for session in before.sessions {
            guard let rival = session.wait?.rival, let present = after[session.id], !present.isActive,
                holds(rival, after)
            else { continue }
            state[session.id]?.activity = session.activity
        }
        standings = policy.standings(in: state)
    }
}
