internal import CFFmpeg

/// Converts decoded frames to interleaved 32-bit floats, without dither, at the scale of
/// libsndfile: the most negative integer is −1, so that 16-bit samples are divided by 32,768.
enum SampleConversion {
    /// Converts a frame from its sample `skip` on to the beginning of `samples`, which grows if
    /// necessary. Returns the number of NaN and infinite samples, which become silence, or nil if
    /// the sample format is unknown, or the frame has other channels.
    static func convert(_ frame: AVFrame, skipping skip: Int, channels: Int, to samples: inout [Float]) -> Int? {
        guard Int(frame.ch_layout.nb_channels) == channels else { return nil }
        let count = Int(frame.nb_samples) - skip
        guard count > 0 else { return 0 }
        if samples.count < count * channels { samples = [Float](repeating: 0, count: count * channels) }
        return samples.withUnsafeMutableBufferPointer { buffer -> Int? in
            guard let base = buffer.baseAddress else { return 0 }
            var found = 0
            for channel in 0..<channels {
                guard let plane = Plane(frame, channel: channel, of: channels, skipping: skip),
                    let more = convert(plane, count, to: base + channel, step: channels)
                else { return nil }
                found += more
            }
            return found
        }
    }

    /// The samples of one channel in a frame.
    private struct Plane {
        var format: AVSampleFormat
        var first: UnsafeRawPointer
        /// The distance from one sample to the next, in samples.
        var step: Int

        init?(_ frame: AVFrame, channel: Int, of channels: Int, skipping skip: Int) {
            let format = AVSampleFormat(frame.format)
            let isPlanar = av_sample_fmt_is_planar(format) != 0
            guard let bytes = frame.extended_data[isPlanar ? channel : 0] else { return nil }
            self.format = av_get_packed_sample_fmt(format)
            step = isPlanar ? 1 : channels
            let offset = skip * step + (isPlanar ? 0 : channel)
            first = UnsafeRawPointer(bytes) + offset * Int(av_get_bytes_per_sample(format))
        }

        // A plane begins at an address that suits every sample format.
        func samples<Value>(_: Value.Type) -> UnsafePointer<Value> { first.assumingMemoryBound(to: Value.self) }
    }

    private static func convert(
        _ plane: Plane, _ count: Int, to target: UnsafeMutablePointer<Float>, step: Int
    ) -> Int? {
        var found = 0
        switch plane.format {
        case AV_SAMPLE_FMT_U8:
            let source = plane.samples(UInt8.self)
            for index in 0..<count { target[index * step] = Float(Int(source[index * plane.step]) - 128) / 0x1p7 }
        case AV_SAMPLE_FMT_S16:
            let source = plane.samples(Int16.self)
            for index in 0..<count { target[index * step] = Float(source[index * plane.step]) / 0x1p15 }
        case AV_SAMPLE_FMT_S32:
            let source = plane.samples(Int32.self)
            for index in 0..<count { target[index * step] = Float(source[index * plane.step]) / 0x1p31 }
        case AV_SAMPLE_FMT_S64:
            let source = plane.samples(Int64.self)
            for index in 0..<count { target[index * step] = Float(source[index * plane.step]) / 0x1p63 }
        case AV_SAMPLE_FMT_FLT:
            let source = plane.samples(Float.self)
            for index in 0..<count { target[index * step] = finite(source[index * plane.step], &found) }
        case AV_SAMPLE_FMT_DBL:
            let source = plane.samples(Double.self)
            for index in 0..<count { target[index * step] = finite(Float(source[index * plane.step]), &found) }
        default: return nil
        }
        return found
    }

    private static func finite(_ value: Float, _ found: inout Int) -> Float {
        guard !value.isFinite else { return value }
        found += 1
        return 0
    }
}
