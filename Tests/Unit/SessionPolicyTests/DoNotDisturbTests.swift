import PolicyExploration
import SessionPolicy
import Testing

/// Do-not-disturb: ringing and the assistant are deferred, accepted calls and alarms are not
/// (GUIDE-9).
@Suite struct DoNotDisturbTests {
    private func recording() throws -> Scene {
        var scene = Scene()
        try scene.add(1, .playAndRecord)
        try scene.activate(1)
        try scene.do(.setDoNotDisturb(true))
        return scene
    }

    @Test("GUIDE-9: ringing is deferred and blocks no session; if declined, no notification was ever sent")
    func ringingWaits() throws {
        var scene = try recording()
        try scene.begin(9, .call, ringing: true)
        #expect(scene.notified.isEmpty)
        #expect(try scene.isActive(1) && !scene.isActive(9))
        #expect(try scene.rules(9) == [.guide9], "the reason is reported")
        try scene.add(2, .ambient)
        try scene.activate(2)  // ACT-5 does not refuse it
        try scene.end(9)
        #expect(scene.notified.isEmpty)
    }

    @Test("GUIDE-9, ACT-4: an accepted call is not deferred, nor is an alarm")
    func callsAndAlarms() throws {
        var scene = try recording()
        try scene.begin(9, .call, ringing: true)
        try scene.do(.acceptCall(SessionID(9)))
        #expect(scene.interruptions == ["1 began"])
        #expect(try scene.isActive(9) && scene.rules(9).isEmpty)
        try scene.end(9)
        #expect(scene.interruptions == ["1 ended resume"])
        try scene.activate(1)
        try scene.begin(10, .alarm)
        #expect(scene.interruptions == ["1 began"])
        try scene.begin(11, .call)  // accepted on another device: it never rang
        #expect(try scene.isActive(11))
    }

    @Test("GUIDE-9: the assistant, which the user asked for, is not deferred; turned off, deferred calls ring")
    func whenItIsOff() throws {
        var scene = try recording()
        try scene.begin(8, .assistant)
        #expect(try scene.interruptions == ["1 began"] && scene.isActive(8))
        try scene.end(8)
        try scene.activate(1)
        try scene.begin(9, .call, ringing: true)
        #expect(scene.interruptions.isEmpty)
        try scene.do(.setDoNotDisturb(false))
        #expect(scene.interruptions == ["1 began"])
        #expect(try scene.isActive(9) && scene.waits(1) == 9)
    }

    @Test("GUIDE-9: a call that is already ringing continues to ring")
    func alreadyRinging() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.activate(1)
        try scene.begin(9, .call, ringing: true)
        try scene.do(.setDoNotDisturb(true))
        #expect(try scene.isActive(9) && scene.waits(1) == 9)
    }

    /// Breadth-first over an app, a ringing call, the assistant, an alarm and the switch, at
    /// constant time.
    @Test("GUIDE-9: in every reachable state no deferred session is active, and every invariant holds")
    func exploration() throws {
        let policy = Policy()
        let (app, call, assistant, alarm) = (SessionID(1), SessionID(7), SessionID(8), SessionID(9))
        let start = try policy.apply(PolicyEvent(.register(app, app: AppID(1)), at: .zero), to: PolicyState()).state
        let actions: [PolicyAction] = [
            .activate(app), .deactivate(app, notifyOthers: true),
            .beginSystemSession(call, rank: .call, isRinging: true), .acceptCall(call),
            .beginSystemSession(assistant, rank: .assistant, isRinging: false),
            .beginSystemSession(alarm, rank: .alarm, isRinging: false), .setDoNotDisturb(true), .setDoNotDisturb(false),
            .endSystemSession(call, shouldResume: true), .endSystemSession(assistant, shouldResume: true),
            .endSystemSession(alarm, shouldResume: false),
        ]
        var seen: Set<PolicyState> = [start]
        var front = [start]
        while let state = front.popLast() {
            for action in actions {
                guard let next = try? policy.apply(PolicyEvent(action, at: .zero), to: state) else { continue }
                let broken = Invariants.broken(by: Observation(before: state, next))
                try #require(broken.isEmpty, "\(action) breaks \(broken) on \(state)")
                for session in next.state.sessions where session.isDeferred {
                    try #require(next.state.isDoNotDisturbOn && !session.isActive, "\(action) on \(state)")
                }
                if case .beginSystemSession(let id, _, _) = action, state.isDoNotDisturbOn {
                    let begins = next.state[id]?.isActive == true || next.state[id]?.wait != nil
                    try #require(begins == (id != call), "\(action) on \(state)")
                }
                if seen.insert(next.state).inserted { front.append(next.state) }
            }
        }
        #expect(seen.count > 200, "\(seen.count) states")
    }
}
