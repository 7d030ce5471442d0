internal import CFFmpeg
internal import Foundation

/// What FFmpeg reads a file through: no name, and so no protocol, ever reaches it.
final class MediaInput {
    /// The bytes that one operation may read: damaged files can make a demuxer go in circles.
    static let bytesPerOperation: Int64 = 1 << 30

    let context: UnsafeMutablePointer<AVIOContext>
    private let bytes: MediaBytes
    private var position: Int64 = 0
    private var budget = MediaInput.bytesPerOperation

    /// Fails if memory is short.
    init?(_ bytes: MediaBytes) {
        let size = 32_768
        guard let buffer = av_malloc(size) else { return nil }
        let allocated = avio_alloc_context(
            buffer.assumingMemoryBound(to: UInt8.self), Int32(size), 0, nil,
            { MediaInput.of($0)?.read(into: $1, count: $2) ?? cffmpeg_error_io }, nil,
            { MediaInput.of($0)?.seek(to: $1, whence: $2) ?? Int64(cffmpeg_error_io) })
        guard let allocated else {
            av_free(buffer)
            return nil
        }
        context = allocated
        self.bytes = bytes
        context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        // FFmpeg may have replaced the buffer by a larger one.
        av_free(context.pointee.buffer)
        var freed: UnsafeMutablePointer<AVIOContext>? = context
        avio_context_free(&freed)
    }

    /// Begins an operation, which may again read `bytesPerOperation`.
    func renewBudget() { budget = Self.bytesPerOperation }

    private static func of(_ opaque: UnsafeMutableRawPointer?) -> MediaInput? {
        opaque.map { Unmanaged<MediaInput>.fromOpaque($0).takeUnretainedValue() }
    }

    private func read(into target: UnsafeMutablePointer<UInt8>?, count: Int32) -> Int32 {
        guard let target, count > 0, budget > 0 else { return cffmpeg_error_io }
        let read = bytes.read(at: position, into: target, length: Int(count))
        guard read > 0 else { return read < 0 ? cffmpeg_error_io : cffmpeg_error_end }
        position += Int64(read)
        budget -= Int64(read)
        return Int32(read)
    }

    private func seek(to offset: Int64, whence: Int32) -> Int64 {
        let base: Int64
        switch whence & ~AVSEEK_FORCE {
        case AVSEEK_SIZE: return bytes.count
        case SEEK_CUR: base = position
        case SEEK_END: base = bytes.count
        case SEEK_SET: base = 0
        default: return Int64(cffmpeg_error_io)
        }
        let (target, overflows) = base.addingReportingOverflow(offset)
        // A seek is an action too: a demuxer that only seeks also comes to an end.
        budget -= 4_096
        guard !overflows, target >= 0, budget > 0 else { return Int64(cffmpeg_error_io) }
        position = target
        return target
    }
}
