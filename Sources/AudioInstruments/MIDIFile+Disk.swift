internal import AudioRendering
internal import Glibc
internal import Platform

extension MIDIFile {
    /// Returns the bytes of a file. Reads only the beginning of one that cannot be a MIDI file.
    static func bytes(of path: AudioFilePath) throws(MIDIFileError) -> [UInt8] {
        let file: RegularFile
        do { file = try RegularFile(path) } catch { throw MIDIFileError(.init(error), path: path) }
        let beginning = try read(file, count: 12, of: path)
        guard beginning.starts(with: "MThd".utf8) || beginning.starts(with: "RIFF".utf8) else {
            throw MIDIFileError(.notMIDI, path: path)
        }
        guard file.byteCount <= maximumByteCount else {
            throw MIDIFileError(.tooLarge(byteCount: file.byteCount, limit: maximumByteCount), path: path)
        }
        return beginning + (try read(file, count: max(0, file.byteCount - beginning.count), of: path))
    }

    private static func read(
        _ file: borrowing RegularFile, count: Int, of path: AudioFilePath
    ) throws(MIDIFileError) -> [UInt8] {
        do { return try file.read(count: count) } catch { throw MIDIFileError(.init(error), path: path) }
    }

    /// Replaces a file by one with this content, in one step.
    static func replace(_ path: AudioFilePath, by content: [UInt8]) throws(MIDIFileError) {
        let target = resolved(path)
        var facts = stat()
        let exists = target.withCString { stat($0, &facts) } == 0
        guard !exists || facts.st_mode & S_IFMT == S_IFREG else { throw MIDIFileError(.notAFile, path: path) }
        let folder = target.bytes.dropLast(target.lastComponent.bytes.count)
        let name = ".midi-\(getpid())-" + String(UInt64.random(in: 0...UInt64.max), radix: 16)
        let new = AudioFilePath(bytes: folder + name.utf8)
        var code = new.withCString { create($0, content, mode: exists ? facts.st_mode & 0o777 : nil) } ?? EINVAL
        if code == 0 {
            let renamed = new.withCString { from in target.withCString { rename(from, $0) == 0 ? 0 : errno } }
            code = (renamed ?? nil) ?? EINVAL
            if code != 0 { _ = new.withCString { unlink($0) } }
        }
        guard code == 0 else { throw MIDIFileError(.notWritable(reason: systemErrorText(code)), path: path) }
    }

    /// Returns the path to which a symbolic link refers, or the path itself.
    private static func resolved(_ path: AudioFilePath) -> AudioFilePath {
        let name = path.withCString { realpath($0, nil) } ?? nil
        guard let name else { return path }
        defer { free(name) }
        return AudioFilePath(bytes: UnsafeBufferPointer(start: name, count: strlen(name)).map { UInt8(bitPattern: $0) })
    }

    /// Creates a file and waits until the system has stored it; removes it after a failure. Returns
    /// 0 or the system's error. `mode`: nil for the permissions of a new file.
    private static func create(_ name: UnsafePointer<CChar>, _ content: [UInt8], mode: mode_t?) -> Int32 {
        let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { return errno }
        if let mode { fchmod(descriptor, mode) }
        var code: Int32 = 0
        content.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count, code == 0 {
                let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
                if count >= 0 { written += count } else if errno != EINTR { code = errno }
            }
        }
        if code == 0, fsync(descriptor) != 0 { code = errno }
        if close(descriptor) != 0, code == 0 { code = errno }
        if code != 0 { unlink(name) }
        return code
    }
}

extension MIDIFileError.Cause {
    fileprivate init(_ failure: RegularFile.Failure) {
        self =
            switch failure {
            case .notFound: .notFound
            case .notAFile: .notAFile
            case .notPermitted: .notPermitted
            case .notReadable(let reason): .notReadable(reason: reason)
            }
    }
}
