public import AudioRendering

/// A Standard MIDI File (SMF 1.0): tracks of events at ticks.
///
/// `sequences()` merges the tracks and returns the times of the events in seconds.
public struct MIDIFile: Hashable, Sendable {
    /// How the tracks belong together.
    public enum Format: Int, CaseIterable, Hashable, Sendable {
        /// Format 0: one track with all channels.
        case singleTrack = 0
        /// Format 1: tracks that play at the same time.
        case simultaneousTracks = 1
        /// Format 2: each track is a pattern of its own.
        case independentTracks = 2
    }

    /// The frames per second of SMPTE time code.
    public enum FrameRate: Int, CaseIterable, Hashable, Sendable {
        case frames24 = 24
        case frames25 = 25
        /// 30,000 / 1,001 = 29.97 frames per second (30 drop-frame), which files state as 29.
        case frames2997 = 29
        case frames30 = 30
    }

    /// The length of a tick.
    public enum Division: Hashable, Sendable {
        /// A fraction of a quarter note, whose length follows the tempo: 1…32,767 ticks.
        case ticksPerQuarterNote(Int)
        /// A fraction of a frame of time code, independent of the tempo: 1…255 ticks.
        case timeCode(framesPerSecond: FrameRate, ticksPerFrame: Int)
    }

    /// How the tracks belong together. A file of format 0 that is written has exactly one track.
    public var format: Format
    /// The length of a tick.
    public var division: Division
    /// The tracks in the order of the file, at most 65,535.
    public var tracks: [Track]
    /// What was wrong with the file that was read; empty for a correct file. Not written.
    public var problems: [Problem] = []

    /// Creates a file.
    public init(format: Format = .simultaneousTracks, division: Division = .ticksPerQuarterNote(480), tracks: [Track]) {
        self.format = format
        self.division = division
        self.tracks = tracks
    }

    /// The highest number of bytes of a file that is read: 256 MiB.
    public static let maximumByteCount = 1 << 28

    /// Reads a file in memory, which may be wrapped in RIFF (.rmi).
    ///
    /// Reads damaged and truncated files as far as possible; `problems` then states what was wrong.
    /// Throws only if the data is not a MIDI File, ends within the header, has an unknown format or
    /// division, or has more than `maximumByteCount` bytes. The cost is linear in the number of
    /// bytes, and the memory at most about 50 times that number.
    public init(data: [UInt8]) throws(MIDIFileError) {
        var reader = Reader(data)
        self = try reader.read()
    }

    /// Reads a file whose path is UTF-8. Throws if it is missing, not a file or not readable, and
    /// like `init(data:)`.
    public init(path: String) throws(MIDIFileError) { try self.init(path: AudioFilePath(path)) }

    /// Reads a file whose name need not be valid UTF-8. Throws like the other initializer.
    public init(path: AudioFilePath) throws(MIDIFileError) {
        let data = try Self.bytes(of: path)
        do { try self.init(data: data) } catch { throw error.of(path) }
    }

    /// Returns the bytes of the file, with running status. Events are sorted by tick; those of one
    /// tick stay in their order.
    ///
    /// Throws if values are out of range: the division, the number of tracks, a tick, a message, or
    /// the length of an event or track.
    public func data() throws(MIDIFileError) -> [UInt8] {
        var writer = Writer()
        try writer.write(self)
        return writer.bytes
    }

    /// Writes the file. An existing file keeps its permissions, and is replaced only when the new
    /// one is complete and stored. Throws like `data()`, and if the file cannot be written.
    public func write(to path: String) throws(MIDIFileError) { try write(to: AudioFilePath(path)) }

    /// Writes the file under a name that need not be valid UTF-8. Throws like the other method.
    public func write(to path: AudioFilePath) throws(MIDIFileError) {
        let content: [UInt8]
        do { content = try data() } catch { throw error.of(path) }
        try Self.replace(path, by: content)
    }
}
