import ArbiterTesting
import SessionArbiter
import SessionPolicy
import Testing

/// The service's timer for sessions that are active and silent (ACT-17).
@Suite("Silent sessions of the service")
struct IdleReleaseTests {
    @Test("ACT-17: an app that is interrupted by a silent one is asked to resume, and nobody has to send anything")
    func released() throws {
        let folder = try TrialFolder()
        let service = try Service(in: folder, configuration: "rules: {idle-release: 0.05}")
        defer { withExtendedLifetime(service) {} }
        let (music, game) = (try TestClient(folder.socket), try TestClient(folder.socket))
        let id = try music.play()
        _ = try music.ask(.submit(.setRunning(id, true))).get()
        let silent = try game.play()
        try music.awaitNotice(id, .interruptionBegan(.default))
        try music.awaitNotice(id, .interruptionEnded(shouldResume: true))
        // Only the arbiter takes this action.
        let answer = try game.ask(.submit(.releaseIdle(silent, .all)))
        #expect(answer.code == .malformed)
    }
}
