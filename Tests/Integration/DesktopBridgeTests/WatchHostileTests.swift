import DesktopBridge
import Foundation
import Platform
import TestSupport
import Testing

/// Players that claim anything, and more than there is room for.
@Suite("desktop: watch of hostile players", .serialized)
struct WatchHostileTests {
    @Test("Values of other types, unknown states and texts of any length do no harm")
    func garbage() throws {
        let bus = try WatchedBus()
        let long = String(repeating: "🎧", count: 10_000)
        let player = try ScriptedPlayer(
            on: bus.desktop, names: ["x"],
            values: [
                "Identity": .text("a" + long), "DesktopEntry": .text("../../etc/passwd"),
                "PlaybackStatus": .text("Dancing"), "CanControl": .text("yes"), "CanPause": .integer(1),
                "CanPlay": .variant(.flag(true)), "Position": .text("7"),
            ])
        #expect(bus.waits(for: player.owner))
        let expected = ForeignPlayer(
            id: player.owner, names: ["x"], process: getpid(), identity: "a" + String(repeating: "🎧", count: 63))
        #expect(bus.players[player.owner] == expected)
        #expect(try bus.position(player.owner) == nil)
        try player.announce([("PlaybackStatus", .number(.nan)), ("CanPause", .text(long)), (long, .flag(true))])
        try player.announce([("DesktopEntry", .text(long))], invalidated: [long, ""], of: ScriptedPlayer.root)
        try player.announce([("PlaybackStatus", .text("Paused"))], of: ScriptedPlayer.root)
        try player.announce([("PlaybackStatus", .text("Paused"))], of: ScriptedPlayer.player + ".Other")
        try player.announce([("Identity", .text("\u{1b}[31m\n"))], of: ScriptedPlayer.root)
        #expect(bus.waits(for: player.owner) { $0.identity == "\u{1b}[31m\n" })
        #expect(bus.players[player.owner]?.status == .stopped && bus.players[player.owner]?.canPause == false)
    }

    @Test("A text that sd-bus refuses does not hide the other properties")
    func noncharacter() throws {
        let bus = try WatchedBus()
        var values = ScriptedPlayer.values
        values["Identity"] = .unchecked("a" + noncharacters)
        let player = try ScriptedPlayer(on: bus.desktop, names: ["x"], values: values)
        #expect(bus.waits(for: player.owner) { $0.identity == "" && $0.status == .playing })
        player.set(["PlaybackStatus": .text("Paused"), "CanPlay": .flag(false)])
        try player.announce(
            [
                ("CanPlay", .flag(true)), ("Metadata", .unchecked("title" + noncharacters)),
                ("PlaybackStatus", .text("Paused")),
            ])
        #expect(bus.waits(for: player.owner) { $0.status == .paused && !$0.canPlay })
    }

    @Test("Signals of another connection change nothing, whether it is a player or not")
    func spoofed() throws {
        let bus = try WatchedBus()
        let player = try ScriptedPlayer(on: bus.desktop, names: ["x"])
        let other = try ScriptedPlayer(on: bus.desktop, names: ["y"])
        let nobody = try ScriptedPlayer(on: bus.desktop, names: [])
        #expect(bus.waits(for: player.owner) && bus.waits(for: other.owner))
        try nobody.announce([("PlaybackStatus", .text("Stopped"))])
        try other.announce([("PlaybackStatus", .text("Paused"))])
        #expect(bus.waits(for: other.owner) { $0.status == .paused })
        #expect(bus.players[player.owner]?.status == .playing)
        // A NameOwnerChanged that the bus has not sent.
        try bus.desktop.run(
            "dbus-send", "--bus=\(bus.desktop.address)", "--type=signal", "/org/freedesktop/DBus",
            "org.freedesktop.DBus.NameOwnerChanged", "string:org.mpris.MediaPlayer2.x", "string:\(player.owner)",
            "string:")
        try other.announce([("PlaybackStatus", .text("Stopped"))])
        #expect(bus.waits(for: other.owner) { $0.status == .stopped })
        #expect(bus.players.keys.sorted() == [player.owner, other.owner].sorted())
    }

    @Test("More than 256 players, more than 8 names, and names that are none, are ignored")
    func limits() throws {
        let bus = try WatchedBus()
        let first = try ScriptedPlayer(on: bus.desktop, names: (1...10).map { "n\($0)" })
        #expect(bus.waits(for: first.owner) { $0.names.count == 8 })
        // The names of a connection that never replies.
        var others: [ScriptedPlayer] = []
        for number in 0..<260 { others.append(try ScriptedPlayer(on: bus.desktop, names: ["o\(number)"])) }
        #expect(bus.events.wait { WatchedBus.players($0).count == 256 })
        for other in others { other.leave() }
        #expect(bus.events.wait { WatchedBus.players($0).count == 1 })
        let last = try ScriptedPlayer(on: bus.desktop, names: ["last"])
        #expect(bus.waits(for: last.owner))
        #expect(bus.players.count == 2)
    }

    /// What a hostile player repeats as fast as the bus allows.
    enum Flood: CaseIterable {
        case changes, invalidations, names, namesOfHungPlayer

        var isOfNames: Bool { self == .names || self == .namesOfHungPlayer }

        func step(_ player: ScriptedPlayer, _ number: Int) throws {
            switch self {
            case .changes: try player.announce([("PlaybackStatus", .text(number % 2 == 0 ? "Playing" : "Paused"))])
            case .invalidations: try player.announce([], invalidated: ["PlaybackStatus", "CanPause"])
            case .names, .namesOfHungPlayer: try player.flicker("flood")
            }
        }
    }

    @Test("A flood does not delay calls of another player, and ends in the right state", arguments: Flood.allCases)
    func flood(kind: Flood) throws {
        let bus = try WatchedBus()
        let player = try ScriptedPlayer(on: bus.desktop, names: ["x"])
        let hostile = try ScriptedPlayer(on: bus.desktop, names: kind.isOfNames ? [] : ["hostile"])
        hostile.hang(kind == .namesOfHungPlayer)
        #expect(bus.waits(for: player.owner) && (kind.isOfNames || bus.waits(for: hostile.owner)))
        let isEnding = Mutex(false)
        let sent = Promise<Int>()
        let began = Promise<Void>()
        Thread.detachNewThread {
            var number = 0
            while !isEnding.withLock({ $0 }), (try? kind.step(hostile, number)) != nil {
                number += 1
                if number == 2_000 { began.set(()) }
            }
            sent.set(number)
        }
        #expect(began.wait(seconds: 20) != nil)
        var slowest = 0.0
        for _ in 0..<20 {
            let pause = try bus.pause(player.owner)
            #expect(pause.succeeded)
            #expect(try bus.play(player.owner).succeeded)
            slowest = max(slowest, pause.seconds)
        }
        #expect(slowest < 2)
        isEnding.withLock { $0 = true }
        #expect(try #require(sent.wait(seconds: 20)) >= 2_000)
        // It is asked once for each value, however often it takes a name.
        if kind == .namesOfHungPlayer { #expect(hostile.calls.noted.count <= 12) }
        // What was muted is read again.
        hostile.hang(false)
        hostile.set(["PlaybackStatus": .text("Stopped")])
        if kind.isOfNames { try? hostile.own("last") }
        #expect(bus.waits(for: hostile.owner) { $0.status == .stopped && $0.canPause })
    }
}
