import AudioSessionTypes
import DesktopBridge
import Foundation
import TestSupport
import Testing

/// Requests that playerctl cannot make, and the errors that senders receive.
@Suite("desktop: requests", .serialized)
struct RequestTests {
    private static let player = "org.mpris.MediaPlayer2.Player."
    private static let info = NowPlayingInfo(.paused, trackIdentifier: "1", title: "A", duration: 100, position: 50)

    @Test("REMOTE-1: Quit, Raise, Rate and Seek arrive; a rate of 0 pauses")
    func commands() throws {
        let served = try ServedPlayer()
        try served.show(Self.info)
        #expect(try served.desktop.call("org.mpris.MediaPlayer2.Quit").status == 0)
        #expect(try served.desktop.call("org.mpris.MediaPlayer2.Raise").status == 0)
        #expect(try served.desktop.set("Rate", "double:1.5").status == 0)
        #expect(try served.desktop.set("Rate", "double:0").status == 0)
        #expect(try served.desktop.call(Self.player + "Seek", "int64:-2500000").status == 0)
        #expect(served.commands.noted == [.quit, .raise, .setRate(1.5), .pause, .skip(by: -2.5)])
    }

    @Test("REMOTE-1: a position of the current track arrives; of another track, or outside, it has no effect")
    func setPosition() throws {
        let served = try ServedPlayer()
        let setPosition = Self.player + "SetPosition"
        try served.show(Self.info)
        let current = try served.playerctl("metadata", "mpris:trackid").output.trimmingCharacters(in: ["'"])
        #expect(try served.desktop.call(setPosition, "objpath:\(current)", "int64:12500000").status == 0)
        #expect(served.commands.noted == [.seek(to: 12.5)])
        for (path, position) in [
            (current, "-1"), (current, "100000001"), (current, "9223372036854775807"), (current + "0", "5"),
            ("/org/mpris/MediaPlayer2/TrackList/NoTrack", "5"), ("/", "5"),
        ] {
            #expect(try served.desktop.call(setPosition, "objpath:\(path)", "int64:\(position)").status == 0)
        }
        var next = Self.info
        next.trackIdentifier = "2"
        try served.show(next)
        #expect(try served.desktop.call(setPosition, "objpath:\(current)", "int64:5").status == 0)
        try served.show(nil)
        #expect(try served.desktop.call(setPosition, "objpath:\(current)", "int64:5").status == 0)
        #expect(served.commands.noted.count == 1)
    }

    @Test("REMOTE-1: a command that the app has not registered is reported as unsupported, and none is lost")
    func unregistered() throws {
        let served = try ServedPlayer(accepting: [.togglePlayPause])
        try served.show(Self.info)
        let path = try served.playerctl("metadata", "mpris:trackid").output.trimmingCharacters(in: ["'"])
        let desktop = served.desktop
        let root = "org.mpris.MediaPlayer2."
        let replies: [(String, (status: Int32, output: String))] = [
            ("play", try desktop.call(Self.player + "Play")), ("pause", try desktop.call(Self.player + "Pause")),
            ("stop", try desktop.call(Self.player + "Stop")), ("nextTrack", try desktop.call(Self.player + "Next")),
            ("previousTrack", try desktop.call(Self.player + "Previous")),
            ("skip", try desktop.call(Self.player + "Seek", "int64:1")),
            ("seek", try desktop.call(Self.player + "SetPosition", "objpath:\(path)", "int64:1")),
            ("setRate", try desktop.set("Rate", "double:9")), ("pause", try desktop.set("Rate", "double:0")),
            ("setShuffled", try desktop.set("Shuffle", "boolean:true")),
            ("setRepeatMode", try desktop.set("LoopStatus", "string:Track")),
            ("raise", try desktop.call(root + "Raise")), ("quit", try desktop.call(root + "Quit")),
        ]
        for (kind, reply) in replies {
            #expect(reply.status != 0, "\(kind)")
            let expected = "Error org.freedesktop.DBus.Error.NotSupported: '\(kind)' is not registered"
            #expect(reply.output == expected)
        }
        // Pause and Play were not replaced by the command that is registered.
        #expect(served.commands.noted.isEmpty)
        #expect(try desktop.call(Self.player + "PlayPause").status == 0)
        #expect(served.commands.noted == [.togglePlayPause])
    }

    @Test("REMOTE-1: what the app cannot do is reported with its reason")
    func failures() throws {
        let served = try ServedPlayer()
        try served.show(Self.info)
        let prefix = "Error org.freedesktop.DBus.Error."
        let failed = try served.desktop.call(Self.player + "Seek", "int64:666000000")
        #expect(failed.output.hasPrefix(prefix + "Failed: the app is busy: \"🎧\""))
        #expect(
            try served.desktop.call(Self.player + "OpenUri", "string:file:///x").output
                == prefix + "NotSupported: This player does not open URIs.")
        #expect(try served.desktop.set("Volume", "double:0.5").output.hasPrefix(prefix + "NotSupported: "))
        let rate = try served.desktop.set("Rate", "double:4.5")
        #expect(
            rate.output == prefix + "InvalidArgs: Rate cannot be 4.5; it must be from 0.25 to 4.0, or 0 to pause.")
        #expect(try served.desktop.set("Rate", "double:nan").output.hasPrefix(prefix + "InvalidArgs: "))
        #expect(try served.desktop.set("LoopStatus", "string:off").output.hasPrefix(prefix + "InvalidArgs: "))
        #expect(try served.desktop.set("Position", "int64:5").output.hasPrefix(prefix + "PropertyReadOnly: "))
        #expect(try served.desktop.set("Rate", "string:fast").output.hasPrefix(prefix))
        #expect(served.commands.noted.isEmpty)
    }

    @Test("REMOTE-3: the metadata has the specified types, and no entries that the app has not set")
    func metadata() throws {
        let served = try ServedPlayer()
        func metadata() throws -> String {
            try served.desktop.run(
                "busctl", "--address=\(served.desktop.address)", "get-property", "org.mpris.MediaPlayer2.player",
                "/org/mpris/MediaPlayer2", "org.mpris.MediaPlayer2.Player", "Metadata"
            ).output
        }
        var info = NowPlayingInfo(
            .paused, trackIdentifier: "1", title: "T", artist: "A", album: "B", artworkURL: "file:///c", duration: 2.5)
        try served.show(info)
        let path = "\"/org/audiosession/session/1/track/07f7c907b4b8b319\""
        #expect(
            try metadata() == "a{sv} 6 \"mpris:trackid\" o \(path) \"mpris:length\" x 2500000 \"xesam:title\" s \"T\" "
                + "\"xesam:artist\" as 1 \"A\" \"xesam:album\" s \"B\" \"mpris:artUrl\" s \"file:///c\"")
        info = NowPlayingInfo(.paused, trackIdentifier: "1", duration: .infinity)
        try served.show(info)
        #expect(try metadata() == "a{sv} 1 \"mpris:trackid\" o \(path)")
        try served.show(nil)
        #expect(try metadata() == "a{sv} 0")
    }

    @Test("All properties of both interfaces can be read, and nothing else exists")
    func properties() throws {
        let served = try ServedPlayer()
        try served.show(Self.info)
        func properties(of interface: String) throws -> [String] {
            let output = try served.desktop.call(
                "org.freedesktop.DBus.Properties.GetAll", "string:" + interface
            ).output
            // The names of the outer dictionary have nine columns before them.
            let names = output.split(separator: "\n").compactMap { $0.firstMatch(of: /^ {9}string "(.*)"$/)?.1 }
            return names.map { String($0) }
        }
        let root = [
            "CanQuit", "CanRaise", "HasTrackList", "Identity", "SupportedMimeTypes", "SupportedUriSchemes",
        ]
        let player = [
            "CanControl", "CanGoNext", "CanGoPrevious", "CanPause", "CanPlay", "CanSeek", "LoopStatus", "MaximumRate",
            "Metadata", "MinimumRate", "PlaybackStatus", "Position", "Rate", "Shuffle", "Volume",
        ]
        #expect(try properties(of: "org.mpris.MediaPlayer2").sorted() == root)
        #expect(try properties(of: "org.mpris.MediaPlayer2.Player").sorted() == player)
        var named = served.player(Self.info)
        named.desktopEntry = "org.example.Player"
        try served.show(named)
        #expect(try properties(of: "org.mpris.MediaPlayer2").sorted() == (root + ["DesktopEntry"]).sorted())
        let client = try BusClient(served.desktop.address)
        #expect(try client.get("DesktopEntry", of: "org.mpris.MediaPlayer2") == .text("org.example.Player"))
        #expect(try client.get("Identity", of: "org.mpris.MediaPlayer2") == .text("player"))
        #expect(try client.get("CanControl") == .flag(true))
        try served.show(nil)
        #expect(try properties(of: "org.mpris.MediaPlayer2").sorted() == root)
        let metadata = try served.desktop.call(
            "org.freedesktop.DBus.Properties.Get", "string:org.mpris.MediaPlayer2.Player", "string:Metadata"
        ).output
        #expect(metadata.contains(/array \[\s*\]/))
        let tree = try served.desktop.run(
            "busctl", "--address=\(served.desktop.address)", "introspect", "org.mpris.MediaPlayer2.player",
            "/org/mpris/MediaPlayer2", "org.mpris.MediaPlayer2.Player")
        #expect(tree.status == 0)
        #expect(tree.output.contains(/\.SetPosition +method +ox +- +-/))
        #expect(tree.output.contains(/\.Position +property +x +\d+ +-\n/))
    }
}
