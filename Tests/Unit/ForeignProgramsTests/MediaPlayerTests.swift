import ArbiterService
import DesktopBridge
import SessionArbiter
import SessionPolicy
import Testing

@testable import ForeignPrograms

/// Programs with a media player on the session bus.
@Suite struct MediaPlayerTests {
    private let fixture = AdoptionFixture()

    init() {
        fixture.run(100, "/usr/bin/mpv")
        fixture.run(200, "/usr/bin/vlc")
    }

    private func playMusic() {
        fixture.stream(1, of: 100)
        fixture.player("mpv", of: 100, .playing)
    }

    @Test("A call fades the player out, holds it, pauses it and resumes it (ACT-4, INT-3, INT-9)")
    func call() throws {
        playMusic()
        #expect(fixture.session(of: 100)?.isPrimary == true)
        let call = try fixture.ring()
        #expect(fixture.tools.commands.first == .hold(StreamID(1), milliseconds: 60))
        #expect(fixture.status("mpv") == .paused)
        #expect(fixture.sound(1) == .silent, "The node runs again, so that the player does not see it stop.")
        try fixture.end(call)
        #expect(fixture.status("mpv") == .playing)
        #expect(fixture.sound(1) == .full)
        #expect(fixture.tools.requests == ["pause mpv", "play mpv"])
    }

    @Test("Without a recommendation to resume, a paused player stays paused, at full level (INT-3)")
    func endWithoutResumption() throws {
        playMusic()
        try fixture.end(try fixture.ring(), shouldResume: false)
        #expect(fixture.status("mpv") == .paused)
        #expect(fixture.sound(1) == .full)
        fixture.player("mpv", of: 100, .playing)
        #expect(fixture.session(of: 100)?.isActive == true)
    }

    @Test("One player at a time: the second one pauses the first, which resumes at its end (ACT-2)")
    func twoPlayers() {
        playMusic()
        fixture.stream(2, of: 200)
        fixture.player("vlc", of: 200, .playing)
        #expect(fixture.status("mpv") == .paused)
        #expect(fixture.status("vlc") == .playing)
        fixture.endStream(2)
        fixture.endPlayer("vlc")
        #expect(fixture.status("mpv") == .playing)
        #expect(fixture.sound(1) == .full)
    }

    @Test("By a setting, players mix")
    func playersMix() {
        var settings = AdoptionSettings()
        settings.playersInterrupt = false
        let fixture = AdoptionFixture(settings)
        fixture.player("mpv", of: 100, .playing)
        fixture.player("vlc", of: 200, .playing)
        #expect(fixture.status("mpv") == .playing)
        #expect(fixture.status("vlc") == .playing)
    }

    @Test("The user presses play in a paused player: it plays, and interrupts in turn (INT-5)")
    func userPlays() {
        playMusic()
        fixture.stream(2, of: 200)
        fixture.player("vlc", of: 200, .playing)
        fixture.player("mpv", of: 100, .playing)
        #expect(fixture.status("mpv") == .playing)
        #expect(fixture.status("vlc") == .paused)
        #expect(fixture.sound(1) == .full)
        #expect(fixture.tools.requests == ["pause mpv", "pause vlc"])
    }

    @Test("The user stops a player that a call has paused: it does not resume (INT-7)")
    func userStops() throws {
        playMusic()
        let call = try fixture.ring()
        fixture.player("mpv", of: 100, .stopped)
        try fixture.end(call)
        #expect(fixture.status("mpv") == .stopped)
        #expect(fixture.sound(1) == .full)
    }

    @Test("A player that the user had paused stays paused after a call")
    func userPausedBefore() throws {
        playMusic()
        fixture.player("mpv", of: 100, .paused)
        #expect(fixture.session(of: 100)?.isPaused == true)
        try fixture.end(try fixture.ring())
        #expect(fixture.status("mpv") == .paused)
        #expect(fixture.tools.requests.isEmpty)
        #expect(fixture.sound(1) == .full)
    }

    @Test("A player that does not pause is held at its frame (ACT-4)")
    func deafPlayer() throws {
        fixture.tools.deafPlayers = ["mpv"]
        playMusic()
        let call = try fixture.ring()
        #expect(fixture.sound(1) == .held)
        try fixture.end(call)
        #expect(fixture.sound(1) == .full)
        #expect(fixture.status("mpv") == .playing)
    }

    @Test("A player without streams, on plain jackd, is paused over the bus alone")
    func withoutStreams() throws {
        fixture.player("mpv", of: 100, .playing)
        let call = try fixture.ring()
        #expect(fixture.status("mpv") == .paused)
        try fixture.end(call)
        #expect(fixture.status("mpv") == .playing)
    }

    @Test("The stream of a browser's audio process belongs to the browser's player")
    func browser() throws {
        fixture.run(300, "/usr/lib/browser/browser")
        fixture.run(301, "/usr/lib/browser/utility", childOf: 300)
        fixture.stream(3, of: 301, isClaim: true)
        #expect(fixture.session(of: 301)?.isActive == true)
        fixture.player("browser", of: 300, .playing)
        // The session moves to the browser; the process for which it was registered stays.
        #expect(fixture.tools.sessions.count == 1)
        #expect(fixture.session(of: 301)?.isActive == true)
        let call = try fixture.ring()
        #expect(fixture.status("browser") == .paused)
        #expect(fixture.sound(3) == .silent)
        try fixture.end(call)
        #expect(fixture.sound(3) == .full)
    }

    @Test("Of two players of a program, only those that played are resumed")
    func playersOfOneProgram() throws {
        fixture.stream(1, of: 100)
        fixture.player("a", of: 100, .playing)
        fixture.player("b", of: 100, .playing)
        fixture.player("c", of: 100, .paused)
        let call = try fixture.ring()
        #expect(["a", "b", "c"].allSatisfy { fixture.status($0) == .paused })
        try fixture.end(call)
        #expect(fixture.status("a") == .playing)
        #expect(fixture.status("b") == .playing)
        #expect(fixture.status("c") == .paused)
    }

    @Test("A player that ends in a call is not resumed, and its stream is free")
    func endsInCall() throws {
        playMusic()
        let call = try fixture.ring()
        fixture.endPlayer("mpv")
        try fixture.end(call)
        #expect(fixture.sound(1) == .full)
        fixture.endStream(1)
        #expect(fixture.session(of: 100) == nil)
    }

    @Test("The session bus is lost while a player is paused: its stream is free after the call")
    func busLost() throws {
        playMusic()
        let call = try fixture.ring()
        fixture.adopter.busLost()
        fixture.adopter.playersSynced()
        fixture.settle()
        try fixture.end(call)
        #expect(fixture.sound(1) == .full)
    }

    @Test("The program that shows our own apps on the bus is no program")
    func ownPlayer() {
        fixture.run(400, "/usr/bin/audiosession-mpris")
        fixture.player("audiosession", of: 400, .playing)
        #expect(fixture.tools.sessions.isEmpty)
    }
}
