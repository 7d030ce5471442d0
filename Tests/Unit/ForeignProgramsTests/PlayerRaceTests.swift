import ArbiterService
import DesktopBridge
import SessionArbiter
import SessionPolicy
import Testing

@testable import ForeignPrograms

/// Players that do several things at once, several players of a program, and a bus that is lost.
@Suite struct PlayerRaceTests {
    private let fixture = AdoptionFixture()

    init() {
        fixture.run(100, "/usr/bin/mpv")
        fixture.run(200, "/usr/bin/vlc")
    }

    private func playMusic() {
        fixture.stream(1, of: 100)
        fixture.player("mpv", of: 100, .playing)
    }

    private func add(_ player: ForeignPlayer) {
        fixture.tools.players[player.id] = player
        fixture.adopter.playerChanged(player)
    }

    @Test("Of two players, one cannot be paused: its program is held, and interrupts nobody")
    func oneCannotPause() {
        fixture.stream(1, of: 100)
        fixture.player("a", of: 100, .playing)
        fixture.player("b", of: 100, .playing, canPause: false)
        fixture.stream(2, of: 200)
        fixture.player("vlc", of: 200, .playing)
        fixture.stream(5, of: 100)
        #expect(fixture.status("vlc") == .playing)
        #expect(fixture.sound(1) == .held)
        #expect(fixture.sound(5) == .held)
    }

    @Test("Of two players, one does not answer: the other one is resumed all the same")
    func oneIsDeaf() throws {
        fixture.tools.deafPlayers = ["b"]
        fixture.stream(1, of: 100)
        fixture.player("a", of: 100, .playing)
        fixture.player("b", of: 100, .playing)
        let call = try fixture.ring()
        #expect(fixture.sound(1) == .held)
        try fixture.end(call)
        #expect(fixture.status("a") == .playing)
        #expect(fixture.sound(1) == .full)
        // In the next call, it is asked again.
        fixture.tools.deafPlayers = []
        _ = try fixture.ring()
        #expect(fixture.status("b") == .paused)
    }

    @Test("A second player that begins before the first one has paused is paused, too")
    func secondWhilePausing() throws {
        playMusic()
        _ = try fixture.arbiter.beginSystemSession(rank: .call, isRinging: true)
        fixture.arbiter.drain()
        fixture.deliverNotices()
        fixture.adopter.handle(.reached(StreamID(1)))
        fixture.tools.unreached = []
        #expect(fixture.tools.requests == ["pause mpv"])
        add(.init(id: "b", names: ["b"], process: 100, status: .playing, canPause: true, canPlay: true))
        fixture.settle()
        #expect(fixture.status("b") == .paused)
    }

    @Test("A call that ends before the player has paused: it plays")
    func endsWhilePausing() throws {
        playMusic()
        let call = try fixture.arbiter.beginSystemSession(rank: .call, isRinging: true)
        fixture.arbiter.drain()
        fixture.deliverNotices()
        fixture.adopter.handle(.reached(StreamID(1)))
        fixture.tools.unreached = []
        // The player pauses, but has not reported it when the call ends.
        try fixture.arbiter.submit(.endSystemSession(call, shouldResume: true))
        fixture.arbiter.drain()
        fixture.deliverNotices()
        #expect(fixture.tools.requests == ["pause mpv", "play mpv"])
        fixture.settle()
        #expect(fixture.status("mpv") == .playing)
        #expect(fixture.sound(1) == .full)
    }

    @Test("A stream that does not fade in time does not keep its player from being paused")
    func slowFade() throws {
        playMusic()
        _ = try fixture.arbiter.beginSystemSession(rank: .call, isRinging: true)
        fixture.arbiter.drain()
        fixture.deliverNotices()
        fixture.tools.unreached = []
        #expect(fixture.tools.requests.isEmpty)
        fixture.passTime()
        #expect(fixture.status("mpv") == .paused)
    }

    @Test("A player that answers a pause by stopping is resumed")
    func stopsInsteadOfPausing() throws {
        playMusic()
        let call = try fixture.arbiter.beginSystemSession(rank: .call, isRinging: true)
        fixture.arbiter.drain()
        fixture.deliverNotices()
        fixture.adopter.handle(.reached(StreamID(1)))
        fixture.tools.moved = []
        fixture.player("mpv", of: 100, .stopped)
        try fixture.end(call)
        #expect(fixture.status("mpv") == .playing)
    }

    @Test("Players that start again by themselves do not do so for ever")
    func restartingPlayers() {
        playMusic()
        fixture.stream(2, of: 200)
        fixture.player("vlc", of: 200, .playing)
        for _ in 0..<20 {
            if fixture.status("mpv") == .paused { fixture.player("mpv", of: 100, .playing) }
            if fixture.status("vlc") == .paused { fixture.player("vlc", of: 200, .playing) }
        }
        #expect(fixture.tools.requests.count <= 8, "\(fixture.tools.requests)")
        #expect([fixture.sound(1), fixture.sound(2)].contains(.held))
    }

    @Test("The session bus is lost during a call, and its players return under other ids")
    func busReturns() throws {
        playMusic()
        let call = try fixture.ring()
        fixture.adopter.busLost()
        fixture.tools.players = [:]
        add(.init(id: ":1.9", names: ["mpv"], process: 100, status: .paused, canPause: true, canPlay: true))
        fixture.adopter.playersSynced()
        fixture.settle()
        try fixture.end(call)
        #expect(fixture.status(":1.9") == .playing)
        #expect(fixture.tools.sessions.count == 1)
    }

    @Test("The session bus is lost and returns: no player interrupts another for that")
    func busReturnsAmongPlayers() {
        playMusic()
        fixture.stream(2, of: 200)
        fixture.player("vlc", of: 200, .playing)
        fixture.adopter.busLost()
        fixture.player("vlc", of: 200, .playing)
        fixture.player("mpv", of: 100, .paused)
        fixture.adopter.playersSynced()
        fixture.settle()
        #expect(fixture.status("vlc") == .playing)
        fixture.endPlayer("vlc")
        fixture.endStream(2)
        #expect(fixture.status("mpv") == .playing)
    }
}
