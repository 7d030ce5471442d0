import AudioSessionTypes
import Testing

@testable import DesktopBridge

/// The noncharacters of Unicode, which sd-bus refuses.
let noncharacters: String = {
    let planes = (0...16).flatMap { [UInt32($0) << 16 | 0xfffe, UInt32($0) << 16 | 0xffff] }
    return (planes + (0xfdd0...0xfdef)).compactMap(Unicode.Scalar.init).reduce(into: "") {
        $0.unicodeScalars.append($1)
    }
}()

/// How names, texts, numbers, tracks and requests map to those of the bus. No bus is involved.
@Suite("desktop: values")
struct ValueTests {
    @Test(
        "A program's name becomes a valid name on the bus",
        arguments: [
            ("player", "player"), ("My Player!", "My_Player_"), ("3rd-player_2", "_3rd-player_2"), ("", "player"),
            ("a.b/c", "a_b_c"), ("Ж", "__"), ("🎧", "____"), ("\0", "_"), ("-", "-"),
            (String(repeating: "x", count: 3_000), String(repeating: "x", count: 190)),
        ])
    func names(program: String, element: String) {
        var name = BusName(of: program)
        #expect(name.base == "org.mpris.MediaPlayer2." + element)
        #expect(name.text(process: 7) == name.base)
        let hasNext = name.proceed()
        #expect(hasNext)
        #expect(name.text(process: 7) == name.base + ".instance7")
        var texts: Set = [name.base, name.base + ".instance7"]
        while name.proceed() { texts.insert(name.text(process: .max)) }
        #expect(texts.allSatisfy { $0.utf8.count <= 255 })
        #expect(texts.count == 10)
    }

    @Test("Texts lose NUL and noncharacters, and nothing else")
    func texts() {
        #expect("a\0b\0".busText == "ab")
        #expect("\0".busText.isEmpty)
        #expect(noncharacters.unicodeScalars.count == 34 + 32)
        #expect(noncharacters.busText == String(repeating: "\u{fffd}", count: 34 + 32))
        let kept = "\u{fdcf}\u{fdf0}\u{fffd}🎧 \"quoted\" 'text' \\ \n\t\u{1b}[31m e\u{301} \u{202e}"
        #expect(kept.busText == kept)
    }

    @Test(
        "Seconds become microseconds without overflow",
        arguments: [
            (1.5, 1_500_000), (0, 0), (-1, 0), (.nan, 0), (.infinity, .max), (-.infinity, 0), (1e300, .max),
            (1e9, 1_000_000_000_000_000), (.leastNonzeroMagnitude, 0), (9_223_372_036_854.775_807, .max),
            (-.greatestFiniteMagnitude, 0),
        ] as [(Double, Int64)])
    func microseconds(seconds: Double, expected: Int64) {
        #expect(Int64(microsecondsOf: seconds) == expected)
    }

    @Test("REMOTE-3: a track's path changes with the identifier and the session, and with nothing else")
    func identifiedTracks() {
        let track = NowPlayingInfo(.playing, trackIdentifier: "1", title: "A", duration: 10)
        func path(_ session: UInt64 = 1, _ change: (inout NowPlayingInfo) -> Void = { _ in }) -> String {
            var info = track
            change(&info)
            return TrackPath.path(of: info, session: session)
        }
        #expect(path() == "/org/audiosession/session/1/track/07f7c907b4b8b319")
        #expect(
            path { info in
                (info.title, info.artist, info.album, info.duration) = ("B", "C", "D", 11)
                (info.position, info.rate, info.playbackState, info.artworkURL) = (5, 2, .paused, "file:/x")
            } == path())
        #expect(path { $0.trackIdentifier = "2" } != path())
        #expect(path { $0.trackIdentifier = "" } != path())
        #expect(path { $0.trackIdentifier = nil } != path())
        #expect(path(2) != path())
        #expect(path(.max) != path())
    }

    @Test("REMOTE-3: without an identifier, a track's path changes with title, artist, album and duration")
    func unidentifiedTracks() {
        let variants = [
            NowPlayingInfo(.playing), NowPlayingInfo(.playing, title: ""), NowPlayingInfo(.playing, title: "A"),
            NowPlayingInfo(.playing, artist: "A"), NowPlayingInfo(.playing, album: "A"),
            NowPlayingInfo(.playing, title: "A", artist: ""), NowPlayingInfo(.playing, title: "A", duration: 1),
            NowPlayingInfo(.playing, title: "A", duration: 2), NowPlayingInfo(.playing, trackIdentifier: ""),
            NowPlayingInfo(.playing, title: "A", artist: "B"), NowPlayingInfo(.playing, title: "AB"),
            NowPlayingInfo(.playing, title: "A\0B"), NowPlayingInfo(.playing, title: "A", duration: .nan),
        ]
        let paths = variants.map { TrackPath.path(of: $0, session: 0) }
        #expect(Set(paths).count == variants.count)
        var moved = variants[2]
        (moved.position, moved.rate, moved.playbackState, moved.artworkURL) = (5, 2, .paused, "file:/x")
        #expect(TrackPath.path(of: moved, session: 0) == paths[2])
    }

    @Test("REMOTE-1: properties say which commands the app accepts", arguments: RemoteCommand.Kind.allCases)
    func capabilities(kind: RemoteCommand.Kind) {
        let properties = PlayerProperties(
            MediaPlayer(name: "p", number: 1, commands: [kind], playbackState: .paused, record: nil))
        #expect(properties.canQuit == (kind == .quit))
        #expect(properties.canRaise == (kind == .raise))
        #expect(properties.canGoNext == (kind == .nextTrack))
        #expect(properties.canGoPrevious == (kind == .previousTrack))
        #expect(properties.canPlay == [.play, .togglePlayPause].contains(kind))
        #expect(properties.canPause == [.pause, .togglePlayPause].contains(kind))
        #expect(properties.canSeek == [.skip, .seek].contains(kind))
        #expect(properties.rates == (kind == .setRate ? 0.25...4 : 1...1))
    }

    @Test(
        "The range of rates contains the current rate; a rate that is no number becomes 1",
        arguments: [
            (2, 2), (0.1, 0.1), (.nan, 1), (.infinity, 1), (-1, 1), (0, 1), (1e308, 1e308),
        ] as [(Double, Double)])
    func rates(rate: Double, expected: Double) {
        let record = NowPlayingRecord(info: NowPlayingInfo(.playing, rate: rate), time: 0)
        let properties = PlayerProperties(
            MediaPlayer(name: "p", number: 1, commands: [], playbackState: .playing, record: record))
        #expect(properties.rate == expected)
        #expect(properties.rates == min(1, expected)...max(1, expected))
    }

    @Test("REMOTE-1: each request becomes its own command; pause and play never become a toggle")
    func requests() throws {
        let track = NowPlayingInfo(.playing, trackIdentifier: "1", duration: 10)
        let player = MediaPlayer(
            name: "p", number: 1, commands: [.togglePlayPause, .setRate], playbackState: .playing,
            record: NowPlayingRecord(info: track, time: 0))
        let properties = PlayerProperties(player)
        let path = try #require(properties.track?.path)
        func command(_ request: BusRequest) throws -> RemoteCommand? {
            try request.command(for: properties, commands: player.commands)
        }
        #expect(try command(.pause) == .pause)
        #expect(try command(.play) == .play)
        #expect(try command(.playPause) == .togglePlayPause)
        #expect(try command(.setRate(0)) == .pause)
        #expect(try command(.setRate(-0.0)) == .pause)
        #expect(try command(.setRate(4)) == .setRate(4))
        #expect(try command(.seek(-1_500_000)) == .skip(by: -1.5))
        #expect(try command(.seek(.min)) == .skip(by: -9_223_372_036_854.775_808))
        #expect(try command(.setPosition(path, 10_000_000)) == .seek(to: 10))
        #expect(try command(.setPosition(path, 0)) == .seek(to: 0))
        #expect(try command(.setPosition(path, 10_000_001)) == nil)
        #expect(try command(.setPosition(path, -1)) == nil)
        #expect(try command(.setPosition(path + "0", 1)) == nil)
        #expect(try command(.setPosition("/org/mpris/MediaPlayer2/TrackList/NoTrack", 1)) == nil)
        #expect(try command(.setLoopStatus("None")) == .setRepeatMode(.off))
        #expect(try command(.setLoopStatus("Track")) == .setRepeatMode(.one))
        #expect(try command(.setLoopStatus("Playlist")) == .setRepeatMode(.all))
        let refusedOnes: [BusRequest] = [
            .setRate(4.1), .setRate(-1), .setRate(.nan), .setRate(.infinity), .setLoopStatus("track"), .setVolume,
            .openURI,
        ]
        for refused in refusedOnes {
            #expect(throws: BusRequest.Refusal.self, "\(refused)") { try command(refused) }
        }
        // Without the command, the range does not count: the app reports it as unsupported.
        #expect(try BusRequest.setRate(9).command(for: properties, commands: []) == .setRate(9))
    }
}
