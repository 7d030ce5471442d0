internal import CRenderCore
internal import Platform

/// Records the exact signal of an output to a file: what `AudioEngine.startCapture` calls a
/// capture. Inputs are recorded by `InputCapture`.
///
/// Unchecked `Sendable`: the writer and the scratch buffer are accessed only under the lock; the
/// render thread is the FIFO's producer, the thread that holds the lock its consumer.
final class OutputRecorder: @unchecked Sendable {
    let fifo: FrameFifo
    let channels: Int
    let sampleRate: Int
    private let writer: AudioFileWriter
    private let lock = Mutex(())
    private var scratch: [Float]
    private var failure: AudioFileError?
    /// Periods lost before writing failed; later ones do not count.
    private var lostBeforeFailure: Int?

    private static let blockFrames = 4096

    init(path: AudioFilePath, channels: Int, sampleRate: Int) throws(CaptureError) {
        self.channels = channels
        self.sampleRate = sampleRate
        do {
            fifo = try FrameFifo(channels: channels, capacityFrames: max(sampleRate * 2, 16_384))
        } catch { throw .engine(error) }
        do {
            writer = try AudioFileWriter(path: path, channels: channels, sampleRate: sampleRate)
        } catch { throw .file(error) }
        scratch = [Float](repeating: 0, count: Self.blockFrames * channels)
    }

    /// Writes the frames in the FIFO to the file. Returns an error the first time that writing
    /// fails; afterwards, discards the frames, so that the core does not ask again and again to
    /// have them read.
    func drain() -> AudioFileError? {
        lock.withLock { _ in
            guard failure == nil else {
                rcore_fifo_consume(fifo.handle, .max)
                return nil
            }
            while true {
                let frames = min(Int(rcore_fifo_readable(fifo.handle)), Self.blockFrames)
                guard frames > 0, rcore_fifo_read_interleaved(fifo.handle, &scratch, UInt32(frames)) else { return nil }
                do throws(AudioFileError) {
                    try writer.write(scratch, frameCount: frames)
                } catch {
                    failure = error
                    lostBeforeFailure = Int(rcore_fifo_overrun_count(fifo.handle))
                    return error
                }
            }
        }
    }

    /// Ends the capture because its output's sample rate or channel count changed; `format` is the
    /// device's format. Returns the error that `finish()` will report.
    func fail(becauseOfChangeTo format: HardwareFormat) -> AudioFileError {
        _ = drain()
        return lock.withLock { _ in
            let reason = AudioFileError.notWritable(
                path: writer.path,
                reason:
                    "the sample rate or channel count of its output changed (device: \(format.sampleRate) Hz, \(format.outputChannels) channels); the capture ends there"
            )
            let error = failure ?? reason
            failure = error
            return error
        }
    }

    /// Drains the FIFO, completes the file and returns a summary.
    func finish() -> CaptureSummary {
        _ = drain()
        return lock.withLock { _ in
            let shortage = writer.close()
            return CaptureSummary(
                path: writer.path, frames: writer.frameCount,
                lostPeriods: lostBeforeFailure ?? Int(rcore_fifo_overrun_count(fifo.handle)),
                failure: failure ?? shortage)
        }
    }
}

/// The result of a capture, the recording of an output to a file (`AudioEngine.startCapture`).
public struct CaptureSummary: Equatable, Sendable {
    /// The path of the file.
    public var path: String
    /// The number of frames in the file.
    public var frames: Int
    /// The number of periods that are missing because the disk was too slow.
    public var lostPeriods: Int
    /// Why the capture ended early; nil if it did not.
    public var failure: AudioFileError?
}

/// An error that prevented a capture of an output (`AudioEngine.startCapture`) from starting.
public enum CaptureError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file could not be created.
    case file(AudioFileError)
    /// The engine could not add the capture.
    case engine(AudioEngineError)
    /// The engine is not open, so there is nothing to capture.
    case notOpen

    public var description: String {
        switch self {
        case .file(let error): error.description
        case .engine(let error): error.description
        case .notOpen: "The engine is not open; open it before capturing."
        }
    }
}
