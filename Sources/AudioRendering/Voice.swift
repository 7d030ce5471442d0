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
    /// The slot of its bus.
    let slot: Int
    /// Its session's bus, by which it is told apart from others that have its slot later.
    let session: BusIdentity
    /// What it plays on stays as long as it plays.
    private let bus: Locked<(any AudioBus)?>
    let onEnd: (@Sendable (Voice) -> Void)?
    /// Written under the lock of the engine's control.
    let pace: Locked<Pace>
    // Weak: the engine holds its voices.
    private weak let engine: AudioEngine?
    private let final = Locked<Final?>(nil)

    /// The speed that was asked for last, and what it was reckoned for.
    struct Pace {
        var speed: Float
        /// The server's, in Hz.
        var sampleRate: Int
        /// The engine frame from which on it holds; 0: at once.
        var beginsAt: UInt64
    }

    private struct Final { var frames: UInt64, underruns: UInt64, end: VoiceEnd? }

    init(
        source: VoiceSource, handle: UInt64, map: ChannelMap?, bus: any AudioBus, pace: Pace, engine: AudioEngine,
        onEnd: (@Sendable (Voice) -> Void)?
    ) {
        self.bus = Locked(bus)
        slot = bus.slot
        session = bus.session.identity
        self.source = source
        self.handle = handle
        self.map = map
        self.pace = Locked(pace)
        self.engine = engine
        self.onEnd = onEnd
    }

    /// What it is doing.
    public var state: VoiceState { read({ _ in .ended }, { $0.state(of: handle) }) ?? .ended }

    /// Frames of its source that were rendered, in the engine's rate, loops included.
    public var framesRendered: UInt64 { read(\.frames, { $0.frames(of: handle) }) ?? 0 }

    /// Frames that its stream could not deliver in time.
    public var underrunFrames: UInt64 { read(\.underruns, { $0.underruns(of: handle) }) ?? 0 }

    /// Why it is over; nil while it is not.
    public var endReason: VoiceEnd? { read(\.end, { $0.endReason(of: handle) }) ?? nil }

    private func read<Value>(_ last: (Final) -> Value, _ present: (AudioEngine) -> Value) -> Value? {
        if let ended = final.withLock({ $0 }) { return last(ended) }
        let value = engine.map(present)
        // Taken back meanwhile: then the core knew nothing of it any more.
        return final.withLock { $0 }.map(last) ?? value
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
    public func setGain(
        _ gain: Float, rampFrames: Int, curve: AutomationCurve = .linear, at time: UInt64? = nil
    ) throws(AudioEngineError) {
        try playing.command("a gain of \(gain)") { port in
            AutomatedParameter.voiceGain.ramp(
                to: gain, frames: rampFrames, curve: curve, of: handle, to: port, at: time)
        }
    }

    /// Ramps to a speed, 1/16…16 frames of the source a frame: pitch and tempo together. At exactly 1 the source's own bits are heard. A source that
    /// knows its rate plays slower or faster beyond that, where the server's is another, and the limits hold for both together; a ramp ends at once when the server's changes.
    public func setSpeed(
        _ speed: Float, rampFrames: Int, curve: AutomationCurve = .linear, at time: UInt64? = nil
    ) throws(AudioEngineError) {
        try playing.setSpeed(speed, of: self, rampFrames: rampFrames, curve: curve, at: time)
    }

    /// Moves between left (−1) and right (1), by the law it was started with; it must have been started with a pan.
    public func setPan(
        _ position: Float, rampFrames: Int, curve: AutomationCurve = .linear, at time: UInt64? = nil
    ) throws(AudioEngineError) {
        try playing.command("a pan of \(position), of a voice that was started with one") { port in
            AutomatedParameter.voicePan.ramp(
                to: position, frames: rampFrames, curve: curve, of: handle, to: port, at: time)
        }
    }

    /// Moves a parameter through `points`: on each point's frame it has exactly that point's value. All of them or none: throws `invalidArgument`, which names the first
    /// point that is not finite, out of the parameter's range, or not after the one before; `commandQueueFull` where they are more than the engine has commands
    /// (1,024) or curves (`maximumCurves`) to spare. Without points nothing happens. Until the first point the parameter is what it was; the next call for the same parameter that is due ends
    /// the curve where it is, and the points behind it still come. A session's pause holds up a curve that runs, not the frames of the points to come.
    /// Where the server's rate changes, an automated speed of a source that knows its own is at once that of the last point.
    public func automate(_ parameter: VoiceParameter, _ points: [AutomationPoint]) throws(AudioEngineError) {
        try playing.automate(parameter, of: self, points)
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

    /// Called once, by the engine, before the handle is given back: from now on the last values stand. Returns the bus, which it held, for the engine to let go of
    /// outside its lock.
    func end(in engine: AudioEngine) -> (any AudioBus)? {
        let last = Final(
            frames: engine.frames(of: handle), underruns: engine.underruns(of: handle),
            end: engine.endReason(of: handle))
        final.withLock { $0 = last }
        return bus.withLock { bus in
            defer { bus = nil }
            return bus
        }
    }
}
