import AudioSessionTypes
import DesktopBridge
import Foundation
import TestSupport
import Testing

/// The player on the bus, as playerctl sees and controls it.
@Suite("desktop: playerctl", .serialized)
struct PlayerctlTests {
    let served: ServedPlayer

    init() throws { served = try ServedPlayer() }

    private static let info = NowPlayingInfo(
        .playing, trackIdentifier: "7", title: "Für \"Elise\" 🎧", artist: "L. van Beethoven", album: "Bagatelles",
        artworkURL: "file:///tmp/a%20b.png", duration: 180.5, position: 30, rate: 1, isShuffled: true, repeatMode: .all)

    @Test("REMOTE-3: title, artist, album, artwork, duration, state, order and repetition are published")
    func metadata() throws {
        try served.show(Self.info)
        #expect(try served.playerctl("status").output == "Playing")
        let format = "{{title}}|{{artist}}|{{album}}|{{mpris:artUrl}}|{{mpris:length}}"
        let expected = "Für \"Elise\" 🎧|L. van Beethoven|Bagatelles|file:///tmp/a%20b.png|180500000"
        #expect(try served.playerctl("metadata", "--format", format).output == expected)
        #expect(try served.playerctl("loop").output == "Playlist")
        #expect(try served.playerctl("shuffle").output == "On")
        #expect(try served.playerctl("volume").output == "1.000000")
        var next = Self.info
        (next.playbackState, next.repeatMode, next.isShuffled, next.title) = (.paused, .one, false, "Next")
        try served.show(next)
        #expect(try served.playerctl("status").output == "Paused")
        #expect(try served.playerctl("loop").output == "Track")
        #expect(try served.playerctl("shuffle").output == "Off")
        #expect(try served.playerctl("metadata", "title").output == "Next")
        try served.show(nil, state: .stopped)
        #expect(try served.playerctl("status").output == "Stopped")
        #expect(try served.playerctl("loop").output == "None")
    }

    @Test("REMOTE-3: an interrupted session is published as paused, and its position stays")
    func interrupted() throws {
        try served.show(Self.info)
        try served.show(Self.info, state: .paused)
        #expect(try served.playerctl("status").output == "Paused")
        #expect(try served.playerctl("position").output == "30.000000")
        #expect(try served.playerctl("position").output == "30.000000")
    }

    @Test("REMOTE-3: the position advances between two reads without another publication")
    func position() throws {
        var info = Self.info
        info.rate = 10
        try served.show(info)
        func position() throws -> Double { try #require(Double(try served.playerctl("position").output)) }
        let first = try position()
        #expect(first >= 30)
        #expect(try eventually { try position() > first + 0.5 })
        info.playbackState = .paused
        info.position = 42.5
        try served.show(info)
        #expect(try position() == 42.5)
    }

    @Test("REMOTE-1: every command of playerctl arrives as itself")
    func commands() throws {
        var info = Self.info
        info.playbackState = .paused
        try served.show(info)
        let expected: [([String], RemoteCommand)] = [
            (["play"], .play), (["pause"], .pause), (["play-pause"], .togglePlayPause), (["next"], .nextTrack),
            (["previous"], .previousTrack), (["stop"], .stop), (["position", "10"], .seek(to: 10)),
            (["position", "5+"], .skip(by: 5)), (["position", "5-"], .skip(by: -5)),
            (["loop", "None"], .setRepeatMode(.off)), (["loop", "Track"], .setRepeatMode(.one)),
            (["loop", "Playlist"], .setRepeatMode(.all)), (["shuffle", "On"], .setShuffled(true)),
            (["shuffle", "Off"], .setShuffled(false)), (["shuffle", "Toggle"], .setShuffled(false)),
        ]
        for (count, (arguments, command)) in expected.enumerated() {
            let result = try ChildProcess.run(
                "playerctl", ["--player=player"] + arguments, environment: served.desktop.environment, seconds: 20)
            #expect(result.status == 0, "\(arguments): \(result.output)")
            // The reply follows the command, but playerctl does not wait for that of a property.
            #expect(served.commands.wait { $0.count > count }, "\(arguments)")
            #expect(served.commands.noted.last == command, "\(arguments)")
        }
        #expect(served.commands.noted.count == expected.count)
    }

    @Test("REMOTE-1: pause arrives as pause, whether the app plays or not", arguments: [true, false])
    func pause(plays: Bool) throws {
        var info = Self.info
        info.playbackState = plays ? .playing : .paused
        try served.show(info)
        #expect(try served.playerctl("pause").status == 0)
        #expect(try served.playerctl("play").status == 0)
        #expect(served.commands.noted == [.pause, .play])
    }

    @Test("playerctl follows the player: it is notified of each change")
    func follows() throws {
        let lines = try LineSink()
        try served.show(Self.info)
        let follower = try ChildProcess(
            "playerctl", ["--player=player", "--follow", "metadata", "--format", "{{status}} {{title}}"],
            environment: served.desktop.environment, printingTo: (lines.writing, lines.writing))
        defer { follower.send(SIGKILL) }
        #expect(lines.waits(for: "Playing Für"))
        var info = Self.info
        info.playbackState = .paused
        try served.show(info)
        #expect(lines.waits(for: "Paused Für"))
        info.title = "B"
        try served.show(info)
        #expect(lines.waits(for: "Paused B"))
    }
}
