public import AudioRendering

/// A bank of instruments in the SoundFont 2 format (.sf2), or with samples in Ogg Vorbis (.sf3).
///
/// <!-- Tests/Unit/AudioInstrumentsTests/SoundFontPageTests.swift#font;
/// Scripts/check examples compares them -->
/// ```swift
/// let synth = try SoundFont(path: path).load(bank: 0)
/// let melody = try engine.makeInstrument(synth.zones, on: bus, configuration: synth.configuration)
/// ```
///
/// Reads the presets, instruments and zones of the file; `load` reads the samples of those presets
/// that the app chooses. What instruments cannot do is not an error: `problems` lists what has no
/// effect, and what is played otherwise than the file asks for.
public struct SoundFont: Sendable {
    /// The name of the bank; empty if the file states none.
    public let name: String
    /// The presets, in the order of their banks and programs.
    public let presets: [Preset]
    /// What is malformed in the file. Those of presets are in `SoundFontInstrument.problems`.
    public let problems: [Problem]

    let tables: Tables
    let bytes: SoundFontBytes

    /// The bank of drum kits, which MIDI files play on channel 10 (9 if counted from 0).
    public static let drumBank = 128
    /// The highest number of zones that `load` returns, which is that of an instrument.
    public static let maximumZoneCount = 65_536

    /// A sound of a SoundFont, which MIDI selects by bank and program.
    public struct Preset: Hashable, Sendable {
        public let name: String
        /// 0…65,535; MIDI can select 0…127, and `drumBank` stands for channel 10.
        public let bank: Int
        /// 0…127.
        public let program: Int
        /// Its place in the file.
        let index: Int
        /// Presets of other files are different, even if they have the same name and place.
        let file: UInt64
    }

    /// Reads a file whose path is UTF-8. It stays open as long as the value exists.
    ///
    /// Throws if the file is missing, not readable or no SoundFont, or has no presets.
    public init(path: String) throws(SoundFontError) { try self.init(path: AudioFilePath(path)) }

    /// Reads a file whose name need not be valid UTF-8. Throws like the other initializer.
    public init(path: AudioFilePath) throws(SoundFontError) {
        let bytes: SoundFontBytes
        do { bytes = try SoundFontBytes(path) } catch { throw SoundFontError(.init(error), path: path) }
        try self.init(bytes)
    }

    /// Reads a SoundFont in memory. Throws like the other initializers.
    public init(data: [UInt8]) throws(SoundFontError) { try self.init(SoundFontBytes(data)) }

    private init(_ bytes: SoundFontBytes) throws(SoundFontError) {
        var reader = Reader(bytes)
        do {
            (name, tables) = try reader.read()
            presets = try reader.presets(of: tables)
        } catch {
            throw error.of(bytes.path)
        }
        problems = reader.problems.finished()
        self.bytes = bytes
    }
}

/// Presets of a SoundFont with their samples.
public struct SoundFontInstrument: Sendable {
    /// The zones, for `AudioEngine.makeInstrument`.
    public var zones: [InstrumentZone]
    /// The default configuration with the polyphony that 64 notes need, 4,096 at most: a note can
    /// play several zones.
    public var configuration: AudioInstrument.Configuration
    /// The problems of the file and of the presets.
    public var problems: [SoundFont.Problem]

    public init(
        zones: [InstrumentZone], configuration: AudioInstrument.Configuration = .init(),
        problems: [SoundFont.Problem] = []
    ) {
        (self.zones, self.configuration, self.problems) = (zones, configuration, problems)
    }
}
