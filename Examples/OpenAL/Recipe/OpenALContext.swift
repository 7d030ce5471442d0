import AudioRendering
import COpenALLoopback
import Synchronization

/// An OpenAL context whose sound an `AudioStream` reads. It is current from its creation on: every
/// OpenAL call of the process applies to it, except while it is paused.
///
/// Unchecked `Sendable`: the C functions lock.
public final class OpenALContext: AudioReader, @unchecked Sendable {
    public let channels: Int
    public let sampleRate: Int
    /// The length is not known.
    public var frameCount: Int64 { 0 }
    /// The context may be resumed at any time.
    public var awaitsMore: Bool { true }
    /// For the functions of `openal_source.h`.
    public let loopback: OpaquePointer
    private let failure = Mutex<OpenALError?>(nil)

    /// Opens a loopback device and its context.
    public init(channels: Int = 2, sampleRate: Int, hrtf: Bool = false) throws {
        var status = OPENAL_OK
        let loopback = openal_loopback_open(
            UInt32(clamping: channels), UInt32(clamping: sampleRate), hrtf, &status)
        guard let loopback else { throw OpenALError(status) }
        self.loopback = loopback
        self.channels = channels
        self.sampleRate = sampleRate
    }

    deinit { openal_loopback_destroy(loopback) }

    /// Closes the context and its device, before the program ends. Afterwards it is silent.
    public func close() throws { try OpenALError.check(openal_loopback_close(loopback)) }

    /// Sets the context to NULL. Until it is resumed, its time stands still, and OpenAL calls of
    /// the game fail.
    public func pause() throws { try OpenALError.check(openal_loopback_pause(loopback)) }

    /// Restores the context, which goes on at its next frame.
    public func resume() throws { try OpenALError.check(openal_loopback_resume(loopback)) }

    public var isPaused: Bool { openal_loopback_is_paused(loopback) }

    /// The frames mixed so far. The latest ones, up to the stream's read-ahead, have not been
    /// heard.
    public var framesRendered: UInt64 { openal_loopback_frames(loopback) }

    /// Why OpenAL last refused to render; nil if it never did.
    public var renderFailure: OpenALError? { failure.withLock { $0 } }

    public func read(into frames: inout [Float], maximumFrames: Int) -> Int {
        let missing = maximumFrames * channels - frames.count
        if missing > 0 { frames += [Float](repeating: 0, count: missing) }
        var rendered: UInt32 = 0
        let status = frames.withUnsafeMutableBufferPointer { buffer in
            openal_loopback_render(loopback, buffer.baseAddress, UInt32(clamping: maximumFrames), &rendered)
        }
        if status != OPENAL_OK { failure.withLock { $0 = OpenALError(status) } }
        return Int(rendered)
    }

    /// Does nothing: a game cannot be rewound.
    @discardableResult
    public func seek(toFrame frame: Int64) -> Int64 { Int64(clamping: framesRendered) }
}

/// Why an OpenAL call failed.
public struct OpenALError: Error, Equatable, Sendable, CustomStringConvertible {
    private let status: openal_status_t

    public init(_ status: openal_status_t) { self.status = status }

    public var description: String { "\(String(cString: openal_status_text(status)))." }

    /// Throws unless the status is `OPENAL_OK`.
    public static func check(_ status: openal_status_t) throws {
        if status != OPENAL_OK { throw OpenALError(status) }
    }
}
