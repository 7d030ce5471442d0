import DesktopBridge
import SessionPolicy
import Testing

@testable import ForeignPrograms

/// Players that adoption has paused, when it is killed and started again.
@Suite struct RecoveryTests {
    private let fixture = AdoptionFixture()

    init() {
        fixture.run(100, "/usr/bin/mpv")
        fixture.run(200, "/usr/bin/vlc")
        fixture.stream(1, of: 100)
        fixture.player("mpv", of: 100, .playing)
    }

    /// What the stream controller and the bus report to an adopter that has started.
    private func report(streams: [(UInt64, Int32)] = [(1, 100)], players: [(String, Int32)] = [("mpv", 100)]) {
        for (stream, process) in streams { fixture.stream(stream, of: process) }
        for (name, process) in players {
            if let status = fixture.status(name) { fixture.player(name, of: process, status) }
        }
        fixture.adopter.playersSynced()
        fixture.adopter.handle(.synced)
        fixture.settle()
    }

    @Test("A player that was paused for a call waits for its end, and plays then (ACT-14)")
    func duringCall() throws {
        let call = try fixture.ring()
        #expect(fixture.adopter.pausedPlayers.map(\.name) == ["mpv"])
        fixture.restart()
        report()
        #expect(fixture.status("mpv") == .paused)
        #expect(fixture.adopter.pausedPlayers.map(\.name) == ["mpv"])
        try fixture.end(call)
        fixture.passTime()
        #expect(fixture.status("mpv") == .playing)
        #expect(fixture.sound(1) == .full)
        #expect(fixture.session(of: 100)?.isActive == true)
        #expect(fixture.adopter.pausedPlayers.isEmpty)
    }

    @Test("If the call has ended meanwhile, it plays at once, when all streams and players are known")
    func afterCall() throws {
        let call = try fixture.ring()
        fixture.restart()
        try fixture.end(call)
        fixture.stream(1, of: 100)
        fixture.player("mpv", of: 100, .paused)
        fixture.adopter.playersSynced()
        fixture.settle()
        #expect(fixture.status("mpv") == .paused)
        fixture.adopter.handle(.synced)
        fixture.settle()
        #expect(fixture.status("mpv") == .playing)
        #expect(fixture.session(of: 100)?.isActive == true)
    }

    @Test("It interrupts no other player, and plays after that one")
    func otherPlayer() {
        fixture.stream(2, of: 200)
        fixture.player("vlc", of: 200, .playing)
        #expect(fixture.status("mpv") == .paused)
        fixture.restart()
        report(streams: [(1, 100), (2, 200)], players: [("mpv", 100), ("vlc", 200)])
        #expect(fixture.status("vlc") == .playing && fixture.status("mpv") == .paused)
        fixture.endStream(2)
        fixture.endPlayer("vlc")
        for _ in 0..<3 { fixture.passTime() }
        #expect(fixture.status("mpv") == .playing)
    }

    @Test("A player that its user has started or stopped meanwhile is left alone", arguments: [true, false])
    func user(plays: Bool) throws {
        let call = try fixture.ring()
        fixture.restart()
        try fixture.end(call)
        fixture.player("mpv", of: 100, plays ? .playing : .stopped)
        report()
        #expect(fixture.status("mpv") == (plays ? .playing : .stopped))
        #expect(fixture.tools.requests == ["pause mpv"])
        #expect(fixture.adopter.pausedPlayers.isEmpty)
    }

    @Test("A player of another process with the same name is left alone")
    func otherProcess() throws {
        let call = try fixture.ring()
        fixture.restart()
        #expect(fixture.adopter.pausedPlayers.map(\.name) == ["mpv"])
        fixture.run(101, "/usr/bin/mpv")
        try fixture.end(call)
        fixture.player("mpv", of: 101, .paused)
        report(players: [])
        fixture.passTime()
        #expect(fixture.status("mpv") == .paused)
        #expect(fixture.adopter.pausedPlayers.isEmpty)
    }

    @Test("A player that stops while it waits stays stopped (INT-7)")
    func stoppedWhileWaiting() throws {
        let call = try fixture.ring()
        fixture.restart()
        report()
        fixture.player("mpv", of: 100, .stopped)
        // Another file is loaded, paused.
        fixture.player("mpv", of: 100, .paused)
        try fixture.end(call)
        for _ in 0..<3 { fixture.passTime() }
        #expect(fixture.status("mpv") == .paused)
        #expect(fixture.sound(1) == .full)
    }

    @Test("A player that its user has played and paused while it waits stays paused (INT-7)")
    func pausedWhileWaiting() {
        fixture.stream(2, of: 200)
        fixture.player("vlc", of: 200, .playing)
        fixture.restart()
        report(streams: [(1, 100), (2, 200)], players: [("mpv", 100), ("vlc", 200)])
        fixture.player("mpv", of: 100, .playing)
        fixture.player("mpv", of: 100, .paused)
        fixture.endStream(2)
        fixture.endPlayer("vlc")
        for _ in 0..<6 { fixture.passTime() }
        #expect(fixture.status("mpv") == .paused)
    }

    @Test("Of two players, the one that had interrupted the other plays first, the other after it")
    func order() throws {
        fixture.stream(2, of: 200)
        fixture.player("vlc", of: 200, .playing)
        #expect(fixture.status("mpv") == .paused)
        let call = try fixture.ring()
        #expect(fixture.adopter.pausedPlayers.map(\.name) == ["mpv", "vlc"])
        fixture.restart()
        report(streams: [(1, 100), (2, 200)], players: [("mpv", 100), ("vlc", 200)])
        let before = fixture.tools.requests.count
        try fixture.end(call)
        for _ in 0..<4 { fixture.passTime() }
        #expect(fixture.tools.requests.dropFirst(before) == ["play vlc"])
        fixture.endStream(2)
        fixture.endPlayer("vlc")
        for _ in 0..<4 { fixture.passTime() }
        #expect(fixture.tools.requests.dropFirst(before) == ["play vlc", "play mpv"])
    }

    @Test("While the bus is lost, it is not asked to play; when the bus has returned, it is")
    func busLost() throws {
        let call = try fixture.ring()
        fixture.restart()
        report()
        fixture.adopter.busLost()
        try fixture.end(call)
        fixture.passTime()
        #expect(fixture.tools.requests == ["pause mpv"])
        #expect(fixture.adopter.pausedPlayers.count == 1)
        report()
        fixture.passTime()
        #expect(fixture.status("mpv") == .playing)
    }

    @Test("An adopter that ends before it knows all players leaves them to the next one")
    func endsEarly() throws {
        let call = try fixture.ring()
        fixture.restart()
        fixture.adopter.freeAll()
        #expect(fixture.adopter.pausedPlayers.map(\.name) == ["mpv"])
        fixture.restart()
        try fixture.end(call)
        report()
        fixture.passTime()
        #expect(fixture.status("mpv") == .playing)
    }

    @Test("Each look at the other sessions has one timer, and none is needed without an arbiter")
    func timers() throws {
        _ = try fixture.ring()
        fixture.restart()
        report()
        for _ in 0..<5 { fixture.adopter.handle(.synced) }
        #expect(fixture.tools.timers.count { $0 == .recovery } == 1)
        fixture.tools.isConnected = false
        fixture.passTime()
        #expect(fixture.tools.timers.count { $0 == .recovery } == 1)
    }
}
