internal import CRenderCore

/// A file on its way to a voice: decoded, resampled to the engine's rate and put into a ring ahead of the render thread.
///
/// Unchecked `Sendable`: `fill` runs under the streaming queue's lock and is the ring's one producer; the render thread is its consumer.
public final class FileStream: @unchecked Sendable {
    /// 1…64.
    public let channels: Int
    /// The rate that it is resampled to, best the engine's, which its frames are counted in. When the engine's becomes another, its voice plays
    /// slower or faster by as much.
    public let sampleRate: Int
    let fifo: FrameFifo

    private let file: AudioFile
    private let resampler: Resampler?
    private let lock = Locked(())
    private var loopsLeft: Int
    private var input: [Float] = []
    private var inputOffset = 0
    private var inputFrames = 0
    private var output: [Float]
    private var phase = Phase.reading

    private enum Phase { case reading, draining, finished }
    private static let blockFrames = 1024

    /// Streams `file` from `startFrame` (in the file's frames), and then `loops` more times from its beginning; `Int.max` is for
    /// ever. `readAhead` is in seconds, 0.05…60.
    public init(
        file: AudioFile, sampleRate: Int, startFrame: Int64 = 0, loops: Int = 0, readAhead: Double = 1
    ) throws(AudioEngineError) {
        guard (0.05...60).contains(readAhead), loops >= 0 else {
            throw .invalidArgument(what: "a stream that reads \(readAhead) s ahead and repeats \(loops) times")
        }
        self.file = file
        self.channels = file.channels
        self.sampleRate = sampleRate
        loopsLeft = loops
        fifo = try FrameFifo(
            channels: file.channels, capacityFrames: max(4 * Self.blockFrames, Int(Double(sampleRate) * readAhead)))
        resampler =
            file.sampleRate == sampleRate
            ? nil : try Resampler(from: file.sampleRate, to: sampleRate, channels: file.channels)
        output = [Float](repeating: 0, count: Self.blockFrames * file.channels)
        file.seek(toFrame: startFrame)
    }

    /// Fills the ring as far as it goes. Called by the streaming queue, and by whoever starts the stream; never on the render thread.
    public func fill() {
        lock.withLock { _ in
            while phase != .finished, rcore_fifo_writable(fifo.handle) >= Self.blockFrames {
                writeBlock()
            }
        }
    }

    /// Whether all of the file is in the ring.
    public var isComplete: Bool { lock.withLock { _ in phase == .finished } }

    /// Whether all of it has been played. Once its voice has ended: until then the render thread reads the ring.
    public var isDrained: Bool { rcore_fifo_drained(fifo.handle) }

    /// What is wrong with the file, once known.
    public var defect: AudioFileError? { lock.withLock { _ in file.defect } }

    /// Samples that were NaN or infinite so far, and became silence.
    public var nonFiniteSampleCount: Int { lock.withLock { _ in file.nonFiniteSampleCount } }

    private func writeBlock() {
        let frames = phase == .reading ? nextBlock() : drainBlock()
        if frames > 0 {
            _ = rcore_fifo_write_interleaved(fifo.handle, output, UInt32(frames))
        }
        if phase == .draining, frames == 0 {
            rcore_fifo_finish(fifo.handle)
            phase = .finished
        }
    }

    private func nextBlock() -> Int {
        if inputOffset == inputFrames { readInput() }
        guard phase == .reading else { return drainBlock() }
        guard let resampler else {
            output.replaceSubrange(0..<(inputFrames * channels), with: input[0..<(inputFrames * channels)])
            inputOffset = inputFrames
            return inputFrames
        }
        let (consumed, produced) = resampler.process(
            input, from: inputOffset, frames: inputFrames - inputOffset, into: &output, maximumFrames: Self.blockFrames)
        inputOffset += consumed
        return produced
    }

    // At the end of the file: begins again, or turns to draining. The resampler runs on across a loop, so that it has no seam.
    private func readInput() {
        inputOffset = 0
        inputFrames = file.read(into: &input, maximumFrames: Self.blockFrames)
        if inputFrames == 0, loopsLeft > 0, file.seek(toFrame: 0) == 0 {
            if loopsLeft != .max { loopsLeft -= 1 }
            inputFrames = file.read(into: &input, maximumFrames: Self.blockFrames)
        }
        if inputFrames == 0 { phase = .draining }
    }

    private func drainBlock() -> Int {
        resampler?.drain(into: &output, maximumFrames: Self.blockFrames) ?? 0
    }
}
