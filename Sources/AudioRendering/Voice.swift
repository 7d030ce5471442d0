internal import CRenderCore

/// What a voice is doing, as of the last cycle.
public enum VoiceState: Equatable, Sendable {
    /// Its start has not taken effect.
    case waiting
    case playing
    /// It stands still, or fades towards that.
    case paused
    /// Over, played to the end or stopped.
    case ended
}

/// One playing of a source; the engine keeps it alive until it ends, and it ends with its engine.
///
/// Every method is safe from any thread, takes effect at the next period (or on exactly the engine frame `at`), and throws
/// `voiceEnded` once it is over. Fades and ramps are in frames of the engine.
public final class Voice: Sendable {
    /// What it plays.
    public let source: VoiceSource
    let handle: UInt64
    let map: ChannelMap?
    /// Its bus stays as long as it plays.
    let bus: SessionBus
    let onEnd: (@Sendable (Voice) -> Void)?
    // Weak: the engine holds its voices.
    private weak let engine: AudioEngine?
    private let final = Locked<Final?>(nil)

    private struct Final { var frames: UInt64, underruns: UInt64, end: VoiceEnd? }

    init(
        source: VoiceSource, handle: UInt64, map: ChannelMap?, bus: SessionBus, engine: AudioEngine,
        onEnd: (@Sendable (Voice) -> Void)?
    ) {
        self.bus = bus
        self.source = source
        self.handle = handle
        self.map = map
        self.engine = engine
        self.onEnd = onEnd
    }

    /// What it is doing.
    public var state: VoiceState {
        if final.withLock({ $0 != nil }) { return .ended }
        return engine?.state(of: handle) ?? .ended
    }

    /// Frames of its source that were rendered, in the engine's rate, loops included.
    public var framesRendered: UInt64 {
        final.withLock { $0?.frames } ?? engine?.frames(of: handle) ?? 0
    }

    /// Frames that its stream could not deliver in time.
    public var underrunFrames: UInt64 {
        final.withLock { $0?.underruns } ?? engine?.underruns(of: handle) ?? 0
    }

    /// Why it is over; nil while it is not.
    public var endReason: VoiceEnd? {
        final.withLock { $0?.end } ?? engine?.endReason(of: handle)
    }

    /// Fades out and ends.
    public func stop(fadeFrames: Int = 0, at time: UInt64? = nil) throws(AudioEngineError) {
        try playing.command("stopping a voice") { port in
            rcore_post_stop(port, handle, UInt32(clamping: fadeFrames), time ?? 0)
        }
    }

    /// Fades out and stands still; the next frame played is the one after the last rendered.
    public func pause(fadeFrames: Int = 0, at time: UInt64? = nil) throws(AudioEngineError) {
        try playing.command("pausing a voice") { port in
            rcore_post_pause(port, handle, UInt32(clamping: fadeFrames), time ?? 0)
        }
    }

    /// Goes on, fading in.
    public func resume(fadeFrames: Int = 0, at time: UInt64? = nil) throws(AudioEngineError) {
        try playing.command("resuming a voice") { port in
            rcore_post_resume(port, handle, UInt32(clamping: fadeFrames), time ?? 0)
        }
    }

    /// Ramps to a linear gain; finite.
    public func setGain(_ gain: Float, rampFrames: Int, at time: UInt64? = nil) throws(AudioEngineError) {
        try playing.command("a gain of \(gain)") { port in
            rcore_post_gain(port, handle, gain, UInt32(clamping: rampFrames), time ?? 0)
        }
    }

    /// Ramps to a speed, 1/16…16 frames of the source a frame: pitch and tempo together. At exactly 1 the source's own bits are heard.
    public func setSpeed(_ speed: Float, rampFrames: Int, at time: UInt64? = nil) throws(AudioEngineError) {
        try playing.command("a speed of \(speed)") { port in
            rcore_post_speed(port, handle, speed, UInt32(clamping: rampFrames), time ?? 0)
        }
    }

    /// Moves between left (−1) and right (1), by the law it was started with; it must have been started with a pan.
    public func setPan(_ position: Float, rampFrames: Int, at time: UInt64? = nil) throws(AudioEngineError) {
        try playing.command("a pan of \(position), of a voice that was started with one") { port in
            rcore_post_pan(port, handle, position, UInt32(clamping: rampFrames), time ?? 0)
        }
    }

    /// Goes to another frame of samples in memory; old place and new cross-fade for `fadeFrames`. Other sources throw `invalidArgument`.
    public func seek(to frame: Int, fadeFrames: Int = 0, at time: UInt64? = nil) throws(AudioEngineError) {
        try playing.command("seeking to frame \(frame), of samples in memory") { port in
            frame < 0
                ? RCORE_BAD_ARGUMENT
                : rcore_post_seek(port, handle, UInt64(frame), UInt32(clamping: fadeFrames), time ?? 0)
        }
    }

    /// Lets its loop go: after the present pass, what follows the loop is played to the end.
    public func leaveLoop(at time: UInt64? = nil) throws(AudioEngineError) {
        try playing.command("leaving a loop") { port in rcore_post_leave_loop(port, handle, time ?? 0) }
    }

    private var playing: AudioEngine {
        get throws(AudioEngineError) {
            guard let engine else { throw .voiceEnded }
            return engine
        }
    }

    // Called once, by the engine, before the handle is given back: from now on the last values stand.
    func noteEnd() {
        guard let engine else { return }
        let last = Final(
            frames: engine.frames(of: handle), underruns: engine.underruns(of: handle),
            end: engine.endReason(of: handle))
        final.withLock { $0 = last }
    }
}
