import AudioRendering
import AudioSessions
import SessionArbiter
import TestSupport
import Testing

/// The background, suspension and the lock, as an app observes them and in its output.
@Suite struct AppLifeTests {
    private let signal = Signal.counting(frames: 100_000)

    @Test(
        "BG-1: the background silences and stops undeclared playback; declared playback continues bit-exactly"
    )
    func background() throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        let stopped = EventLog<String>()
        let participant = Participant(session) { stopped.note($0) }
        try session.setActive(true)
        participant.run(true)
        try stage.play(signal, in: session)
        _ = try stage.render(480)

        try stage.host.setDeclaresBackgroundAudio(true)
        try stage.host.setApplicationState(.background)
        #expect(try stage.render(1_000) == Array(signal[480..<1_480]))
        #expect(session.isActive)

        try stage.host.setDeclaresBackgroundAudio(false)
        stage.host.settle()
        #expect(!session.isActive)
        #expect(stopped.noted == ["stopped"])
        #expect(try stage.render(1_000)[240...].allSatisfy { $0 == 0 })
        let refusal = try #require(#expect(throws: AudioSessionError.self) { try session.setActive(true) })
        #expect(refusal.errorCode == .cannotStartPlaying && refusal.rule == "ACT-6")
        #expect(refusal.message.contains("in the background"))

        try stage.host.setApplicationState(.foreground)
        try session.setActive(true)
        #expect(session.isActive)
    }

    @Test("BG-2, SIM-3: a locked screen silences the ambient session and does not affect declared playback")
    func lock() throws {
        let stage = HostFixture()
        let game = try stage.session(.ambient)
        let music = try stage.session(.playback, options: .mixWithOthers)
        try stage.host.setDeclaresBackgroundAudio(true)
        try game.setActive(true)
        try music.setActive(true)
        try stage.host.setScreenLocked(true)
        #expect(!game.isActive && music.isActive)
        #expect(throws: AudioSessionError.self) { try game.setActive(true) }
        try stage.host.setScreenLocked(false)
        try game.setActive(true)
        #expect(game.isActive)
    }

    @Test("BG-3: a suspended app is inactive, and remains inactive when it is resumed")
    func suspension() throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        try stage.host.setDeclaresBackgroundAudio(true)
        try session.setActive(true)
        try stage.host.setApplicationState(.suspended)
        #expect(!session.isActive)
        #expect(throws: AudioSessionError.self) { try session.setActive(true) }
        try stage.host.setApplicationState(.foreground)
        stage.host.settle()
        #expect(!session.isActive)
        #expect(session.state.reasons.map(\.effect) == ["inactive"])
    }
}
