import AudioSessions
import Recipes
import TestSupport
import Testing

/// GUIDE-7: cooperative music. That it registers no remote commands needs no test: this release has
/// none.
@Suite struct CooperativeMusicTests {
    private static let (instrument, music) = (0, 1)

    @Test(
        "GUIDE-7: an instrument plays alongside the music once started, in the background too, interrupting no app"
    )
    func playAlong() throws {
        let (instrument, music) = (Self.instrument, Self.music)
        let device = try Device(apps: 2, microphones: 1)
        let player = try Player(session: device.session(of: music), path: device.programme(of: music)) { _ in }
        try player.play()
        _ = try device.render(4_800)

        // "Use mixWithOthers." "If the UI contains a start/stop button, activate the session when
        // the user presses it."
        let session = try device.session(of: instrument)
        let scenario = Scenario(session)
        let drums = try CooperativeMusic(session: session, rhythm: device.programme(of: instrument))
        #expect(session.categoryOptions.contains(.mixWithOthers) && !session.isActive)
        try drums.start()
        var heard = try device.render(4_800)
        #expect(heard[instrument].differs(from: 0) == nil && heard[music].differs(from: 4_800) == nil)
        try drums.hit(device.buffer(of: instrument, [0.25, 0.25]))
        heard = try device.render(480)
        #expect(heard[instrument].samples[1] == 0.25 + 4_802 / 1_048_576 && heard[music].differs(from: 9_600) == nil)

        // Music that starts later does not interrupt the instrument either.
        player.pause()
        _ = try device.render(480)
        try player.play()
        heard = try device.render(4_800)
        #expect(heard[instrument].differs(from: 5_760) == nil)
        #expect(heard[music].differs(fadingInFrom: 10_080 + Device.fade) == nil)

        // "Ensure that the audio background flag is set."
        try device.app(instrument).setDeclaresBackgroundAudio(true)
        try device.app(instrument).setApplicationState(.background)
        #expect(try device.render(4_800)[instrument].differs(from: 10_560) == nil)
        try device.app(instrument).setApplicationState(.foreground)

        // Calls interrupt the instrument like any other app; both resume.
        try device.system.ring()
        heard = try device.render(2_400)
        #expect(heard[instrument].fallsSilent && heard[music].fallsSilent)
        try device.system.declineCall()
        heard = try device.render(2_400)
        #expect(heard[instrument].differs(fadingInFrom: 15_360 + Device.fade) == nil)
        #expect(scenario.events.suffix(2) == [.interruptionBegan(.default), .interruptionEnded(shouldResume: true)])

        // The stop button: the instrument is silent and inactive, and other apps are not affected.
        let place = Int((heard[music].samples.last ?? 0) * 1_048_576)
        try drums.stop()
        heard = try device.render(2_400)
        #expect(heard[instrument].fallsSilent && heard[music].differs(from: place) == nil)
        #expect(!session.isActive)
    }

    @Test("GUIDE-7: the app asks before it records; its input is heard together with the music in the same cycle")
    func listening() throws {
        let (instrument, music) = (Self.instrument, Self.music)
        let device = try Device(apps: 2, microphones: 1)
        let player = try Player(session: device.session(of: music), path: device.programme(of: music)) { _ in }
        try player.play()
        let session = try device.session(of: instrument)
        let looper = try CooperativeMusic(session: session, rhythm: device.programme(of: instrument))
        try looper.start()
        let singing = [Float](repeating: 0.25, count: 2_400)
        var heard = try device.render(2_400, microphone: singing)

        // "Ask the user for permission to record input using requestRecordPermission. Don't rely on
        // the operating system to prompt the user."
        let asked = device.user(of: instrument, allows: true)
        #expect(heard[instrument].differs(from: 0) == nil, "the input is silent until then")
        looper.playMicrophone()
        heard = try device.render(2_400, microphone: singing)
        #expect(asked.noted.count == 1)
        #expect(heard[instrument].samples.last == 0.25 + 4_800 / 1_048_576)
        #expect(heard[music].samples.last == 0.25 + 4_800 / 1_048_576, "a mono input is heard on both channels")
        #expect(session.isActive && !session.explain().contains { $0.contains("interrupted") })
    }

    @Test(
        "GUIDE-7, GUIDE-1: without a start button it behaves like a game: active in the foreground, even after calls"
    )
    func withoutButton() throws {
        let (instrument, music) = (Self.instrument, Self.music)
        let device = try Device(apps: 2)
        let player = try Player(session: device.session(of: music), path: device.programme(of: music)) { _ in }
        try player.play()
        let session = try device.session(of: instrument)
        let effect = try device.buffer(of: instrument, [Float](repeating: 0.25, count: 48))
        let piano = try Game(session: session, soundtrack: device.programme(of: instrument), effect: effect)
        piano.didBecomeActive()
        try piano.fire()
        var heard = try device.render(480)
        #expect(heard[instrument].samples[0] == 0.25 && heard[music].differs(from: 0) == nil)
        try device.system.beginInterruption(by: .alarm)
        _ = try device.render(480)
        try device.system.endInterruption(shouldResume: false)
        _ = try device.render(480)
        try piano.fire()
        heard = try device.render(480)
        #expect(heard[instrument].samples[0] != 0 && session.isActive)
    }
}
