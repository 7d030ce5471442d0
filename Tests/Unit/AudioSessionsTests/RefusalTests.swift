import AudioRendering
import AudioSessions
import Foundation
import SessionArbiter
import TestSupport
import Testing

/// What was refused last, and what `explain` says of it.
@Suite struct RefusalTests {
    @Test("ACT-13, ACT-5: a refused activation can be explained: which rule, because of whom, what to do, when")
    func activation() throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        #expect(session.lastRefusal == nil)
        let before = Date()
        try stage.host.beginInterruption(by: .alarm)
        let thrown = #expect(throws: AudioSessionError.self) { try session.setActive(true) }
        let refusal = try #require(session.lastRefusal)
        #expect(refusal.error === thrown && refusal.rule == "ACT-5")
        #expect(refusal.message.contains("try again when it has ended"))
        #expect(refusal.date >= before && refusal.date <= Date())
        let alarm = try #require(refusal.by)
        #expect(
            session.explain().last
                == "session \(session.id) was refused by ACT-5 because of session \(alarm): \(refusal.message)")
        // Reading does not change it; being granted does.
        #expect(session.lastRefusal != nil)
        try stage.host.endInterruption()
        #expect(session.lastRefusal != nil, "the session is as it was")
        try session.setActive(true)
        #expect(session.lastRefusal == nil && session.explain().isEmpty)
        try session.setActive(false)
        #expect(session.lastRefusal == nil, "it does not come back")
    }

    @Test("ACT-13, MODE-1: a refused category change is kept until the category is changed")
    func category() throws {
        let session = try HostFixture().session(.playback)
        #expect(throws: AudioSessionError.self) { try session.setCategory(.ambient, options: .defaultToSpeaker) }
        let refusal = try #require(session.lastRefusal)
        #expect(refusal.rule == "OPT-3" && refusal.error.errorCode == .badParam && refusal.by == nil)
        #expect(session.explain().last?.contains("was refused by OPT-3: ") == true)
        #expect(throws: AudioSessionError.self) { try session.setMode(.voiceChat) }
        #expect(session.lastRefusal?.rule == "MODE-1", "the last one")
        try session.setCategory(.ambient)
        #expect(session.lastRefusal == nil)
        try session.setCategory(.playback)
        #expect(session.lastRefusal == nil, "it does not come back with the category of then")
    }

    @Test("ACT-13: an unknown name is a refusal like any other, with the known names")
    func unknownName() throws {
        let session = try HostFixture().session(.playback)
        #expect(throws: AudioSessionError.self) { try session.setCategory(.init(rawValue: "Karaoke")) }
        #expect(session.lastRefusal?.message.contains("AVAudioSessionCategoryPlayback") == true)
        #expect(session.explain().last?.contains("'Karaoke'") == true)
        #expect(throws: AudioSessionError.self) { try session.setMode(.init(rawValue: "Falsetto")) }
        #expect(session.lastRefusal?.rule == "MODE-1")
        #expect(session.explain().last?.contains("'Falsetto'") == true)
    }

    @Test("ACT-13, SRV-1: a server that fails is told too, without a rule")
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

    @Test("ACT-13: being interrupted ends a refusal too")
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
