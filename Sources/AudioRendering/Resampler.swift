internal import CSoxr

/// Changes the rate of a stream, by libsoxr in high quality. Off the render thread; not for two threads at once (keeps HW-3).
final class Resampler {
    private let handle: OpaquePointer
    private let channels: Int

    /// Throws `AudioEngineError.outOfMemory` when libsoxr cannot.
    init(from inputRate: Int, to outputRate: Int, channels: Int) throws(AudioEngineError) {
        var error: soxr_error_t?
        var io = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I)
        var quality = soxr_quality_spec(UInt(SOXR_HQ), 0)
        var runtime = soxr_runtime_spec(1)
        guard
            let handle = soxr_create(
                Double(inputRate), Double(outputRate), UInt32(channels), &error, &io, &quality, &runtime)
        else { throw .outOfMemory(what: "resampling \(inputRate) Hz to \(outputRate) Hz") }
        self.handle = handle
        self.channels = channels
    }

    deinit { soxr_delete(handle) }

    /// Puts in interleaved frames from `inputOffset` on, and takes out as many as fit in `output`. Returns both counts.
    func process(
        _ input: [Float], from inputOffset: Int, frames: Int, into output: inout [Float], maximumFrames: Int
    ) -> (consumed: Int, produced: Int) {
        var consumed = 0
        var produced = 0
        input.withUnsafeBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                let start = source.baseAddress.map { $0 + inputOffset * channels }
                _ = soxr_process(handle, start, frames, &consumed, target.baseAddress, maximumFrames, &produced)
            }
        }
        return (consumed, produced)
    }

    /// Says that no input follows, and takes out what is left; 0 once all is out.
    func drain(into output: inout [Float], maximumFrames: Int) -> Int {
        var produced = 0
        output.withUnsafeMutableBufferPointer { target in
            _ = soxr_process(handle, nil, 0, nil, target.baseAddress, maximumFrames, &produced)
        }
        return produced
    }
}
