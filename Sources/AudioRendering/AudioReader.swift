/// A sequence of frames that an `AudioStream` plays: a sound file (`AudioFile`), samples in memory
/// (`AudioBufferReader`), buffers that an app delivers one by one (`AudioBufferQueue`), or a
/// decoder of the app's own.
///
/// One thread at a time uses a reader, and never the render thread. It may block on a disk, but
/// the engine decodes all streams on one thread: a reader that blocks for longer than the stream
/// reads ahead makes every stream late. A stream calls its reader under a lock: the reader must not
/// call the player or the stream that plays it.
public protocol AudioReader: AnyObject {
    /// The channel count, 1…64. Does not change.
    var channels: Int { get }
    /// The sample rate in Hz, 1,000…768,000. Does not change.
    var sampleRate: Int { get }
    /// The number of frames; 0 if it is not known, or has no end.
    var frameCount: Int64 { get }
    /// Whether more frames may follow after a read of 0 frames. False by default: that is the end.
    var awaitsMore: Bool { get }
    /// The defect that ended the frames early; nil by default.
    var defect: AudioFileError? { get }
    /// The number of samples read so far that were NaN or infinite and were replaced by silence; 0
    /// by default.
    var nonFiniteSampleCount: Int { get }

    /// Reads up to `maximumFrames` interleaved frames into the beginning of `frames`, which grows
    /// if necessary and never shrinks. Returns the number read; 0 at the end, and while there is
    /// nothing to read yet (`awaitsMore`).
    func read(into frames: inout [Float], maximumFrames: Int) -> Int
    /// Seeks to a frame, clamped to the length, and returns the new position. A reader that cannot
    /// seek stays where it is.
    @discardableResult
    func seek(toFrame frame: Int64) -> Int64
}

extension AudioReader {
    public var awaitsMore: Bool { false }
    public var defect: AudioFileError? { nil }
    public var nonFiniteSampleCount: Int { 0 }
}

extension AudioFile: AudioReader {}
