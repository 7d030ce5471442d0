import AudioSessionTypes
import DesktopBridge
import Foundation
import Platform
import TestSupport
import Testing

/// The players of other programs, as a watch of the bus reports and controls them.
@Suite("desktop: watch", .serialized)
struct WatchTests {
    @Test("A player that exists is reported before `synced`, with all values; pause and play reach it")
    func existing() throws {
        let desktop = try PrivateBus()
        let player = try ScriptedPlayer(on: desktop, names: ["scripted"])
        let bus = try WatchedBus(desktop)
        #expect(bus.events.wait { $0.contains(.synced) })
        let expected = ForeignPlayer(
            id: player.owner, names: ["scripted"], process: getpid(), identity: "Scripted", desktopEntry: "scripted",
            status: .playing, canPause: true, canPlay: true)
        #expect(bus.events.noted == [.changed(expected), .synced])
        #expect(try bus.pause(player.owner).succeeded)
        #expect(bus.waits(for: player.owner) { $0.status == .paused })
        #expect(try bus.position(player.owner) == 7)
        #expect(try bus.play(player.owner).succeeded)
        #expect(bus.waits(for: player.owner) { $0.status == .playing })
        #expect(player.calls.noted.filter { !$0.hasPrefix("Get ") } == ["Pause", "Play"])
        // It is another player when it has connected again.
        player.leave()
        #expect(bus.events.wait { $0.last == .vanished(player.owner) })
        #expect(try !bus.pause(player.owner).succeeded)
        #expect(bus.events.noted.count == 5)
    }

    @Test("A bus without players is synced at once")
    func empty() throws {
        let bus = try WatchedBus()
        #expect(bus.events.wait { $0 == [.synced] })
        #expect(try !bus.pause(":1.999").succeeded)
        for id in ["", "x", ":", "\0", "org.freedesktop.DBus", noncharacters] { #expect(try !bus.play(id).succeeded) }
    }

    @Test("The player of this library is watched like any other")
    func own() throws {
        let served = try ServedPlayer()
        let bus = try WatchedBus(served.desktop)
        let info = NowPlayingInfo(.playing, title: "A", duration: 100, position: 5, rate: 1)
        try served.show(info)
        let player = try bus.player(named: "player")
        #expect(player.status == .playing && player.canPause && player.identity == "player")
        #expect(player.process == getpid() && player.desktopEntry == nil)
        #expect(try bus.pause(player.id).succeeded)
        #expect(served.commands.noted == [.pause])
        try served.show(info, state: .paused)
        #expect(bus.waits(for: player.id) { $0.status == .paused })
        #expect(try bus.position(player.id) == 5_000_000)
        served.bus.publish(nil)
        #expect(bus.events.wait { $0.last == .vanished(player.id) })
        // The same connection may own a name again.
        try served.show(info)
        #expect(bus.waits(for: player.id) { $0.status == .playing })
    }

    @Test("A connection with two names is one player, as long as it owns one of them")
    func twoNames() throws {
        let desktop = try PrivateBus()
        let player = try ScriptedPlayer(on: desktop, names: ["vlc", "vlc.instance4711"])
        let bus = try WatchedBus(desktop)
        #expect(bus.events.wait { $0.contains(.synced) })
        #expect(bus.players.values.map(\.names) == [["vlc", "vlc.instance4711"]])
        try player.release("vlc")
        #expect(bus.waits(for: player.owner) { $0.names == ["vlc.instance4711"] })
        try player.own("a")
        #expect(bus.waits(for: player.owner) { $0.names == ["a", "vlc.instance4711"] })
        try player.release("vlc.instance4711")
        try player.release("a")
        #expect(bus.events.wait { $0.last == .vanished(player.owner) })
        let other = try ScriptedPlayer(on: desktop, names: ["vlc"])
        #expect(bus.waits(for: other.owner) { $0.names == ["vlc"] })
    }

    @Test("Changed, invalidated and missing properties; CanControl disables all commands")
    func properties() throws {
        let bus = try WatchedBus()
        let player = try ScriptedPlayer(
            on: bus.desktop, names: ["x"], values: ["PlaybackStatus": .text("Paused"), "CanPlay": .flag(true)])
        #expect(
            bus.waits(for: player.owner) {
                $0.status == .paused && $0.canPlay && !$0.canPause && $0.identity == "" && $0.desktopEntry == nil
            })
        try player.announce([("CanPause", .flag(true)), ("PlaybackStatus", .text("Playing")), ("Volume", .number(1))])
        #expect(bus.waits(for: player.owner) { $0.status == .playing && $0.canPlay && $0.canPause })
        player.set(["CanControl": .flag(false), "Identity": .text("Name")])
        try player.announce([], invalidated: ["Metadata", "CanControl"])
        #expect(bus.waits(for: player.owner) { !$0.canPlay && !$0.canPause })
        try player.announce([("DesktopEntry", .text("entry"))], invalidated: ["Identity"], of: ScriptedPlayer.root)
        #expect(bus.waits(for: player.owner) { $0.identity == "Name" && $0.desktopEntry == "entry" })
        // Nothing changes: no event.
        let count = bus.events.noted.count
        try player.announce([("CanPause", .flag(true)), ("Rate", .number(2))])
        try player.announce([("PlaybackStatus", .text("Stopped"))])
        #expect(bus.waits(for: player.owner) { $0.status == .stopped })
        #expect(bus.events.noted.count == count + 1)
    }

    @Test("A player that leaves during a call ends the call at once; one that only releases its name still replies")
    func leaving() throws {
        let bus = try WatchedBus()
        let player = try ScriptedPlayer(on: bus.desktop, names: ["x"])
        #expect(bus.waits(for: player.owner))
        player.hang(true)
        let released = Promise<Bool>()
        bus.watch.pause(player.owner) { released.set($0) }
        #expect(player.calls.wait { $0.contains("Pause") })
        try player.release("x")
        #expect(bus.events.wait { $0.last == .vanished(player.owner) })
        player.hang(false)
        #expect(released.wait(seconds: 4) == true)

        try player.own("x")
        #expect(bus.waits(for: player.owner))
        player.hang(true)
        let left = Promise<Bool>()
        bus.watch.pause(player.owner) { left.set($0) }
        #expect(player.calls.wait { $0.filter { $0 == "Pause" }.count >= 2 })
        player.leave()
        #expect(left.wait(seconds: 4) == false)
    }

    @Test("A hung player is reported after 5 s, delays nobody else's call, and is known when it goes on")
    func hung() throws {
        let desktop = try PrivateBus()
        let hung = try ScriptedPlayer(on: desktop, names: ["hung"], isHung: true)
        let sound = try ScriptedPlayer(on: desktop, names: ["sound"])
        let begin = ContinuousClock.now
        let bus = try WatchedBus(desktop)
        #expect(bus.waits(for: sound.owner, limit: 4))
        // Known, but not reported yet: it can be called.
        let call = Promise<Bool>()
        bus.watch.pause(hung.owner) { call.set($0) }
        let pause = try bus.pause(sound.owner)
        #expect(pause.succeeded && pause.seconds < 2)
        #expect(bus.events.wait(limit: 10) { $0.contains(.synced) })
        #expect((4.5..<9).contains((ContinuousClock.now - begin) / .seconds(1)))
        #expect(bus.players[hung.owner] == ForeignPlayer(id: hung.owner, names: ["hung"], process: getpid()))
        #expect(call.wait(seconds: 4) == false)
        hung.hang(false)
        #expect(bus.waits(for: hung.owner) { $0.status == .paused && $0.canPause && $0.identity == "Scripted" })
    }
}
