/// An error of reading or writing a sound file.
public enum AudioFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No file exists at the path.
    case notFound(path: String)
    /// The path is a directory, a socket or the like.
    case notAFile(path: String)
    /// The system denies access.
    case notPermitted(path: String)
    /// The file contains no audio.
    case empty(path: String)
    /// No decoder supports the file.
    case undecodable(path: String, reason: String)
    /// The file ends before the length that its header declares; `expected` is nil if the header
    /// declares none.
    case truncated(path: String, frames: Int64, expected: Int64?)
    /// The channel count or sample rate is out of range.
    case unsupportedShape(path: String, channels: Int, sampleRate: Int)
    /// The extension selects no format that can be written.
    case unknownFormat(path: String, known: [String])
    /// The file could not be created or written.
    case notWritable(path: String, reason: String)

    public var description: String {
        switch self {
        case .notFound(let path):
            "There is no file '\(path)'; check the path."
        case .notAFile(let path):
            "'\(path)' is not a file; choose a sound file."
        case .notPermitted(let path):
            "'\(path)' is not readable; check its permissions."
        case .empty(let path):
            "'\(path)' holds no audio; choose a file with at least one frame."
        case .undecodable(let path, let reason):
            "'\(path)' cannot be decoded (\(reason)); convert it to WAV, FLAC or Ogg."
        case .truncated(let path, let frames, let expected?):
            "'\(path)' is truncated: it holds \(frames) frames, but its header declares \(expected); obtain it again."
        case .truncated(let path, let frames, nil):
            "'\(path)' is truncated: it breaks off after \(frames) frames; obtain it again."
        case .unsupportedShape(let path, let channels, let sampleRate):
            "'\(path)' has \(channels) channels at \(sampleRate) Hz; 1 to 64 channels at 1000 to 768000 Hz are supported."
        case .unknownFormat(let path, let known):
            "'\(path)' has no known file extension; use one of \(known.joined(separator: ", "))."
        case .notWritable(let path, let reason):
            "'\(path)' cannot be written: \(reason)."
        }
    }
}
