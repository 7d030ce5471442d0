/// What an app plays, for the desktop's media control and for remote controls (REMOTE-3).
///
/// An app sets it when something else plays, when it starts, pauses or stops, and when the position
/// jumps. Between these, the position follows from `position` and `rate`: nobody polls it.
public struct NowPlayingInfo: Hashable, Sendable, Codable {
    /// Whether the app plays, as it states itself. While its session is interrupted or inactive, a
    /// playing app is published as paused.
    public enum PlaybackState: String, Hashable, Sendable, Codable, CaseIterable {
        case playing
        /// Paused part-way.
        case paused
        /// Nothing is loaded, or playback is at the beginning and has not started.
        case stopped
    }

    public var playbackState: PlaybackState
    /// Distinguishes the track from others of this app, also from one with the same title. Another
    /// identifier means that another track plays.
    public var trackIdentifier: String?
    public var title: String?
    public var artist: String?
    public var album: String?
    /// The URL of a picture: `file:`, `http:` or `https:`.
    public var artworkURL: String?
    /// Seconds, 0 or more; nil if it is unknown or there is none, as in a live stream.
    public var duration: Double?
    /// Seconds since the beginning of the track, at the moment when this value is set; 0 or more.
    public var position: Double
    /// The speed at which the position advances during playback; 1 is normal speed. Greater than 0.
    public var rate: Double
    /// Nil if the app has no shuffled order.
    public var isShuffled: Bool?
    /// Nil if the app repeats nothing.
    public var repeatMode: RepeatMode?

    public init(
        _ playbackState: PlaybackState, trackIdentifier: String? = nil, title: String? = nil, artist: String? = nil,
        album: String? = nil, artworkURL: String? = nil, duration: Double? = nil, position: Double = 0,
        rate: Double = 1, isShuffled: Bool? = nil, repeatMode: RepeatMode? = nil
    ) {
        self.playbackState = playbackState
        self.trackIdentifier = trackIdentifier
        self.title = title
        self.artist = artist
        self.album = album
        self.artworkURL = artworkURL
        self.duration = duration
        self.position = position
        self.rate = rate
        self.isShuffled = isShuffled
        self.repeatMode = repeatMode
    }

    /// The longest text in UTF-8 bytes. All texts together fit into one packet of the arbiter, also
    /// if JSON writes each byte as six.
    package static let longestText = 1_024
    /// The greatest duration and position, in seconds: over 30 years.
    package static let longestTime = 1e9
    /// The range of `rate`.
    package static let rates: ClosedRange<Double> = 0.01...100

    /// What is wrong with this value, as a sentence for the app's developer; nil if nothing is.
    package var fault: String? {
        let texts = [
            ("trackIdentifier", trackIdentifier), ("title", title), ("artist", artist), ("album", album),
            ("artworkURL", artworkURL),
        ]
        for case (let name, let text?) in texts where text.utf8.count > Self.longestText {
            return "\(name) has \(text.utf8.count) bytes; the limit is \(Self.longestText)."
        }
        if let artworkURL, !["file:", "http:", "https:"].contains(where: artworkURL.lowercased().hasPrefix) {
            return "artworkURL is '\(artworkURL.prefix(80))'; it must begin with file:, http: or https:."
        }
        for case (let name, let time?) in [("duration", duration), ("position", position)]
        where !(0...Self.longestTime).contains(time) {
            return "\(name) is \(time) s; it must be from 0 to \(Int(Self.longestTime)) s."
        }
        guard Self.rates.contains(rate) else {
            return "rate is \(rate); it must be from \(Self.rates.lowerBound) to \(Int(Self.rates.upperBound))."
        }
        return nil
    }
}

extension NowPlayingInfo {
    /// This value with texts of the permitted length, and without an invalid URL.
    package var shortened: NowPlayingInfo {
        func short(_ text: String?) -> String? {
            guard let text, text.utf8.count > Self.longestText else { return text }
            var (end, bytes) = (text.startIndex, 0)
            while end < text.endIndex, bytes + text[end].utf8.count <= Self.longestText {
                bytes += text[end].utf8.count
                end = text.index(after: end)
            }
            return String(text[..<end])
        }
        var info = self
        (info.title, info.artist, info.album) = (short(title), short(artist), short(album))
        info.trackIdentifier = short(trackIdentifier)
        if NowPlayingInfo(.stopped, artworkURL: artworkURL).fault != nil { info.artworkURL = nil }
        return info
    }
}

/// The information of an app, and when it was set.
public struct NowPlayingRecord: Hashable, Sendable, Codable {
    public var info: NowPlayingInfo
    /// When `info.position` was right, in nanoseconds of the monotonic clock.
    public var time: UInt64

    public init(info: NowPlayingInfo, time: UInt64) {
        self.info = info
        self.time = time
    }

    /// Returns the position in seconds at a time in nanoseconds of the monotonic clock, at most the
    /// duration.
    public func position(at now: UInt64) -> Double {
        let elapsed = info.playbackState == .playing && now > time ? Double(now - time) / 1e9 * info.rate : 0
        return min(info.position + elapsed, info.duration ?? .infinity)
    }

    /// Sets the position to that at a later time.
    package mutating func advance(to now: UInt64) { (info.position, time) = (position(at: now), now) }
}
