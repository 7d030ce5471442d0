import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import Recipes
import TestSupport
import Testing

/// The guide's figures, step by step.
@Suite struct FigureTests {
    private static let (app, music) = (0, 1)

    @Test("INT-1, INT-2, INT-3, INT-6, INT-9, figure 3-1: a phone call, dismissed, and another one, accepted")
    func interruptionLifeCycle() throws {
        let device = try Device(apps: 1)
        let session = try device.session(of: Self.app)
        let screen = Screen<Player.Display>()
        let player = try Player(session: session, path: device.programme(of: Self.app), display: screen.show)
        // The state that the app finds when it is notified: "at this point, playback in your app
        // has stopped".
        let found = EventLog<AudioSession.State.Activity>()
        let observer = SessionObserver()
        observer.observe(session) { event in
            if case .interruptionBegan = event { found.note(session.state.activity) }
        }
        let scenario = Scenario(session)

        // 1. "Your app is active, playing back audio."
        try player.play()
        #expect(try device.render(4_800)[Self.app].differs(from: 0) == nil)
        #expect(session.state.activity == .running)
        // 2. "A phone call arrives. The system activates the phone app's audio session."
        try device.system.ring()
        // 3. "The system deactivates your audio session." It is already silent, whatever the app's
        // own threads do.
        #expect(session.state.activity == .interrupted && session.state.reasons.map(\.rule) == ["INT-6"])
        #expect(try device.driver.render(frames: 2_400)[0][Device.fade...].allSatisfy { $0 == 0 })
        // 4. "The system invokes your interruption listener." 5. "Your callback takes appropriate
        // action": it updates the display and saves the position to resume from.
        device.system.settle()
        #expect(found.noted == [.interrupted] && screen.displays == [.playing, .paused])
        // 6. "If the user dismisses the interruption, the system invokes your callback method,
        // indicating that it has ended."
        try device.system.declineCall()
        // 7. "Your callback updates the user interface, reactivates your audio session, and resumes
        // playback", at the next frame.
        #expect(try device.render(4_800)[Self.app].differs(fadingInFrom: 4_800 + Device.fade) == nil)
        #expect(scenario.interruptions == [.interruptionBegan(.default), .interruptionEnded(shouldResume: true)])
        #expect(screen.now == .playing && session.isActive)

        // 8. "If the user accepted a phone call, your app is suspended. When the phone call ends,
        // the end interruption is delivered." On a desktop the app is not suspended; it receives
        // the end when the call is over, and not earlier.
        try device.system.ring()
        try device.system.acceptCall()
        #expect(try device.render(4_800)[Self.app].fallsSilent)
        #expect(scenario.interruptions.count == 3)
        try device.system.endCall()
        #expect(try device.render(4_800)[Self.app].differs(fadingInFrom: 9_600 + 2 * Device.fade) == nil)

        // "There is no guarantee that a begin interruption will have an end interruption": the
        // suspended app waits for the play button.
        try device.system.ring()
        try device.system.acceptCall()
        try device.system.setApplicationState(.suspended)
        _ = try device.render(2_400)
        try device.system.endCall()
        try device.system.setApplicationState(.foreground)
        player.willEnterForeground()
        #expect(try device.render(2_400)[Self.app].isSilent)
        #expect(scenario.interruptions.suffix(1) == [.interruptionBegan(.default)] && screen.now == .paused)
        try player.play()
        #expect(try device.render(2_400)[Self.app].differs(fadingInFrom: 14_400 + 3 * Device.fade) == nil)
    }

    @Test(
        "GUIDE-2, ROUTE-2, ROUTE-3, ROUTE-4, figure 5-1: unplugging headphones pauses playback; plugging in does not"
    )
    func routeChanges() throws {
        let device = try Device(apps: 1)
        let session = try device.session(of: Self.app)
        let screen = Screen<Player.Display>()
        let player = try Player(session: session, path: device.programme(of: Self.app), display: screen.show)
        let scenario = Scenario(session)
        let previous = EventLog<String>()
        let token = NotificationCenter.default.addObserver(
            forName: AudioSession.routeChangeNotification, object: session, queue: nil
        ) { note in
            let route = note.userInfo?[AudioSessionRouteChangePreviousRouteKey] as? AudioSessionRouteDescription
            previous.note(route?.outputs.map(\.portName).joined() ?? "no route")
        }
        defer { NotificationCenter.default.removeObserver(token) }

        // "The system initially determines the audio route after your app launches."
        try player.play()
        #expect(try device.render(4_800)[Self.app].differs(from: 0) == nil)
        #expect(session.currentRoute.outputs.map(\.portType) == [.virtual])
        // "If a user plugs in the headset during playback, your app should simply allow playback to
        // continue."
        try device.system.plug("Headphones", type: .headphones)
        #expect(try device.render(4_800)[Self.app].differs(from: 4_800) == nil)
        #expect(session.currentRoute.outputs.map(\.portType) == [.headphones])
        // "If a user unplugs the headset during playback, your app should pause the audio."
        try device.system.unplug("Headphones")
        #expect(try device.render(4_800)[Self.app].fallsSilent)
        #expect(screen.displays == [.playing, .paused] && session.isActive)
        #expect(session.currentRoute.outputs.map(\.portType) == [.virtual])
        // "Your app can then provide a display that prompts the user to continue playing." It does
        // not resume automatically when the headphones are back.
        try device.system.plug("Headphones", type: .headphones)
        #expect(try device.render(4_800)[Self.app].isSilent)
        try player.play()
        #expect(try device.render(4_800)[Self.app].differs(fadingInFrom: 9_600 + Device.fade) == nil)

        // The contents of the notifications: the reason and the previous route. A category change
        // "simply returns".
        #expect(
            scenario.routeChanges == [
                .categoryChange, .newDeviceAvailable, .oldDeviceUnavailable, .newDeviceAvailable,
            ])
        let server = "Output of offline"
        #expect(previous.noted.suffix(3) == [server, "Headphones", server])
    }

    @Test(
        "PLAY-3 in part, table 6-1: films that silence all, mix with their own app, or mix with all"
    )
    func moviePlayers() throws {
        let (app, music, film) = (0, 1, 2)
        let device = try Device(apps: 3)
        let player = try Player(session: device.session(of: music), path: device.programme(of: music)) { _ in }
        let session = try device.session(of: app)
        let sound = try AudioPlayer(path: device.programme(of: app), session: session)

        // Row 1: "Playing a movie silences all other audio": the film has a session of its own in
        // the same app.
        try session.setCategory(.ambient)
        try player.play()
        try sound.play()
        _ = try device.render(2_400)
        let own = try AudioSession(host: device.app(app))
        try own.setCategory(.playback, mode: .moviePlayback)
        let silencing = try AudioPlayer(path: device.programme(of: film), session: own)
        // The app's own playback is mixable; it stops for the film.
        try session.setActive(false)
        try silencing.play()
        var heard = try device.render(2_400)
        #expect(heard[film].differs(from: 0) == nil && heard[music].fallsSilent && heard[app].fallsSilent)
        // "There's some cleanup": the film's session deactivates and notifies others; the app's
        // session is activated again.
        silencing.stop()
        try own.setActive(false, options: .notifyOthersOnDeactivation)
        try sound.play()
        heard = try device.render(2_400)
        #expect(heard[film].fallsSilent && heard[app].samples.last != 0)
        #expect(heard[music].differs(fadingInFrom: 2_400 + Device.fade) == nil)
        sound.stop()
        try session.setActive(false)
        let place = Int((try device.render(2_400)[music].samples.last ?? 0) * 1_048_576)

        // Row 2: "Movie and app audio mix, but other audio is silenced": a non-mixable category,
        // and the film shares the app's session.
        try session.setCategory(.playback)
        sound.currentTime = 0
        try sound.play()
        let sharing = try AudioPlayer(path: device.programme(of: film), session: session)
        try sharing.play()
        heard = try device.render(2_400)
        #expect(heard[app].differs(from: 0) == nil && heard[film].differs(from: 0) == nil && heard[music].fallsSilent)
        sound.stop()
        sharing.stop()
        try session.setActive(false, options: .notifyOthersOnDeactivation)
        _ = try device.render(2_400)

        // Row 3: "All audio mixes": a mixable category, and the film shares the app's session.
        try session.setCategory(.playback, options: .mixWithOthers)
        sound.currentTime = 0
        sharing.currentTime = 0
        try sound.play()
        try sharing.play()
        heard = try device.render(2_400)
        #expect(heard[app].differs(from: 0) == nil && heard[film].differs(from: 0) == nil)
        #expect(heard[music].differs(from: place + Device.fade + 2_400) == nil)
    }
}
