import ArbiterService
import DesktopBridge
import SessionArbiter
import SessionPolicy
import Testing

@testable import ForeignPrograms

/// What the arbiter is sent about adopted programs, for people.
@Suite struct SessionDescriptionTests {
    private func description(of process: Int32, in fixture: AdoptionFixture) -> SessionDescription? {
        fixture.session(of: process).flatMap { fixture.tools.descriptions[$0.id] }
    }

    @Test("Each evidence is described with its value")
    func evidence() {
        var settings = AdoptionSettings()
        settings.programs = [.init("vlc", kind: .movie), .init("game", attenuation: 6)]
        let fixture = AdoptionFixture(settings)
        let programs: [(Int32, String)] = [(100, "mpv"), (101, "vlc"), (102, "game"), (103, "tool")]
        for (process, name) in programs { fixture.run(process, "/usr/bin/" + name) }
        fixture.player("mpv", of: 100, .playing)
        fixture.stream(1, of: 101)
        fixture.stream(2, of: 102, role: "Game")
        fixture.stream(3, of: 103)
        #expect(
            description(of: 100, in: fixture)
                == .init(
                    name: "mpv", evidence: "mediaPlayer", detail: "org.mpris.MediaPlayer2.mpv", controls: ["player"]))
        #expect(
            description(of: 101, in: fixture)
                == .init(name: "vlc", evidence: "settings", detail: "vlc", entry: "vlc", controls: ["level", "hold"]))
        #expect(
            description(of: 102, in: fixture)
                == .init(name: "game", evidence: "role", detail: "Game", entry: "game", controls: ["level", "hold"]))
        #expect(
            description(of: 103, in: fixture) == .init(name: "tool", evidence: "none", controls: ["level", "hold"]))
    }

    @Test("It is sent when it changes, and only then")
    func changes() {
        let fixture = AdoptionFixture()
        fixture.run(100, "/usr/bin/mpv")
        fixture.stream(1, of: 100)
        #expect(fixture.tools.descriptionCount == 1)
        fixture.stream(2, of: 100)
        #expect(fixture.tools.descriptionCount == 1)
        fixture.player("mpv", of: 100, .playing)
        #expect(fixture.tools.descriptionCount == 2)
        #expect(description(of: 100, in: fixture)?.evidence == "mediaPlayer")
        #expect(description(of: 100, in: fixture)?.controls == ["level", "hold", "player"])
    }

    @Test("A short sound of the desktop is not held, and a program of JACK has no level")
    func controls() {
        var settings = AdoptionSettings()
        settings.programs = [.init("synth", kind: .music)]
        let fixture = AdoptionFixture(settings)
        fixture.run(100, "/usr/bin/beep")
        fixture.run(101, "/usr/bin/synth")
        fixture.stream(1, of: 100, role: "Notification")
        fixture.stream(2, of: 101, api: .jack)
        #expect(description(of: 100, in: fixture)?.controls == ["level"])
        #expect(description(of: 101, in: fixture)?.controls == ["hold"])
    }

    @Test("A program without a known process has the name that it states")
    func unknownProcess() throws {
        let fixture = AdoptionFixture()
        var stream = ForeignStream(StreamID(1))
        (stream.application, stream.isRunning) = ("Player in a container", true)
        fixture.adopter.handle(.stream(stream))
        let description = try #require(fixture.tools.descriptions.values.first)
        #expect(description.name == "Player in a container")
    }
}
