internal import AudioRendering

/// The bytes of a SoundFont: of a file that stays open, or in memory.
final class SoundFontBytes: Sendable {
    /// Nil for data in memory.
    let path: AudioFilePath?
    let count: Int
    private let file: RegularFile?
    private let data: [UInt8]

    init(_ data: [UInt8]) {
        (path, count, self.data) = (nil, data.count, data)
        file = nil
    }

    init(_ path: AudioFilePath) throws(RegularFile.Failure) {
        let file = try RegularFile(path)
        count = file.byteCount
        self.path = path
        self.file = consume file
        data = []
    }

    /// Reads the bytes of a range within the count; fewer if the file has become shorter.
    func read(_ range: Range<Int>) throws(RegularFile.Failure) -> [UInt8] {
        switch file {
        case .some(let file): try file.read(count: range.count, at: range.lowerBound)
        case .none: Array(data[range])
        }
    }
}

extension UInt16 {
    /// Reads two bytes of an array, the lower one first.
    init(littleEndian bytes: [UInt8], at offset: Int) {
        self = UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
    }
}

extension UInt32 {
    /// Reads four bytes of an array, the lowest one first.
    init(littleEndian bytes: [UInt8], at offset: Int) {
        self =
            UInt32(UInt16(littleEndian: bytes, at: offset))
            | UInt32(UInt16(littleEndian: bytes, at: offset + 2)) << 16
    }
}
