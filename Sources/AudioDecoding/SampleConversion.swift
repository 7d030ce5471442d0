internal import CFFmpeg

/// Converts decoded frames to interleaved 32-bit floats, without dither, at the scale of
/// libsndfile: the most negative integer is −1, so that 16-bit samples are divided by 32,768.
enum SampleConversion {
    /// Appends the samples of a frame from frame `skip` on. Returns the number of NaN and infinite
    /// ones, which become silence, or nil if the sample format is unknown.
    static func append(_ frame: AVFrame, skipping skip: Int, channels: Int, to samples: inout [Float]) -> Int? {
        let format = AVSampleFormat(frame.format)
        switch av_get_packed_sample_fmt(format) {
        case AV_SAMPLE_FMT_U8:
            append(frame, skip, channels, to: &samples) { (value: UInt8) in Float(Int(value) - 128) / 128 }
        case AV_SAMPLE_FMT_S16:
            append(frame, skip, channels, to: &samples) { (value: Int16) in Float(value) / 0x1p15 }
        case AV_SAMPLE_FMT_S32:
            append(frame, skip, channels, to: &samples) { (value: Int32) in Float(value) / 0x1p31 }
        case AV_SAMPLE_FMT_S64:
            append(frame, skip, channels, to: &samples) { (value: Int64) in Float(value) / 0x1p63 }
        case AV_SAMPLE_FMT_FLT:
            append(frame, skip, channels, to: &samples) { (value: Float) in value }
        case AV_SAMPLE_FMT_DBL:
            append(frame, skip, channels, to: &samples) { (value: Double) in Float(value) }
        default: return nil
        }
        return silenceNonFinite(in: &samples)
    }

    private static func append<Value>(
        _ frame: AVFrame, _ skip: Int, _ channels: Int, to samples: inout [Float], convert: (Value) -> Float
    ) {
        let isPlanar = av_sample_fmt_is_planar(AVSampleFormat(frame.format)) != 0
        let count = Int(frame.nb_samples) - skip
        guard count > 0 else { return }
        let start = samples.count
        samples.append(contentsOf: repeatElement(0, count: count * channels))
        samples.withUnsafeMutableBufferPointer { target in
            for channel in 0..<channels {
                guard let plane = frame.extended_data[isPlanar ? channel : 0] else { continue }
                let stride = isPlanar ? 1 : channels
                let first = skip * stride + (isPlanar ? 0 : channel)
                // A plane begins at an address that suits every sample format.
                let source = UnsafeRawPointer(plane).assumingMemoryBound(to: Value.self) + first
                for index in 0..<count { target[start + index * channels + channel] = convert(source[index * stride]) }
            }
        }
    }

    private static func silenceNonFinite(in samples: inout [Float]) -> Int {
        var found = 0
        samples.withUnsafeMutableBufferPointer { samples in
            for index in samples.indices where !samples[index].isFinite {
                samples[index] = 0
                found += 1
            }
        }
        return found
    }
}
