internal import CRenderCore

/// Owns a ring of frames between the engine's threads and the render thread.
///
/// Unchecked `Sendable`: the C ring is made for one producer and one consumer; who they are is said where it is used.
final class FrameFifo: @unchecked Sendable {
    let handle: OpaquePointer

    init(channels: Int, capacityFrames: Int) throws(AudioEngineError) {
        var status = RCORE_OK
        guard let handle = rcore_fifo_create(UInt32(clamping: channels), UInt32(clamping: capacityFrames), &status)
        else {
            throw AudioEngineError(status, "a ring of \(capacityFrames) frames")
        }
        self.handle = handle
    }

    deinit { rcore_fifo_destroy(handle) }
}
