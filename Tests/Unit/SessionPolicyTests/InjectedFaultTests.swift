import PolicyExploration
import SessionPolicy
import Testing

/// Tests the checker itself: each invariant detects a fault injected for it into a scene that
/// otherwise keeps all of them.
@Suite struct InjectedFaultTests {
    /// Returns a scene with music (1) that was interrupted by other music (2), alongside a mixable
    /// prompt (3).
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

    private typealias Fault = (invariant: String, inject: @Sendable (inout Observation) -> Void)

    private static let faults: [Fault] = [
        ("every ducked session has a live ducker", { $0.resolvedGrants[1].grant.attenuation = 14 }),
        ("every wait has a live cause", { $0.sessions.removeAll { $0.id == SessionID(2) } }),
        (
            "a session waits only for one that is in its way or may return",
            { $0.sessions[1].configuration = Configuration(category: .ambient) }
        ),
        (
            "two sessions that are asked to resume at once do not conflict",
            {
                for id in [SessionID(1), SessionID(2)] {
                    $0.effects.append(Effect(id, .interruptionEnded(shouldResume: true), .int3))
                }
            }
        ),
        (
            "a session whose silence has released others neither ducks nor keeps them",
            { $0.sessions[1].silence = Silence(since: .zero, unusedSince: .zero, release: .all) }
        ),
        (
            "chains of waits end",
            {
                let wait = SessionState.Wait(
                    interrupter: SessionID(1), rule: .act2, reason: .default, since: .zero, mayResume: true)
                $0.sessions[1].activity = .waiting(wait)
            }
        ),
        (
            "at most one end per interruption",
            { $0.effects.append(Effect(SessionID(2), .interruptionEnded(shouldResume: true), .int3)) }
        ),
        (
            "a higher rank prevails over all lower ranks",
            {
                var call = SessionState(id: SessionID(9), app: .system, rank: .call)
                call.activity = .active(since: .zero)
                $0.sessions.append(call)
                $0.activeOrder.append(call.id)
            }
        ),
        (
            "a mixable session interrupts only by DUCK-4",
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
                $0.resolvedGrants[1].grant.isMuted = true
            }
        ),
        ("a session is paused exactly when it is not active", { $0.resolvedGrants[0].grant.isPaused = false }),
        ("every restricted grant has a reason", { $0.resolvedGrants[0].reasons = [] }),
        ("the activation order lists exactly the active sessions", { $0.activeOrder.removeLast() }),
        ("a delayed activation is granted once it interrupts no session", { $0.pending = [SessionID(2)] }),
        (
            "no input unless in use, permitted and unmuted",
            { $0.resolvedGrants[1].grant.isInputGranted = true }
        ),
        ("no session is active whose app's state forbids it", { $0.isScreenLocked = true }),
    ]

    @Test("Injected faults: each invariant detects the one injected for it, and none fires without a fault")
    func caught() throws {
        #expect(Invariants.broken(by: try seen()).isEmpty)
        #expect(Set(Self.faults.map(\.invariant)) == Set(Invariants.all.map(\.name)))
        for fault in Self.faults {
            var broken = try seen()
            fault.inject(&broken)
            #expect(Invariants.broken(by: broken).contains(fault.invariant), "\(fault.invariant)")
        }
    }
}
