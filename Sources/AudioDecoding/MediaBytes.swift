internal import AudioRendering
internal import Foundation

/// The bytes of a media file: a file of the system that stays open, or memory. For one thread at a
/// time.
final class MediaBytes {
    /// The length in bytes when the file was opened.
    let count: Int64
    private let descriptor: Int32
    private let memory: [UInt8]

    /// Opens a file. Throws if it is missing, not a file, not readable or empty.
    init(path filePath: AudioFilePath) throws(AudioFileError) {
        let path = filePath.description
        // Without O_NONBLOCK, opening a pipe would wait for its writer.
        let result = filePath.withCString { name -> (Int32, Int32) in
            let descriptor = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            return (descriptor, descriptor < 0 ? errno : 0)
        }
        guard let (descriptor, code) = result else { throw .notFound(path: path) }
        guard descriptor >= 0 else {
            switch code {
            case ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP: throw .notFound(path: path)
            case EACCES, EPERM: throw .notPermitted(path: path)
            case ENXIO, ENODEV: throw .notAFile(path: path)
            default: throw .undecodable(path: path, reason: String(cString: strerror(code)))
            }
        }
        var facts = stat()
        let isFile = fstat(descriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
        guard isFile, facts.st_size > 0 else {
            close(descriptor)
            throw isFile ? .empty(path: path) : .notAFile(path: path)
        }
        self.descriptor = descriptor
        count = Int64(facts.st_size)
        memory = []
    }

    /// Keeps bytes; `name` stands for a path in the error. Throws if there are none.
    init(_ bytes: [UInt8], name: String) throws(AudioFileError) {
        guard !bytes.isEmpty else { throw .empty(path: name) }
        descriptor = -1
        count = Int64(bytes.count)
        memory = bytes
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Reads up to `length` bytes at a position. Returns the number read; 0 at the end, -1 if the
    /// disk fails.
    func read(at position: Int64, into target: UnsafeMutablePointer<UInt8>, length: Int) -> Int {
        guard descriptor >= 0 else {
            let available = max(0, min(length, memory.count - Int(clamping: position)))
            guard available > 0 else { return 0 }
            memory.withUnsafeBufferPointer { bytes in
                guard let base = bytes.baseAddress else { return }
                target.update(from: base + Int(position), count: available)
            }
            return available
        }
        while true {
            let count = pread(descriptor, target, length, off_t(position))
            if count >= 0 || errno != EINTR { return count }
        }
    }
}
