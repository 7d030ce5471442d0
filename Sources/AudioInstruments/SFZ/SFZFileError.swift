internal import AudioRendering

/// An error of reading an SFZ file or its sounds.
public struct SFZFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Cause: Hashable, Sendable {
        /// No file exists at the path.
        case notFound
        /// The path is a directory, a device or the like.
        case notAFile
        /// The system denies access.
        case notPermitted
        /// The file could not be read.
        case notReadable(reason: String)
        /// The text, with what it includes, has more than `limit` bytes.
        case tooLarge(limit: Int)
        /// The text has no region that can be played: it is no SFZ file, its beginning is
        /// malformed, or all regions are of kinds that are not supported.
        case noRegions(firstProblem: String?)
        /// No sound could be read. `reason` is that of the first one.
        case noSounds(reason: String)
        /// The sounds need more than `limit` bytes of memory.
        case soundsTooLarge(limit: Int)
        /// The head of streamed sounds is not 0.1 to 60 s long.
        case invalidHead(Double)
    }

    public let cause: Cause
    /// The path of the file, as text; nil for data in memory.
    public let path: String?

    init(_ cause: Cause, path: AudioFilePath? = nil) {
        self.cause = cause
        self.path = path?.description
    }

    /// Returns the error with the path of the file.
    func of(_ path: AudioFilePath) -> SFZFileError { SFZFileError(cause, path: path) }

    public var description: String {
        let file = path.map { "'\($0)'" } ?? "The data"
        return switch cause {
        case .notFound: "There is no file \(file); check the path."
        case .notAFile: "\(file) is not a file; choose an SFZ file."
        case .notPermitted: "\(file) is not readable; check its permissions."
        case .notReadable(let reason): "\(file) cannot be read: \(reason)."
        case .tooLarge(let limit):
            "\(file), with what it includes, has more than \(limit) bytes; SFZ files of at most that size can be read."
        case .noRegions(let problem):
            "\(file) has no region with a sound file that can be played"
                + (problem.map { " (\($0))." } ?? "; choose an SFZ file.")
        case .noSounds(let reason): "No sound of \(file) can be played: \(reason)"
        case .soundsTooLarge(let limit):
            "The sounds of \(file) need more than \(limit >> 20) MiB of memory; allow more, stream them, or choose a smaller set."
        case .invalidHead(let head):
            "The sounds of \(file) cannot be streamed with a head of \(head) s; choose 0.1 to 60 s."
        }
    }
}

extension SFZFileError.Cause {
    init(_ failure: RegularFile.Failure) {
        self =
            switch failure {
            case .notFound: .notFound
            case .notAFile: .notAFile
            case .notPermitted: .notPermitted
            case .notReadable(let reason): .notReadable(reason: reason)
            }
    }
}
