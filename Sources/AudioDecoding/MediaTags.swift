internal import CFFmpeg
internal import Foundation

/// What a media file says about its content; empty texts count as none.
public struct MediaTags: Hashable, Sendable {
    public var title: String?
    public var artist: String?
    public var album: String?
    /// What a measurement of the loudness wrote into the file; nil if there is none.
    public var replayGain: ReplayGain?
    /// The cover.
    public var picture: Picture?

    /// The gains that bring the file to the reference loudness of ReplayGain 2, −18 LUFS, and its
    /// peaks, from the tags `REPLAYGAIN_…`; otherwise from `R128_…`, whose reference is 5 dB lower.
    public struct ReplayGain: Hashable, Sendable {
        /// In dB.
        public var trackGain: Double?
        /// In dB.
        public var albumGain: Double?
        /// The greatest sample, 1 at full scale.
        public var trackPeak: Double?
        /// The greatest sample of the album, 1 at full scale.
        public var albumPeak: Double?

        public init(
            trackGain: Double? = nil, albumGain: Double? = nil, trackPeak: Double? = nil, albumPeak: Double? = nil
        ) {
            (self.trackGain, self.albumGain) = (trackGain, albumGain)
            (self.trackPeak, self.albumPeak) = (trackPeak, albumPeak)
        }
    }

    /// An image in the file.
    public struct Picture: Hashable, Sendable {
        public var bytes: [UInt8]
        /// Such as `image/jpeg`.
        public var mimeType: String
    }

    init() {}

    /// Reads the tags of dictionaries; the first one that has a key counts.
    init(_ dictionaries: [OpaquePointer?], picture: Picture?) {
        func text(_ key: String) -> String? { Self.text(key, in: dictionaries) }
        title = text("title")
        artist = text("artist") ?? text("album_artist")
        album = text("album")
        self.picture = picture
        let gain = ReplayGain(
            trackGain: text("REPLAYGAIN_TRACK_GAIN").flatMap(Self.number) ?? text("R128_TRACK_GAIN").flatMap(Self.r128),
            albumGain: text("REPLAYGAIN_ALBUM_GAIN").flatMap(Self.number) ?? text("R128_ALBUM_GAIN").flatMap(Self.r128),
            trackPeak: text("REPLAYGAIN_TRACK_PEAK").flatMap(Self.number),
            albumPeak: text("REPLAYGAIN_ALBUM_PEAK").flatMap(Self.number))
        replayGain = gain == ReplayGain() ? nil : gain
    }

    /// Returns a text of the first dictionary that has it; the case of the key does not matter.
    static func text(_ key: String, in dictionaries: [OpaquePointer?]) -> String? {
        for dictionary in dictionaries {
            guard let value = av_dict_get(dictionary, key, nil, 0)?.pointee.value else { continue }
            let text = String(cString: value).trimmingCharacters(in: .whitespacesAndNewlines)
            if !text.isEmpty { return text }
        }
        return nil
    }

    // "-6.48 dB", "9.8e-05"
    private static func number(_ text: String) -> Double? {
        let digits = text.prefix { "+-.0123456789eE".contains($0) }
        let value = Double(digits)
        return value.flatMap { abs($0) <= 1_000 ? $0 : nil }
    }

    // A fixed-point number with 8 bits behind the point, relative to −23 LUFS.
    private static func r128(_ text: String) -> Double? {
        Int16(text).map { Double($0) / 256 + 5 }
    }
}
