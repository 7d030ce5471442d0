internal import CRenderCore

/// Samples in memory: immutable, and shared by any number of voices.
///
/// Unchecked `Sendable`: the C buffer never changes after it was made, and its one reference is given back on the last release.
public final class AudioBuffer: @unchecked Sendable {
    let handle: OpaquePointer
    /// 1…64.
    public let channels: Int
    /// Frames per channel.
    public let frameCount: Int
    /// Frames a second, 1,000…768,000; a voice (`AudioEngine.play`) then keeps its pitch at any rate of the server's. Nil, and a
    /// sound that is triggered by a command port: a frame is a frame of the server's.
    public let sampleRate: Int?

    /// Copies planar samples, one array per channel, all of one length. NaN and infinite samples become silence and are counted.
    public convenience init(_ planes: [[Float]], sampleRate: Int? = nil) throws(AudioEngineError) {
        guard let frames = planes.first?.count, planes.allSatisfy({ $0.count == frames }) else {
            throw .invalidArgument(what: "a buffer: every channel needs the same number of frames")
        }
        var interleaved = [Float](repeating: 0, count: frames * planes.count)
        for (channel, plane) in planes.enumerated() {
            for frame in 0..<frames { interleaved[frame * planes.count + channel] = plane[frame] }
        }
        try self.init(interleaved: interleaved, channels: planes.count, sampleRate: sampleRate)
    }

    /// Copies interleaved frames.
    public init(interleaved frames: [Float], channels: Int, sampleRate: Int? = nil) throws(AudioEngineError) {
        guard (1...64).contains(channels), !frames.isEmpty, frames.count.isMultiple(of: channels) else {
            throw .invalidArgument(what: "a buffer of \(frames.count) samples in \(channels) channels")
        }
        guard sampleRate.map({ (1_000...768_000).contains($0) }) ?? true else {
            throw .invalidArgument(what: "a buffer of \(sampleRate ?? 0) Hz: a rate has 1,000 to 768,000")
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

    /// Samples that were NaN or infinite.
    public var nonFiniteSampleCount: Int { Int(rcore_buffer_nonfinite_count(handle)) }
}
