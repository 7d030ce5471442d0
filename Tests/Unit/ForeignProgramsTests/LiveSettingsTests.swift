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
}
