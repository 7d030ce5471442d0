import DesktopBridge
import SessionArbiter
import SessionPolicy
import Testing

@testable import ForeignPrograms

/// Events that come late, or while something else is lost.
@Suite struct LateEventTests {
    private let fixture = AdoptionFixture()

    init() {
        fixture.run(100, "/usr/bin/mpv")
        fixture.run(200, "/usr/bin/vlc")
        fixture.run(300, "/usr/lib/browser/browser")
        fixture.run(301, "/usr/lib/browser/utility", childOf: 300)
    }

    private func playMusic() {
        fixture.stream(1, of: 100)
        fixture.player("mpv", of: 100, .playing)
    }

    /// Delivers notices and what streams have done, but not what players have.
    private func settleWithoutPlayers() {
        for _ in 0..<10 {
            fixture.arbiter.drain()
            fixture.deliverNotices()
            let reached = fixture.tools.unreached
            fixture.tools.unreached = []
            for id in reached { fixture.adopter.handle(.reached(id)) }
        }
    }

    private func add(_ id: String, names: [String], _ process: Int32, _ status: ForeignPlayer.Status) {
        playWithoutSettling(id, names: names, of: process, status)
        fixture.settle()
    }

    private func playWithoutSettling(
        _ id: String, names: [String]? = nil, of process: Int32, _ status: ForeignPlayer.Status = .playing
    ) {
        let player = ForeignPlayer(
            id: id, names: names ?? [id], process: process, status: status, canPause: true, canPlay: true)
        fixture.tools.players[id] = player
        fixture.adopter.playerChanged(player)
    }

    @Test("A program that is left alone for a while, as it waits for a call, is free after it")
    func leftAloneWhileAwaiting() throws {
        let call = try fixture.ring()
        fixture.stream(1, of: 100, role: "Game")
        #expect(fixture.sound(1) == .held)
        fixture.stream(2, of: 100, role: "Production")
        #expect(fixture.sound(1) == .full)
        fixture.endStream(2)
        try fixture.end(call)
        fixture.passTime()
        #expect(fixture.sound(1) == .full)
        fixture.stream(1, of: 100, role: "Game", isRunning: false)
        fixture.stream(1, of: 100, role: "Game")
        #expect(fixture.sound(1) == .full)
    }

    @Test("A session that the next arbiter does not accept: its player plays again (ACT-12)")
    func expiredWithNotice() throws {
        playMusic()
        let call = try fixture.ring()
        let id = try #require(fixture.tools.sessions.first)
        try fixture.arbiter.submit(.unregister(id))
        fixture.deliverNotices()
        fixture.adopter.sessionChanged(id, .deactivatedBySystem)
        fixture.settle()
        try fixture.end(call)
        #expect(fixture.status("mpv") == .playing)
    }

    @Test("The call ends while the session bus is lost: the player plays when it has returned")
    func busLostAtEnd() throws {
        playMusic()
        let call = try fixture.ring()
        #expect(fixture.status("mpv") == .paused)
        fixture.adopter.busLost()
        fixture.tools.players = [:]
        try fixture.end(call)
        add(":1.9", names: ["mpv"], 100, .paused)
        fixture.adopter.playersSynced()
        fixture.settle()
        #expect(fixture.status(":1.9") == .playing)
    }

    @Test("A player that reports late that it plays again interrupts nobody")
    func ownPlayReportedLate() throws {
        playMusic()
        try fixture.end(try fixture.ring())
        #expect(fixture.status("mpv") == .playing)
        let call = try fixture.ring()
        try fixture.arbiter.submit(.endSystemSession(call, shouldResume: true))
        settleWithoutPlayers()
        #expect(fixture.tools.requests.last == "play mpv")
        let late = fixture.tools.moved
        fixture.tools.moved = []
        // The user starts VLC before mpv has reported that it plays.
        fixture.stream(2, of: 200)
        fixture.player("vlc", of: 200, .playing)
        for player in late { fixture.adopter.playerChanged(player) }
        fixture.settle()
        #expect(fixture.status("vlc") == .playing)
        #expect(fixture.session(of: 200)?.isActive == true)
    }

    @Test("A player that reports late that it is paused interrupts nobody")
    func acceptsButPlays() throws {
        playMusic()
        fixture.stream(2, of: 200)
        playWithoutSettling("vlc", of: 200)
        settleWithoutPlayers()
        #expect(fixture.tools.requests == ["pause mpv"])
        let late = fixture.tools.moved
        fixture.tools.moved = []
        fixture.adopter.playerAnswered("mpv", accepted: true)
        fixture.passTime()
        for player in late { fixture.adopter.playerChanged(player) }
        fixture.settle()
        #expect(fixture.status("vlc") == .playing)
        #expect(fixture.tools.requests == ["pause mpv", "pause mpv"], "It is asked once more.")
    }

    @Test("The next track of a player that fades out is not its user's")
    func trackChangeInFade() throws {
        playMusic()
        fixture.stream(2, of: 200)
        playWithoutSettling("vlc", of: 200)
        fixture.arbiter.drain()
        fixture.deliverNotices()
        #expect(fixture.tools.requests.isEmpty)
        let mpv = try #require(fixture.tools.players["mpv"])
        var stopped = mpv
        stopped.status = .stopped
        fixture.adopter.playerChanged(stopped)
        fixture.adopter.playerChanged(mpv)
        fixture.settle()
        #expect(fixture.status("vlc") == .playing)
    }

    @Test("A held radio that connects again is not its user's")
    func radioReconnects() throws {
        fixture.stream(1, of: 100)
        fixture.player("mpv", of: 100, .playing, canPause: false)
        fixture.stream(2, of: 200)
        fixture.player("vlc", of: 200, .playing)
        #expect(fixture.sound(1) == .held)
        fixture.player("mpv", of: 100, .stopped, canPause: false)
        fixture.player("mpv", of: 100, .playing, canPause: false)
        #expect(fixture.status("vlc") == .playing)
    }

    @Test("A program that was refused a session gets one, although its player has appeared meanwhile")
    func movesWhileRefused() throws {
        fixture.tools.clients = [301]
        fixture.stream(3, of: 301, role: "Music")
        #expect(fixture.tools.sessions.isEmpty)
        fixture.player("browser", of: 300, .playing)
        fixture.passTime()
        fixture.passTime()
        #expect(fixture.tools.sessions.count == 1)
    }

    @Test("A silent program ends its session, although its player has appeared meanwhile (ACT-17)")
    func movesWhileSilent() throws {
        playMusic()
        fixture.stream(3, of: 301, role: "Music")
        #expect(fixture.status("mpv") == .paused)
        fixture.stream(3, of: 301, role: "Music", isRunning: false)
        fixture.player("browser", of: 300, .stopped)
        fixture.passTime()
        fixture.passTime()
        #expect(fixture.status("mpv") == .playing)
    }

    @Test("The arbiter dies as an interruption ends: the player plays with the next one (SRV-3)")
    func diesAtEnd() throws {
        playMusic()
        // Another one has taken over, with the interruption ended; activation fails meanwhile.
        try fixture.arbiter.submit(.endSystemSession(try fixture.ring(), shouldResume: true))
        fixture.arbiter.drain()
        fixture.tools.isConnected = false
        fixture.tools.refusesAll = true
        fixture.deliverNotices()
        fixture.tools.refusesAll = false
        fixture.tools.isConnected = true
        fixture.adopter.arbiterChanged()
        fixture.settle()
        #expect(fixture.status("mpv") == .playing)
    }

    @Test("A player that shows what another one does is no program")
    func playerctld() throws {
        fixture.run(500, "/usr/bin/playerctld")
        playMusic()
        add("playerctld", names: ["playerctld"], 500, .playing)
        #expect(fixture.status("mpv") == .playing)
    }

    @Test("The session bus is lost as a call begins: the player is paused when it has returned")
    func busLostAtBegin() throws {
        fixture.player("mpv", of: 100, .playing)
        fixture.adopter.busLost()
        fixture.tools.players = [:]
        _ = try fixture.ring()
        add(":1.9", names: ["mpv"], 100, .playing)
        fixture.adopter.playersSynced()
        fixture.settle()
        fixture.passTime()
        #expect(fixture.status(":1.9") == .paused)
    }
}
