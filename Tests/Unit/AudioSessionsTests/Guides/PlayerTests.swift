import AudioPlayback
import AudioSessions
import Recipes
import TestSupport
import Testing

/// GUIDE-2, playback controlled by the user; recording is in RecorderTests. The quoted advice is
/// that of 2017.
///
/// Not in this release, and so not tested: the volume view; the values that it sets are tested.
/// Unplugging headphones is in FigureTests (figure 5-1).
@Suite struct UserControlledPlaybackTests {
    private static let (player, other) = (0, 1)

    private struct Scene {
        let device: Device
        let screen = Screen<Player.Display>()
        let session: AudioSession
        let player: Player
        let scenario: Scenario

        init() throws {
            device = try Device(apps: 2)
            session = try device.session(of: UserControlledPlaybackTests.player)
            player = try Player(
                session: session, path: device.programme(of: UserControlledPlaybackTests.player), display: screen.show)
            scenario = Scenario(session)
        }

        /// Starts the music of another app.
        func music() throws -> Player {
            let app = UserControlledPlaybackTests.other
            let music = try Player(session: device.session(of: app), path: device.programme(of: app)) { _ in }
            try music.play()
            return music
        }
    }

    @Test(
        "GUIDE-2: it waits for the button, stays active in the foreground, and deactivates in the background if paused"
    )
    func button() throws {
        let scene = try Scene()
        let (device, player, other) = (scene.device, Self.player, Self.other)
        let music = try scene.music()
        _ = try device.render(2_400)

        // "Wait for the user to press the play or record button before activating the audio
        // session."
        #expect(!scene.session.isActive)
        #expect(try device.render(2_400)[other].differs(from: 2_400) == nil)
        try scene.player.play()
        var heard = try device.render(2_400)
        #expect(heard[player].differs(from: 0) == nil && heard[other].fallsSilent)
        #expect(scene.screen.displays == [.playing])

        // "While the app is in the foreground, keep the audio session active unless it is
        // interrupted."
        scene.player.pause()
        #expect(try device.render(2_400)[player].fallsSilent)
        #expect(scene.session.isActive && scene.screen.now == .paused)
        try scene.player.play()
        #expect(try device.render(2_400)[player].differs(fadingInFrom: 2_400 + Device.fade) == nil)
        scene.player.pause()
        _ = try device.render(2_400)

        // "If audio is not running when the app goes to the background, deactivate the session:
        // this keeps it from being interrupted by another non-mixable app." "Use a background task
        // instead of streaming silence."
        try device.app(player).setApplicationState(.background)
        try scene.player.didEnterBackground()
        #expect(!scene.session.isActive)
        let notified = scene.scenario.events
        heard = try device.render(2_400)
        let place = 4_800 + Device.fade  // the music's position when the button was pressed
        #expect(heard[player].isSilent && heard[other].differs(fadingInFrom: place) == nil, "it notified others")
        music.pause()
        try music.play()
        _ = try device.render(256)
        #expect(scene.scenario.events == notified, "an inactive session is not interrupted")
    }

    @Test("GUIDE-2: an interrupted player shows that it is paused; it resumes only if it played before and may do so")
    func interruptions() throws {
        let scene = try Scene()
        let (device, player) = (scene.device, Self.player)
        try scene.player.play()
        _ = try device.render(4_800)

        // "When playback is interrupted, update the UI to show that it is paused. Do not deactivate
        // the audio session."
        try device.system.beginInterruption(by: .alarm)
        #expect(try device.render(4_800)[player].fallsSilent)
        #expect(scene.screen.displays == [.playing, .paused] && scene.session.state.activity == .interrupted)
        // "Observe interruptions": the events that it receives, and that it resumes at the very
        // next frame.
        try device.system.endInterruption(shouldResume: true)
        #expect(try device.render(4_800)[player].differs(fadingInFrom: 4_800 + Device.fade) == nil)
        #expect(scene.screen.now == .playing)
        #expect(scene.scenario.interruptions == [.interruptionBegan(.default), .interruptionEnded(shouldResume: true)])

        // "Check for the presence of the option and honor its value" (2014).
        try device.system.beginInterruption(by: .alarm)
        _ = try device.render(4_800)
        try device.system.endInterruption(shouldResume: false)
        #expect(try device.render(4_800)[player].isSilent)
        #expect(scene.screen.now == .paused)

        // "Don't start playing again unless the app was playing prior to the interruption."
        try scene.player.play()
        _ = try device.render(2_400)
        scene.player.pause()
        _ = try device.render(2_400)
        try device.system.ring()
        try device.system.declineCall()
        #expect(try device.render(4_800)[player].isSilent)
        #expect(scene.screen.now == .paused)
    }

    @Test(
        "GUIDE-2: with declared background audio it plays while locked; after suspension it waits for the button"
    )
    func appLife() throws {
        let scene = try Scene()
        let (device, player) = (scene.device, Self.player)

        // "Ensure that the audio background flag is set."
        try device.app(player).setDeclaresBackgroundAudio(true)
        try scene.player.play()
        _ = try device.render(4_800)
        try device.system.setScreenLocked(true)
        #expect(try device.render(4_800)[player].differs(from: 4_800) == nil)
        try device.system.setScreenLocked(false)
        try device.app(player).setApplicationState(.background)
        try scene.player.didEnterBackground()
        #expect(try device.render(4_800)[player].differs(from: 9_600) == nil, "it stays active because it is playing")

        // "Assume that the session is inactive when the app moves from suspended to the foreground.
        // Reactivate it when the user presses the button."
        try device.app(player).setApplicationState(.suspended)
        #expect(try device.render(4_800)[player].fallsSilent)
        try device.app(player).setApplicationState(.foreground)
        scene.player.willEnterForeground()
        #expect(try device.render(4_800)[player].isSilent)
        #expect(!scene.session.isActive && scene.screen.now == .paused)
        try scene.player.play()
        #expect(try device.render(4_800)[player].differs(fadingInFrom: 14_400) == nil)
        #expect(scene.session.isActive && scene.screen.now == .playing)

        // Without the flag.
        try device.app(player).setDeclaresBackgroundAudio(false)
        try device.system.setScreenLocked(true)
        #expect(try device.render(4_800)[player].fallsSilent)
    }

    @Test(
        "GUIDE-2, VOL-1, ROUTE-8: the user sets volume and route outside the app; it keeps playing, and can read them"
    )
    func volumeAndRoute() throws {
        let scene = try Scene()
        let (device, player) = (scene.device, Self.player)
        try scene.player.play()
        _ = try device.render(4_800)

        // "Use the volume view for the volume slider and the route picker": there is no such view
        // here, but the values that it sets exist.
        try device.system.plug("Headphones", type: .headphones)
        try device.system.plug("Television", type: .HDMI)
        #expect(scene.session.currentRoute.outputs.map(\.portName) == ["Television"])
        try device.system.pickOutput("Headphones:output")
        #expect(try device.render(4_800)[player].differs(from: 4_800) == nil)
        #expect(scene.session.currentRoute.outputs.map(\.portName) == ["Headphones"])
        #expect(scene.scenario.routeChanges.last == .override && scene.screen.displays == [.playing])
        try device.system.setSystemVolume(0.5)
        #expect(try abs(device.render(4_800)[player].decibels(from: 9_600) + 6.0206) < 0.001)
        #expect(scene.session.outputVolume == 0.5)
    }

    @Test("GUIDE-2, REMOTE-1, REMOTE-3: remote commands do what the app's button does, and what plays is published")
    func remoteCommands() throws {
        let scene = try Scene()
        let (device, player) = (scene.device, Self.player)
        let music = try scene.music()
        _ = try device.render(2_400)
        // "Your app must be the Now Playing app and currently playing audio before it can respond."
        try device.system.sendRemoteCommand(.pause)
        #expect(try device.render(2_400)[Self.other].fallsSilent && scene.screen.displays.isEmpty)
        try music.play()

        try scene.player.play()
        _ = try device.render(4_800)
        try device.system.sendRemoteCommand(.pause)
        #expect(try device.render(4_800)[player].fallsSilent)
        #expect(scene.screen.displays == [.playing, .paused] && scene.session.isActive)
        try device.system.sendRemoteCommand(.togglePlayPause)
        #expect(try device.render(4_800)[player].differs(fadingInFrom: 4_800 + Device.fade) == nil)
        #expect(scene.screen.now == .playing)
        try device.system.sendRemoteCommand(.seek(to: 1))
        _ = try device.render(256)
        let remote = scene.session.remoteControl
        #expect(eventually { remote.nowPlaying?.position == 1 && remote.nowPlaying?.duration == 10 })

        // A command that is issued during an interruption is remembered: it does not resume.
        try device.system.ring()
        _ = try device.render(2_400)
        try device.system.sendRemoteCommand(.pause)
        try device.system.declineCall()
        #expect(try device.render(4_800)[player].isSilent)
        #expect(scene.screen.now == .paused)
        withExtendedLifetime(music) {}
    }

    @Test("INT-7: paused by a command of the assistant that interrupts it, the player does not resume")
    func assistantSaysPause() throws {
        let scene = try Scene()
        let (device, player) = (scene.device, Self.player)
        try scene.player.play()
        _ = try device.render(4_800)
        try device.system.beginInterruption(by: .assistant)
        #expect(try device.render(2_400)[player].fallsSilent)

        // "Keep track of any commands issued by Siri and respond accordingly when the interruption
        // ends: it should not automatically resume playing. Instead, your app's UI should indicate
        // that it is in a paused state."
        scene.player.pause()
        try device.system.endInterruption(shouldResume: true)
        #expect(try device.render(2_400)[player].isSilent)
        #expect(
            scene.scenario.interruptions == [.interruptionBegan(.default), .interruptionEnded(shouldResume: false)])
        #expect(scene.screen.now == .paused)
        try scene.player.play()
        #expect(try device.render(2_400)[player].differs(fadingInFrom: 4_800 + Device.fade) == nil)
    }
}
