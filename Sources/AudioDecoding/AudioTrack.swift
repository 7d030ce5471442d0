/// One of the audio tracks of a media file.
public struct AudioTrack: Hashable, Sendable {
    /// The number of the track among the audio tracks, from 0.
    public var index: Int
    /// The language, as the file has it: "eng".
    public var language: String?
    public var title: String?
    /// The codec, in FFmpeg's words: "AAC (Advanced Audio Coding)".
    public var codec: String
    /// The channel count that the file declares; 0 if it declares none.
    public var channels: Int
    /// The sample rate in Hz that the file declares; 0 if it declares none.
    public var sampleRate: Int
    /// Whether the file marks the track as the one to play.
    public var isDefault: Bool
}
