import ArbiterService
import DesktopBridge
import SessionArbiter
import SessionPolicy
import Testing

@testable import ForeignPrograms

/// Settings that change while programs play.
@Suite struct LiveSettingsTests {
    private let fixture = AdoptionFixture()

    init() {
        fixture.run(100, "/usr/bin/game")
        fixture.run(101, "/usr/bin/mpv")
    }

    private func apply(_ programs: AdoptionSettings.Program...) {
        var settings = AdoptionSettings()
        settings.programs = programs
        fixture.adopter.apply(settings)
        fixture.settle()
    }

    @Test("A program that is ignored while it is lowered is free at once; without the entry, it is lowered again")
    func ignoredWhileLowered() throws {
        fixture.stream(1, of: 100)
        try fixture.activate(.playback, .voicePrompt, .duckOthers)
        #expect(fixture.sound(1) == .lowered(14))
        apply(.init("game", isIgnored: true))
        #expect(fixture.sound(1) == .full)
        #expect(fixture.session(of: 100) == nil)
        apply()
        #expect(fixture.sound(1) == .lowered(14))
    }

    @Test("A program that is ignored while it is held continues, and so does its player")
    func ignoredWhileHeld() throws {
        fixture.stream(1, of: 100)
        fixture.stream(2, of: 101)
        fixture.player("mpv", of: 101, .playing)
        _ = try fixture.ring()
        #expect(fixture.sound(1) == .held)
        #expect(fixture.status("mpv") == .paused)
        apply(.init("game", isIgnored: true), .init("mpv", isIgnored: true))
        #expect(fixture.sound(1) == .full)
        #expect(fixture.sound(2) == .full)
        #expect(fixture.status("mpv") == .playing)
        #expect(!fixture.adopter.hasAltered)
    }

    @Test("Another kind applies to an active session, and those that it had interrupted resume (INT-3)")
    func kinds() throws {
        fixture.stream(1, of: 100)
        apply(.init("game", kind: .music))
        #expect(fixture.session(of: 100)?.isMixable == false)
        #expect(fixture.session(of: 100)?.isActive == true)
        fixture.stream(2, of: 101)
        apply(.init("mpv", kind: .movie), .init("game", kind: .music))
        #expect(fixture.sound(1) == .held)
        apply(.init("mpv", kind: .other), .init("game", kind: .music))
        #expect(fixture.session(of: 101)?.isMixable == true)
        #expect(fixture.session(of: 101)?.isActive == true)
        #expect(fixture.sound(1) == .full)
        let detail = fixture.session(of: 101).flatMap { fixture.tools.descriptions[$0.id] }
        #expect(detail?.evidence == "settings" && detail?.entry == "mpv")
    }

    @Test("A player that was paused for a program plays again when that becomes a kind that mixes (INT-3)")
    func interruptedPlayer() {
        fixture.player("mpv", of: 101, .playing)
        fixture.stream(1, of: 100)
        apply(.init("game", kind: .music))
        #expect(fixture.status("mpv") == .paused)
        apply(.init("game", kind: .other))
        #expect(fixture.status("mpv") == .playing)
    }

    @Test("Another attenuation, and whether players interrupt each other, apply at once")
    func values() throws {
        fixture.stream(1, of: 100)
        fixture.player("mpv", of: 101, .playing)
        let prompt = try fixture.activate(.playback, .voicePrompt, .duckOthers)
        apply(.init("game", attenuation: 6))
        #expect(fixture.sound(1) == .lowered(6))
        try fixture.deactivate(prompt)
        #expect(fixture.session(of: 101)?.isMixable == false)
        var settings = AdoptionSettings()
        settings.playersInterrupt = false
        fixture.adopter.apply(settings)
        fixture.settle()
        #expect(fixture.session(of: 101)?.isMixable == true)
        #expect(fixture.session(of: 101)?.isActive == true)
    }

    @Test("A program that goes on interrupting keeps the sound: the one that waits for it does not resume")
    func interruptsStill() {
        fixture.stream(1, of: 100)
        fixture.stream(2, of: 101)
        apply(.init("game", kind: .music))
        apply(.init("game", kind: .music), .init("mpv", kind: .music))
        #expect(fixture.sound(1) == .held)
        apply(.init("game", kind: .music), .init("mpv", kind: .movie))
        #expect(fixture.sound(1) == .held)
        #expect(fixture.sound(2) == .full)
        #expect(fixture.session(of: 101)?.isActive == true)
        #expect(fixture.session(of: 101)?.configuration.mode == .moviePlayback)
    }

    @Test("Whether players interrupt each other does not concern a conversation, which stays active")
    func conversation() {
        var settings = AdoptionSettings()
        settings.programs = [.init("game", kind: .music), .init("mpv", kind: .conversation)]
        settings.playersInterrupt = false
        fixture.adopter.apply(settings)
        fixture.stream(1, of: 100)
        fixture.stream(2, of: 101)
        // It counts as a call while it records (ACT-18).
        fixture.stream(3, of: 101, direction: .input)
        let actions = fixture.arbiter.decisions.count
        settings.playersInterrupt = true
        fixture.adopter.apply(settings)
        fixture.settle()
        #expect(fixture.session(of: 101)?.isActive == true)
        let session = fixture.session(of: 101)?.id
        #expect(
            !fixture.arbiter.decisions.dropFirst(actions).contains {
                $0.event.action == session.map { .deactivate($0, notifyOthers: true) }
            })
    }

    @Test("Settings that change and change back while a program is held leave its session as it is")
    func changedBack() throws {
        fixture.stream(1, of: 100)
        apply(.init("game", kind: .music))
        let call = try fixture.ring()
        #expect(fixture.sound(1) == .held)
        apply(.init("game", kind: .movie))
        let session = try #require(fixture.session(of: 100)?.id)
        #expect(fixture.tools.descriptions[session]?.entry == "game")
        apply(.init("game", kind: .music))
        let actions = fixture.arbiter.decisions.count
        try fixture.end(call)
        #expect(fixture.sound(1) == .full)
        #expect(
            !fixture.arbiter.decisions.dropFirst(actions).contains {
                if case .deactivate = $0.event.action { true } else { false }
            })
    }

    @Test("A program that waits for its first activation changes its session at once")
    func awaitsFirst() throws {
        let call = try fixture.ring()
        fixture.stream(1, of: 100)
        #expect(fixture.sound(1) == .held)
        apply(.init("game", kind: .movie))
        #expect(fixture.session(of: 100)?.configuration.mode == .moviePlayback)
        try fixture.end(call)
        #expect(fixture.sound(1) == .full)
    }
}
