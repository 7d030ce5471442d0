import AudioInstruments

/// Files as bytes, independent of the writer.
enum MIDIBytes {
    /// Returns a header chunk.
    static func header(format: Int = 0, tracks: Int = 1, division: Int = 96) -> [UInt8] {
        Array("MThd".utf8) + number(6, 4) + number(format, 2) + number(tracks, 2) + number(division, 2)
    }

    /// Returns a track chunk. `length`: the declared one; nil for the real one.
    static func track(_ content: [UInt8], length: Int? = nil) -> [UInt8] { chunk("MTrk", content, length: length) }

    /// Returns a chunk with any name.
    static func chunk(_ name: String, _ content: [UInt8], length: Int? = nil) -> [UInt8] {
        Array(name.utf8) + number(length ?? content.count, 4) + content
    }

    /// Returns a file of format 0 with one track.
    static func file(_ content: [UInt8], length: Int? = nil) -> [UInt8] { header() + track(content, length: length) }

    /// Returns a RIFF chunk, whose numbers have the lowest byte first.
    static func riff(_ name: String, _ content: [UInt8], length: Int? = nil) -> [UInt8] {
        Array(name.utf8) + number(length ?? content.count, 4).reversed() + content + (content.count % 2 == 1 ? [0] : [])
    }

    /// Returns a number with the highest byte first.
    static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// "End of track" at the time of the event before it.
    static let end: [UInt8] = [0, 0xFF, 0x2F, 0]
}

extension MIDIFile {
    /// The kinds of the problems.
    var problemKinds: [Problem.Kind] { problems.map(\.kind) }
}
