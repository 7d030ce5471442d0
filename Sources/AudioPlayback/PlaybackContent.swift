internal import AudioRendering

/// What a playback plays: opens streams, and knows what a place in a stream means. Any thread.
protocol PlaybackContent: AnyObject, Sendable {
    /// Where playback begins, and begins again after its end.
    var beginning: StreamPosition { get }
    /// Whether a position is the end: nothing is played there.
    func isEnd(_ position: StreamPosition) -> Bool
    /// The stream that was opened last is no longer played: what it still reports is ignored.
    func streamWasReleased()
    /// Throws if nothing can be played at a position, without opening a stream.
    func check(_ position: StreamPosition) throws
    /// Opens a stream that begins at a position, or at the beginning if that is the end.
    func open(at position: StreamPosition, _ settings: StreamSettings) throws -> AudioStream
}

/// How a stream is opened.
struct StreamSettings {
    /// The sample rate of the engine, in Hz; nil while it is not open.
    var sampleRate: Int?
    /// The channel count of the bus.
    var busChannels: Int
    /// Seconds.
    var readAhead: Double
    /// Divides durations and keeps the pitch.
    var tempo: Double
}
