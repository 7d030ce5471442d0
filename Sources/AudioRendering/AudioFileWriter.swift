internal import CSndFile
internal import Foundation

/// A sound file open for writing; the extension selects its format. Not for concurrent use by two
/// threads.
public final class AudioFileWriter {
    /// The path of the file, as text.
    public let path: String
    /// The channel count, 1…64.
    public let channels: Int
    /// The number of frames written so far.
    public private(set) var frameCount = 0

    private let filePath: AudioFilePath
    private var handle: OpaquePointer?

    /// Extensions that can be written; `aif` is accepted as well. WAV, W64, CAF and AIFF hold
    /// 32-bit floats (a WAV becomes RF64 beyond 4 GiB), FLAC 24-bit integers and Ogg Vorbis; FLAC
    /// and Ogg clip samples beyond full scale.
    public static let knownExtensions = ["wav", "w64", "caf", "aiff", "flac", "ogg"]

    /// Creates the file, replacing an existing one. `sampleRate` is in Hz. Throws `unknownFormat`
    /// or `notWritable`.
    public convenience init(path: String, channels: Int, sampleRate: Int) throws(AudioFileError) {
        try self.init(path: AudioFilePath(path), channels: channels, sampleRate: sampleRate)
    }

    /// Creates the file under a name that need not be valid UTF-8. Throws like the other
    /// initializer.
    public init(path filePath: AudioFilePath, channels: Int, sampleRate: Int) throws(AudioFileError) {
        let path = filePath.description
        guard let format = Self.format(for: filePath.pathExtension) else {
            throw .unknownFormat(path: path, known: Self.knownExtensions)
        }
        var info = SF_INFO()
        info.channels = Int32(channels)
        info.samplerate = Int32(sampleRate)
        info.format = Int32(format)
        guard let handle = filePath.withCString({ sf_open($0, Int32(SFM_WRITE), &info) }) ?? nil else {
            throw .notWritable(path: path, reason: Self.message(nil))
        }
        sf_command(handle, Int32(SFC_RF64_AUTO_DOWNGRADE), nil, Int32(SF_TRUE))
        // Integer formats end at full scale: samples beyond it are clipped, as in a converter.
        sf_command(handle, Int32(SFC_SET_CLIPPING), nil, Int32(SF_TRUE))
        self.path = path
        self.filePath = filePath
        self.channels = channels
        self.handle = handle
    }

    deinit { if let handle { sf_close(handle) } }

    /// Appends `frameCount` interleaved frames. Throws `notWritable` if only a part of them could
    /// be written; that part stays in the file.
    public func write(_ frames: [Float], frameCount count: Int) throws(AudioFileError) {
        guard let handle else { return }
        let written = frames.withUnsafeBufferPointer {
            Int(sf_writef_float(handle, $0.baseAddress, sf_count_t(count)))
        }
        frameCount += max(0, written)
        guard written == count else { throw .notWritable(path: path, reason: Self.message(handle)) }
    }

    /// Completes the file; later writes do nothing. Returns an error if the file has fewer frames
    /// than were written, for example because the disk is full. libsndfile does not report this for
    /// compressed formats, so the method reads the length of such a file.
    @discardableResult
    public func close() -> AudioFileError? {
        guard let handle else { return nil }
        sf_close(handle)
        self.handle = nil
        guard ["ogg", "flac"].contains(filePath.pathExtension) else { return nil }
        let expected = frameCount
        frameCount = Self.framesInFile(filePath)
        guard frameCount < expected else { return nil }
        return .notWritable(path: path, reason: "the disk took \(frameCount) of \(expected) frames")
    }

    private static func framesInFile(_ path: AudioFilePath) -> Int {
        var info = SF_INFO()
        guard let handle = path.withCString({ sf_open($0, Int32(SFM_READ), &info) }) ?? nil else { return 0 }
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
