internal import CRenderCore
internal import Platform

/// Owns the ring buffer (`rcore_capture_t`) into which an input is recorded. Lives as long as a
/// plan refers to it.
///
/// Unchecked `Sendable`: the render thread is the ring's only producer; a lock guards the
/// consumer's side.
final class InputCapture: @unchecked Sendable {
    let handle: OpaquePointer
    private let channels: Int
    private let reading = Mutex(())

    init(channels: Int, frames: Int) throws(AudioEngineError) {
        var status = RCORE_OK
        guard let handle = rcore_capture_create(UInt32(clamping: channels), UInt32(clamping: frames), &status) else {
            throw AudioEngineError(status, "an input of \(channels) channels and \(frames) frames")
        }
        self.handle = handle
        self.channels = channels
    }

    deinit { rcore_capture_destroy(handle) }

    var lostFrames: UInt64 { rcore_capture_lost_frames(handle) }

    /// Returns the oldest frames, interleaved, and when the first one was recorded; nil if none are
    /// available.
    func read(maximumFrames: Int) -> (time: UInt64, samples: [Float])? {
        reading.withLock { _ in
            let frames = min(Int(rcore_capture_readable(handle)), maximumFrames)
            guard frames > 0 else { return nil }
            var time: UInt64 = 0
            var samples = [Float](repeating: 0, count: frames * channels)
            let count = rcore_capture_read_interleaved(handle, &samples, UInt32(frames), &time)
            samples.removeLast((frames - Int(count)) * channels)
            return count > 0 ? (time, samples) : nil
        }
    }
}
