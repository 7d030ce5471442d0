public import AudioRendering

/// What a player plays. Each start and each seek opens it again.
public struct PlaybackSource: Sendable {
    /// The path of the file, or what a title would say about another source.
    public var name: String
    /// The path of the file; nil for other sources.
    public var path: AudioFilePath?
    private let openReader: @Sendable () throws -> any AudioReader

    /// Opens a reader at its first frame. Throws why it cannot be played.
    public func open() throws -> any AudioReader {
        let reader = try openReader()
        guard (1...64).contains(reader.channels), (1_000...768_000).contains(reader.sampleRate) else {
            throw AudioFileError.unsupportedShape(
                path: name, channels: reader.channels, sampleRate: reader.sampleRate)
        }
        return reader
    }

    /// A source that `open` opens: a decoder of the app's own. `open` may be called on any thread,
    /// and again while earlier readers are in use. It must not call the player that plays the
    /// source.
    public init(name: String, open: @escaping @Sendable () throws -> any AudioReader) {
        self.name = name
        path = nil
        openReader = open
    }

    private init(path: AudioFilePath) {
        name = path.description
        self.path = path
        openReader = { try AudioFile(path: path) }
    }

    /// A sound file, in any format that libsndfile decodes.
    public static func file(_ path: String) -> PlaybackSource { file(AudioFilePath(path)) }
    /// A sound file whose name need not be valid UTF-8.
    public static func file(_ path: AudioFilePath) -> PlaybackSource { PlaybackSource(path: path) }

    /// A sound file in memory, in any format that libsndfile decodes: a resource of the app, or a
    /// download. The name is for error messages.
    public static func data(_ bytes: [UInt8], name: String = "memory") -> PlaybackSource {
        PlaybackSource(name: name) { try AudioFile(data: bytes, name: name) }
    }

    /// Samples in memory, with a sample rate (`AudioBuffer.sampleRate`).
    public static func buffer(_ buffer: AudioBuffer, name: String = "samples") -> PlaybackSource {
        PlaybackSource(name: name) { try AudioBufferReader(buffer) }
    }

    /// Buffers that the app delivers while they are played. It has no length and no positions.
    ///
    /// What the player has read ahead, at most about a second, is lost when it starts to read
    /// again: after a seek, a change of `rate` or of the outputs, and when it resumes at another
    /// sample rate of the server.
    public static func queue(_ queue: AudioBufferQueue, name: String = "buffers") -> PlaybackSource {
        PlaybackSource(name: name) { queue }
    }
}
