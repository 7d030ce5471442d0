internal import CRenderCore

/// A FIFO of frames (`rcore_fifo_t`, a ring buffer) between a thread of the engine and the render
/// thread.
///
/// Unchecked `Sendable`: the C FIFO has one producer and one consumer; its users document which
/// threads these are.
final class FrameFifo: @unchecked Sendable {
    let handle: OpaquePointer

    init(channels: Int, capacityFrames: Int) throws(AudioEngineError) {
        var status = RCORE_OK
        guard let handle = rcore_fifo_create(UInt32(clamping: channels), UInt32(clamping: capacityFrames), &status)
        else {
            throw AudioEngineError(status, "a FIFO of \(capacityFrames) frames")
        }
        self.handle = handle
    }

    deinit { rcore_fifo_destroy(handle) }
}
