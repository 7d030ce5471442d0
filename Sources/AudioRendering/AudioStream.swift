internal import CRenderCore
internal import Platform

/// A file streamed to a voice: decoded, resampled to the engine's rate and written into a FIFO
/// ahead of the render thread.
///
/// Unchecked `Sendable`: `fill` runs under the stream's lock and is the FIFO's only producer; the
/// render thread is its consumer.
public final class FileStream: @unchecked Sendable {
    /// Channels of the file, 1…64.
    public let channels: Int
    /// The rate that the stream is resampled to and that its frames are counted in, ideally the
    /// engine's. If the engine's rate changes, the voice plays at a correspondingly scaled speed.
    public let sampleRate: Int
    let fifo: FrameFifo

    private let file: AudioFile
    private let resampler: Resampler?
    private let lock = Mutex(())
    private var loopsLeft: Int
    private var input: [Float] = []
    private var inputOffset = 0
    private var inputFrames = 0
    private var output: [Float]
    private var phase = Phase.reading

    private enum Phase { case reading, draining, finished }
    private static let blockFrames = 1024

    /// Streams `file` from `startFrame`, in frames of the file, and then repeats it `loops` times
    /// from its beginning; `Int.max` repeats forever. `readAhead` is in seconds, 0.05…60. Throws
    /// `invalidArgument` or `outOfMemory`.
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

    /// Decodes frames into the FIFO until it is full. The background queue calls this, and so does
    /// the thread that starts the stream; never the render thread.
    public func fill() {
        lock.withLock { _ in
            while phase != .finished, rcore_fifo_writable(fifo.handle) >= Self.blockFrames {
                writeBlock()
            }
        }
    }

    /// Whether the entire file, including its repetitions, has been written into the FIFO.
    public var isComplete: Bool { lock.withLock { _ in phase == .finished } }

    /// Whether the entire stream has been played. Read it only after the voice has ended: until
    /// then, the render thread reads the FIFO.
    public var isDrained: Bool { rcore_fifo_drained(fifo.handle) }

    /// The defect of the file, once it is found.
    public var defect: AudioFileError? { lock.withLock { _ in file.defect } }

    /// The number of samples read so far that were NaN or infinite and were replaced by silence.
    public var nonFiniteSampleCount: Int { lock.withLock { _ in file.nonFiniteSampleCount } }

    /// Writes one block into the FIFO, and marks the FIFO as finished after the last one.
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

    /// Decodes and resamples a block into `output`. Returns its frames; 0 does not mean the end,
    /// because the resampler may need more input.
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

    // At the end of the file, restarts it or begins to drain. The resampler keeps running across a
    // loop, so that the loop has no seam.
    private func readInput() {
        inputOffset = 0
        inputFrames = file.read(into: &input, maximumFrames: Self.blockFrames)
        if inputFrames == 0, loopsLeft > 0, file.seek(toFrame: 0) == 0 {
            if loopsLeft != .max { loopsLeft -= 1 }
            inputFrames = file.read(into: &input, maximumFrames: Self.blockFrames)
        }
        if inputFrames == 0 { phase = .draining }
    }

    /// Writes the frames that remain in the resampler to `output`. Returns their number.
    private func drainBlock() -> Int {
        resampler?.drain(into: &output, maximumFrames: Self.blockFrames) ?? 0
    }
}
