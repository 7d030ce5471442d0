import AudioPlayback
import AudioSessions
import Recipes
import TestSupport
import Testing

/// GUIDE-1: games. Where the guides differ, the one of 2017 applies. Its advice is quoted at each
/// step.
@Suite struct GameTests {
    private static let (game, music) = (0, 1)

    /// The user's music in another app in the background, and a game that is launched over it.
    private struct Scene {
        let device: Device
        let musicSession: AudioSession
        let music: Player
        let session: AudioSession
        let game: Game
        let scenario: Scenario

        init() throws {
            device = try Device(apps: 2)
            try device.app(GameTests.music).setDeclaresBackgroundAudio(true)
            musicSession = try device.session(of: GameTests.music)
            music = try Player(session: musicSession, path: device.programme(of: GameTests.music)) { _ in }
            try music.play()
            #expect(try device.render(4_800)[GameTests.music].differs(from: 0) == nil)
            try device.app(GameTests.music).setApplicationState(.background)

            session = try device.session(of: GameTests.game)
            game = try Game(
                session: session, soundtrack: device.programme(of: GameTests.game),
                effect: device.buffer(of: GameTests.game, [Float](repeating: 0.25, count: 480)))
            scenario = Scenario(session)
        }

        /// Pauses the user's music, and renders until the game is notified of that: once the music
        /// has been silent for 200 ms (HINT-3).
        func pauseMusic() throws {
            music.pause()
            var heard = try device.render(256)
            #expect(heard[GameTests.music].fallsSilent)
            var frames = 256
            while scenario.events.last != .silenceSecondaryAudioHint(.end), frames < 48_000 {
                #expect(heard[GameTests.game].isSilent)
                heard = try device.render(256)
                frames += 256
            }
            #expect((9_600...10_240).contains(frames))
        }
    }

    @Test("GUIDE-1: launched over the user's music: splash, effects over it, and no soundtrack until it is paused")
    func overMusic() throws {
        let scene = try Scene()
        let (device, game, music) = (scene.device, Self.game, Self.music)

        // "Set the audio category before displaying a video splash on app launch": the music
        // continues under it.
        let splash = try AudioPlayer(path: device.programme(of: game, frames: 2_400), session: scene.session)
        try splash.play()
        var heard = try device.render(2_400)
        #expect(heard[game].differs(from: 0) == nil && heard[music].differs(from: 4_800) == nil)

        // "Activate the session in applicationDidBecomeActive." "Play app soundtrack audio when
        // other audio is not playing, otherwise allow the previous audio to play."
        scene.game.didBecomeActive()
        #expect(scene.session.isActive && scene.session.secondaryAudioShouldBeSilencedHint)
        heard = try device.render(2_400)
        #expect(heard[game].isSilent && heard[music].differs(from: 7_200) == nil)

        // "Play app sound effects while allowing another app's audio to play."
        try scene.game.fire()
        heard = try device.render(960)
        #expect(heard[game].samples == [Float](repeating: 0.25, count: 480) + [Float](repeating: 0, count: 480))
        #expect(heard[music].differs(from: 9_600) == nil)

        // The same advice once no other app plays. The hint reports when.
        try scene.pauseMusic()
        heard = try device.render(2_400)
        #expect(heard[music].isSilent && heard[game].differs(from: 0) == nil)
        try scene.game.fire()
        heard = try device.render(960)
        #expect(heard[game].samples[0] == 0.25 + 2_401 / 1_048_576, "effects over the soundtrack")

        // The reverse: the user's music starts again and the soundtrack yields; effects would
        // continue.
        try device.app(music).setApplicationState(.foreground)
        try scene.music.play()
        heard = try device.render(2_400)
        #expect(heard[game].fallsSilent && heard[music].differs(fadingInFrom: 10_560 + Device.fade) == nil)
        #expect(scene.scenario.events.last == .silenceSecondaryAudioHint(.begin))
        #expect(scene.session.isActive)
    }

    @Test(
        "GUIDE-1: after every interruption the game reactivates and resumes; the hint decides about the soundtrack")
    func interruptions() throws {
        let scene = try Scene()
        let (device, game, music) = (scene.device, Self.game, Self.music)
        scene.game.didBecomeActive()
        try scene.pauseMusic()
        #expect(try device.render(4_800)[game].differs(from: 0) == nil)

        // "Always attempt to reactivate and resume playback after an end interruption event": even
        // when the event does not recommend resuming.
        try device.system.beginInterruption(by: .alarm)
        #expect(try device.render(4_800)[game].fallsSilent)
        try scene.game.fire()  // it is not played later
        #expect(!scene.session.isActive)
        try device.system.endInterruption(shouldResume: false)
        #expect(try device.render(4_800)[game].differs(fadingInFrom: 4_800 + Device.fade) == nil)
        #expect(
            scene.scenario.interruptions == [.interruptionBegan(.default), .interruptionEnded(shouldResume: false)])

        // "Use secondaryAudioShouldBeSilencedHint to determine whether to resume the soundtrack":
        // the user's music also resumes, and takes precedence.
        try device.app(music).setApplicationState(.foreground)
        try scene.music.play()
        _ = try device.render(4_800)
        try device.system.ring()
        var heard = try device.render(4_800)
        #expect(heard[game].isSilent && heard[music].fallsSilent)
        try device.system.declineCall()
        heard = try device.render(4_800)
        #expect(heard[game].isSilent && scene.session.isActive)
        // Before the pause, and before the call.
        let place = 4_800 + Device.fade + 4_800 + Device.fade
        #expect(heard[music].differs(fadingInFrom: place) == nil)
    }

    @Test("GUIDE-1: headphones are plugged in and unplugged, and the game keeps playing")
    func routes() throws {
        let scene = try Scene()
        let (device, game) = (scene.device, Self.game)
        scene.game.didBecomeActive()
        try scene.pauseMusic()
        _ = try device.render(2_400)

        // "Ignore all route changes unless the app specifically needs to pay attention to them."
        try device.system.plug("Headphones", type: .headphones)
        #expect(try device.render(2_400)[game].differs(from: 2_400) == nil)
        try device.system.unplug("Headphones")
        #expect(try device.render(2_400)[game].differs(from: 4_800) == nil)
        #expect(
            scene.scenario.routeChanges == [.categoryChange, .newDeviceAvailable, .oldDeviceUnavailable]
                && scene.session.isActive)
    }

    @Test(
        "GUIDE-1: behind a locked screen the game is silent and other apps are not; the silent switch silences it too")
    func lockAndSwitch() throws {
        let scene = try Scene()
        let (device, game, music) = (scene.device, Self.game, Self.music)
        scene.game.didBecomeActive()
        try scene.pauseMusic()
        _ = try device.render(4_800)

        // Guidelines on audio, "Silence": non-essential audio obeys the switch; it continues
        // inaudibly.
        try device.system.setSilentSwitch(true)
        #expect(try device.render(2_400)[game].fallsSilent)
        try device.system.setSilentSwitch(false)
        #expect(try device.render(2_400)[game].differs(fadingInFrom: 7_200) == nil)

        // "When users bring up another app or lock the screen, they do not expect the app to
        // continue playing."
        try device.system.setScreenLocked(true)
        #expect(try device.render(4_800)[game].fallsSilent)
        #expect(!scene.session.isActive)
        try device.system.setScreenLocked(false)
        #expect(try device.render(2_400)[game].isSilent, "it is not in the foreground yet")
        scene.game.didBecomeActive()
        #expect(try device.render(2_400)[game].differs(fadingInFrom: 9_600) == nil, "from where it stopped")
        try device.app(game).setApplicationState(.background)
        #expect(try device.render(2_400)[game].fallsSilent)
        #expect(scene.musicSession.isActive, "the user's music was not notified")
        #expect(try device.render(256)[music].isSilent)
    }
}
