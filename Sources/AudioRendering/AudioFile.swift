internal import CSndFile
internal import Foundation

/// A sound file open for reading: any that libsndfile decodes.
///
/// Not for two threads at once. Samples come as interleaved 32-bit floats; NaN and infinite ones become silence and are counted.
public final class AudioFile {
    /// Where it is.
    public let path: String
    /// 1…64.
    public let channels: Int
    /// Frames per second, 1,000…768,000.
    public let sampleRate: Int
    /// Frames the file holds, as far as can be known without decoding it; 0 where it cannot, as of a FLAC that was encoded into a pipe.
    public let frameCount: Int64
    /// Frames per channel and second, and what encodes them, for people: "44.1 kHz, 2 channels, WAV (16 bit)".
    public let formatDescription: String
    /// Samples that were NaN or infinite so far.
    public private(set) var nonFiniteSampleCount = 0
    /// What is wrong with the file although it could be opened, once that is known.
    public private(set) var defect: AudioFileError?

    private let handle: OpaquePointer
    private var position: Int64 = 0
    private let isCutOff: Bool

    /// Opens a file. Throws when it is missing, no file, empty, undecodable, or of a shape that cannot be played.
    public init(path: String) throws(AudioFileError) {
        try Self.checkReadable(path)
        var info = SF_INFO()
        guard let handle = sf_open(path, Int32(SFM_READ), &info) else {
            throw Self.openingError(path)
        }
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
        channels = shape.channels
        sampleRate = shape.sampleRate
        frameCount = info.frames == .max ? 0 : info.frames
        formatDescription = Self.describe(info)
        defect =
            isCutOff && frameCount > 0
            ? .truncated(path: path, frames: frameCount, expected: nil) : Self.truncation(of: handle, info, path)
    }

    deinit { sf_close(handle) }

    /// Length in seconds; 0 when the file does not tell.
    public var duration: Double { Double(frameCount) / Double(sampleRate) }

    /// Reads up to `maximumFrames` interleaved frames into `frames`, replacing what it held. Returns how many; 0 at the end.
    public func read(into frames: inout [Float], maximumFrames: Int) -> Int {
        let samples = maximumFrames * channels
        if frames.count < samples { frames.append(contentsOf: repeatElement(0, count: samples - frames.count)) }
        let count = frames.withUnsafeMutableBufferPointer { buffer in
            Int(sf_readf_float(handle, buffer.baseAddress, sf_count_t(maximumFrames)))
        }
        position += Int64(count)
        silenceNonFinite(in: &frames, samples: count * channels)
        if count < maximumFrames { noteEnd() }
        return count
    }

    /// Goes to a frame, clamped to the file. Returns the frame it reached; formats that cannot seek stay where they are.
    @discardableResult
    public func seek(toFrame frame: Int64) -> Int64 {
        let last = frameCount == 0 ? Int64.max : frameCount
        let reached = sf_seek(handle, max(0, min(frame, last)), Int32(SEEK_SET))
        if reached >= 0 { position = reached }
        return position
    }

    private func silenceNonFinite(in frames: inout [Float], samples: Int) {
        for index in 0..<samples where !frames[index].isFinite {
            frames[index] = 0
            nonFiniteSampleCount += 1
        }
    }

    // A decoder that stops early hit damage, or the file was cut off.
    private func noteEnd() {
        if position < frameCount || isCutOff, defect == nil {
            defect = .truncated(path: path, frames: position, expected: frameCount == 0 ? nil : frameCount)
        }
    }

    private static func checkReadable(_ path: String) throws(AudioFileError) {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw .notFound(path: path)
        }
        let type = try? FileManager.default.attributesOfItem(
            atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)[.type]
        guard !isDirectory.boolValue, type as? FileAttributeType == .typeRegular else { throw .notAFile(path: path) }
        guard FileManager.default.isReadableFile(atPath: path) else { throw .notPermitted(path: path) }
        let size =
            try? FileManager.default.attributesOfItem(
                atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)[.size] as? Int
        guard size != 0 else { throw .empty(path: path) }
    }

    private static func openingError(_ path: String) -> AudioFileError {
        guard sf_error(nil) != 0 else {
            return .undecodable(path: path, reason: "it is no sound file of a known format")
        }
        let reason = String(cString: sf_strerror(nil)).trimmingCharacters(in: .whitespacesAndNewlines)
        return .undecodable(path: path, reason: reason.hasSuffix(".") ? String(reason.dropLast()) : reason)
    }

    // An Ogg whose last page is missing has no length, and was cut off; its end is found by going there, if it holds enough pages.
    // Elsewhere an unknown length is a stream's, and going to the end would end the decoder.
    private static func end(of handle: OpaquePointer) -> Int64? {
        let end = sf_seek(handle, 0, Int32(SEEK_END))
        sf_seek(handle, 0, Int32(SEEK_SET))
        return end > 0 ? end : nil
    }

    // Formats whose header tells the length of the data let libsndfile shorten it to what is there; its log then says so:
    // "data : 88200 (should be 40000)". Zero and the greatest values mean that the writer did not know: a stream, not a damage.
    private static func truncation(of handle: OpaquePointer, _ info: SF_INFO, _ path: String) -> AudioFileError? {
        var bytes = [CChar](repeating: 0, count: 16_384)
        let length = Int(sf_command(handle, Int32(SFC_GET_LOG_INFO), &bytes, Int32(bytes.count)))
        let log = String(decoding: bytes.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        for line in log.split(separator: "\n")
        where line.lowercased().contains("data : ") && line.contains("(should be ") {
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
