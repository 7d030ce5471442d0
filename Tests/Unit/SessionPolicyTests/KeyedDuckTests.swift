import SessionPolicy
import Testing

/// Sessions that lower others only while they are audible.
@Suite struct KeyedDuckTests {
    /// Music in session 1, and a guide in session 2 that ducks others only while it is audible.
    private func scene() throws -> Scene {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.activate(1)
        try addGuide(2, to: &scene)
        return scene
    }

    private func addGuide(_ id: UInt64, to scene: inout Scene) throws {
        try scene.add(id, .playback, .voicePrompt, .duckOthers)
        try scene.do(.setDucksOnlyWhileAudible(SessionID(id), true))
        try scene.activate(id)
    }

    @Test("DUCK-2: it ducks while it is audible, and its gate has it as a key all the time")
    func audible() throws {
        var scene = try scene()
        #expect(try scene.grant(1) == SessionGrant(keys: [SessionID(2)]))
        try scene.do(.setAudible(SessionID(2), true))
        #expect(try scene.grant(1) == SessionGrant(attenuation: 14, keys: [SessionID(2)]))
        #expect(try scene.resolvedGrant(1).reasons.map(\.rule) == [.duck1])
        try scene.do(.setAudible(SessionID(2), false))
        #expect(try scene.grant(1).attenuation == 0)
        try scene.do(.setDucksOnlyWhileAudible(SessionID(2), false))
        #expect(try scene.grant(1) == SessionGrant(attenuation: 14))
        try scene.deactivate(2)
        #expect(try scene.grant(1) == SessionGrant())
    }

    @Test("DUCK-2: audibility counts only for a session that ducks only while it is audible")
    func ordinary() throws {
        var scene = try scene()
        try scene.do(.setAudible(SessionID(1), true))
        #expect(try !scene.session(1).isAudible)
        try scene.do(.setAudible(SessionID(2), true))
        try scene.do(.setDucksOnlyWhileAudible(SessionID(2), false))
        #expect(try !scene.session(2).isAudible)
        try scene.do(.setDucksOnlyWhileAudible(SessionID(2), true))
        #expect(try scene.grant(1).attenuation == 0)
    }

    @Test("DUCK-1: the newest ducker is exempt, also while it is silent; an older one has it as its key")
    func exemption() throws {
        var scene = try scene()
        try scene.add(3, .playback, .default, .duckOthers)
        try scene.activate(3)
        try addGuide(4, to: &scene)
        // Session 4 is the newest: session 3 does not duck it, so that its first word has full
        // level.
        #expect(try scene.grant(4) == SessionGrant())
        #expect(try scene.grant(3) == SessionGrant(keys: [SessionID(4)]))
        #expect(try scene.grant(2) == SessionGrant(attenuation: 14, keys: [SessionID(4)]))
        #expect(try scene.grant(1) == SessionGrant(attenuation: 14, keys: [SessionID(4), SessionID(2)]))
        try scene.do(.setAudible(SessionID(4), true))
        #expect(try scene.grant(3).attenuation == 14 && scene.grant(4) == SessionGrant())
        #expect(try scene.resolvedGrant(1).reasons.first?.by == SessionID(4))
    }

    @Test("MODE-2, DUCK-7: mode measurement has no keys; a session that is not active has them")
    func others() throws {
        var scene = try scene()
        try scene.add(3, .playback, .measurement, .mixWithOthers)
        try scene.activate(3)
        #expect(try scene.grant(3) == SessionGrant())
        try scene.add(4, .ambient)
        #expect(try scene.grant(4).keys == [SessionID(2)])
    }

    @Test("DUCK-2: a gate has at most sixteen keys, the newest")
    func many() throws {
        var scene = try scene()
        for id: UInt64 in 3...20 { try addGuide(id, to: &scene) }
        #expect(try scene.grant(1).keys == (5...20).reversed().map { SessionID($0) })
    }

    @Test("ACT-17: its silence releases nobody from a duck; a claim to be audible while nothing plays does not last")
    func idle() throws {
        var scene = try scene()
        try scene.do(.setRunning(SessionID(1), true))
        #expect(scene.state.nextIdleRelease(PolicySettings())?.action == .releaseIdle(SessionID(2), .all))
        try scene.do(.releaseIdle(SessionID(2), .all))
        #expect(try scene.grant(1).keys == [SessionID(2)], "it is heard at once when it speaks")
        try scene.do(.setAudible(SessionID(2), true))
        #expect(try scene.grant(1).attenuation == 0)
        try scene.do(.setRunning(SessionID(2), true))
        #expect(try scene.grant(1).attenuation == 14)
        try scene.do(.setRunning(SessionID(2), false))
        try scene.do(.releaseIdle(SessionID(2), .all))
        #expect(try scene.grant(1).attenuation == 0)
    }

    @Test("SRV-2, SRV-3: a reset ends it; a record keeps it, and claims nothing else")
    func records() throws {
        var scene = try scene()
        try scene.do(.setAudible(SessionID(2), true))
        var record = try #require(scene.state.record(of: SessionID(2), GrantOrder()))
        let policy = Policy()
        let rebuilt = policy.rebuild(SystemRecord(), [record], at: .zero).state
        #expect(rebuilt[SessionID(2)]?.ducksOnlyWhileAudible == true && rebuilt[SessionID(2)]?.isAudible == true)
        record.session.ducksOnlyWhileAudible = false
        #expect(policy.rebuild(SystemRecord(), [record], at: .zero).state[SessionID(2)]?.isAudible == false)
        try scene.do(.resetSessions(try scene.session(2).app))
        #expect(try !scene.session(2).ducksOnlyWhileAudible)
    }
}
