import SessionPolicy
import Testing

/// Which sessions are notified of changes around them: every session, so that observers of its
/// properties read them again.
@Suite struct OtherAudioTests {
    private func notified(_ scene: inout Scene, _ action: PolicyAction) throws -> [SessionID] {
        let event = PolicyEvent(action, at: .zero)
        let transition = try scene.policy.apply(event, to: scene.state)
        scene.state = transition.state
        return transition.effects.filter { $0.kind == .stateChanged }.map(\.session)
    }

    @Test(
        "HINT-1: stateChanged is sent to every session whose other audio, or other primary audio, has changed"
    )
    func stateChanged() throws {
        let (idle, game, music) = (SessionID(1), SessionID(2), SessionID(3))
        var scene = Scene()
        try scene.add(1)
        try scene.add(2, .ambient)
        try scene.add(3, .playback, .default, .mixWithOthers)
        try scene.activate(2)
        try scene.activate(3)
        #expect(try notified(&scene, .setRunning(music, true)) == [idle, game, music])
        #expect(try notified(&scene, .setRunning(music, true)).isEmpty)
        #expect(
            try notified(&scene, .setRunning(game, true)) == [game, music], "there was other audio for the idle one")
        #expect(
            try notified(&scene, .configure(music, .category(.playback))) == [idle, game, music], "it is primary now")
        #expect(try notified(&scene, .setRunning(game, false)) == [game, music], "the music is alone")
        #expect(try notified(&scene, .deactivate(music, notifyOthers: true)) == [idle, game, music])
    }

    @Test("HINT-1: a session of which only the input runs gives no hint, whatever its category")
    func recording() throws {
        for category in [Category.record, .playAndRecord, .multiRoute] {
            var scene = Scene()
            try scene.add(1, category)
            try scene.activate(1)
            try scene.do(.setInputRunning(SessionID(1), true))
            #expect(
                !OtherAudio(scene.state, scene.policy.resolvedGrants(in: scene.state)).isPlaying(
                    otherThan: SessionID(2)))
        }
    }
}
