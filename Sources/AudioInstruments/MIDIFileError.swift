internal import AudioRendering

/// An error of reading or writing a Standard MIDI File.
public struct MIDIFileError: Error, Hashable, Sendable, CustomStringConvertible {
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
        /// The file could not be created or written.
        case notWritable(reason: String)
        /// The file has more bytes than `limit`.
        case tooLarge(byteCount: Int, limit: Int)
        /// The data is not a Standard MIDI File.
        case notMIDI
        /// The data ends within the header, or the header is shorter than 6 bytes.
        case incompleteHeader
        /// The header states a format other than 0, 1 and 2.
        case unknownFormat(Int)
        /// The header, or the value to write, states no length of a tick.
        case invalidDivision(Int)
        /// To write: the format cannot have this number of tracks.
        case trackCount(Int, format: Int)
        /// To write: an event is out of range. `event` is the index in the track, or nil for its
        /// end.
        case invalidEvent(track: Int, event: Int?, reason: String)
        /// To write: a track is longer than 4,294,967,295 bytes.
        case trackTooLong(track: Int)
    }

    public let cause: Cause
    /// The path of the file, as text; nil for data in memory.
    public let path: String?

    init(_ cause: Cause, path: AudioFilePath? = nil) {
        self.cause = cause
        self.path = path?.description
    }

    /// Returns the error with the path of the file.
    func of(_ path: AudioFilePath) -> MIDIFileError { MIDIFileError(cause, path: path) }

    public var description: String {
        let file = path.map { "'\($0)'" } ?? "The data"
        return switch cause {
        case .notFound: "There is no file \(file); check the path."
        case .notAFile: "\(file) is not a file; choose a MIDI file."
        case .notPermitted: "\(file) is not readable; check its permissions."
        case .notReadable(let reason): "\(file) cannot be read: \(reason)."
        case .notWritable(let reason): "\(file) cannot be written: \(reason)."
        case .tooLarge(let count, let limit):
            "\(file) has \(count) bytes; a MIDI file of at most \(limit) bytes can be read."
        case .notMIDI:
            "\(file) is not a Standard MIDI File: it begins neither with 'MThd' nor as RIFF of type 'RMID'; choose a MIDI file."
        case .incompleteHeader: "\(file) is incomplete: it ends within the header of a MIDI file; obtain it again."
        case .unknownFormat(let format):
            "\(file) is a MIDI file of format \(format); formats 0, 1 and 2 can be read."
        case .invalidDivision(let value):
            "\(file) states no length of a tick (division \(value)); it is 1 to 32767 ticks per quarter note, or 1 to 255 ticks per frame at 24, 25, 29.97 or 30 frames per second."
        case .trackCount(let count, let format):
            "\(file) has \(count) tracks and format \(format); format 0 has 1 track, formats 1 and 2 have at most 65535: set another format, or other tracks."
        case .invalidEvent(let track, let event, let reason):
            "\(file) cannot be written: \(event.map { "event \($0)" } ?? "the end") of track \(track) \(reason)."
        case .trackTooLong(let track):
            "\(file) cannot be written: track \(track) is longer than 4294967295 bytes; distribute its events among several tracks."
        }
    }
}
