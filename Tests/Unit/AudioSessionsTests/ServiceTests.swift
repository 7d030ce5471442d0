import AudioRendering
import AudioSessions
import Foundation
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// Hosts that the service arbitrates, on the offline driver.
@Suite struct ServiceHostTests {
    private let service: ServiceFolder

    init() throws { service = try ServiceFolder() }

    private struct App {
        let driver: OfflineDriver
        let host: AudioSessionHost

        init(_ service: ServiceFolder) throws {
            driver = OfflineDriver(sampleRate: 48_000, channels: 1, inputChannels: 1, periodFrames: 256)
            let arbiter = try RemoteArbiter(at: try ArbiterAddress(path: service.socket))
            host = AudioSessionHost(driver: driver, arbiter: arbiter)
        }

        func session(options: AudioSession.CategoryOptions = []) throws -> AudioSession {
            let session = try AudioSession(host: host)
            try session.setCategory(.playback, options: options)
            try session.setActive(true)
            return session
        }

        func play(in session: AudioSession) throws {
            let buffer = try AudioBuffer([[Float](repeating: 1, count: 480_000)])
            _ = try session.engine.play(.buffer(buffer), on: session.bus)
        }

        func render(_ frames: Int) throws -> [Float] { try #require(try driver.render(frames: frames).first) }
    }

    @Test("DUCK-3, INT-1: one app ducks and interrupts another, and settling a host includes the service")
    func twoApps() throws {
        let (one, other) = (try App(service), try App(service))
        let music = try one.session()
        try one.play(in: music)
        #expect(try one.render(2_400).last == 1)
        let prompt = try other.session(options: .duckOthers)
        let ducked = try #require(try one.render(9_600).last)
        #expect(abs(20 * log10(ducked) + 14) < 0.01)
        try prompt.setActive(false, options: .notifyOthersOnDeactivation)
        #expect(try one.render(48_000).last == 1)
        let podcast = try other.session()
        #expect(try one.render(2_400).last == 0)
        one.host.settle()
        #expect(music.state.activity == .interrupted)
        try podcast.setActive(false, options: .notifyOthersOnDeactivation)
        one.host.settle()
        #expect(music.state.activity == .inactive, "it is recommended to resume, which is up to the app")
        try music.setActive(true)
        #expect(try one.render(2_400).last == 1)
    }

    @Test(
        "DUCK-2: a session that ducks only while it is audible lowers another app's in the period after its onset"
    )
    func keyedDuck() throws {
        let (one, other) = (try App(service), try App(service))
        let music = try one.session()
        try one.play(in: music)
        let guide = try other.session(options: .duckOthers)
        try guide.setDucksOnlyWhileAudible(true)
        #expect(guide.ducksOnlyWhileAudible)
        #expect(try one.render(48_000).last == 1, "the guide is silent")

        // Neither the service nor a thread of either app does anything between these calls.
        let speech = try AudioBuffer([[Float](repeating: 0.1, count: 4_800)])
        try guide.engine.play(.buffer(speech), on: guide.bus)
        _ = try other.render(256)
        let attack = try one.render(2_400)
        #expect(attack.first.map { $0 < 1 } == true)
        #expect(abs(20 * log10(try #require(attack.last)) + 14) < 0.01)

        // The service learns of it later, and reports the reason.
        other.host.settle()
        one.host.settle()
        #expect(music.state.isDucked && music.state.reasons.map(\.rule) == ["DUCK-1"])
        _ = try other.render(4_800 + 38_400 + 256)
        other.host.settle()
        one.host.settle()
        #expect(!music.state.isDucked)
        #expect(try one.render(48_000).last == 1)
    }

    @Test("DUCK-2, SRV-3: a session that ducks only while it is audible still does after the service was killed")
    func keyedDuckAfterLoss() throws {
        let (one, other) = (try App(service), try App(service))
        let music = try one.session()
        try one.play(in: music)
        let guide = try other.session(options: .duckOthers)
        try guide.setDucksOnlyWhileAudible(true)
        service.send(SIGKILL)
        // Each request waits for the next service, and by then that service has created all gates.
        try guide.setPreferredSampleRate(48_000)
        one.host.settle()
        #expect(guide.ducksOnlyWhileAudible)
        _ = try one.render(4_800)
        _ = try other.render(4_800)
        #expect(try one.render(24_000).last == 1)
        let speech = try AudioBuffer([[Float](repeating: 0.1, count: 4_800)])
        try guide.engine.play(.buffer(speech), on: guide.bus)
        _ = try other.render(256)
        #expect(try one.render(256).first.map { $0 < 1 } == true)
    }

    @Test(
        "PLAY-4, SRV-3: system sounds of one app are silent while another records, also after the service was killed"
    )
    func systemSounds() throws {
        let (one, other) = (try App(service), try App(service))
        let buffer = try AudioBuffer([[Float](repeating: 0.5, count: 2_400)], sampleRate: 48_000)
        func heard() throws -> Bool {
            let endings = EventLog<Bool>()
            SystemSoundOutput.play(on: one.host, buffer, whenEnded: { endings.note($0 == nil) })
            one.host.settle()
            let output = try one.render(4_800)
            #expect(endings.wait { $0 == [true] })
            return output[1_200] == 0.5
        }
        #expect(try heard())
        let recorder = try AudioSession(host: other.host)
        try recorder.setCategory(.record)
        try recorder.setActive(true)
        one.host.settle()
        _ = try one.render(2_400)
        #expect(try !heard())
        service.send(SIGKILL)
        // A request waits for the next service.
        let silent = try AudioSession(host: other.host)
        one.host.settle()
        _ = try one.render(2_400)
        #expect(try !heard(), "the recorder and the system sounds are restored")
        withExtendedLifetime(silent) {}
        try recorder.setActive(false)
        one.host.settle()
        _ = try one.render(2_400)
        #expect(try heard())
    }

    @Test(
        "SRV-3: the service is killed during playback: no sample changes, and the next one's grants take effect")
    func killed() throws {
        let (one, other) = (try App(service), try App(service))
        let music = try one.session()
        try one.play(in: music)
        var heard = try one.render(4_800).suffix(2_400)
        let last = try #require(service.processes.first)
        service.send(SIGKILL)
        heard += try one.render(4_800)
        // A request waits for the next service, and by then that service has created all gates.
        let prompt = try other.session(options: .duckOthers)
        one.host.settle()
        #expect(service.processes.count == 1 && service.processes.first != last)
        #expect(heard.allSatisfy { $0 == 1 })
        // The host's own connection to the next service exists, and so does the new gate.
        one.host.settle()
        let ducked = try #require(try one.render(9_600).last)
        #expect(abs(20 * log10(ducked) + 14) < 0.01)
        #expect(music.isActive && prompt.isActive)
    }

    @Test("PERM-2, PERM-4: the permission answer and the mute of an app are reported to its own host")
    func permission() throws {
        let one = try App(service)
        let session = try one.session()
        try one.host.application.setInputMuted(true)
        #expect(one.host.application.isInputMuted)
        withExtendedLifetime(session) {}
    }
}
