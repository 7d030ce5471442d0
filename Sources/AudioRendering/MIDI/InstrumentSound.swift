/// A sound that instruments play: in memory (`AudioBuffer`), or streamed from its file
/// (`StreamedSound`).
public protocol InstrumentSound: AnyObject, Sendable {
    /// The channel count.
    var channels: Int { get }
    /// The number of frames.
    var frameCount: Int { get }
    /// In Hz; nil: one frame is played per frame of the server at the root key.
    var sampleRate: Int? { get }
    /// The frames that are in memory: all, or the first ones.
    var preloaded: AudioBuffer { get }
}

extension AudioBuffer: InstrumentSound {
    /// The buffer itself.
    public var preloaded: AudioBuffer { self }
}
