internal import CSndFile
internal import Foundation

/// A sound file open for reading, in any format that libsndfile decodes.
///
/// Not for concurrent use by two threads. Samples are interleaved 32-bit floats. Reading replaces
/// NaN and infinite ones by silence, and counts them.
public final class AudioFile {
    /// The path of the file, as text.
    public let path: String
    /// The channel count, 1…64.
    public let channels: Int
    /// The sample rate in Hz, 1,000…768,000.
    public let sampleRate: Int
    /// The number of frames in the file; 0 if it is not known without decoding the file, as for a
    /// FLAC that was encoded into a pipe.
    public let frameCount: Int64
    /// Sample rate, channels and encoding, for display: "44100 Hz, 2 ch, WAV (Microsoft), Signed 16
    /// bit PCM".
    public let formatDescription: String
    /// Whether the samples after `seek` are those of a file read from its beginning on. Those of
    /// Ogg and MP3 files are not, and in some rare encodings `seek` has no effect.
    package let seeksExactly: Bool
    /// The number of samples read so far that were NaN or infinite.
    public private(set) var nonFiniteSampleCount = 0
    /// The defect of a file that could be opened nevertheless; nil until one is found.
    public private(set) var defect: AudioFileError?

    private let handle: OpaquePointer
    /// What the handle reads from, unless it is a file of the system.
    private let memory: FileInMemory?
    private var position: Int64 = 0
    /// Whether this is an Ogg file whose last page is missing.
    private let isCutOff: Bool

    /// Opens a file. Throws if it is missing, not a file, not readable, empty or undecodable, or if
    /// its channel count or sample rate is out of range.
    public convenience init(path: String) throws(AudioFileError) { try self.init(path: AudioFilePath(path)) }

    /// Opens a file whose name need not be valid UTF-8. Throws like the other initializer.
    public convenience init(path filePath: AudioFilePath) throws(AudioFileError) {
        try Self.checkReadable(filePath)
        var info = SF_INFO()
        let handle = filePath.withCString { sf_open($0, Int32(SFM_READ), &info) } ?? nil
        try self.init(path: filePath.description, handle, info, memory: nil)
    }

    /// Opens a sound file in memory; `name` stands for its path in error messages. Throws if it is
    /// empty or undecodable, or if its channel count or sample rate is out of range.
    public convenience init(data: [UInt8], name: String) throws(AudioFileError) {
        guard !data.isEmpty else { throw .empty(path: name) }
        let memory = FileInMemory(data)
        var info = SF_INFO()
        let handle = memory.open(&info)
        try self.init(path: name, handle, info, memory: memory)
    }

    private init(
        path: String, _ opened: OpaquePointer?, _ fileInfo: SF_INFO, memory: FileInMemory?
    ) throws(AudioFileError) {
        guard let handle = opened else { throw Self.openingError(path) }
        var info = fileInfo
        let shape = (channels: Int(info.channels), sampleRate: Int(info.samplerate))
        guard (1...64).contains(shape.channels), (1_000...768_000).contains(shape.sampleRate) else {
            sf_close(handle)
            throw .unsupportedShape(path: path, channels: shape.channels, sampleRate: shape.sampleRate)
        }
        isCutOff = info.frames == .max && info.format & Int32(SF_FORMAT_TYPEMASK) == Int32(SF_FORMAT_OGG)
        if isCutOff { info.frames = Self.end(of: handle) ?? .max }
        guard info.frames > 0 else {
            sf_close(handle)
            throw .empty(path: path)
        }
        self.path = path
        self.handle = handle
        self.memory = memory
        channels = shape.channels
        sampleRate = shape.sampleRate
        frameCount = info.frames == .max ? 0 : info.frames
        formatDescription = Self.describe(info)
        let container = info.format & Int32(SF_FORMAT_TYPEMASK)
        // libsndfile calls DWVW seekable, but refuses to seek in it.
        let isDWVW = [SF_FORMAT_DWVW_12, SF_FORMAT_DWVW_16, SF_FORMAT_DWVW_24, SF_FORMAT_DWVW_N].contains {
            info.format & Int32(SF_FORMAT_SUBMASK) == Int32($0)
        }
        let isInexact = [SF_FORMAT_MPEG, SF_FORMAT_OGG].contains { container == Int32($0) }
        seeksExactly = info.seekable != 0 && !isInexact && !isDWVW
        defect =
            isCutOff && frameCount > 0
            ? .truncated(path: path, frames: frameCount, expected: nil) : Self.truncation(of: handle, info, path)
    }

    deinit { sf_close(handle) }

    /// The length in seconds; 0 if the file does not declare it.
    public var duration: Double { Double(frameCount) / Double(sampleRate) }

    /// What the file says about its content; empty texts count as none.
    public struct Tags: Hashable, Sendable {
        public var title: String?
        public var artist: String?
        public var album: String?
    }

    /// The file's title, artist and album, where its format has them.
    public var tags: Tags {
        func text(_ kind: Int) -> String? {
            guard let text = sf_get_string(handle, Int32(kind)) else { return nil }
            let string = String(cString: text)
            return string.isEmpty ? nil : string
        }
        return Tags(title: text(SF_STR_TITLE), artist: text(SF_STR_ARTIST), album: text(SF_STR_ALBUM))
    }

    /// The frames that a sampler repeats while a note sounds: the first loop that the header
    /// declares (WAV, AIFF); nil if there is none in the file.
    public var loop: Range<Int64>? {
        guard var facts = instrument else { return nil }
        var (start, end): (UInt32, UInt32) = (0, 0)
        guard csndfile_first_loop(&facts, &start, &end) != 0 else { return nil }
        // Some programs write the frame after the last one.
        let last = min(Int64(end), frameCount)
        return start < last ? Int64(start)..<last : nil
    }

    /// The MIDI key at which the sound has its own pitch, 0…127, if the header declares it.
    public var rootKey: Int? {
        instrument.flatMap { (0...127).contains($0.basenote) ? Int($0.basenote) : nil }
    }

    private var instrument: SF_INSTRUMENT? {
        var facts = SF_INSTRUMENT()
        let size = Int32(MemoryLayout<SF_INSTRUMENT>.size)
        return sf_command(handle, Int32(SFC_GET_INSTRUMENT), &facts, size) == SF_TRUE ? facts : nil
    }

    /// Reads up to `maximumFrames` interleaved frames into the beginning of `frames`, which grows
    /// if necessary and never shrinks. Returns the number read; 0 at the end.
    public func read(into frames: inout [Float], maximumFrames: Int) -> Int {
        let samples = maximumFrames * channels
        if frames.count < samples { frames.append(contentsOf: repeatElement(0, count: samples - frames.count)) }
        let count = frames.withUnsafeMutableBufferPointer { buffer in
            Int(sf_readf_float(handle, buffer.baseAddress, sf_count_t(maximumFrames)))
        }
        position += Int64(count)
        silenceNonFinite(in: &frames, samples: count * channels)
        if count < maximumFrames { recordEnd() }
        return count
    }

    /// Seeks to a frame, clamped to the file, and returns the new position. In formats that cannot
    /// seek, the position does not change.
    @discardableResult
    public func seek(toFrame frame: Int64) -> Int64 {
        let last = frameCount == 0 ? Int64.max : frameCount
        let newPosition = sf_seek(handle, max(0, min(frame, last)), Int32(SEEK_SET))
        if newPosition >= 0 { position = newPosition }
        return position
    }

    private func silenceNonFinite(in frames: inout [Float], samples: Int) {
        for index in 0..<samples where !frames[index].isFinite {
            frames[index] = 0
            nonFiniteSampleCount += 1
        }
    }

    // Records a defect if the decoder ended early: the data is damaged, or the file is truncated.
    private func recordEnd() {
        if position < frameCount || isCutOff, defect == nil {
            defect = .truncated(path: path, frames: position, expected: frameCount == 0 ? nil : frameCount)
        }
    }

    /// Throws if there is no regular, readable, nonempty file at a path.
    private static func checkReadable(_ filePath: AudioFilePath) throws(AudioFileError) {
        let path = filePath.description
        var facts = stat()
        let code = filePath.withCString { stat($0, &facts) == 0 ? 0 : errno } ?? ENOENT
        guard code != EACCES else { throw .notPermitted(path: path) }
        guard code == 0 else { throw .notFound(path: path) }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
        guard filePath.withCString({ access($0, R_OK) }) == 0 else { throw .notPermitted(path: path) }
        guard facts.st_size > 0 else { throw .empty(path: path) }
    }

    private static func openingError(_ path: String) -> AudioFileError {
        guard sf_error(nil) != 0 else {
            return .undecodable(path: path, reason: "it is not a sound file of a known format")
        }
        let reason = String(cString: sf_strerror(nil)).trimmingCharacters(in: .whitespacesAndNewlines)
        return .undecodable(path: path, reason: reason.hasSuffix(".") ? String(reason.dropLast()) : reason)
    }

    // An Ogg file without its last page has no length and is truncated; seeking to its end finds
    // the length if it holds enough pages. In other formats, an unknown length means a stream,
    // where seeking to the end would end the decoder.
    private static func end(of handle: OpaquePointer) -> Int64? {
        let end = sf_seek(handle, 0, Int32(SEEK_END))
        sf_seek(handle, 0, Int32(SEEK_SET))
        return end > 0 ? end : nil
    }

    // If a header declares more data than there is, libsndfile shortens the length and logs it:
    // "data : 88200 (should be 40000)", in an AIFF "SSND : …". Zero and the greatest values mean
    // that the writer did not know the length: a stream, not damage.
    private static func truncation(of handle: OpaquePointer, _ info: SF_INFO, _ path: String) -> AudioFileError? {
        var bytes = [CChar](repeating: 0, count: 16_384)
        let length = Int(sf_command(handle, Int32(SFC_GET_LOG_INFO), &bytes, Int32(bytes.count)))
        let log = String(decoding: bytes.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        for line in log.lowercased().split(separator: "\n")
        where ["data : ", "ssnd : "].contains(where: line.contains) && line.contains("(should be ") {
            let numbers = line.split { !$0.isNumber }.compactMap { Int64($0) }
            guard numbers.count >= 2, numbers[1] > 0, numbers[0] > numbers[1], numbers[0] < 0x7FFF_0000 else {
                continue
            }
            return .truncated(path: path, frames: info.frames, expected: info.frames * numbers[0] / numbers[1])
        }
        return nil
    }

    private static func describe(_ info: SF_INFO) -> String {
        var format = SF_FORMAT_INFO()
        format.format = info.format & Int32(SF_FORMAT_TYPEMASK)
        sf_command(nil, Int32(SFC_GET_FORMAT_INFO), &format, Int32(MemoryLayout<SF_FORMAT_INFO>.size))
        let container = format.name.map { String(cString: $0) } ?? "unknown format"
        format.format = info.format & Int32(SF_FORMAT_SUBMASK)
        sf_command(nil, Int32(SFC_GET_FORMAT_INFO), &format, Int32(MemoryLayout<SF_FORMAT_INFO>.size))
        let encoding = format.name.map { String(cString: $0) } ?? "unknown encoding"
        return "\(info.samplerate) Hz, \(info.channels) ch, \(container), \(encoding)"
    }
}
