import SessionPolicy
import Synchronization

extension PlantedFault {
    /// Faults that show on the way from one state to the next.
    static let ofDecisions: [PlantedFault] = [
        PlantedFault(
            "every wait begins with a begin and ends with a word", "an end is not told",
            .twisted { _, _, _, answer in
                answer.effects.removeAll { if case .interruptionEnded = $0.kind { true } else { false } }
            }),
        PlantedFault(
            "who interrupts is active", "the interrupted one is named as the one that interrupts",
            .twisted { _, _, _, answer in
                for place in answer.effects.indices where answer.effects[place].isBegin {
                    answer.effects[place].by = answer.effects[place].session
                }
            }),
        PlantedFault(
            "a mixable session is interrupted by no app but by DUCK-4",
            "who mixes is interrupted as if it were primary",
            .disguisedConfigurations { action, state in
                guard case .activate = action else { return }
                for session in state.active { state[session.id]?.configuration = Configuration(category: .playback) }
            }),
        PlantedFault(
            "who left has nobody waiting for it", "who gives up its wait stays in others' way",
            .twisted { policy, action, before, answer in
                guard case .deactivate(let id, _) = action, before[id]?.wait != nil else { return }
                answer.keepWaiting(before, policy) { rival, _ in rival == id }
            }),
        PlantedFault(
            "a silent departure ends no wait with a notification", "a silent departure is told as one with notice",
            Subject { policy, action, state throws(Refusal) in
                var action = action
                if case .deactivate(let id, _) = action { action = .deactivate(id, notifyOthers: true) }
                let answer = try policy.decide(action, in: state)
                state = answer.state
                return answer
            }),
        PlantedFault(
            "who may not resume is not asked to", "every end says that playback should resume", [.userPaused, .call],
            .twisted { _, _, _, answer in
                for place in answer.effects.indices {
                    guard case .interruptionEnded = answer.effects[place].kind else { continue }
                    answer.effects[place].kind = .interruptionEnded(shouldResume: true)
                }
            }),
        PlantedFault(
            "who may not resume is not asked to", "a pause during an interruption is forgotten", [.userPaused, .call],
            .twisted { _, action, before, answer in
                if case .userPaused = action { answer.state = before }
            }),
        PlantedFault(
            "nobody muted without a living cause", "the silent switch mutes playback too", [.silentSwitch],
            .twisted { _, _, _, answer in
                guard answer.state.silentSwitch.isOn else { return }
                for place in answer.standings.indices { answer.standings[place].verdict.isMuted = true }
            }),
        PlantedFault(
            "who is to be ducked is ducked", "what starts during a duck starts at full level",
            .twisted { _, action, _, answer in
                guard case .activate(let id) = action,
                    let place = answer.state.sessions.firstIndex(where: { $0.id == id })
                else { return }
                answer.standings[place].verdict.attenuation = 0
            }),
        PlantedFault(
            "hints go to foreground apps with an active session", "hints go to sessions that are not active",
            [.running],
            .twisted { _, _, _, answer in
                guard let first = answer.effects.firstIndex(where: \.isHint) else { return }
                let idle = answer.state.sessions.filter { !$0.isActive }
                answer.effects.insert(
                    contentsOf: idle.map { Effect($0.id, answer.effects[first].kind, .hint2) }, at: first)
            }),
        PlantedFault(
            "the order of notifications is one order", "a start is told before the silence that it asked for",
            .twisted { _, _, _, answer in
                let starts = answer.effects.filter { $0.kind == .activated }
                answer.effects = starts + answer.effects.filter { $0.kind != .activated }
            }),
        PlantedFault(
            "the order of notifications is one order", "hints are told after everything else", [.running],
            .twisted { _, _, _, answer in
                answer.effects = answer.effects.filter { !$0.isHint } + answer.effects.filter(\.isHint)
            }),
        PlantedFault(
            "nobody's route names a port of a server that is not its app's",
            "who is on another server is told as well that the output is gone", [.servers],
            .twisted { _, _, _, answer in
                let told = answer.effects.filter { if case .routeChanged = $0.kind { true } else { false } }
                answer.effects += told.map { Effect(SessionID(3), $0.kind, $0.rule) }
            }),
    ]

    /// Faults that show when something is tried.
    static let ofProbes: [PlantedFault] = [
        PlantedFault(
            Probes.liveness, "a departure with notice goes unnoticed",
            .twisted { policy, action, before, answer in
                guard case .deactivate(let id, notifyOthers: true) = action else { return }
                answer.keepWaiting(before, policy) { rival, _ in rival == id }
            }),
        PlantedFault(Probes.replay, "the policy has a memory of its own", withMemory()),
        PlantedFault(
            Probes.refusal, "a refusal leaks a change", [.call],
            .refusing { _, action, state in
                if case .activate(let id) = action { state[id]?.isRunning = false }
            }),
        PlantedFault(
            Probes.refusalReason, "a refusal names one who is not there", [.call],
            .refusing { refusal, _, _ in refusal.by = SessionID(99) }),
    ]

    /// Every seventh start is another one.
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
