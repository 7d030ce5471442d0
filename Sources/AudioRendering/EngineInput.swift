internal import CRenderCore

/// Channels of the device's input, as one session may hear them.
///
/// Silence until the session's permission is granted, and nothing while the session is interrupted. What came in waits in a ring to be
/// read, each frame with its time; voices may play it in the same cycle (`VoiceSource.input`). It leaves the engine with the last reference.
public final class EngineInput: Sendable {
    /// 1…the engine's `maximumChannels`.
    public let channels: Int
    let slot: Int
    let capture: InputCapture
    // Weak: the engine's plan holds the capture, not the input.
    private weak let engine: AudioEngine?

    /// Frames that came in one after the other.
    public struct Block: Equatable, Sendable {
        /// When the first of them came in, in frames of `AudioEngine.currentFrame`. A jump between two blocks is where frames were lost, or the
        /// session was interrupted.
        public var time: UInt64
        /// Interleaved.
        public var samples: [Float]
    }

    init(channels: Int, slot: Int, capture: InputCapture, engine: AudioEngine) {
        self.channels = channels
        self.slot = slot
        self.capture = capture
        self.engine = engine
    }

    func belongs(to engine: AudioEngine) -> Bool { self.engine === engine }

    deinit { engine?.removeInput(slot: slot) }

    /// The oldest block of at most `maximumFrames`; nil when nothing waits. Any thread.
    public func read(maximumFrames: Int = 4096) -> Block? { capture.read(maximumFrames: max(1, maximumFrames)) }

    /// Frames that nobody read in time.
    public var lostFrames: UInt64 { capture.lostFrames }

    /// Greatest magnitude of a channel since the last call, gain and permission applied. One reader.
    public func takePeak(channel: Int) -> Float {
        channel < 0 ? 0 : engine?.inputPeak(slot: slot, channel: channel) ?? 0
    }

    /// Ramps to a linear gain; finite.
    public func setGain(
        _ gain: Float, rampFrames: Int, curve: AutomationCurve = .linear, at time: UInt64? = nil
    ) throws(AudioEngineError) {
        guard let engine else { throw .engineGone }
        try engine.command("an input gain of \(gain)") { port in
            AutomatedParameter.inputGain.ramp(
                to: gain, frames: rampFrames, curve: curve, of: UInt64(slot), to: port, at: time)
        }
    }

    /// Moves its gain through `points`, as `Voice.automate` does.
    public func automateGain(_ points: [AutomationPoint]) throws(AudioEngineError) {
        guard let engine else { throw .engineGone }
        try engine.automate(.inputGain, of: slot, points)
    }
}

/// Owns the C ring of an input, for as long as a plan names it.
///
/// Unchecked `Sendable`: the ring has one producer, the render thread, and its consumer's side is under a lock.
final class InputCapture: @unchecked Sendable {
    let handle: OpaquePointer
    private let channels: Int
    private let reading = Locked(())

    init(channels: Int, frames: Int) throws(AudioEngineError) {
        var status = RCORE_OK
        guard let handle = rcore_capture_create(UInt32(clamping: channels), UInt32(clamping: frames), &status) else {
            throw AudioEngineError(status, "an input of \(channels) channels and \(frames) frames")
        }
        self.handle = handle
        self.channels = channels
    }

    deinit { rcore_capture_destroy(handle) }

    var lostFrames: UInt64 { rcore_capture_lost_frames(handle) }

    func read(maximumFrames: Int) -> EngineInput.Block? {
        reading.withLock { _ in
            let frames = min(Int(rcore_capture_readable(handle)), maximumFrames)
            guard frames > 0 else { return nil }
            var block = EngineInput.Block(time: 0, samples: [Float](repeating: 0, count: frames * channels))
            let count = rcore_capture_read_interleaved(handle, &block.samples, UInt32(frames), &block.time)
            block.samples.removeLast((frames - Int(count)) * channels)
            return count > 0 ? block : nil
        }
    }
}
