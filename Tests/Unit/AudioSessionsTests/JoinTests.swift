import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// Apps that found no arbiter when they started, and join the service later.
@Suite struct JoinTests {
    private let stage: JoinStage

    init() throws { stage = try JoinStage() }

    @Test("SRV-3: an app joins the service without a gap, not one sample, and takes part from then on")
    func withoutConflict() throws {
        let other = try stage.makeApp()
        let effects = try other.session(.mixWithOthers)
        try effects.setActive(true)
        let (loner, joined) = stage.makeLoner()
        let music = try loner.session()
        let player = try loner.play(in: music)
        loner.host.settle()
        let events = EventRecorder(music)
        var heard = try loner.render(4_800)
        stage.makeReachable()
        // Renders while the app joins.
        while joined.noted.isEmpty, heard.count < 15 * JoinStage.rate { heard += try loner.render(JoinStage.period) }
        #expect(joined.wait { $0.count == 1 })
        heard += try loner.render(4_800)
        let begin = try #require(heard.firstIndex { $0 != 0 })
        #expect(Signal.firstDifference(heard[begin...], stage.source.prefix(heard.count - begin)) == nil)
        #expect(music.isActive && player.isPlaying)
        #expect(events.interruptions == [])
        #expect(music.outputVolume == 1)

        let prompt = try other.session(.duckOthers)
        try prompt.setActive(true)
        loner.host.settle()
        #expect(music.state.isDucked)
        let podcast = try other.session()
        try podcast.setActive(true)
        #expect(events.heard.wait { $0.contains(.interruptionBegan(.default)) })
        #expect(!music.isActive)
        try podcast.setActive(false, options: .notifyOthersOnDeactivation)
        #expect(events.heard.wait { $0.contains(.interruptionEnded(shouldResume: true)) })
    }

    @Test("SRV-3, ACT-2, ACT-8: music of another app keeps its grant; that of the app that joins waits, and resumes")
    func conflict() throws {
        let other = try stage.makeApp()
        let podcast = try other.session()
        try podcast.setActive(true)
        other.host.settle()
        let podcastEvents = EventRecorder(podcast)
        let (loner, joined) = stage.makeLoner()
        let music = try loner.session()
        // Its own arbiter has made more decisions than the service.
        for _ in 0..<8 {
            try music.setActive(true)
            try music.setActive(false)
        }
        let player = try loner.play(in: music)
        loner.host.settle()
        let events = EventRecorder(music)
        let before = try loner.render(4_800)
        let begin = try #require(before.firstIndex { $0 != 0 })
        stage.makeReachable()
        #expect(joined.wait { $0.count == 1 })
        let after = try loner.render(4_800)
        let source = stage.source[(before.count - begin)...]
        let faded = try #require(zip(after, source).enumerated().first { $1.0 != $1.1 }?.offset)
        let silent = try #require(after.firstIndex { $0 == 0 })
        #expect(silent <= JoinStage.fade + JoinStage.period && after[silent...].allSatisfy { $0 == 0 })
        #expect(events.heard.wait { $0.contains(.interruptionBegan(.default)) })
        #expect(music.state.activity == .interrupted && !player.isPlaying)
        #expect(podcast.isActive && podcastEvents.interruptions == [])

        try podcast.setActive(false, options: .notifyOthersOnDeactivation)
        #expect(events.heard.wait { $0.contains(.interruptionEnded(shouldResume: true)) })
        let resumed = try loner.render(4_800)
        #expect(music.isActive && player.isPlaying)
        // The next frame after the last rendered one, fade included.
        let next = before.count - begin + faded + JoinStage.fade
        let first = try #require(resumed.firstIndex { $0 != 0 })
        #expect(
            Signal.firstDifference(
                resumed[(first + JoinStage.fade)...],
                stage.source[(next + JoinStage.fade)...].prefix(resumed.count - first - JoinStage.fade)) == nil)
        #expect(
            events.interruptions == [
                .interruptionBegan(.default), .becameInactive(.interruption(.default)),
                .interruptionEnded(shouldResume: true), .becameActive,
            ])
    }

    @Test("SRV-3, ACT-14: a session that waits and a pending activation join too, in one decision")
    func waiting() throws {
        let other = try stage.makeApp()
        let (loner, joined) = stage.makeLoner()
        let (music, podcast, radio) = (try loner.session(), try loner.session(), try loner.session())
        try loner.host.setDeclaresBackgroundAudio(true)
        try music.setActive(true)
        let player = try loner.play(in: podcast)
        #expect(music.state.activity == .interrupted)
        // In the background, a session may not interrupt the podcast.
        try loner.host.setApplicationState(.background)
        #expect(try radio.requestActivation() == false)
        loner.host.settle()
        let recorders = [music, podcast, radio].map(EventRecorder.init)
        stage.makeReachable()
        #expect(joined.wait { $0.count == 1 })
        loner.host.settle()
        // The music waits for the podcast, which is restored after it.
        #expect(recorders.allSatisfy { $0.interruptions == [] })
        #expect(music.state.activity == .interrupted && podcast.isActive && radio.state.activity == .inactive)
        #expect(loner.host.arbiter.storesPermissions, "the service arbitrates now")

        // The grant comes before the end of the interruption, and keeps the music waiting.
        try podcast.setActive(false, options: .notifyOthersOnDeactivation)
        #expect(recorders[2].heard.wait { $0.contains(.activationGranted) })
        #expect(radio.isActive)
        try radio.setActive(false, options: .notifyOthersOnDeactivation)
        #expect(recorders[0].heard.wait { $0.contains(.interruptionEnded(shouldResume: true)) })
        withExtendedLifetime((other, player)) {}
    }

    @Test("SRV-3: an arbiter that hangs holds up neither calls nor audio; when it continues, the app joins")
    func hung() throws {
        let other = try stage.makeApp()
        let service = try #require(stage.service.services.first)
        kill(service, SIGSTOP)
        stage.makeReachable()
        let (loner, joined) = stage.makeLoner()
        let music = try loner.session()
        let events = EventRecorder(music)
        let player = try loner.play(in: music)
        // Each of many calls would wait for an attempt to connect, which takes two seconds.
        let duration = try ContinuousClock().measure {
            for _ in 0..<200 {
                try music.setActive(false)
                try music.setActive(true)
            }
        }
        #expect(duration < .seconds(20))
        try player.play()
        #expect(try loner.render(4_800).last != 0)
        #expect(joined.noted.isEmpty, "the arbiter still hangs")
        kill(service, SIGCONT)
        #expect(joined.wait { $0.count == 1 })
        #expect(try loner.render(4_800).last != 0)

        let status = try stage.service.audiosession("status", "--json").output
        #expect(status.contains("\(music.id)"), "\(status)")
        #expect(try stage.service.audiosession("call", "ring").status == 0)
        #expect(events.heard.wait { $0.contains(.interruptionBegan(.default)) })
        #expect(try loner.render(4_800).last == 0)
        #expect(try stage.service.audiosession("call", "decline").status == 0)
        #expect(events.heard.wait { $0.contains(.interruptionEnded(shouldResume: true)) })
        withExtendedLifetime(other) {}
    }

    @Test("SRV-3: an app joins as soon as the socket of a service appears, and does not wait for its next attempt")
    func socketAppears() throws {
        stage.makeReachable()
        let (arbiter, joined) = stage.makeJoiningArbiter(pauses: 60...60)
        try stage.service.startService()
        #expect(joined.wait { $0.count == 1 })
        #expect(arbiter.storesPermissions)
    }

    @Test("SRV-3, ACT-6: the state of an app without sessions joins too")
    func applicationState() throws {
        let other = try stage.makeApp()
        let (loner, joined) = stage.makeLoner()
        try loner.host.setApplicationState(.background)
        try loner.host.application.setInputMuted(true)
        stage.makeReachable()
        #expect(joined.wait { $0.count == 1 })
        loner.host.settle()
        #expect(loner.host.application.isInputMuted)
        let music = try loner.session()
        let error = #expect(throws: AudioSessionError.self) { try music.setActive(true) }
        #expect(error?.errorCode == .cannotStartPlaying)
        withExtendedLifetime(other) {}
    }

    @Test("SRV-3, PERM-2: the user's answer that the service stores takes precedence, and the app is notified")
    func permission() throws {
        let other = try stage.makeApp()
        other.host.setRecordPermission(.denied)
        let (loner, joined) = stage.makeLoner()
        loner.host.setRecordPermission(.granted)
        let music = try loner.session()
        loner.host.settle()
        let events = EventRecorder(music)
        stage.makeReachable()
        #expect(joined.wait { $0.count == 1 })
        #expect(events.heard.wait { $0.contains(.recordPermissionChanged(.denied)) })
        #expect(loner.host.application.recordPermission == .denied)
    }

    @Test("SRV-3, VOL-1: the system volume of the service applies, and the app is notified")
    func volume() throws {
        let other = try stage.makeApp()
        try other.host.setSystemVolume(0.5)
        let (loner, joined) = stage.makeLoner()
        let music = try loner.session()
        let player = try loner.play(in: music)
        let events = EventRecorder(music)
        _ = try loner.render(4_800)
        stage.makeReachable()
        #expect(joined.wait { $0.count == 1 })
        #expect(events.heard.wait { $0.contains(.outputVolumeChanged(0.5)) })
        #expect(music.outputVolume == 0.5)
        _ = try loner.render(4_800)
        withExtendedLifetime(player) {}
    }

    @Test("SRV-3, ROUTE-3: the devices and device overrides of the service apply, and the app is notified of its route")
    func route() throws {
        let settings = """
            programs: {trusted: []}
            devices: [{match: "Scarlett*", name: Studio}]

            """
        try settings.write(
            toFile: stage.service.directory.file("config/audiosession/audiosession.yaml"), atomically: true,
            encoding: .utf8)
        let other = try stage.makeApp()
        try other.host.plug("Headset", type: .headphones)
        let driver = OverriddenDriver(JoinApp.makeDriver())
        let (arbiter, joined) = stage.makeJoiningArbiter()
        let host = AudioSessionHost(driver: driver, arbiter: arbiter)
        let music = try AudioSession(host: host)
        try music.setCategory(.playback)
        try music.setActive(true)
        host.settle()
        let before = music.currentRoute.outputs.map(\.uid)
        let changes = EventLog<[String]>()
        let events = EventRecorder(music)
        let observer = NotificationCenter.default.addObserver(
            forName: AudioSession.routeChangeNotification, object: music, queue: nil
        ) { note in
            let previous = note.userInfo?[AudioSessionRouteChangePreviousRouteKey] as? AudioSessionRouteDescription
            changes.note(previous?.outputs.map(\.uid) ?? [])
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        stage.makeReachable()
        #expect(joined.wait { $0.count == 1 })
        #expect(events.heard.wait { $0.contains(.routeChanged(.routeConfigurationChange)) })
        #expect(changes.wait { $0.first == before })
        #expect(music.currentRoute.outputs.map(\.uid) == ["Headset:output"])
        #expect(driver.overrides.wait { $0.last?.map(\.pattern) == ["Scarlett*"] })
        host.settle()
    }

    @Test("SRV-3: the sessions of an app that has joined survive the next arbiter")
    func nextArbiter() throws {
        let other = try stage.makeApp()
        let (loner, joined) = stage.makeLoner()
        let music = try loner.session()
        let player = try loner.play(in: music)
        _ = try loner.render(4_800)
        stage.makeReachable()
        #expect(joined.wait { $0.count == 1 })
        let id = music.id
        try stage.service.killService()
        try stage.service.startService()
        let prompt = try other.session(.duckOthers)
        try prompt.setActive(true)
        #expect(eventually { music.state.isDucked })
        #expect(music.isActive && music.id == id)
        #expect(try loner.render(4_800).last != 0)
        withExtendedLifetime(player) {}
    }
}

/// Records the device overrides that the host passes on.
private final class OverriddenDriver: ProxyDriver<OfflineDriver>, @unchecked Sendable {
    let overrides = EventLog<[DeviceOverride]>()

    override func setDeviceOverrides(_ overrides: [DeviceOverride]) { self.overrides.note(overrides) }
}
