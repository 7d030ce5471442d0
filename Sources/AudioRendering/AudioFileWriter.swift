internal import CSndFile
internal import Foundation
internal import Glibc

/// A sound file open for writing; the extension selects its format. Not for concurrent use by two
/// threads.
///
/// A file whose program is killed before `close` can be opened, and holds what was written up to
/// the last `updateHeader`: a file of floats or Opus all of it, FLAC all but the encoder's last
/// block of 4,096 frames, and Ogg Vorbis all but its last page, which can be several seconds of a
/// quiet signal.
public final class AudioFileWriter {
    /// The path of the file, as text.
    public let path: String
    /// The channel count, 1…64.
    public let channels: Int
    /// The number of frames written so far.
    public private(set) var frameCount = 0

    private let format: Format
    /// Owned by this object, which closes it after libsndfile has released it.
    private let descriptor: Int32
    private var handle: OpaquePointer?
    /// The size of the closed file.
    private var closedByteCount = 0

    /// Extensions that can be written; `aif` is accepted as well. WAV, W64, CAF and AIFF hold
    /// 32-bit floats (a WAV becomes RF64 beyond 4 GiB), FLAC 24-bit integers, and Ogg Vorbis and
    /// Opus are lossy; FLAC, Ogg and Opus clip samples beyond full scale. Opus files have a sample
    /// rate of 8, 12, 16, 24 or 48 kHz; other rates cannot be written.
    public static let knownExtensions = Format.allCases.map(\.rawValue)

    /// Creates the file, replacing an existing one. `sampleRate` is in Hz. Throws `unknownFormat`
    /// or `notWritable`.
    public convenience init(path: String, channels: Int, sampleRate: Int) throws(AudioFileError) {
        try self.init(path: AudioFilePath(path), channels: channels, sampleRate: sampleRate)
    }

    /// Creates the file under a name that need not be valid UTF-8. Throws like the other
    /// initializer.
    public convenience init(path: AudioFilePath, channels: Int, sampleRate: Int) throws(AudioFileError) {
        try Self.checkFormat(of: path)  // an unknown format leaves an existing file as it is
        guard let descriptor = try Self.create(path, flags: O_TRUNC) else {
            throw .notWritable(path: path.description, reason: String(cString: strerror(EEXIST)))
        }
        try self.init(descriptor: descriptor, path: path, channels: channels, sampleRate: sampleRate)
    }

    /// Begins the file that `create` created. Takes over the descriptor, and closes it if this
    /// throws; the file then stays, empty.
    package init(descriptor: Int32, path filePath: AudioFilePath, channels: Int, sampleRate: Int) throws(AudioFileError)
    {
        let path = filePath.description
        do throws(AudioFileError) {
            let format = try Format(of: filePath)
            var info = SF_INFO()
            info.channels = Int32(clamping: channels)
            info.samplerate = Int32(clamping: sampleRate)
            info.format = Int32(format.code)
            guard sf_format_check(&info) != 0 else {
                throw .notWritable(
                    path: path, reason: "\(format.name) cannot hold \(channels) channels at \(sampleRate) Hz")
            }
            guard let handle = sf_open_fd(descriptor, Int32(SFM_WRITE), &info, Int32(SF_FALSE)) else {
                throw .notWritable(path: path, reason: Self.message(nil))
            }
            sf_command(handle, Int32(SFC_RF64_AUTO_DOWNGRADE), nil, Int32(SF_TRUE))
            // Integer formats end at full scale: samples beyond it are clipped, as in a converter.
            sf_command(handle, Int32(SFC_SET_CLIPPING), nil, Int32(SF_TRUE))
            if format == .opus {
                // Pages of 100 ms instead of one second: what a killed program loses.
                var milliseconds = 100.0
                sf_command(
                    handle, Int32(SFC_SET_OGG_PAGE_LATENCY_MS), &milliseconds, Int32(MemoryLayout<Double>.size))
            }
            self.format = format
            self.handle = handle
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        self.path = path
        self.channels = channels
        self.descriptor = descriptor
    }

    deinit { release() }

    /// Completes the file. Returns the number of frames in it if `counts`.
    @discardableResult
    private func release(counts: Bool = false) -> Int? {
        guard let handle else { return nil }
        sf_close(handle)
        self.handle = nil
        defer { Glibc.close(descriptor) }
        var facts = stat()
        closedByteCount = fstat(descriptor, &facts) == 0 ? Int(facts.st_size) : 0
        return counts ? Self.frames(in: descriptor) : nil
    }

    /// Returns the number of frames in a complete file.
    private static func frames(in descriptor: Int32) -> Int {
        var info = SF_INFO()
        lseek(descriptor, 0, SEEK_SET)
        guard let handle = sf_open_fd(descriptor, Int32(SFM_READ), &info, Int32(SF_FALSE)) else { return 0 }
        defer { sf_close(handle) }
        return Int(info.frames)
    }

    /// Creates an empty file and opens it for writing. `flags` is O_TRUNC to replace an existing
    /// file, or O_EXCL to leave it: then returns nil if the name is taken. Throws `notWritable`.
    package static func create(_ path: AudioFilePath, flags: Int32) throws(AudioFileError) -> Int32? {
        let opened = path.withCString { name in
            let descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC | flags, 0o666)
            return descriptor >= 0 ? descriptor : -errno
        }
        let descriptor = opened ?? -EINVAL
        guard descriptor != -EEXIST else { return nil }
        guard descriptor >= 0 else {
            throw .notWritable(path: path.description, reason: String(cString: strerror(-descriptor)))
        }
        return descriptor
    }

    // MARK: Writing

    /// Appends `frameCount` interleaved frames. Throws `notWritable` if only a part of them could
    /// be written; that part stays in the file.
    public func write(_ frames: [Float], frameCount count: Int) throws(AudioFileError) {
        try write(frames[..<min(count * channels, frames.count)])
    }

    /// Appends interleaved frames; samples of an incomplete last frame are left out. Throws like
    /// the other method.
    package func write(_ samples: ArraySlice<Float>) throws(AudioFileError) {
        guard let handle else { return }
        let count = samples.count / channels
        let (written, code) = samples.withUnsafeBufferPointer { samples in
            errno = 0
            let written = Int(sf_writef_float(handle, samples.baseAddress, sf_count_t(count)))
            return (written, errno)
        }
        frameCount += max(0, written)
        guard written == count else {
            throw .notWritable(
                path: path, reason: DiskFailure(code: code, of: descriptor)?.description ?? Self.message(handle))
        }
    }

    /// Makes the file complete up to the frames written so far, as far as its format allows, and
    /// waits until the system has stored it: a program that is killed, or a computer that loses
    /// power, then loses only later frames.
    public func updateHeader() {
        guard let handle else { return }
        // The headers of FLAC and Ogg do not depend on the length. To write them again in the
        // middle damages an Ogg file.
        if format.hasLengthInHeader { sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0) }
        sf_write_sync(handle)
    }

    /// The size of the file so far, in bytes. FLAC, Ogg and Opus hold back the last frames until
    /// they have encoded a block of them.
    public var byteCount: Int {
        var facts = stat()
        guard handle != nil else { return closedByteCount }
        return fstat(descriptor, &facts) == 0 ? Int(facts.st_size) : 0
    }

    /// Whether the file has no name any longer: it was deleted while it is written.
    package var isDeleted: Bool {
        var facts = stat()
        return handle != nil && fstat(descriptor, &facts) == 0 && facts.st_nlink == 0
    }

    /// Whether the format has no room for many more frames: the sizes in an AIFF have 32 bits,
    /// so it is nearly full beyond `limit` bytes.
    package func isNearlyFull(limit: Int = AudioFileWriter.aiffLimit) -> Bool { format == .aiff && byteCount > limit }

    /// The size in bytes at which a recording leaves an AIFF for another one.
    package static let aiffLimit = 2_000_000_000

    /// The size of a frame in bytes, before compression.
    package var bytesPerFrame: Int { channels * MemoryLayout<Float>.size }

    /// At most this many bytes are added to `byteCount` for frames that were already written: the
    /// header, or the frames that an encoder holds back.
    package var reservedBytes: Int { format.hasLengthInHeader ? 4_096 : 65_536 + 8_192 * bytesPerFrame }

    /// Throws `unknownFormat` if no format has the extension of `path`.
    package static func checkFormat(of path: AudioFilePath) throws(AudioFileError) { _ = try Format(of: path) }

    /// Completes the file; later writes do nothing. Returns an error if the file has fewer frames
    /// than were written, for example because the disk is full. libsndfile does not report this for
    /// compressed formats, so the method reads the length of such a file.
    @discardableResult
    public func close() -> AudioFileError? {
        guard handle != nil else { return nil }
        let failure = DiskFailure(code: 0, of: descriptor)
        guard let frames = release(counts: !format.hasLengthInHeader) else { return nil }
        let expected = frameCount
        frameCount = frames
        guard frameCount < expected else { return nil }
        return .notWritable(
            path: path,
            reason: failure?.description ?? "the disk took \(frameCount) of \(expected) frames; check the disk")
    }

    private static func message(_ handle: OpaquePointer?) -> String {
        let text = String(cString: sf_strerror(handle)).trimmingCharacters(in: .whitespacesAndNewlines)
            .replacingOccurrences(of: "Error : ", with: "")
        guard sf_error(handle) != 0 else { return "the disk took only a part" }
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}

extension AudioFileWriter {
    /// The formats that can be written, by their extensions.
    private enum Format: String, CaseIterable {
        case wav, w64, caf, aiff, flac, ogg, opus

        init(of path: AudioFilePath) throws(AudioFileError) {
            let name = path.pathExtension
            guard let format = Format(rawValue: name == "aif" ? "aiff" : name) else {
                throw .unknownFormat(path: path.description, known: AudioFileWriter.knownExtensions)
            }
            self = format
        }

        /// The format and encoding, as libsndfile's code.
        var code: Int {
            switch self {
            case .wav: Int(SF_FORMAT_RF64 | SF_FORMAT_FLOAT)
            case .w64: Int(SF_FORMAT_W64 | SF_FORMAT_FLOAT)
            case .caf: Int(SF_FORMAT_CAF | SF_FORMAT_FLOAT)
            case .aiff: Int(SF_FORMAT_AIFF | SF_FORMAT_FLOAT)
            case .flac: Int(SF_FORMAT_FLAC | SF_FORMAT_PCM_24)
            case .ogg: Int(SF_FORMAT_OGG | SF_FORMAT_VORBIS)
            case .opus: Int(SF_FORMAT_OGG | SF_FORMAT_OPUS)
            }
        }

        /// The name for errors.
        var name: String {
            switch self {
            case .ogg: "Ogg Vorbis"
            case .opus: "Opus"
            default: rawValue.uppercased()
            }
        }

        /// Whether the header states the length. Otherwise the length is that of the data.
        var hasLengthInHeader: Bool {
            switch self {
            case .wav, .w64, .caf, .aiff: true
            case .flac, .ogg, .opus: false
            }
        }
    }
}
