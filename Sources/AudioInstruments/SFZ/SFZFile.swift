public import AudioRendering

/// An instrument in the SFZ format, versions 1 and 2: a text that assigns sound files to keys,
/// velocities and articulations.
///
/// <!-- Tests/Unit/AudioInstrumentsTests/SFZPageTests.swift#load;
/// Scripts/check examples compares them -->
/// ```swift
/// let file = try SFZFile(path: path)
/// let piano = try file.load()  // reads the sounds; load(head: 0.5) streams long ones
/// for problem in piano.problems { print(problem) }
/// let instrument = try engine.makeInstrument(
///     piano.zones, on: bus, configuration: piano.configuration)
/// ```
///
/// Reads the headers control, global, master, group and region, `#define` and `#include`, with
/// paths in either notation of Windows and Unix, and in any case. What instruments cannot do is not
/// an error: `problems` lists the opcodes that have no effect, and what is played otherwise than
/// the file asks for.
public struct SFZFile: Sendable {
    /// What is wrong in the text, not supported, or played otherwise. At most 1,000.
    public internal(set) var problems: [Problem] = []
    /// The paths of the sound files, each once, in the order of the text.
    public var soundPaths: [AudioFilePath] {
        var known: Set<AudioFilePath> = []
        return regions.map(\.path).filter { known.insert($0).inserted }
    }
    /// The number of regions that have a sound.
    public var regionCount: Int { regions.count }

    /// The regions that name a sound file.
    var regions: [Region] = []
    /// The file; nil for data in memory.
    var path: AudioFilePath?

    /// The highest number of bytes of the text, with everything that it includes: 64 MiB.
    public static let maximumByteCount = 1 << 26
    /// The highest number of regions, which is that of an instrument's zones. Further ones are left
    /// out, and are a problem.
    public static let maximumRegionCount = 65_536

    /// Reads a text in memory. `folder`: where the files lie that it names.
    ///
    /// Throws if it has more than `maximumByteCount` bytes, or no region with a sound file. The
    /// cost is linear in the number of bytes that are read.
    public init(data: [UInt8], folder: AudioFilePath) throws(SFZFileError) {
        var reader = Reader(folder: folder)
        self = try reader.read(data, named: "the data")
        try checkRegions()
    }

    /// Reads a file whose path is UTF-8. Throws if it is missing, not a file or not readable, and
    /// like `init(data:folder:)`.
    public init(path: String) throws(SFZFileError) { try self.init(path: AudioFilePath(path)) }

    /// Reads a file whose name need not be valid UTF-8. Throws like the other initializer.
    public init(path: AudioFilePath) throws(SFZFileError) {
        let data = try Self.bytes(of: path)
        var reader = Reader(folder: AudioFilePath(bytes: path.bytes.dropLast(path.lastComponent.bytes.count)))
        do {
            self = try reader.read(data, named: path.lastComponent.description)
            self.path = path
            try checkRegions()
        } catch {
            throw error.of(path)
        }
    }

    private func checkRegions() throws(SFZFileError) {
        guard regions.isEmpty else { return }
        // The reason why a region is not played explains more than what is merely not supported.
        let reason = problems.first { if case .regionLeftOut = $0.kind { true } else { false } }
        throw SFZFileError(.noRegions(firstProblem: (reason ?? problems.first)?.description))
    }

    private static func bytes(of path: AudioFilePath) throws(SFZFileError) -> [UInt8] {
        do throws(RegularFile.Failure) {
            let file = try RegularFile(path)
            // One byte more than the limit, which the reader then refuses.
            return try file.read(count: min(file.byteCount, maximumByteCount + 1))
        } catch {
            throw SFZFileError(.init(error), path: path)
        }
    }
}

/// An SFZ file with its sounds.
public struct SFZInstrument: Sendable {
    /// The zones, for `AudioEngine.makeInstrument`.
    public var zones: [InstrumentZone]
    /// The range of the pitch bend as in the file, and otherwise the default configuration.
    public var configuration: AudioInstrument.Configuration
    /// The problems of the file, and of its sounds.
    public var problems: [SFZFile.Problem]

    public init(
        zones: [InstrumentZone], configuration: AudioInstrument.Configuration = .init(),
        problems: [SFZFile.Problem] = []
    ) {
        (self.zones, self.configuration, self.problems) = (zones, configuration, problems)
    }
}
