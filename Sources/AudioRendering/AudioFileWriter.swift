internal import CSndFile
internal import Foundation

/// A sound file open for writing; the format follows the extension. Not for two threads at once.
public final class AudioFileWriter {
    /// Where it is written.
    public let path: String
    /// 1…64.
    public let channels: Int
    /// Frames written so far.
    public private(set) var frameCount = 0

    private var handle: OpaquePointer?

    /// Extensions that can be written. WAV, W64, CAF and AIFF hold 32-bit floats (WAV grows into RF64 beyond 4 GiB), FLAC 24 bits and Ogg
    /// Vorbis; those two clip what is beyond full scale.
    public static let knownExtensions = ["wav", "w64", "caf", "aiff", "flac", "ogg"]

    /// Makes the file, replacing one that was there. Throws `unknownFormat` or `notWritable`.
    public init(path: String, channels: Int, sampleRate: Int) throws(AudioFileError) {
        guard let format = Self.format(for: (path as NSString).pathExtension.lowercased()) else {
            throw .unknownFormat(path: path, known: Self.knownExtensions)
        }
        var info = SF_INFO()
        info.channels = Int32(channels)
        info.samplerate = Int32(sampleRate)
        info.format = Int32(format)
        guard let handle = sf_open(path, Int32(SFM_WRITE), &info) else {
            throw .notWritable(path: path, reason: Self.message(nil))
        }
        sf_command(handle, Int32(SFC_RF64_AUTO_DOWNGRADE), nil, Int32(SF_TRUE))
        // Formats of whole numbers end at full scale; what is beyond is clipped, as a converter would.
        sf_command(handle, Int32(SFC_SET_CLIPPING), nil, Int32(SF_TRUE))
        self.path = path
        self.channels = channels
        self.handle = handle
    }

    deinit { if let handle { sf_close(handle) } }

    /// Appends `frameCount` interleaved frames. Throws `notWritable` when the disk takes fewer; what it took stays.
    public func write(_ frames: [Float], frameCount count: Int) throws(AudioFileError) {
        guard let handle else { return }
        let written = frames.withUnsafeBufferPointer {
            Int(sf_writef_float(handle, $0.baseAddress, sf_count_t(count)))
        }
        frameCount += max(0, written)
        guard written == count else { throw .notWritable(path: path, reason: Self.message(handle)) }
    }

    /// Completes the file; later writes do nothing. Returns why it is shorter than what was written, as on a disk that is full: libsndfile tells
    /// nothing of that where it packs sound, so such a file is looked at.
    @discardableResult
    public func close() -> AudioFileError? {
        guard let handle else { return nil }
        sf_close(handle)
        self.handle = nil
        guard ["ogg", "flac"].contains((path as NSString).pathExtension.lowercased()) else { return nil }
        let whole = frameCount
        frameCount = Self.framesInFile(path)
        guard frameCount < whole else { return nil }
        return .notWritable(path: path, reason: "the disk took \(frameCount) of \(whole) frames")
    }

    private static func framesInFile(_ path: String) -> Int {
        var info = SF_INFO()
        guard let handle = sf_open(path, Int32(SFM_READ), &info) else { return 0 }
        defer { sf_close(handle) }
        return Int(info.frames)
    }

    private static func format(for pathExtension: String) -> Int? {
        switch pathExtension {
        case "wav": Int(SF_FORMAT_RF64 | SF_FORMAT_FLOAT)
        case "w64": Int(SF_FORMAT_W64 | SF_FORMAT_FLOAT)
        case "caf": Int(SF_FORMAT_CAF | SF_FORMAT_FLOAT)
        case "aiff", "aif": Int(SF_FORMAT_AIFF | SF_FORMAT_FLOAT)
        case "flac": Int(SF_FORMAT_FLAC | SF_FORMAT_PCM_24)
        case "ogg": Int(SF_FORMAT_OGG | SF_FORMAT_VORBIS)
        default: nil
        }
    }

    private static func message(_ handle: OpaquePointer?) -> String {
        let text = String(cString: sf_strerror(handle)).trimmingCharacters(in: .whitespacesAndNewlines)
        guard sf_error(handle) != 0 else { return "the disk took only a part" }
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}
