import AudioPlayback
import AudioRendering
import AudioSessions
import Recipes
import TestSupport
import Testing

/// GUIDE-8: the three opening scenarios of the guide (2014, "Why a default audio session usually
/// isn't what you want"): the behavior of an app that does not configure its session, and the
/// remedy.
@Suite struct OpeningScenarioTests {
    private static let (app, music) = (0, 1)

    @Test(
        "GUIDE-8, scenario 1: an audiobook stops when the screen locks; with playback and the flag it continues"
    )
    func audiobook() throws {
        let device = try Device(apps: 1)
        // "As soon as Lord Bassanio enters, Auto-Lock times out, the screen locks, and your audio
        // goes silent."
        let session = try device.session(of: Self.app)
        let book = try AudioPlayer(path: device.programme(of: Self.app), session: session)
        try book.play()
        _ = try device.render(4_800)
        try device.system.setScreenLocked(true)
        #expect(try device.render(4_800)[Self.app].fallsSilent)
        #expect(!session.isActive && session.state.reasons.map(\.rule) == ["ACT-1"])
        try device.system.setScreenLocked(false)

        // "Use a category that supports playback and set the audio flag."
        try device.app(Self.app).setDeclaresBackgroundAudio(true)
        let heard = Screen<Player.Display>()
        let better = try Player(
            session: device.session(of: Self.app), path: device.programme(of: Self.app), mode: .spokenAudio,
            display: heard.show)
        try better.play()
        _ = try device.render(4_800)
        try device.system.setScreenLocked(true)
        #expect(try device.render(4_800)[Self.app].differs(from: 4_800) == nil)
        #expect(heard.displays == [.playing])
    }

    @Test("GUIDE-8, scenario 2: a game's photon torpedo stops the user's song; in category ambient it does not")
    func torpedo() throws {
        let (game, music) = (Self.app, Self.music)
        let device = try Device(apps: 2)
        let song = try device.session(of: music)
        let player = try Player(session: song, path: device.programme(of: music)) { _ in }
        try player.play()
        _ = try device.render(4_800)

        // "After starting up a motivating song, the user fires a photon torpedo at an enemy ship,
        // and the music stops."
        let torpedo = try device.buffer(of: game, [Float](repeating: 0.25, count: 480))
        let session = try device.session(of: game)
        try session.setActive(true)
        try session.engine.play(.buffer(torpedo), on: session.bus)
        var heard = try device.render(4_800)
        #expect(heard[music].fallsSilent && heard[game].samples[0] == 0.25)
        #expect(song.state.reasons.map(\.rule) == ["ACT-2"])
        try session.setActive(false, options: .notifyOthersOnDeactivation)

        // "Use ambient, or modify playback to support mixing."
        _ = try device.render(4_800)
        let place = 9_600 + Device.fade
        let mixing: [(AudioSession.Category, AudioSession.CategoryOptions)] = [
            (.ambient, []), (.playback, .mixWithOthers),
        ]
        for (category, options) in mixing {
            try session.setCategory(category, options: options)
            try session.setActive(true)
            try session.engine.play(.buffer(torpedo), on: session.bus)
            heard = try device.render(4_800)
            #expect(heard[game].samples[479] == 0.25)
            let first = category == .ambient ? place : place + 4_800
            #expect(heard[music].differs(from: first) == nil, "\(category.rawValue)")
            try session.setActive(false)
        }
    }

    @Test("GUIDE-8, scenario 3: a radio is silent after an ignored call, until it observes interruptions")
    func radio() throws {
        let device = try Device(apps: 1)
        // "The user chooses to ignore the call and dismisses the alert. The user taps Play again,
        // but nothing happens." The stream is the app's own, as from an audio queue: the library
        // does not activate the session for it.
        let session = try device.session(of: Self.app)
        try session.setActive(true)
        let stream = try device.buffer(of: Self.app, Signal.counting(frames: 100_000))
        try session.engine.play(.buffer(stream), on: session.bus)
        _ = try device.render(4_800)
        try device.system.ring()
        #expect(try device.render(4_800)[Self.app].fallsSilent)
        try device.system.declineCall()
        #expect(try device.render(4_800)[Self.app].isSilent)
        #expect(session.explain() == ["session 1 is inactive by ACT-1"], "explain names the reason")

        // "Set the appropriate category, register for the notification, and respond accordingly."
        try session.setCategory(.playback)
        let observer = SessionObserver()
        observer.observe(session) { event in
            if event == .interruptionEnded(shouldResume: true) { try? session.setActive(true) }
        }
        try session.setActive(true)
        #expect(try device.render(4_800)[Self.app].differs(fadingInFrom: 4_800 + Device.fade) == nil)
        try device.system.ring()
        _ = try device.render(4_800)
        try device.system.declineCall()
        #expect(try device.render(4_800)[Self.app].differs(fadingInFrom: 9_600 + 2 * Device.fade) == nil)
    }
}
