internal import CSoxr

/// Resamples one stream with libsoxr in high quality (keeps HW-3). For one thread at a time, and
/// never the render thread.
final class Resampler {
    private let handle: OpaquePointer
    private let channels: Int

    /// Throws `AudioEngineError.outOfMemory` if libsoxr fails.
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

    /// Processes interleaved frames of `input` from frame `inputOffset` on, and writes as many
    /// frames to `output` as fit. Returns both counts.
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

    /// Marks the end of the input, and writes the remaining frames to `output`. Returns 0 once none
    /// are left.
    func drain(into output: inout [Float], maximumFrames: Int) -> Int {
        var produced = 0
        output.withUnsafeMutableBufferPointer { target in
            _ = soxr_process(handle, nil, 0, nil, target.baseAddress, maximumFrames, &produced)
        }
        return produced
    }
}
