internal import AudioRendering

/// An error of reading a SoundFont or its samples.
public struct SoundFontError: Error, Hashable, Sendable, CustomStringConvertible {
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
        /// The file is in another format.
        case notASoundFont
        /// The file is in another version of the format.
        case unsupportedVersion(Int)
        /// A part of the file is missing, as when it is truncated.
        case damaged(reason: String)
        /// The file has no presets.
        case noPresets
        /// The file has no presets in the bank that was asked for.
        case noBank(Int)
        /// A preset of another file was asked for.
        case presetNotFound(name: String)
        /// Nothing of the presets can be played. `reason` is that of the first zone.
        case noSounds(reason: String)
        /// The samples need more than `limit` bytes of memory.
        case samplesTooLarge(limit: Int)
        /// The head of streamed samples is not 0.1 to 60 s long.
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
    func of(_ path: AudioFilePath?) -> SoundFontError { SoundFontError(cause, path: path) }

    public var description: String {
        let file = path.map { "'\($0)'" } ?? "The data"
        let object = path == nil ? "the data" : file
        return switch cause {
        case .notFound: "There is no file \(object); check the path."
        case .notAFile: "\(file) is not a file; choose a SoundFont (.sf2 or .sf3)."
        case .notPermitted: "\(file) is not readable; check its permissions."
        case .notReadable(let reason): "\(file) cannot be read: \(reason)."
        case .notASoundFont: "\(file) is not a SoundFont 2; choose a file in this format (.sf2 or .sf3)."
        case .unsupportedVersion(let version):
            "\(file) is in version \(version) of the format; convert it to SoundFont 2, for example with Polyphone."
        case .damaged(let reason): "\(file) is damaged: \(reason). Get the file again."
        case .noPresets: "\(file) has no presets; choose another SoundFont."
        case .noBank(let bank): "\(file) has no presets in bank \(bank); choose one of the banks of `presets`."
        case .presetNotFound(let name): "\(file) has no preset '\(name)'; choose one of its `presets`."
        case .noSounds(let reason): "No sound of \(object) can be played: \(reason)."
        case .samplesTooLarge(let limit):
            "The samples of \(object) need more than \(Self.size(limit)) of memory; allow more, stream them, or load fewer presets."
        case .invalidHead(let head):
            "The samples of \(object) cannot be streamed with a head of \(head) s; choose 0.1 to 60 s."
        }
    }

    private static func size(_ bytes: Int) -> String {
        bytes >= 1 << 20 ? "\(bytes >> 20) MiB" : "\(bytes) bytes"
    }
}

extension SoundFontError.Cause {
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
