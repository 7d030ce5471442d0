/// Why a sound file cannot be read or written.
public enum AudioFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Nothing is at the path.
    case notFound(path: String)
    /// The path is a directory, a socket or the like.
    case notAFile(path: String)
    /// The system refuses access.
    case notPermitted(path: String)
    /// The file holds no audio.
    case empty(path: String)
    /// No decoder understands the file.
    case undecodable(path: String, reason: String)
    /// The file ends before its header says so; `expected` is nil when it does not say where.
    case truncated(path: String, frames: Int64, expected: Int64?)
    /// The channel count or sample rate is out of range.
    case unsupportedShape(path: String, channels: Int, sampleRate: Int)
    /// The extension names no format that can be written.
    case unknownFormat(path: String, known: [String])
    /// The file could not be made or written.
    case notWritable(path: String, reason: String)

    public var description: String {
        switch self {
        case .notFound(let path):
            "There is no file '\(path)'; check the path."
        case .notAFile(let path):
            "'\(path)' is not a file; name a sound file."
        case .notPermitted(let path):
            "'\(path)' may not be read; check its permissions."
        case .empty(let path):
            "'\(path)' holds no audio; name a file with at least one frame."
        case .undecodable(let path, let reason):
            "'\(path)' cannot be decoded (\(reason)); convert it to WAV, FLAC or Ogg."
        case .truncated(let path, let frames, let expected?):
            "'\(path)' is truncated: it holds \(frames) frames and its header promises \(expected); fetch it again."
        case .truncated(let path, let frames, nil):
            "'\(path)' is truncated: it ends after \(frames) frames, in the middle; fetch it again."
        case .unsupportedShape(let path, let channels, let sampleRate):
            "'\(path)' has \(channels) channels at \(sampleRate) Hz; 1 to 64 channels at 1000 to 768000 Hz can be played."
        case .unknownFormat(let path, let known):
            "'\(path)' names no known format; use one of the extensions \(known.joined(separator: ", "))."
        case .notWritable(let path, let reason):
            "'\(path)' cannot be written: \(reason)."
        }
    }
}
