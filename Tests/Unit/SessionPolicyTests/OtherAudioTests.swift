import SessionPolicy
import Testing

/// Who learns of what is around a session: every session, so that whoever follows its properties reads them anew.
@Suite struct OtherAudioTests {
    private func told(_ scene: inout Scene, _ action: PolicyAction) throws -> [SessionID] {
        let event = PolicyEvent(action, at: .zero)
        let transition = try scene.policy.apply(event, to: scene.state)
        scene.state = transition.state
        return transition.effects.filter { $0.kind == .stateChanged }.map(\.session)
    }

    @Test(
        "HINT-1: stateChanged goes to every session that has other audio, or other primary audio, otherwise than before"
    )
    func stateChanged() throws {
        let (idle, game, music) = (SessionID(1), SessionID(2), SessionID(3))
        var scene = Scene()
        try scene.add(1)
        try scene.add(2, .ambient)
        try scene.add(3, .playback, .default, .mixWithOthers)
        try scene.activate(2)
        try scene.activate(3)
        #expect(try told(&scene, .setRunning(music, true)) == [idle, game, music])
        #expect(try told(&scene, .setRunning(music, true)).isEmpty)
        #expect(try told(&scene, .setRunning(game, true)) == [game, music], "there was other audio for the idle one")
        #expect(
            try told(&scene, .configure(music, .category(.playback))) == [idle, game, music], "it is primary now")
        #expect(try told(&scene, .setRunning(game, false)) == [game, music], "the music is alone")
        #expect(try told(&scene, .deactivate(music, notifyOthers: true)) == [idle, game, music])
    }
}
