import SessionPolicy
import Synchronization

extension InjectedFault {
    /// Faults that show in the transition from one state to the next.
    static let ofDecisions: [InjectedFault] = [
        InjectedFault(
            "a notification begins and ends every wait", "the end of an interruption is not notified",
            .twisted { _, _, _, answer in
                answer.effects.removeAll { if case .interruptionEnded = $0.kind { true } else { false } }
            }),
        InjectedFault(
            "an interrupter is active", "the interrupted session is named as the interrupter",
            .twisted { _, _, _, answer in
                for index in answer.effects.indices where answer.effects[index].isBegin {
                    answer.effects[index].by = answer.effects[index].session
                }
            }),
        InjectedFault(
            "only DUCK-4 lets an app interrupt a mixable session",
            "a mixable session is interrupted as if it were primary",
            .disguisedConfigurations { action, state in
                guard case .activate = action else { return }
                for session in state.active { state[session.id]?.configuration = Configuration(category: .playback) }
            }),
        InjectedFault(
            "no session waits for one that has deactivated", "a session that gives up its wait still blocks others",
            .twisted { policy, action, before, answer in
                guard case .deactivate(let id, _) = action, before[id]?.wait != nil else { return }
                answer.keepWaiting(before, policy) { interrupter, _ in interrupter == id }
            }),
        InjectedFault(
            "a deactivation without notice notifies no waiting session",
            "a deactivation without notice is notified like one with notice",
            Subject { policy, action, state throws(Refusal) in
                var action = action
                if case .deactivate(let id, _) = action { action = .deactivate(id, notifyOthers: true) }
                let answer = try policy.decide(action, in: state)
                state = answer.state
                return answer
            }),
        InjectedFault(
            "no session is asked to resume that may not", "every end carries shouldResume", [.userPaused, .call],
            .twisted { _, _, _, answer in
                for index in answer.effects.indices {
                    guard case .interruptionEnded = answer.effects[index].kind else { continue }
                    answer.effects[index].kind = .interruptionEnded(shouldResume: true)
                }
            }),
        InjectedFault(
            "no session is asked to resume that may not",
            "a pause during an interruption is forgotten", [.userPaused, .call],
            .twisted { _, action, before, answer in
                if case .userPaused = action { answer.state = before }
            }),
        InjectedFault(
            "every mute has a live cause", "the silent switch mutes playback too", [.silentSwitch],
            .twisted { _, _, _, answer in
                guard answer.state.silentSwitch.isOn else { return }
                for index in answer.resolvedGrants.indices { answer.resolvedGrants[index].grant.isMuted = true }
            }),
        InjectedFault(
            "every session that is to be ducked is ducked", "a session that starts during a duck starts at full level",
            .twisted { _, action, _, answer in
                guard case .activate(let id) = action,
                    let index = answer.state.sessions.firstIndex(where: { $0.id == id })
                else { return }
                answer.resolvedGrants[index].grant.attenuation = 0
            }),
        InjectedFault(
            "a ducked session shares an output with a ducker", "ducking reaches every output", [.servers],
            .twisted { _, _, _, answer in
                var settings = PolicySettings()
                settings.ducksAllOutputs = true
                answer.resolvedGrants = Policy(settings: settings).resolvedGrants(in: answer.state)
            }),
        InjectedFault(
            "hints go to foreground apps with an active session", "hints go to sessions that are not active",
            [.running],
            .twisted { _, _, _, answer in
                guard let first = answer.effects.firstIndex(where: \.isHint) else { return }
                let idle = answer.state.sessions.filter { !$0.isActive }
                answer.effects.insert(
                    contentsOf: idle.map { Effect($0.id, answer.effects[first].kind, .hint2) }, at: first)
            }),
        InjectedFault(
            "all notifications follow one order", "a start is notified before the interruptions that it causes",
            .twisted { _, _, _, answer in
                let starts = answer.effects.filter { $0.kind == .activated }
                answer.effects = starts + answer.effects.filter { $0.kind != .activated }
            }),
        InjectedFault(
            "all notifications follow one order", "hints are notified after everything else", [.running],
            .twisted { _, _, _, answer in
                answer.effects = answer.effects.filter { !$0.isHint } + answer.effects.filter(\.isHint)
            }),
        InjectedFault(
            "a route names only ports of its app's server",
            "a session on another server is also notified that the output is gone", [.servers],
            .twisted { _, _, _, answer in
                let notified = answer.effects.filter { if case .routeChanged = $0.kind { true } else { false } }
                answer.effects += notified.map { Effect(SessionID(3), $0.kind, $0.rule) }
            }),
    ]

    /// Faults that only a probe detects.
    static let ofProbes: [InjectedFault] = [
        InjectedFault(
            Probes.liveness, "a deactivation with notice is not notified",
            .twisted { policy, action, before, answer in
                guard case .deactivate(let id, notifyOthers: true) = action else { return }
                answer.keepWaiting(before, policy) { interrupter, _ in interrupter == id }
            }),
        InjectedFault(
            Probes.idleness, "a release of a silent session changes nothing", [.idleRelease],
            .twisted { policy, action, before, answer in
                guard case .releaseIdle = action else { return }
                answer.state = before
                answer.resolvedGrants = policy.resolvedGrants(in: before)
            }),
        InjectedFault(Probes.replay, "the policy keeps state of its own", withMemory()),
        InjectedFault(
            Probes.refusal, "a refusal changes the state", [.call],
            .refusing { _, action, state in
                if case .activate(let id) = action { state[id]?.isRunning = false }
            }),
        InjectedFault(
            Probes.refusalReason, "a refusal names a session that does not exist", [.call],
            .refusing { refusal, _, _ in refusal.by = SessionID(99) }),
    ]

    /// Alters every seventh start.
    private static func withMemory() -> Subject {
        final class Memory: Sendable { let starts = Atomic<Int>(0) }
        let memory = Memory()
        return .twisted { _, action, _, answer in
            guard case .activate(let id) = action else { return }
            let (_, starts) = memory.starts.wrappingAdd(1, ordering: .relaxed)
            if starts % 7 == 0 { answer.state[id]?.isRunning = false }
        }
    }
}

extension Effect {
    var isHint: Bool {
        if case .silenceSecondaryAudioHint = kind { true } else { false }
    }

    fileprivate var isBegin: Bool {
        if case .interruptionBegan = kind { true } else { false }
    }
}
