internal import CRenderCore

/// Writes to a file exactly what a route puts out.
///
/// Unchecked `Sendable`: the writer and the scratch are reached only under the lock; the render thread is the ring's producer.
final class Capture: @unchecked Sendable {
    let fifo: FrameFifo
    let channels: Int
    let sampleRate: Int
    private let writer: AudioFileWriter
    private let lock = Locked(())
    private var scratch: [Float]
    private var failure: AudioFileError?
    /// What comes after that is nobody's to take.
    private var lostBeforeFailure: Int?

    private static let blockFrames = 4096

    init(path: String, channels: Int, sampleRate: Int) throws(CaptureError) {
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

    /// Moves what waits in the ring to the file. Returns a failure the first time there is one.
    func drain() -> AudioFileError? {
        lock.withLock { _ in
            guard failure == nil else { return nil }
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

    /// Ends it because the server became another one: what follows is of another shape. Returns why, as its summary will.
    func end(at format: HardwareFormat) -> AudioFileError {
        _ = drain()
        return lock.withLock { _ in
            let reason = AudioFileError.notWritable(
                path: writer.path,
                reason:
                    "the server now runs at \(format.sampleRate) Hz with \(format.outputChannels) channels; the capture ends there"
            )
            failure = failure ?? reason
            return failure ?? reason
        }
    }

    /// Drains, completes the file, and tells what became of it.
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

/// What a capture holds.
public struct CaptureSummary: Equatable, Sendable {
    /// The file.
    public var path: String
    /// Frames in it.
    public var frames: Int
    /// Periods that the disk was too slow for; their frames are missing.
    public var lostPeriods: Int
    /// Why writing ended early, if it did.
    public var failure: AudioFileError?
}

/// Why a capture could not begin.
public enum CaptureError: Error, Equatable, Sendable, CustomStringConvertible {
    case file(AudioFileError)
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
