import AudioSessions
import Recipes
import TestSupport
import Testing

/// GUIDE-5: browser-like apps that sometimes play audio.
@Suite struct BrowserTests {
    private static let (browser, music) = (0, 1)

    @Test("GUIDE-5: a film in a page plays when the user starts it, and the user's music resumes when it ends")
    func film() throws {
        let (browser, music) = (Self.browser, Self.music)
        let device = try Device(apps: 2)
        let player = try Player(session: device.session(of: music), path: device.programme(of: music)) { _ in }
        try player.play()
        _ = try device.render(4_800)

        // "Always wait for the user to initiate playback": a page with a film interrupts no app.
        let screen = Screen<Browser.Display>()
        let session = try device.session(of: browser)
        let page = try Browser(
            session: session, film: device.programme(of: browser, frames: 12_000), display: screen.show)
        let scenario = Scenario(session)
        var heard = try device.render(4_800)
        #expect(heard[browser].isSilent && heard[music].differs(from: 4_800) == nil)

        // They "use playback, do not obey the silent switch, and do not mix with other apps".
        try device.system.setSilentSwitch(true)
        try page.play()
        heard = try device.render(4_800)
        #expect(heard[browser].differs(from: 0) == nil && heard[music].fallsSilent)

        // "Update the UI when the app receives a begin interruption event."
        try device.system.ring()
        #expect(try device.render(2_400)[browser].fallsSilent)
        #expect(screen.displays == [.playing, .paused])
        // "Wait for the user to initiate playback after receiving an end interruption event."
        try device.system.declineCall()
        #expect(try device.render(2_400)[browser].isSilent)
        #expect(scenario.interruptions == [.interruptionBegan(.default), .interruptionEnded(shouldResume: true)])
        try page.play()
        #expect(try device.render(2_400)[browser].differs(fadingInFrom: 4_800 + Device.fade) == nil)

        // "Deactivate the audio session using notifyOthersOnDeactivation after the video ends": the
        // music resumes at its next frame.
        _ = try device.render(12_000 - 4_800 - Device.fade - 2_400)  // the film's last frame
        #expect(!session.isActive && screen.now == .ended)
        heard = try device.render(2_400)
        #expect(heard[browser].isSilent)
        #expect(heard[music].differs(fadingInFrom: 9_600 + Device.fade) == nil)
    }

    @Test("GUIDE-5, REMOTE-2: the film takes the remote commands while it plays; afterwards they are the music's again")
    func remoteCommands() throws {
        let (browser, music) = (Self.browser, Self.music)
        let device = try Device(apps: 2)
        let heard = Screen<Player.Display>()
        let player = try Player(
            session: device.session(of: music), path: device.programme(of: music), display: heard.show)
        try player.play()
        let screen = Screen<Browser.Display>()
        let page = try Browser(
            session: device.session(of: browser), film: device.programme(of: browser, frames: 12_000),
            display: screen.show)

        // "Register for remote control events while video is playing and unregister when the video
        // ends."
        try page.play()
        _ = try device.render(4_800)
        try device.system.sendRemoteCommand(.pause)
        #expect(try device.render(2_400)[browser].fallsSilent)
        #expect(screen.displays == [.playing, .paused])
        try device.system.sendRemoteCommand(.togglePlayPause)
        _ = try device.render(12_000)
        #expect(screen.displays == [.playing, .paused, .playing, .ended])
        #expect(heard.now == .playing, "the music has resumed")
        try device.system.sendRemoteCommand(.pause)
        #expect(try device.render(2_400)[music].fallsSilent)
        #expect(heard.now == .paused && screen.displays.count == 4)
    }

    @Test(
        "GUIDE-5, ROUTE-4: unplugging headphones pauses the film; the session stays active, and the music stays silent"
    )
    func unplugged() throws {
        let (browser, music) = (Self.browser, Self.music)
        let device = try Device(apps: 2)
        try device.system.plug("Headphones", type: .headphones)
        let player = try Player(session: device.session(of: music), path: device.programme(of: music)) { _ in }
        try player.play()
        let screen = Screen<Browser.Display>()
        let session = try device.session(of: browser)
        let page = try Browser(session: session, film: device.programme(of: browser), display: screen.show)
        try page.play()
        #expect(try device.render(2_400)[browser].differs(from: 0) == nil)

        // "Pause due to a route change caused by an unplug event, but keep the audio session
        // active."
        try device.system.unplug("Headphones")
        #expect(try device.render(2_400)[browser].fallsSilent)
        #expect(session.isActive && screen.displays == [.playing, .paused])
        try page.play()
        #expect(try device.render(2_400)[browser].differs(fadingInFrom: 2_400 + Device.fade) == nil)
        page.ended()
        #expect(try device.render(2_400)[music].isSilent, "the music was meant for the headphones, too")
    }
}
