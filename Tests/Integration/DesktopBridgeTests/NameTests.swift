import AudioSessionTypes
import DesktopBridge
import Foundation
import Platform
import TestRandom
import TestSupport
import Testing

/// When the player has a name on the bus, and which.
@Suite("desktop: names", .serialized)
struct NameTests {
    let desktop: PrivateBus

    init() throws { desktop = try PrivateBus() }

    private func player(_ name: String, number: UInt64 = 1) -> MediaPlayer {
        MediaPlayer(name: name, number: number, commands: [], playbackState: .paused, record: nil)
    }

    @Test("The name exists only while a player is published, and follows it")
    func names() throws {
        let served = try ServedPlayer(on: desktop)
        #expect(try desktop.names == [])
        try served.show(player("My Player"))
        #expect(try desktop.names == ["org.mpris.MediaPlayer2.My_Player"])
        #expect(try desktop.call("org.mpris.MediaPlayer2.Raise", to: "org.mpris.MediaPlayer2.My_Player").status == 0)
        served.bus.publish(player("2nd"))
        #expect(eventually { served.bus.name == "org.mpris.MediaPlayer2._2nd" })
        #expect(try desktop.names == ["org.mpris.MediaPlayer2._2nd"])
        served.bus.publish(nil)
        #expect(try eventually { try desktop.names == [] })
        #expect(served.bus.name == nil)
        try served.show(player("2nd"))
        #expect(try desktop.names == ["org.mpris.MediaPlayer2._2nd"])
        served.bus.stop()
        #expect(served.end.wait(seconds: 20) == .stopped)
        #expect(try desktop.names == [])
    }

    @Test("Without a player, its object does not exist")
    func noObject() throws {
        let served = try ServedPlayer(on: desktop)
        try served.show(player("player"))
        let client = try BusClient(desktop.address)
        #expect(try client.get("CanControl") == .flag(true))
        let owner = try #require(
            try desktop.run(
                "dbus-send", "--bus=\(desktop.address)", "--print-reply=literal", "--dest=org.freedesktop.DBus", "/",
                "org.freedesktop.DBus.GetNameOwner", "string:org.mpris.MediaPlayer2.player"
            ).output.split(separator: " ").last.map(String.init))
        let play = "org.mpris.MediaPlayer2.Player.Play"
        #expect(try desktop.call(play, to: owner).status == 0)
        served.bus.publish(nil)
        #expect(eventually { served.bus.name == nil })
        let reply = try desktop.call(play, to: owner)
        #expect(reply.output.contains("UnknownObject") || reply.output.contains("UnknownMethod"), "\(reply.output)")
    }

    @Test("A second player of one name gets another name; the first one's stays")
    func taken() throws {
        let first = try ServedPlayer(on: desktop)
        try first.show(player("player"))
        let second = try ServedPlayer(on: desktop)
        try second.show(player("player"))
        let third = try ServedPlayer(on: desktop)
        try third.show(player("player"))
        let base = "org.mpris.MediaPlayer2.player"
        let expected = [base, "\(base).instance\(getpid())", "\(base).instance\(getpid())_2"]
        #expect([first, second, third].map(\.bus.name) == expected)
        #expect(try desktop.names == expected)
        let listed = try desktop.run("playerctl", "--list-all").output.split(separator: "\n").map(String.init)
        #expect(listed.sorted() == ["player", "player.instance\(getpid())", "player.instance\(getpid())_2"])
        second.bus.publish(nil)
        #expect(try eventually { try desktop.names.count == 2 })
    }

    @Test("A name that the bus refuses ends the service, with the reason")
    func refused() throws {
        let served = try ServedPlayer(on: desktop)
        served.bus.publish(player("forbidden"))
        guard case .lost(let reason) = try #require(served.end.wait(seconds: 20)) else {
            Issue.record("It was stopped.")
            return
        }
        #expect(reason.contains("refuses the name 'org.mpris.MediaPlayer2.forbidden'"))
    }

    @Test("After any sequence of players, exactly the last one's name is on the bus")
    func sequences() throws {
        let served = try ServedPlayer(on: desktop)
        var random = SeededGenerator(seed: TestSeed.current)
        for round in 0..<30 {
            var last: String?
            for _ in 0...random.below(20) {
                last = random.pick([nil, "a", "b", "c"])
                served.bus.publish(last.map { player($0, number: UInt64(round)) })
                // Some players replace others before they are sent.
                if random.oneIn(3) { _ = try? BusClient(desktop.address).get("Rate") }
            }
            let expected = last.map { "org.mpris.MediaPlayer2." + $0 }
            try #require(eventually { served.bus.name == expected }, "\(TestSeed.text)")
            try #require(try eventually { try desktop.names == [expected].compactMap { $0 } }, "\(TestSeed.text)")
        }
    }
}
