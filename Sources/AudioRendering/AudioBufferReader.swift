internal import CRenderCore

/// Reads samples in memory. Not for concurrent use by two threads; any number of readers share a
/// buffer.
public final class AudioBufferReader: AudioReader {
    /// The samples.
    public let buffer: AudioBuffer
    /// The sample rate of the buffer, in Hz.
    public let sampleRate: Int
    private var position: Int64 = 0

    /// Creates a reader at the first frame. Throws `invalidArgument` for a buffer without a sample
    /// rate.
    public init(_ buffer: AudioBuffer) throws(AudioEngineError) {
        guard let sampleRate = buffer.sampleRate else {
            throw .invalidArgument(what: "reading a buffer without a sample rate; create it with one")
        }
        self.buffer = buffer
        self.sampleRate = sampleRate
    }

    public var channels: Int { buffer.channels }
    public var frameCount: Int64 { Int64(buffer.frameCount) }

    public func read(into frames: inout [Float], maximumFrames: Int) -> Int {
        let count = buffer.read(into: &frames, from: position, maximumFrames: maximumFrames)
        position += Int64(count)
        return count
    }

    @discardableResult
    public func seek(toFrame frame: Int64) -> Int64 {
        position = max(0, min(frame, frameCount))
        return position
    }
}

extension AudioBuffer {
    /// Copies up to `maximumFrames` interleaved frames from `frame` on into the beginning of
    /// `frames`, which grows if necessary. Returns the number copied; 0 at the end.
    func read(into frames: inout [Float], from frame: Int64, maximumFrames: Int) -> Int {
        let samples = maximumFrames * channels
        if frames.count < samples { frames.append(contentsOf: repeatElement(0, count: samples - frames.count)) }
        return frames.withUnsafeMutableBufferPointer { target in
            Int(
                rcore_buffer_read_interleaved(
                    handle, UInt64(clamping: frame), target.baseAddress, UInt32(clamping: maximumFrames)))
        }
    }
}
