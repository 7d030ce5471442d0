internal import AudioRendering
internal import Glibc
internal import Platform

/// A file of the system that is open for reading, for one thread at a time. Does not wait for the
/// writer of a pipe, which is not a file.
struct RegularFile: ~Copyable {
    enum Failure: Error {
        case notFound, notAFile, notPermitted
        case notReadable(reason: String)

        var reason: String {
            switch self {
            case .notFound: "there is no such file"
            case .notAFile: "it is not a file"
            case .notPermitted: "access is denied"
            case .notReadable(let reason): reason
            }
        }
    }

    /// The number of bytes when the file was opened.
    let byteCount: Int
    private let descriptor: Int32

    init(_ path: AudioFilePath) throws(Failure) {
        let opened = path.withCString { name in
            let descriptor = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            return descriptor >= 0 ? descriptor : -errno
        }
        let descriptor = opened ?? -ENOENT
        switch descriptor {
        case 0...: break
        case -ENOENT, -ENOTDIR: throw .notFound
        case -EACCES, -EPERM: throw .notPermitted
        case -ENXIO, -ENODEV: throw .notAFile
        default: throw .notReadable(reason: systemErrorText(-descriptor))
        }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .notAFile
        }
        self.descriptor = descriptor
        byteCount = Int(facts.st_size)
    }

    deinit { close(descriptor) }

    /// Reads up to `count` bytes; fewer if the file ends.
    func read(count: Int) throws(Failure) -> [UInt8] {
        try read(count: count) { [descriptor] in Glibc.read(descriptor, $0, $1) }
    }

    /// Reads up to `count` bytes from an offset on, also on several threads; fewer if the file
    /// ends.
    func read(count: Int, at offset: Int) throws(Failure) -> [UInt8] {
        var position = offset
        return try read(count: count) { [descriptor] in
            let read = pread(descriptor, $0, $1, position)
            position += max(read, 0)
            return read
        }
    }

    private func read(
        count: Int, by readSome: (UnsafeMutablePointer<UInt8>?, Int) -> Int
    ) throws(Failure) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
            while length < count {
                let read = readSome(buffer.baseAddress.map { $0 + length }, count - length)
                if read < 0, errno == EINTR { continue }
                if read < 0 { failure = errno }
                guard read > 0 else { return }
                length += read
            }
        }
        guard failure == 0 else { throw .notReadable(reason: systemErrorText(failure)) }
        return bytes
    }
}
