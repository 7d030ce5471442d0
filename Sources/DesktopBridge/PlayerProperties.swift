internal import AudioSessionTypes

/// The properties of a player on the bus, except its position, with the names and values of the
/// MPRIS specification (REMOTE-3).
struct PlayerProperties: Hashable, Sendable {
    var identity: String
    var desktopEntry: String?
    var canQuit: Bool
    var canRaise: Bool

    var playbackStatus: String
    var loopStatus: String
    var rate: Double
    var rates: ClosedRange<Double>
    var isShuffled: Bool
    var canGoNext: Bool
    var canGoPrevious: Bool
    var canPlay: Bool
    var canPause: Bool
    var canSeek: Bool
    /// Nil if it is not known what plays.
    var track: Track?

    /// The metadata of a track.
    struct Track: Hashable, Sendable {
        var path: String
        /// In microseconds; nil if it is unknown, or the track has no end.
        var length: Int64?
        var title: String?
        var artist: String?
        var album: String?
        var artworkURL: String?
    }

    init(_ player: MediaPlayer) {
        let info = player.record?.info
        let accepts = player.commands.contains
        identity = player.name.busText
        desktopEntry = player.desktopEntry?.busText
        canQuit = accepts(.quit)
        canRaise = accepts(.raise)
        playbackStatus =
            switch player.playbackState {
            case .playing: "Playing"
            case .paused: "Paused"
            case .stopped: "Stopped"
            }
        loopStatus = Self.loopStatus(info?.repeatMode ?? .off)
        rate = info.map(\.rate).flatMap { $0.isFinite && $0 > 0 ? $0 : nil } ?? 1
        // The range contains the rate, as the specification requires, also if an app plays at
        // another rate but accepts no command to change it.
        let range = accepts(.setRate) ? 0.25...4.0 : 1.0...1.0
        rates = min(range.lowerBound, rate)...max(range.upperBound, rate)
        isShuffled = info?.isShuffled ?? false
        canGoNext = accepts(.nextTrack)
        canGoPrevious = accepts(.previousTrack)
        canPlay = accepts(.play) || accepts(.togglePlayPause)
        canPause = accepts(.pause) || accepts(.togglePlayPause)
        canSeek = accepts(.skip) || accepts(.seek)
        track = info.map { info in
            Track(
                path: TrackPath.path(of: info, session: player.number),
                length: info.duration.flatMap { $0.isFinite ? Int64(microsecondsOf: $0) : nil },
                title: info.title?.busText, artist: info.artist?.busText, album: info.album?.busText,
                artworkURL: info.artworkURL?.busText)
        }
    }

    static func loopStatus(_ mode: RepeatMode) -> String {
        switch mode {
        case .off: "None"
        case .one: "Track"
        case .all: "Playlist"
        }
    }

    /// The names of the properties of each interface that differ from the previous ones.
    struct Changes: Hashable {
        var root: [String]
        var player: [String]
    }

    func changes(from previous: Self) -> Changes {
        let names = { (old: [Value], new: [Value]) in zip(old, new).filter { $0.value != $1.value }.map(\.1.name) }
        // A property that does not exist cannot change.
        let root = names(previous.rootValues, rootValues).filter { $0 != "DesktopEntry" || desktopEntry != nil }
        return Changes(root: root, player: names(previous.playerValues, playerValues))
    }

    private typealias Value = (name: String, value: AnyHashable)

    private var rootValues: [Value] {
        [
            ("Identity", identity), ("CanQuit", canQuit), ("CanRaise", canRaise), ("DesktopEntry", desktopEntry),
        ]
    }

    private var playerValues: [Value] {
        [
            ("PlaybackStatus", playbackStatus), ("LoopStatus", loopStatus), ("Rate", rate), ("Shuffle", isShuffled),
            ("Metadata", track), ("MinimumRate", rates.lowerBound), ("MaximumRate", rates.upperBound),
            ("CanGoNext", canGoNext), ("CanGoPrevious", canGoPrevious), ("CanPlay", canPlay),
            ("CanPause", canPause), ("CanSeek", canSeek),
        ]
    }
}
