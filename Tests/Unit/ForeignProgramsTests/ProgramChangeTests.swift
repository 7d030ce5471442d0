import ArbiterService
import DesktopBridge
import SessionArbiter
import SessionPolicy
import Testing

@testable import ForeignPrograms

/// Programs whose streams, players and processes change while they are lowered or held.
@Suite struct ProgramChangeTests {
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

    @Test("A player that quits takes its name from the bus first, and its stream later (ACT-12)")
    func quits() {
        playMusic()
        fixture.stream(2, of: 200)
        fixture.player("vlc", of: 200, .playing)
        fixture.endPlayer("vlc")
        fixture.endStream(2)
        #expect(fixture.status("mpv") == .playing)
    }

    @Test("A player that stops has left after a second; one that begins the next track has not (ACT-17)")
    func stops() {
        playMusic()
        fixture.stream(2, of: 200)
        fixture.player("vlc", of: 200, .playing)
        fixture.player("vlc", of: 200, .stopped)
        #expect(fixture.status("mpv") == .paused)
        fixture.player("vlc", of: 200, .playing)
        fixture.passTime()
        #expect(fixture.status("mpv") == .paused)
        fixture.player("vlc", of: 200, .stopped)
        fixture.passTime()
        #expect(fixture.status("mpv") == .playing)
        #expect(fixture.tools.requests == ["pause mpv", "play mpv"])
    }

    @Test("A lowered stream is given back after the player of its parent process has appeared")
    func movesWhileLowered() throws {
        fixture.stream(3, of: 301)
        let prompt = try fixture.activate(.playback, .voicePrompt, .duckOthers)
        fixture.player("browser", of: 300, .paused)
        try fixture.deactivate(prompt)
        #expect(fixture.sound(3) == .full)
    }

    @Test("A player vanishes while its idle stream is held")
    func playerVanishesWhileHeld() throws {
        fixture.stream(3, of: 301)
        fixture.player("browser", of: 300, .playing)
        let call = try fixture.ring()
        fixture.stream(3, of: 301, isRunning: false)
        fixture.endPlayer("browser")
        try fixture.end(call)
        #expect(fixture.sound(3) == .full)
        fixture.stream(3, of: 301)
        #expect(fixture.sound(3) == .full)
    }

    @Test("The parent of a process exits while its stream is lowered")
    func parentExits() throws {
        fixture.run(310, "/usr/bin/game")
        fixture.run(311, "/usr/bin/game", childOf: 310)
        fixture.stream(4, of: 311)
        let prompt = try fixture.activate(.playback, .voicePrompt, .duckOthers)
        fixture.run(311, "/usr/bin/game")
        fixture.stream(4, of: 311, isRunning: false)
        try fixture.deactivate(prompt)
        #expect(fixture.sound(4) == .full)
        #expect(fixture.tools.sessions.count == 1)
    }

    @Test("A paused player that appears interrupts nobody, until it plays (CAT-3)")
    func pausedPlayerAppears() {
        fixture.stream(2, of: 200)
        fixture.player("vlc", of: 200, .playing)
        fixture.stream(1, of: 100)
        fixture.player("mpv", of: 100, .paused)
        #expect(fixture.status("vlc") == .playing)
        fixture.player("mpv", of: 100, .playing)
        #expect(fixture.status("vlc") == .paused)
    }

    @Test("A player that appears during a hold, already playing, is paused: its user has pressed nothing")
    func playerAppearsWhileHeld() {
        fixture.stream(1, of: 100, role: "Music")
        fixture.stream(2, of: 200)
        fixture.player("vlc", of: 200, .playing)
        fixture.stream(1, of: 100, role: "Music", isRunning: false)
        fixture.player("mpv", of: 100, .playing)
        #expect(fixture.status("vlc") == .playing)
        #expect(fixture.status("mpv") == .paused)
    }

    @Test("A program that becomes a notification while its player is paused is resumed")
    func roleChanges() throws {
        playMusic()
        let call = try fixture.ring()
        fixture.stream(1, of: 100, role: "Notification")
        try fixture.end(call)
        #expect(fixture.status("mpv") == .playing)
        #expect(fixture.sound(1) == .full)
    }

    @Test("A stream that is idle when a call holds its program is free after it")
    func idleInCall() throws {
        fixture.stream(1, of: 100)
        fixture.stream(1, of: 100, isRunning: false)
        let call = try fixture.ring()
        fixture.passTime()
        try fixture.end(call)
        #expect(fixture.sound(1) == .full)
        fixture.stream(1, of: 100)
        #expect(fixture.session(of: 100)?.isActive == true)
    }

    @Test("A program that is refused a session gets one later")
    func refused() {
        fixture.tools.clients = [100]
        fixture.stream(1, of: 100)
        fixture.tools.clients = []
        fixture.stream(1, of: 100, isRunning: false)
        fixture.stream(1, of: 100)
        #expect(fixture.session(of: 100) == nil, "It is not asked at each event.")
        fixture.passTime()
        #expect(fixture.session(of: 100)?.isActive == true)
    }

    @Test("A session that the arbiter has lost is replaced, and its program is free meanwhile (ACT-12)")
    func expired() throws {
        playMusic()
        let call = try fixture.ring()
        let id = try #require(fixture.tools.sessions.first)
        try fixture.arbiter.submit(.unregister(id))
        fixture.player("mpv", of: 100, .paused)
        fixture.stream(1, of: 100, isRunning: false)
        fixture.stream(1, of: 100)
        try fixture.end(call)
        #expect(fixture.sound(1) == .full)
        #expect(fixture.status("mpv") == .playing)
        #expect(fixture.tools.sessions.count == 2)
    }

    @Test("Without an arbiter, nothing changes until the next one is there (SRV-3)")
    func disconnected() throws {
        playMusic()
        let call = try fixture.ring()
        fixture.tools.isConnected = false
        fixture.stream(2, of: 200)
        #expect(fixture.session(of: 200) == nil)
        fixture.tools.isConnected = true
        fixture.adopter.arbiterChanged()
        fixture.settle()
        #expect(fixture.sound(1) == .silent)
        try fixture.end(call)
        #expect(fixture.status("mpv") == .playing)
    }
}
