import AudioPlayback
import AudioRendering
import Foundation
import SessionProgramSupport

/// The file that is recorded to, and its disk.
struct Destination {
    let path: AudioFilePath

    /// Throws if the file cannot be recorded to: before the server is contacted, and before anybody
    /// is interrupted.
    func check() throws {
        guard (AudioRecorder.knownExtensions + ["aif"]).contains(path.pathExtension) else {
            throw AudioFileError.unknownFormat(path: path.description, known: AudioRecorder.knownExtensions)
        }
        guard lstat(path) == nil else {
            throw ProgramFailure(
                .cannotCreate, "'\(path)' already exists and is not replaced; record to another file, or remove it.")
        }
        let folder = lstat(self.folder).map { $0.st_mode & S_IFMT }
        guard folder != nil else {
            throw ProgramFailure(
                .cannotCreate, "There is no folder '\(self.folder)' for '\(path)'; create it, or record to another one."
            )
        }
    }

    private var folder: AudioFilePath {
        guard let slash = path.bytes.lastIndex(of: UInt8(ascii: "/")) else { return AudioFilePath(".") }
        return AudioFilePath(bytes: slash == 0 ? [UInt8(ascii: "/")] : Array(path.bytes[..<slash]))
    }

    private func lstat(_ path: AudioFilePath) -> stat? {
        var facts = stat()
        return path.withCString { Glibc.lstat($0, &facts) } == 0 ? facts : nil
    }

    /// The size of a file in bytes; nil if it does not exist.
    func size(of path: AudioFilePath) -> Int? { lstat(path).map { Int($0.st_size) } }

    /// The free bytes of the disk; nil if they are not known.
    var freeBytes: Int? {
        var facts = statvfs()
        guard folder.withCString({ statvfs($0, &facts) }) == 0 else { return nil }
        return Int(clamping: UInt64(facts.f_bavail) * UInt64(facts.f_frsize))
    }
}
