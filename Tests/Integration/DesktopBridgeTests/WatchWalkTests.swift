import DesktopBridge
import Foundation
import TestRandom
import TestSupport
import Testing

/// Random players: after each part of a walk, the watch agrees with the bus.
@Suite("desktop: random walk of players", .serialized)
struct WatchWalkTests {
    private static let names = ["a", "b", "c", "d.instance1", "e"]

    @Test("Players that connect, own names, wait for names, change, hang and leave", arguments: 0..<4 as Range<UInt64>)
    func walk(number: UInt64) throws {
        var generator = SeededGenerator(seed: TestSeed.ofCase(number))
        let desktop = try PrivateBus()
        var players = try (0..<5).map { _ in try ScriptedPlayer(on: desktop, names: []) }
        var bus = try WatchedBus(desktop)
        for part in 0..<10 {
            for _ in 0..<generator.below(60) { try step(&players, on: desktop, &generator) }
            for player in players { player.hang(false) }
            // The bus, too, needs a while to notice that a connection has left.
            var expected: [String: State] = [:]
            let agrees = try eventually(seconds: 10) {
                expected = try state(of: players, on: desktop)
                return bus.players.mapValues { State(names: $0.names, status: $0.status) } == expected
            }
            #expect(agrees, "\(TestSeed.text), case \(number), part \(part): \(bus.players), expected \(expected)")
            // A new watch sees the same, whatever the other one has missed.
            if generator.oneIn(3) { bus = try WatchedBus(desktop) }
        }
    }

    private struct State: Equatable {
        var names: [String]
        var status: ForeignPlayer.Status
    }

    private func step(
        _ players: inout [ScriptedPlayer], on desktop: PrivateBus, _ generator: inout SeededGenerator
    ) throws {
        let index = generator.below(players.count)
        let player = players[index]
        let status = generator.pick(["Playing", "Paused", "Stopped"])
        switch generator.below(12) {
        case 0:
            player.leave()
            players[index] = try ScriptedPlayer(on: desktop, names: [])
        // These fail if it owns the name already, or does not own it.
        case 1...4: try? player.own(generator.pick(Self.names), waits: true)
        case 5...7: try? player.release(generator.pick(Self.names))
        case 8, 9:
            player.set(["PlaybackStatus": .text(status)])
            try player.announce([("PlaybackStatus", .text(status))])
        case 10:
            player.set(["PlaybackStatus": .text(status)])
            try player.announce([], invalidated: ["PlaybackStatus"])
        default: player.hang(generator.oneIn(2))
        }
    }

    /// The players according to the bus and themselves.
    private func state(of players: [ScriptedPlayer], on desktop: PrivateBus) throws -> [String: State] {
        let client = try BusClient(desktop.address)
        var state: [String: State] = [:]
        for name in Self.names {
            let reply = try? client.call(
                "org.freedesktop.DBus", "GetNameOwner", [.text(ScriptedPlayer.root + "." + name)],
                to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus")
            guard case .text(let owner) = reply, let player = players.first(where: { $0.owner == owner }) else {
                continue
            }
            state[owner, default: State(names: [], status: player.status)].names.append(name)
        }
        return state
    }
}

extension ScriptedPlayer {
    fileprivate var status: ForeignPlayer.Status {
        switch value("PlaybackStatus") {
        case .text("Playing"): .playing
        case .text("Paused"): .paused
        default: .stopped
        }
    }
}
