internal import CRenderCore

/// Samples in memory: immutable, and shared by any number of voices.
///
/// Unchecked `Sendable`: the C buffer is immutable, and `deinit` releases its only reference.
public final class AudioBuffer: @unchecked Sendable {
    let handle: OpaquePointer
    /// The channel count, 1…64.
    public let channels: Int
    /// The number of frames.
    public let frameCount: Int
    /// The sample rate in Hz, 1,000…768,000. A voice (`AudioEngine.play`) keeps the buffer's pitch
    /// at any rate of the server. Without a sample rate, and for sounds triggered through a command
    /// queue, one frame of the buffer is played per frame of the server.
    public let sampleRate: Int?

    /// Copies planar samples, one array per channel, all of one length. Replaces NaN and infinite
    /// samples by silence, and counts them. Throws `invalidArgument` or `outOfMemory`.
    public convenience init(_ planes: [[Float]], sampleRate: Int? = nil) throws(AudioEngineError) {
        guard let frames = planes.first?.count, planes.allSatisfy({ $0.count == frames }) else {
            throw .invalidArgument(what: "a buffer whose channels differ in length")
        }
        var interleaved = [Float](repeating: 0, count: frames * planes.count)
        for (channel, plane) in planes.enumerated() {
            for frame in 0..<frames { interleaved[frame * planes.count + channel] = plane[frame] }
        }
        try self.init(interleaved: interleaved, channels: planes.count, sampleRate: sampleRate)
    }

    /// Copies interleaved frames. Replaces NaN and infinite samples by silence, and counts them.
    /// Throws `invalidArgument` or `outOfMemory`.
    public init(interleaved frames: [Float], channels: Int, sampleRate: Int? = nil) throws(AudioEngineError) {
        guard (1...64).contains(channels), !frames.isEmpty, frames.count.isMultiple(of: channels) else {
            throw .invalidArgument(what: "a buffer of \(frames.count) samples in \(channels) channels")
        }
        guard sampleRate.map({ (1_000...768_000).contains($0) }) ?? true else {
            throw .invalidArgument(what: "a buffer at \(sampleRate ?? 0) Hz; valid: 1,000 to 768,000 Hz")
        }
        var status = RCORE_OK
        let frameCount = frames.count / channels
        guard let handle = rcore_buffer_create_interleaved(UInt32(channels), UInt64(frameCount), frames, &status) else {
            throw AudioEngineError(status, "a buffer of \(frameCount) frames")
        }
        self.handle = handle
        self.channels = channels
        self.frameCount = frameCount
        self.sampleRate = sampleRate
    }

    deinit { rcore_buffer_release(handle) }

    /// The number of samples that were NaN or infinite.
    public var nonFiniteSampleCount: Int { Int(rcore_buffer_nonfinite_count(handle)) }
}
