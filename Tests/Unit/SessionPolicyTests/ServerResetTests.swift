import SessionPolicy
import Testing

/// The manual procedure that Apple describes for a lost media server (SRV-2).
@Suite struct ServerResetTests {
    @Test("SRV-2: an app whose sessions are reset is inactive with the default category; others continue")
    func reset() throws {
        var scene = Scene()
        try scene.add(1, .playback, .spokenAudio, .duckOthers, app: 1)
        try scene.add(2, .playback, .default, .mixWithOthers, app: 1)
        try scene.add(3, .playback, .default, .mixWithOthers)
        for id: UInt64 in 1...3 {
            try scene.activate(id)
            try scene.do(.setRunning(SessionID(id), true))
        }
        try scene.do(.setOutputMuted(SessionID(2), true))
        try scene.do(.prefer(SessionID(1), .ioBufferDuration(0.005)))
        try scene.do(.setDeclaresBackgroundAudio(AppID(1), true))
        try scene.do(.resetSessions(AppID(1)))
        #expect(scene.notified.map(\.session).allSatisfy { $0 != SessionID(3) })
        #expect(
            scene.notified.filter { $0.session == SessionID(1) }.map(\.kind) == [.deactivatedBySystem, .deactivated])
        #expect(scene.notified.first?.rule == .srv2)
        #expect(scene.notified.contains(Effect(SessionID(2), .outputMuteChanged(false), .vol3)))
        for id: UInt64 in 1...2 {
            let session = try scene.session(id)
            #expect(
                !session.isActive && session.configuration == Configuration() && session.preferences == Preferences())
            #expect(session.isRunning, "the app stops its own players")
        }
        #expect(try scene.isActive(3) && scene.grant(3) == SessionGrant(), "no longer ducked")
        #expect(scene.state.app(AppID(1)).declaresBackgroundAudio, "the app's declaration is kept")
        let before = scene.state
        try scene.do(.resetSessions(AppID(1)))
        #expect(scene.notified.isEmpty && scene.state == before, "a second reset changes nothing")
    }

    @Test(
        "SRV-2, ACT-12: sessions that waited for a reset session get the end; the reset app's own waits are canceled"
    )
    func waiters() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.add(2, .playback, app: 2)
        try scene.add(3, .playback, app: 2)
        for id: UInt64 in 1...3 { try scene.activate(id) }
        try scene.do(.requestActivation(SessionID(2)))
        #expect(try scene.isActive(2) && scene.waits(3) == 2)
        try scene.activate(3)
        #expect(try scene.waits(1) == 2 || scene.waits(1) == 3)
        try scene.do(.resetSessions(AppID(2)))
        #expect(scene.interruptions == ["1 ended resume"])
        #expect(try scene.waits(2) == nil && scene.waits(3) == nil && scene.state.activeOrder.isEmpty)
        #expect(try scene.refusal(of: .resetSessions(.system)).rule == .srv2)
    }
}
