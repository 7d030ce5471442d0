import AudioRendering
import AudioSessions
import Foundation
import Platform
import SessionArbiter
import TestSupport
import Testing

/// The last refusal of a session, and how `explain` reports it.
@Suite struct RefusalTests {
    @Test("ACT-13, ACT-5: a refused activation is explained: the rule, the other session, the remedy, the time")
    func activation() throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        #expect(session.lastRefusal == nil)
        let before = Date()
        try stage.host.beginInterruption(by: .alarm)
        let thrown = #expect(throws: AudioSessionError.self) { try session.setActive(true) }
        let refusal = try #require(session.lastRefusal)
        #expect(refusal.error === thrown && refusal.rule == "ACT-5")
        #expect(refusal.message.contains("Try again when it has ended"))
        #expect(refusal.date >= before && refusal.date <= Date())
        let alarm = try #require(refusal.by)
        #expect(
            session.explain().last
                == "session \(session.id) was refused by ACT-5 because of session \(alarm): \(refusal.message)")
        // Reading does not clear the refusal; a grant does.
        #expect(session.lastRefusal != nil)
        try stage.host.endInterruption()
        #expect(session.lastRefusal != nil, "the session has not changed")
        try session.setActive(true)
        #expect(session.lastRefusal == nil && session.explain().isEmpty)
        try session.setActive(false)
        #expect(session.lastRefusal == nil, "it is not restored")
    }

    @Test("ACT-13, MODE-1: a refused category change is kept until the category is changed")
    func category() throws {
        let session = try HostFixture().session(.playback)
        #expect(throws: AudioSessionError.self) { try session.setCategory(.ambient, options: .defaultToSpeaker) }
        let refusal = try #require(session.lastRefusal)
        #expect(refusal.rule == "OPT-3" && refusal.error.errorCode == .badParam && refusal.by == nil)
        #expect(session.explain().last?.contains("was refused by OPT-3: ") == true)
        #expect(throws: AudioSessionError.self) { try session.setMode(.voiceChat) }
        #expect(session.lastRefusal?.rule == "MODE-1", "the latest one")
        try session.setCategory(.ambient)
        #expect(session.lastRefusal == nil)
        try session.setCategory(.playback)
        #expect(session.lastRefusal == nil, "it is not restored along with the old category")
    }

    @Test("ACT-13: an unknown name is refused like any other value, with the known names")
    func unknownName() throws {
        let session = try HostFixture().session(.playback)
        #expect(throws: AudioSessionError.self) { try session.setCategory(.init(rawValue: "Karaoke")) }
        #expect(session.lastRefusal?.message.contains("AVAudioSessionCategoryPlayback") == true)
        #expect(session.explain().last?.contains("'Karaoke'") == true)
        #expect(throws: AudioSessionError.self) { try session.setMode(.init(rawValue: "Falsetto")) }
        #expect(session.lastRefusal?.rule == "MODE-1")
        #expect(session.explain().last?.contains("'Falsetto'") == true)
    }

    @Test("ACT-13, SRV-1: a server failure is reported too, without a rule")
    func server() throws {
        let driver = FaultyDriver()
        let session = try AudioSession(host: AudioSessionHost(driver: driver))
        driver.openFailure.withLock { $0 = .serverLost }
        #expect(throws: AudioSessionError.self) { try session.setActive(true) }
        let refusal = try #require(session.lastRefusal)
        #expect(refusal.rule == nil && refusal.error.errorCode == .mediaServicesFailed)
        #expect(session.explain().last?.hasPrefix("session \(session.id) was refused: ") == true)
        driver.openFailure.withLock { $0 = nil }
        try session.setActive(true)
        #expect(session.lastRefusal == nil)
    }

    @Test("ACT-13: an interruption also clears a refusal")
    func interrupted() throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        try session.setActive(true)
        #expect(throws: AudioSessionError.self) { try session.setMode(.voiceChat) }
        #expect(session.lastRefusal != nil)
        try stage.host.ring()
        #expect(session.lastRefusal == nil)
    }
}
