import AudioRendering
import AudioSessions
import Foundation
import SessionArbiter
import TestSupport
import Testing

extension RealServers {
    /// An app in a process of its own that plays by a render callback: it has no player of the
    /// library, and makes no call that reports its sound.
    @Suite("An app with a render callback", .serialized)
    struct CallbackAppTests {
        @Test(
            "HINT-2, HINT-3, ROUTE-4: another process receives the hint; when the headphones are unplugged, the app is interrupted and no sample reaches the speaker"
        )
        func hintAndUnplug() throws {
            let fixture = try RouteFixture()
            defer { fixture.server.stop() }
            let stage = try ServiceEnvironment()
            let ears = try fixture.plug("Ears", .headphones)
            // This process is another app: it plays nothing, and has no server.
            let game = try AudioSession(
                host: AudioSessionHost(
                    driver: OfflineDriver(),
                    arbiter: RemoteArbiter(at: try ArbiterAddress(path: stage.socket))))
            let hints = EventLog<UInt?>()
            let token = NotificationCenter.default.addObserver(
                forName: AudioSession.silenceSecondaryAudioHintNotification, object: game, queue: nil
            ) { note in
                hints.note(note.userInfo?[AudioSessionSilenceSecondaryAudioHintTypeKey] as? UInt)
            }
            defer { NotificationCenter.default.removeObserver(token) }
            try game.setCategory(.ambient)
            try game.setActive(true)

            let app = try ChildProcess(
                try BuiltProgram.path("RenderCallback"), ["600"],
                environment: stage.environment.merging(fixture.server.environment) { $1 })
            #expect(hints.wait { $0 == [1] }, "\(app.output)")
            #expect(try fixture.wait { try ears.captured(last: 1_024)[0].contains { $0 != 0 } })
            ears.kill()
            // Interrupted, it no longer plays.
            #expect(hints.wait { $0 == [1, 0] })
            try fixture.letPass()
            #expect(try fixture.speaker.captured()[0].allSatisfy { $0 == 0 })
            let status = try stage.audiosession("status").output
            #expect(status.contains("interrupted"), "\(status)")
            app.send(SIGKILL)
            app.reap()
        }
    }
}
