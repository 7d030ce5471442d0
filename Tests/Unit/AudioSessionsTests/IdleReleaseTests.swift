import AudioPlayback
import AudioRendering
@testable import AudioSessions
import Platform
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// Sessions that are active and silent, in one process: the arbiter's timer releases others
/// (ACT-17).
@Suite struct IdleReleaseTests {
    private let stage: HostFixture
    private let music: AudioSession

    init() throws {
        var settings = ArbiterSettings()
        (settings.policy.idleRelease, settings.policy.idleDuckRelease) = (0.05, 0.02)
        stage = HostFixture(settings: settings)
        music = try stage.session(.playback)
        try music.setActive(true)
    }

    private func record(of session: AudioSession) throws -> SessionState {
        try #require(session.registered.status?.session)
    }

    @Test("ACT-17, DUCK-2: a prompt that is active and silent lowers nobody any longer, and again when it speaks")
    func prompt() throws {
        try music.setCategory(.playback, options: .mixWithOthers)
        let states = EventLog<Bool>()
        let end = music.delivery.observe { [music] in states.note(music.state.isDucked) }
        defer { end() }
        let prompt = try stage.session(.playback, mode: .voicePrompt, options: .duckOthers)
        try prompt.setActive(true)
        #expect(states.wait { $0.contains(true) && $0.last == false })
        #expect(prompt.isActive)
        try stage.play([Float](repeating: 0.5, count: 1_000), in: prompt)
        _ = try stage.render(256)
        stage.host.settle()
        #expect(try music.state.isDucked && record(of: prompt).idleRelease == .none)
    }

    @Test("ACT-17: music is asked to resume when what interrupted it is silent; a paused player is in use")
    func forgotten() throws {
        let interruptions = NotificationRecorder(AudioSession.interruptionNotification, of: music)
        let game = try stage.session(.soloAmbient)
        let film = Film()
        game.attach(film)
        try game.setActive(true)
        film.isPaused = true
        game.participantsChanged()
        #expect(try record(of: game).silence?.unusedSince == nil && record(of: game).isPaused)
        #expect(interruptions.heard.wait { $0.count == 1 })
        film.isPaused = false
        game.participantsChanged()
        #expect(interruptions.heard.wait { $0.count == 2 })
        let types = interruptions.heard.noted.map { $0[AudioSessionInterruptionOptionKey] as? UInt }
        #expect(types == [nil, 1] && game.isActive)
    }

    @Test("ACT-17: a player that is released while it is paused is not in use any longer")
    func releasedPlayer() throws {
        let folder = try TemporaryDirectory()
        try SoundFile.write([[Float](repeating: 0.5, count: 48_000)], sampleRate: 48_000, to: folder.file("film.wav"))
        let interruptions = NotificationRecorder(AudioSession.interruptionNotification, of: music)
        let session = try stage.session(.playback)
        var player: AudioPlayer? = try AudioPlayer(path: folder.file("film.wav"), session: session)
        try player?.play()
        _ = try stage.render(256)
        player?.pause()
        _ = try stage.render(20_000)
        stage.host.settle()
        #expect(try record(of: session).isPaused && interruptions.heard.noted.count == 1)
        player = nil
        #expect(interruptions.heard.wait { $0.count == 2 })
        #expect(try !record(of: session).isPaused)
    }

    private final class Film: SessionParticipant {
        private let state = Mutex(false)
        var isRunning: Bool { false }
        var isPaused: Bool {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
        func sessionWasInterrupted() {}
        func sessionOutputWasDisconnected(isGone: Bool) {}
        func sessionInterruptionEnded(shouldResume: Bool) {}
        func sessionDidDeactivate() {}
    }
}
