internal import CSndFile

/// The bytes of a sound file, which libsndfile reads in place of a file. For one thread at a time.
final class FileInMemory {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Opens the bytes; nil if they cannot be decoded. The handle must be closed before this object
    /// is released.
    func open(_ info: inout SF_INFO) -> OpaquePointer? {
        // libsndfile copies the functions.
        var functions = SF_VIRTUAL_IO(
            get_filelen: { sf_count_t(FileInMemory.of($0)?.bytes.count ?? 0) },
            seek: { FileInMemory.of($2)?.seek($0, whence: $1) ?? -1 },
            read: { FileInMemory.of($2)?.read(into: $0, count: $1) ?? 0 },
            write: { _, _, _ in 0 },
            tell: { sf_count_t(FileInMemory.of($0)?.position ?? 0) })
        return sf_open_virtual(&functions, Int32(SFM_READ), &info, Unmanaged.passUnretained(self).toOpaque())
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> FileInMemory? {
        context.map { Unmanaged<FileInMemory>.fromOpaque($0).takeUnretainedValue() }
    }

    private func seek(_ offset: sf_count_t, whence: Int32) -> sf_count_t {
        let base =
            switch whence {
            case Int32(SF_SEEK_CUR): position
            case Int32(SF_SEEK_END): bytes.count
            default: 0
            }
        let (target, overflows) = base.addingReportingOverflow(Int(offset))
        if overflows || target < 0 { return -1 }
        position = target
        return sf_count_t(target)
    }

    private func read(into target: UnsafeMutableRawPointer?, count: sf_count_t) -> sf_count_t {
        let available = max(0, min(Int(count), bytes.count - position))
        guard let target, available > 0 else { return 0 }
        bytes[position..<(position + available)].withUnsafeBytes { source in
            if let base = source.baseAddress { target.copyMemory(from: base, byteCount: available) }
        }
        position += available
        return sf_count_t(available)
    }
}
