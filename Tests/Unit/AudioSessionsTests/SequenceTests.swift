import AudioRendering
import AudioSessions
import Foundation
import Platform
import SessionArbiter
import TestSupport
import Testing

/// A driver whose events the test makes.
private final class EventDriver: ProxyDriver<OfflineDriver>, @unchecked Sendable {
    let notify = Mutex<@Sendable (DriverEvent) -> Void>({ _ in })

    override func setEventHandler(_ handler: @escaping @Sendable (DriverEvent) -> Void) {
        notify.withLock { $0 = handler }
        super.setEventHandler(handler)
    }
}

/// Typed sequences of events and of property values.
@Suite(.timeLimit(.minutes(2))) struct SequenceTests {
    @Test("INT-2, INT-3, INT-11: interruptions, activity and recommendations, each as its own sequence")
    func interruptions() async throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        var interruptions = session.interruptions.makeAsyncIterator()
        var activity = session.activityChanges.makeAsyncIterator()
        var advice = session.resumptionRecommendations.makeAsyncIterator()
        try session.setActive(true)
        try stage.host.ring()
        try stage.host.declineCall()
        try session.setActive(true)
        try stage.host.beginInterruption()
        try stage.host.endInterruption(shouldResume: false)
        #expect(await interruptions.next() == .began(.default))
        #expect(await interruptions.next() == .ended(.shouldResume))
        #expect(await interruptions.next() == .began(.default))
        #expect(await interruptions.next() == .ended([]))
        for _ in 0..<2 {
            #expect(await activity.next() == .becameActive)
            #expect(await activity.next() == .becameInactive(.interruption(.default)))
        }
        #expect(await advice.next() == .shouldResume)
        #expect(await advice.next() == .shouldNotResume)
    }

    @Test("Xruns are events of active sessions")
    func xruns() async throws {
        let driver = EventDriver(OfflineDriver())
        let host = AudioSessionHost(driver: driver, settings: ArbiterSettings())
        let session = try AudioSession(host: host)
        try session.setCategory(.playback)
        var xruns = session.events.compactMap { if case .xrun(let count) = $0 { count } else { nil } }
            .makeAsyncIterator()
        let notify = driver.notify.withLock { $0 }
        notify(.xrun(count: 1))
        host.settle()
        try session.setActive(true)
        notify(.xrun(count: 3))
        #expect(await xruns.next() == 3)
    }

    @Test("ROUTE-3: route changes carry the reason and the previous route")
    func routes() async throws {
        let stage = HostFixture()
        let session = try stage.session()
        var changes = session.routeChanges.makeAsyncIterator()
        try session.setActive(true)
        try session.setCategory(.record)
        try session.setCategory(.playback)
        let first = try #require(await changes.next())
        #expect(first.reason == .categoryChange && first.previousRoute.outputs.count == 1)
        let second = try #require(await changes.next())
        #expect(second.reason == .categoryChange && second.previousRoute.outputs.isEmpty, "record has no output")
    }

    @Test("HINT-2, VOL-3, PERM-2, PERM-4: hints, mutes and permission")
    func others() async throws {
        let stage = HostFixture(inputChannels: 1)
        let game = try stage.session(.ambient)
        let music = try stage.session(.playback)
        let player = Participant(music)
        var hints = game.silenceSecondaryAudioHints.makeAsyncIterator()
        var outputs = game.outputMuteChanges.makeAsyncIterator()
        try game.setActive(true)
        try music.setActive(true)
        player.run(true)
        try game.setOutputMuted(true)
        try game.setOutputMuted(false)
        player.run(false)
        #expect(await hints.next() == .begin)
        #expect(await hints.next() == .end)
        #expect(await outputs.next() == true)
        #expect(await outputs.next() == false)

        let recorder = try stage.session(.playAndRecord)
        var inputs = recorder.inputMuteChanges.makeAsyncIterator()
        var permissions = recorder.recordPermissionChanges.makeAsyncIterator()
        stage.host.setRecordPermission(.denied)
        try recorder.setActive(true)
        try stage.host.application.setInputMuted(true)
        #expect(await permissions.next() == .denied)
        #expect(await inputs.next() == true)
    }

    @Test("SRV-1, SRV-2: the loss and the return of the server")
    func mediaServices() async throws {
        let driver = FaultyDriver()
        let session = try AudioSession(host: AudioSessionHost(driver: driver))
        var changes = session.mediaServicesChanges.makeAsyncIterator()
        try session.setActive(true)
        driver.notify(.serverLost)
        driver.notify(.serverReturned(try #require(driver.format)))
        #expect(await changes.next() == .lost)
        #expect(await changes.next() == .reset)
    }

    @Test("Sequences end with the session; an abandoned sequence is released")
    func ends() async throws {
        let stage = HostFixture()
        let interruptions: AsyncStream<AudioSession.Interruption>
        let volumes: AudioSession.Values<Float>
        do {
            let session = try stage.session(.playback)
            interruptions = session.interruptions
            volumes = session.values(of: \.outputVolume)
            for await _ in session.values(of: \.isActive) { break }
            stage.host.settle()
        }
        for await _ in interruptions { Issue.record("no event was reported") }
        for await _ in volumes { Issue.record("the session is gone") }
    }

    @Test("VOL-1: a value's sequence begins with the current value and continues with each new one")
    func volume() async throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        try stage.host.setSystemVolume(0.75)
        var volumes = session.values(of: \.outputVolume).makeAsyncIterator()
        #expect(await volumes.next() == 0.75)
        try stage.host.setSystemVolume(0.5)
        #expect(await volumes.next() == 0.5)
        // Reported without a new value: skipped.
        try session.setActive(true)
        try stage.host.setSystemVolume(0.2)
        try stage.host.setSystemVolume(0.25)
        stage.host.settle()
        #expect(await volumes.next() == 0.25, "always the current value")
    }

    @Test("HINT-1: inactive sessions, too, can observe other audio and the hint")
    func otherAudio() async throws {
        let stage = HostFixture()
        let observer = try stage.session(.ambient)
        let music = try stage.session(.playback, options: .mixWithOthers)
        let player = Participant(music)
        var playing = observer.values(of: \.isOtherAudioPlaying).makeAsyncIterator()
        var hint = observer.values(of: \.secondaryAudioShouldBeSilencedHint).makeAsyncIterator()
        #expect(await playing.next() == false)
        #expect(await hint.next() == false)
        try music.setActive(true)
        player.run(true)
        #expect(await playing.next() == true)
        try music.setCategory(.playback)
        #expect(await hint.next() == true, "primary now")
        try stage.host.ring()
        player.run(false)
        try stage.host.declineCall()
        stage.host.settle()
        #expect(await playing.next() == false)
        #expect(await hint.next() == false)
    }

    @Test("ROUTE-1, ACT-13: routes and states are observed like any other property")
    func stateAndRoute() async throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        var activities = session.values(of: \.state.activity).makeAsyncIterator()
        var routes = session.values(of: \.currentRoute).makeAsyncIterator()
        #expect(await activities.next() == .inactive)
        #expect(await routes.next()?.outputs.count == 1)
        try session.setActive(true)
        #expect(await activities.next() == .running)
        try session.setCategory(.record)
        #expect(await routes.next()?.outputs.isEmpty == true)
        try stage.host.ring()
        #expect(await activities.next() == .interrupted)
    }

    @Test("ROUTE-6: inputs that appear and disappear are observed, whatever the session's category")
    func inputs() async throws {
        let stage = HostFixture(inputChannels: 0)
        let player = try stage.session(.playback)
        let recorder = try stage.session(.record)
        var known = player.values(of: \.isInputAvailable).makeAsyncIterator()
        var styles = player.values(of: \.promptStyle).makeAsyncIterator()
        #expect(await known.next() == false)
        #expect(await styles.next() == .normal)
        var changes = recorder.availableInputsChanges.makeAsyncIterator()
        try stage.host.plug("usb", type: .usbAudio, inputs: 1)
        #expect(await changes.next() != nil)
        #expect(await known.next() == true)
        try stage.host.unplug("usb")
        #expect(await changes.next() != nil)
        #expect(await known.next() == false)
        try stage.host.ring()
        try stage.host.acceptCall()
        #expect(await styles.next() == AudioSession.PromptStyle.none)
    }

    @Test("VOL-1: an observer that follows a value while others change it receives the last one")
    func noneMissed() async throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        let volumes = session.values(of: \.outputVolume)
        await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for await volume in volumes where volume == 0 { break }
                }
            }
            group.addTask {
                for step in (0..<500).reversed() { try stage.host.setSystemVolume(Float(step) / 500) }
            }
        }
        #expect(session.outputVolume == 0)
    }
}
