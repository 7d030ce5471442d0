import AudioSessionTypes
import DesktopBridge
import Foundation
import TestSupport
import Testing

/// Exactly which signals the player sends.
@Suite("desktop: signals", .serialized)
struct SignalTests {
    let served: ServedPlayer
    let monitor: SignalMonitor

    init() throws {
        served = try ServedPlayer()
        try served.show(Self.info)
        monitor = try SignalMonitor(served.desktop)
    }

    private static let info = NowPlayingInfo(
        .playing, trackIdentifier: "1", title: "A", duration: 1_000, position: 100, isShuffled: false)

    /// Publishes the info after a change, and expects these signals.
    private func expect(
        _ expected: [String], location: SourceLocation = #_sourceLocation, when change: (inout MediaPlayer) -> Void
    ) throws {
        var player = served.player(Self.info)
        change(&player)
        try expect(expected, player, location: location)
    }

    private func expect(
        _ expected: [String], _ player: MediaPlayer, location: SourceLocation = #_sourceLocation
    ) throws {
        let signals = try monitor.signals { try served.show(player) }
        #expect(signals == expected, sourceLocation: location)
    }

    @Test("REMOTE-3: only what has changed is sent, in one signal for each interface; the position never is")
    func changes() throws {
        try expect(["Player: PlaybackStatus"]) { $0.playbackState = .paused }
        try expect([]) { $0.playbackState = .paused }
        try expect(["Player: LoopStatus, Rate, Shuffle, Metadata"]) { player in
            player.playbackState = .paused
            player.record?.info.isShuffled = true
            player.record?.info.repeatMode = .one
            player.record?.info.title = "B"
            player.record?.info.rate = 2
        }
        try expect([
            "MediaPlayer2: CanQuit, CanRaise, DesktopEntry",
            "Player: LoopStatus, Rate, Shuffle, Metadata, MinimumRate, MaximumRate, CanGoNext, CanGoPrevious, "
                + "CanPlay, CanSeek",
        ]) { player in
            player.playbackState = .paused
            player.commands = [.pause]
            player.desktopEntry = "entry"
        }
        try expect(["MediaPlayer2: CanRaise"]) { player in
            player.playbackState = .paused
            player.commands = [.pause, .raise]
        }
    }

    @Test("REMOTE-3: a jump within a track sends Seeked, with the new position; also while paused")
    func seeked() throws {
        try expect(["Player: PlaybackStatus"]) { $0.playbackState = .paused }
        try expect(["Seeked 42500000"]) { player in
            player.playbackState = .paused
            player.record?.info.position = 42.5
        }
        try expect([]) { player in
            player.playbackState = .paused
            player.record?.info.position = 42.65
        }
        try expect(["Player: Metadata", "Seeked 0"]) { player in
            player.playbackState = .paused
            player.record?.info.position = 0
            player.record?.info.title = "B"
        }
    }

    @Test("REMOTE-3: pause and resumption send no Seeked; nor does a track that begins at 0")
    func pause() throws {
        let client = try BusClient(served.desktop.address)
        func resume(_ state: NowPlayingInfo.PlaybackState, _ expected: [String]) throws {
            guard case .integer(let position) = try client.get("Position") else { throw TestFailure("No position.") }
            try expect(expected) { player in
                player.playbackState = state
                player.record?.info.position = Double(position) / 1e6
            }
        }
        for _ in 0..<3 {
            try resume(.paused, ["Player: PlaybackStatus"])
            try resume(.playing, ["Player: PlaybackStatus"])
            try resume(.playing, [])
        }
        try expect(["Player: Metadata"]) { player in
            player.record?.info.trackIdentifier = "2"
            player.record?.info.position = 0
        }
    }

    @Test("REMOTE-3: an interruption, and a resumption with the same record, send no Seeked")
    func interruption() throws {
        let player = served.player(Self.info)
        var interrupted = player
        interrupted.playbackState = .paused
        try served.show(player)
        try expect(["Player: PlaybackStatus"], interrupted)
        try expect(["Player: PlaybackStatus"], player)
        try expect([], player)
    }

    @Test("REMOTE-3: reads of the position cause no signal")
    func reads() throws {
        let client = try BusClient(served.desktop.address)
        #expect(try monitor.signals { for _ in 0..<50 { _ = try client.get("Position") } } == [])
    }

    @Test("REMOTE-3: another session of the same program changes the track, and keeps the name")
    func otherSession() throws {
        let name = served.bus.name
        try expect(["Player: Metadata"]) { player in
            player.number = 2
            player.record?.info.position = 0
        }
        #expect(served.bus.name == name)
    }
}
