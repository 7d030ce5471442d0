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

    @Test("DUCK-3, INT-1: one app lowers and interrupts another, and the host settles with the service too")
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
        #expect(music.state.activity == .inactive, "told to resume, which is the app's to do")
        try music.setActive(true)
        #expect(try one.render(2_400).last == 1)
    }

    @Test(
        "SRV-3: the service is killed while music plays: not one sample differs, and the next one's verdicts are heard")
    func killed() throws {
        let (one, other) = (try App(service), try App(service))
        let music = try one.session()
        try one.play(in: music)
        var heard = try one.render(4_800).suffix(2_400)
        let last = try #require(service.processes.first)
        service.send(SIGKILL)
        heard += try one.render(4_800)
        // Whoever asks waits for the next service, and has all its gates from there then.
        let prompt = try other.session(options: .duckOthers)
        one.host.settle()
        #expect(service.processes.count == 1 && service.processes.first != last)
        #expect(heard.allSatisfy { $0 == 1 })
        // Its own connection to the next service is there, and the new gate with it.
        one.host.settle()
        let ducked = try #require(try one.render(9_600).last)
        #expect(abs(20 * log10(ducked) + 14) < 0.01)
        #expect(music.isActive && prompt.isActive)
    }

    @Test("PERM-2, PERM-4: what an app's user said and what the app mutes is told to its own host")
    func permission() throws {
        let one = try App(service)
        let session = try one.session()
        try one.host.application.setInputMuted(true)
        #expect(one.host.application.isInputMuted)
        withExtendedLifetime(session) {}
    }
}
