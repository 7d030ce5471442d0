import PolicyExploration
import SessionPolicy
import Testing

/// The checker itself is checked: each invariant catches a fault planted for it in a scene that keeps all of them.
@Suite struct PlantedFaultTests {
    /// Music (1) that was interrupted by other music (2), a mixable prompt (3) beside it.
    private func seen() throws -> Observation {
        var scene = Scene()
        try scene.add(1, .playback, .spokenAudio)
        try scene.add(2, .playback)
        try scene.add(3, .ambient)
        try scene.activate(1)
        try scene.activate(3)
        let before = scene.state
        let transition = try scene.policy.apply(PolicyEvent(.activate(SessionID(2)), at: .zero), to: before)
        return Observation(before: before, transition)
    }

    private typealias Fault = (invariant: String, plant: @Sendable (inout Observation) -> Void)

    private static let faults: [Fault] = [
        ("nobody ducked without a living ducker", { $0.standings[1].verdict.attenuation = 14 }),
        ("nobody waits without a cause that lives", { $0.sessions.removeAll { $0.id == SessionID(2) } }),
        (
            "waits end somewhere",
            {
                let wait = SessionState.Wait(
                    rival: SessionID(1), rule: .act2, reason: .default, since: .zero, mayResume: true)
                $0.sessions[1].activity = .waiting(wait)
            }
        ),
        (
            "at most one end per begin",
            { $0.effects.append(Effect(SessionID(2), .interruptionEnded(shouldResume: true), .int3)) }
        ),
        (
            "a higher rank outranks all",
            {
                var call = SessionState(id: SessionID(9), app: .system, rank: .call)
                call.activity = .active(since: .zero)
                $0.sessions.append(call)
                $0.activeOrder.append(call.id)
            }
        ),
        (
            "a mixable session never interrupts but by DUCK-4",
            { $0.effects = [Effect(SessionID(1), .interruptionBegan(.default), .act2, by: SessionID(3))] }
        ),
        (
            "no two primary app sessions run",
            { $0.sessions[2].configuration = Configuration(category: .playback) }
        ),
        (
            "unity gain when alone",
            {
                $0.activeOrder.removeAll { $0 == SessionID(3) }
                $0.sessions[2].activity = .inactive(since: .zero)
                $0.standings[1].verdict.isMuted = true
            }
        ),
        ("what is not active is paused, what is active is not", { $0.standings[0].verdict.isPaused = false }),
        ("every verdict that takes something away has a reason", { $0.standings[0].reasons = [] }),
        ("the order of activation lists exactly the active ones", { $0.activeOrder.removeLast() }),
        ("who asked to wait is granted as soon as that interrupts nobody", { $0.pending = [SessionID(2)] }),
        (
            "input is heard only where it is taken, permitted and not muted",
            { $0.standings[1].verdict.isInputGranted = true }
        ),
        ("nobody is active where its app may not be", { $0.isScreenLocked = true }),
    ]

    @Test("Planted faults: each invariant catches the one planted for it, and none fires without")
    func caught() throws {
        #expect(Invariants.broken(by: try seen()).isEmpty)
        #expect(Set(Self.faults.map(\.invariant)) == Set(Invariants.all.map(\.name)))
        for fault in Self.faults {
            var broken = try seen()
            fault.plant(&broken)
            #expect(Invariants.broken(by: broken).contains(fault.invariant), "\(fault.invariant)")
        }
    }
}
