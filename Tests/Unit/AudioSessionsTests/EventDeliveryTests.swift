import AudioRendering
import AudioSessions
import Foundation
import TestSupport
import Testing

@Suite struct EventDeliveryTests {
    @Test("INT-2, INT-3: began and ended arrive in order, with numbers that read as UInt and as Int")
    func interruption() throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        let listener = NotificationRecorder(AudioSession.interruptionNotification, of: session)
        try session.setActive(true)
        try stage.host.beginInterruption(by: .alarm)
        try stage.host.endInterruption(shouldResume: true)
        try session.setActive(true)
        try stage.host.beginInterruption()
        try stage.host.endInterruption(shouldResume: false)
        try stage.drain()
        let heard = listener.heard.noted
        #expect(heard.map { $0[AudioSessionInterruptionTypeKey] as? UInt } == [1, 0, 1, 0])
        #expect(heard.map { $0[AudioSessionInterruptionTypeKey] as? Int } == [1, 0, 1, 0])
        #expect(heard.map { $0[AudioSessionInterruptionReasonKey] as? UInt } == [0, nil, 0, nil])
        #expect(heard.map { $0[AudioSessionInterruptionOptionKey] as? UInt } == [nil, 1, nil, 0])
    }

    @Test("INT-9: players pause at began; at ended the app is notified first, then the players")
    func participants() throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        let order = EventLog<String>()
        let player = Participant(session) { order.note($0) }
        let token = NotificationCenter.default.addObserver(
            forName: AudioSession.interruptionNotification, object: session, queue: nil
        ) { note in
            order.note((note.userInfo?[AudioSessionInterruptionTypeKey] as? UInt) == 1 ? "began" : "ended")
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try session.setActive(true)
        player.run(true)
        try stage.host.ring()
        try stage.drain()
        try stage.host.declineCall()
        try stage.drain()
        #expect(order.noted == ["paused", "began", "ended", "may resume: true"])
        try session.setActive(false)
        #expect(order.noted.last == "stopped")
    }

    @Test("CAT-3, ROUTE-3: a changed category posts a route change with the reason and the previous route")
    func routeChange() throws {
        let stage = HostFixture()
        let session = try stage.session()
        let heard = EventLog<(reason: UInt?, previous: Int?)>()
        let token = NotificationCenter.default.addObserver(
            forName: AudioSession.routeChangeNotification, object: session, queue: nil
        ) { note in
            let route = note.userInfo?[AudioSessionRouteChangePreviousRouteKey] as? AudioSessionRouteDescription
            heard.note((note.userInfo?[AudioSessionRouteChangeReasonKey] as? UInt, route?.outputs.count))
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try session.setActive(true)
        try session.setCategory(.record)
        try session.setCategory(.playback)
        try stage.drain()
        #expect(heard.noted.map(\.reason) == [3, 3])
        #expect(heard.noted.last?.previous == 0, "record has no output")
        #expect(session.currentRoute.outputs.first?.channels?.count == 1)
    }

    @Test("ROUTE-3, HW-6: a different channel count of the device is a route change; a different period is not")
    func deviceChange() throws {
        let driver = FaultyDriver()
        let session = try AudioSession(host: AudioSessionHost(driver: driver))
        let listener = NotificationRecorder(AudioSession.routeChangeNotification, of: session)
        try session.setActive(true)
        try session.setPreferredIOBufferDuration(0.005)
        var format = try #require(driver.format)
        format.outputChannels = 6
        driver.notify(.formatChanged(format))
        #expect(listener.heard.wait { $0.count == 1 })
        #expect(listener.heard.noted.first?[AudioSessionRouteChangeReasonKey] == 8)
    }

    @Test("SIM-6: another app's audio mixes with the session, ducks it, or interrupts it and lets it resume")
    func otherApp() throws {
        let stage = HostFixture()
        let game = try stage.session(.ambient)
        try game.setActive(true)
        try stage.host.beginOtherAudio(.mixWithOthers)
        #expect(game.isOtherAudioPlaying && !game.secondaryAudioShouldBeSilencedHint && game.state.reasons.isEmpty)
        #expect(throws: AudioSessionError.self) { try stage.host.beginOtherAudio() }
        try stage.host.endOtherAudio()
        #expect(!game.isOtherAudioPlaying)
        try stage.host.beginOtherAudio(.duckOthers)
        #expect(game.state.isDucked)
        try stage.host.endOtherAudio()
        let music = try stage.session(.playback)
        let listener = NotificationRecorder(AudioSession.interruptionNotification, of: music)
        try music.setActive(true)
        try stage.host.beginOtherAudio()
        #expect(!music.isActive && game.secondaryAudioShouldBeSilencedHint)
        try stage.host.endOtherAudio()
        try stage.drain()
        #expect(listener.heard.noted.last?[AudioSessionInterruptionOptionKey] == 1)
        try stage.host.ring()
        let refused = #expect(throws: AudioSessionError.self) { try stage.host.beginOtherAudio() }
        #expect(refused?.errorCode == .insufficientPriority)
        #expect(throws: AudioSessionError.self) { try stage.host.endOtherAudio() }
    }

    @Test("HINT-1, HINT-2: other audio, and the hint for primary audio, are readable and reported")
    func otherAudio() throws {
        let stage = HostFixture()
        let game = try stage.session(.ambient)
        let music = try stage.session(.playback)
        let player = Participant(music)
        let listener = NotificationRecorder(AudioSession.silenceSecondaryAudioHintNotification, of: game)
        try game.setActive(true)
        try music.setActive(true)
        #expect(!game.isOtherAudioPlaying)
        player.run(true)
        #expect(game.isOtherAudioPlaying && game.secondaryAudioShouldBeSilencedHint)
        #expect(!music.isOtherAudioPlaying)
        try music.setActive(false)
        #expect(!game.isOtherAudioPlaying)
        try stage.drain()
        #expect(listener.heard.noted.map { $0[AudioSessionSilenceSecondaryAudioHintTypeKey] as? UInt } == [1, 0])
    }

    @Test("SRV-1, SRV-2: the loss and the return of the server are reported to every session")
    func mediaServices() throws {
        let driver = FaultyDriver()
        let host = AudioSessionHost(driver: driver)
        let session = try AudioSession(host: host)
        let lost = NotificationRecorder(AudioSession.mediaServicesWereLostNotification, of: session)
        let reset = NotificationRecorder(AudioSession.mediaServicesWereResetNotification, of: session)
        try session.setActive(true)
        driver.notify(.serverLost)
        #expect(lost.heard.wait { $0.count == 1 })
        #expect(reset.heard.noted.isEmpty)
        driver.notify(.serverReturned(try #require(driver.format)))
        #expect(reset.heard.wait { $0.count == 1 })
        #expect(session.isActive)
    }

    @Test("Events carry the same information as the notifications, and reach every listener")
    func events() async throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        let streams = [session.events, session.events]
        try session.setActive(true)
        try stage.host.ring()
        try stage.host.declineCall()
        try stage.host.setSystemVolume(0.5)
        for stream in streams {
            var heard: [AudioSessionEvent] = []
            for await event in stream {
                if case .stateChanged = event { continue }
                heard.append(event)
                if event == .outputVolumeChanged(0.5) { break }
            }
            #expect(
                heard == [
                    .becameActive, .routeChanged(.categoryChange), .interruptionBegan(.default),
                    .becameInactive(.interruption(.default)), .interruptionEnded(shouldResume: true),
                    .outputVolumeChanged(0.5),
                ])
        }
    }

    @Test("Events end with the session")
    func eventsEnd() async throws {
        let stage = HostFixture()
        let stream = try stage.session(.playback).events
        try stage.drain()
        for await _ in stream {}
    }
}
