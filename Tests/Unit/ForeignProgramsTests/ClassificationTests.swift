import ArbiterService
import DesktopBridge
import SessionArbiter
import SessionPolicy
import Testing

@testable import ForeignPrograms

/// Which session a program gets, by the evidence.
@Suite struct ClassificationTests {
    /// A stream of a verified process.
    private static func stream(_ role: String?, _ direction: ForeignStream.Direction = .output) -> ForeignStream {
        var stream = ForeignStream(StreamID(1))
        stream.process = 100
        stream.role = role
        stream.direction = direction
        return stream
    }

    private static let player = ForeignPlayer(
        id: ":1.1", names: ["mpv"], process: 100, desktopEntry: "mpv", status: .playing)

    private func classify(
        _ streams: [ForeignStream], players: [ForeignPlayer] = [], isInstalled: Bool = true,
        _ settings: AdoptionSettings = AdoptionSettings()
    ) -> Classification? {
        var found = ProgramFacts(streams: streams, players: players, path: "/usr/bin/mpv", isInstalled: isInstalled)
            .classification(settings)
        found?.detail = nil
        found?.entry = nil
        return found
    }

    @Test(
        "Roles",
        arguments: [
            ("Music", ProgramKind.music), ("Movie", .movie), ("video", .movie), ("Game", .game),
            ("Notification", .notification), ("event", .notification), ("Communication", .prompt), ("phone", .prompt),
            ("Navigation", .prompt), ("Assistant", .prompt), ("Accessibility", .prompt), ("a11y", .prompt),
        ])
    func roles(role: String, kind: ProgramKind) {
        #expect(classify([Self.stream(role)]) == Classification(kind, by: .role))
    }

    @Test("Programs of audio production, and encoded audio, are left alone", arguments: ["Production", "DSP", "Test"])
    func production(role: String) {
        #expect(classify([Self.stream(role)]) == nil)
        var encoded = Self.stream(nil)
        encoded.isPassthrough = true
        #expect(classify([encoded]) == nil)
    }

    @Test("Communication with an input is a conversation (ACT-18)")
    func conversation() {
        let kind = classify([Self.stream("Communication"), Self.stream(nil, .input)])
        #expect(kind == Classification(.conversation, by: .role))
    }

    @Test(
        "A role with an effect on others is believed of installed and trusted programs only",
        arguments: ["Communication", "Navigation", "Assistant", "Accessibility"])
    func trust(role: String) {
        let input = Self.stream(nil, .input)
        #expect(classify([Self.stream(role), input], isInstalled: false) == Classification(.other, by: .none))
        var settings = AdoptionSettings()
        settings.trustedRoles = ["/usr/bin/mpv"]
        #expect(classify([Self.stream(role), input], isInstalled: false, settings)?.evidence == .role)
        // The process of a client of pipewire-pulse is a claim.
        var claim = Self.stream(role)
        (claim.process, claim.claimedProcess) = (nil, 100)
        #expect(classify([claim, input], settings) == Classification(.other, by: .none))
        var claimedInput = input
        (claimedInput.process, claimedInput.claimedProcess) = (nil, 100)
        #expect(classify([Self.stream("Communication"), claimedInput])?.kind == .prompt)
    }

    @Test("A stream that claims to belong to a program changes nothing about it")
    func claims() {
        var claim = Self.stream("Production")
        (claim.process, claim.claimedProcess) = (nil, 100)
        #expect(classify([Self.stream("Music"), claim]) == Classification(.music, by: .role))
        #expect(classify([claim], players: [Self.player]) == Classification(.music, by: .mediaPlayer))
        claim.role = "Game"
        #expect(classify([Self.stream(nil), claim]) == Classification(.other, by: .none))
        #expect(classify([claim]) == Classification(.game, by: .role))
    }

    @Test("A media player is music, whatever short sounds its program has")
    func player() {
        #expect(classify([], players: [Self.player]) == Classification(.music, by: .mediaPlayer))
        #expect(classify([Self.stream(nil)], players: [Self.player]) == Classification(.music, by: .mediaPlayer))
        #expect(classify([Self.stream("event")], players: [Self.player]) == Classification(.music, by: .mediaPlayer))
        #expect(classify([Self.stream("Movie")], players: [Self.player]) == Classification(.movie, by: .role))
        #expect(classify([Self.stream("event"), Self.stream(nil)]) == Classification(.other, by: .none))
    }

    @Test("The settings decide first", arguments: ["/usr/bin/mpv", "mpv"])
    func settings(name: String) {
        var settings = AdoptionSettings()
        settings.programs = [.init(name, kind: .movie, attenuation: 20)]
        let expected = Classification(.movie, by: .settings, attenuation: 20)
        #expect(classify([Self.stream("Music")], settings) == expected)
        #expect(classify([Self.stream("Production")], settings) == expected)
        settings.programs = [.init(name, attenuation: 20), .init(name, kind: .movie)]
        #expect(classify([Self.stream("Music")], settings) == Classification(.music, by: .role, attenuation: 20))
        settings.programs = [.init("other", kind: .movie), .init(name, isIgnored: true)]
        #expect(classify([Self.stream("Music")], settings) == nil)
    }

    @Test("The attenuation of the settings applies to prompts, but not to calls")
    func attenuation() throws {
        var settings = AdoptionSettings()
        settings.programs = [.init("game", attenuation: 6)]
        let fixture = AdoptionFixture(settings)
        fixture.run(100, "/usr/bin/game")
        fixture.stream(1, of: 100)
        let prompt = try fixture.activate(.playback, .voicePrompt, .duckOthers)
        #expect(fixture.sound(1) == .lowered(6))
        try fixture.deactivate(prompt)
        try fixture.arbiter.submit(.acceptCall(try fixture.ring()))
        fixture.stream(1, of: 100, isRunning: false)
        fixture.run(101, "/usr/bin/game")
        fixture.stream(2, of: 101)
        #expect(fixture.sound(2) == .lowered(35), "Playback may begin during a call, at its level (ACT-5).")
    }
}
